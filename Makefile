# A thin front for CMake, for those who type make.
BUILD ?= build

all:
	cmake -S . -B $(BUILD)
	cmake --build $(BUILD) -j

test: all
	ctest --test-dir $(BUILD) --output-on-failure

install: all
	cmake --install $(BUILD)

clean:
	cmake -E rm -rf $(BUILD)

.PHONY: all test install clean
