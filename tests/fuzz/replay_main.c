/* Main program of a fuzz target in builds without libFuzzer. `fuzz_NAME PATH...` runs the target
 * over files and folders, `fuzz_NAME -random=COUNT` over random inputs. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static bool run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat info;
  bool done = false;
  if (file && fstat(fileno(file), &info) == 0) {
    size_t size = (size_t)info.st_size;
    /* Allocate exactly the size of the input. A sanitizer then finds a read after the end of the
     * input. */
    uint8_t *data = malloc(size ? size : 1);
    done = data && fread(data, 1, size, file) == size;
    if (done) LLVMFuzzerTestOneInput(data, size);
    free(data);
  }
  if (file) fclose(file);
  if (!done) fprintf(stderr, "cannot read '%s'\n", path);
  return done;
}

/* Runs the files of a folder, without its subfolders. Returns their number, or -1 if the path is
 * not a folder. */
static long run_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return -1;
  long count = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    char name[4096];
    struct stat info;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (stat(name, &info) == 0 && S_ISREG(info.st_mode)) count += run_file(name);
  }
  closedir(dir);
  return count;
}

/* Runs `count` inputs of up to 256 pseudorandom bytes, which are the same in each run. */
static long run_random(long count) {
  uint8_t data[256];
  uint64_t random = 1;
  for (long i = 0; i < count; i++) {
    for (size_t k = 0; k < sizeof data; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      data[k] = (uint8_t)(random >> 56);
    }
    LLVMFuzzerTestOneInput(data, data[0] ? data[0] : sizeof data);
  }
  return count;
}

int main(int argc, char **argv) {
  long total = 0;
  for (int i = 1; i < argc; i++) {
    bool random = strncmp(argv[i], "-random=", 8) == 0;
    long count = random ? run_random(strtol(argv[i] + 8, NULL, 10)) : run_folder(argv[i]);
    if (count < 0) count = run_file(argv[i]);
    if (count == 0) {
      fprintf(stderr, "nothing to run in '%s'\n", argv[i]);
      return 1;
    }
    total += count;
  }
  printf("%ld inputs\n", total);
  return 0;
}
