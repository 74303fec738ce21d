# Runs CMake, for users of make.
BUILD ?= build

all:
	cmake -S . -B $(BUILD)
	cmake --build $(BUILD) -j

test: all
	ctest --test-dir $(BUILD) --output-on-failure

install: all
	cmake --install $(BUILD)

# Writes tables, flame graphs and a page for a pull request from the bundled profiles.
# scripts/ci_profiles.sh -help shows commands for other profiles.
ci_profiles: $(BUILD)/bin/pprofci
	PPROFC_BIN=$(BUILD)/bin scripts/ci_profiles.sh -no-fail

$(BUILD)/bin/pprofci:
	$(MAKE) all

clean:
	cmake -E rm -rf $(BUILD)

.PHONY: all test install ci_profiles clean
