/* Reads any bytes as the index of a store, or as one of its records. A damaged index must not add
 * runs that the records do not have. */
#include "gate/read/read.h"
#include "scratch.h"
#include "store/store.h"

#include <sys/stat.h>

static const char mark[] = RECORD_MARK_TEXT;

static size_t read_store(const char *folder) {
  struct backing backing;
  struct past past;
  past_init(&past);
  backing_open(&backing, folder, false);
  past_load(&past, &backing);
  size_t runs = past.run_count;
  backing_close(&backing);
  past_free(&past);
  return runs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128];
  bool is_record = size > 0 && data[0] == '{';
  scratch_write(RECORD_MARK, mark, sizeof mark - 1, path);
  mkdir(scratch_path("runs", path), 0700);
  mkdir(scratch_path("runs/abc", path), 0700);
  if (is_record)
    scratch_write("runs/abc/0.json", data, size, path);
  else
    scratch_write("index.sqlite", data, size, path);
  size_t runs = read_store(scratch_folder);
  REQUIRE(runs <= is_record);
  scratch_clear();
  return 0;
}
