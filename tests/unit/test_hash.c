/* Tests the secret of hashes if the kernel returns no random bytes: this program replaces
 * getentropy. */
#include "core/hash.h"
#include "core/system.h"
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

int getentropy(void *buffer, size_t size);

int getentropy(void *buffer, size_t size) {
  (void)buffer;
  (void)size;
  return -1;
}

static bool draw_in_child(struct hash_secret *secret) {
  int ends[2];
  if (!system_pipe(ends)) return false;
  pid_t child = fork();
  if (child == 0) {
    hash_init();
    _exit(write(ends[1], &hash_secret, sizeof hash_secret) != (ssize_t)sizeof hash_secret);
  }
  close(ends[1]);
  bool read_all = child > 0 && read(ends[0], secret, sizeof *secret) == (ssize_t)sizeof *secret;
  close(ends[0]);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 && read_all;
}

TEST(test_each_process_has_its_own_secret_without_the_kernel) {
  static const struct hash_secret zero;
  struct hash_secret secrets[4];
  unsigned char byte;
  CU_ASSERT_FALSE(system_random(&byte, 1));
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    CU_ASSERT_TRUE_FATAL(draw_in_child(&secrets[i]));
    const uint64_t *word = (const uint64_t *)(const void *)&secrets[i];
    for (size_t w = 0; w < sizeof *secrets / sizeof *word; w++) CU_ASSERT_NOT_EQUAL(word[w], 0);
    CU_ASSERT_NOT_EQUAL(memcmp(&secrets[i], &zero, sizeof zero), 0);
    for (size_t other = 0; other < i; other++)
      CU_ASSERT_NOT_EQUAL(memcmp(&secrets[i], &secrets[other], sizeof zero), 0);
  }
  /* gcov counts the lines of a process that ends by exit, and not the lines of the children. */
  hash_init();
  CU_ASSERT_NOT_EQUAL(memcmp(&hash_secret, &zero, sizeof zero), 0);
}
