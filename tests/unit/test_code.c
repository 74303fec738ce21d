/* Tests the comparison of the machine code of two programs. tests/interop/compiled_code.c compares
 * compiled programs that differ by one edit. */
#include "unit.h"

#include "core/file.h"
#include "symbolize/code.h"
#include "symbolize/code_image.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

/* Tests lengths and operands of instructions with unusual encodings. */
TEST(instructions_have_their_shape) {
  static const struct {
    const char *bytes;
    size_t size, length;
    size_t displacement, immediate;
    unsigned access;
  } cases[] = {
      {"\x0f\x1f\x44\x00\x00", 5, 5, 1, 0, 4},                        /* nopl 0(%rax,%rax) */
      {"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10, 0, 8, 0},  /* movabs */
      {"\x66\xb8\x01\x02", 4, 4, 0, 2, 0},                            /* mov $513,%ax */
      {"\xe8\x01\x02\x03\x04", 5, 5, 0, 4, 0},                        /* call */
      {"\xf7\x05\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10, 4, 4, 4},  /* testl */
      {"\xf6\x05\x01\x02\x03\x04\x05", 7, 7, 4, 1, 1},                /* testb */
      {"\xf7\xd8", 2, 2, 0, 0, 0},                                    /* neg %eax */
      {"\x8d\x04\x25\x01\x02\x03\x04", 7, 7, 4, 0, 0},                /* lea address */
      {"\xc5\xfb\x10\x05\x01\x02\x03\x04", 8, 8, 4, 0, 8},            /* vmovsd */
      {"\xc5\xfc\x28\x05\x01\x02\x03\x04", 8, 8, 4, 0, 32},           /* vmovaps %ymm */
      {"\xc5\xf8\x77", 3, 3, 0, 0, 0},                                /* vzeroupper */
      {"\xc4\xe2\x7d\x18\x05\x01\x02\x03\x04", 9, 9, 4, 0, 4},        /* vbroadcastss */
      {"\xc4\xe3\x79\x0b\x05\x01\x02\x03\x04\x01", 10, 10, 4, 1, 8},  /* vroundsd */
      {"\xc4\xe2\xf9\x99\x05\x01\x02\x03\x04", 9, 9, 4, 0, 8},        /* vfmadd132sd */
      {"\x62\xf1\x7c\x48\x28\x05\x01\x02\x03\x04", 10, 10, 4, 0, 64}, /* vmovaps %zmm */
      {"\xdd\x05\x01\x02\x03\x04", 6, 6, 4, 0, 8},                    /* fldl */
      {"\xf2\x0f\x5a\x05\x01\x02\x03\x04", 8, 8, 4, 0, 8},            /* cvtsd2ss */
      {"\x0f\x5a\x05\x01\x02\x03\x04", 7, 7, 4, 0, 8},                /* cvtps2pd */
      {"\x66\x0f\x2e\x05\x01\x02\x03\x04", 8, 8, 4, 0, 8},            /* ucomisd */
      {"\x66\x0f\x38\x20\x05\x01\x02\x03\x04", 9, 9, 4, 0, 2},        /* pmovsxbw */
      {"\x66\x0f\x3a\x0f\x05\x01\x02\x03\x04\x01", 10, 10, 4, 1, 16}, /* palignr */
      {"\xf3\x48\x0f\x2a\x05\x01\x02\x03\x04", 9, 9, 4, 0, 8},        /* cvtsi2ss */
      {"\x0f\xb6\x05\x01\x02\x03\x04", 7, 7, 4, 0, 1},                /* movzbl */
      {"\x48\x63\x05\x01\x02\x03\x04", 7, 7, 4, 0, 4},                /* movslq */
      {"\xff\x15\x01\x02\x03\x04", 6, 6, 4, 0, 8},                    /* call *address */
      {"\xc8\x01\x02\x03", 4, 4, 0, 3, 0},                            /* enter */
      {"\xa1\x01\x02\x03\x04\x05\x06\x07\x08", 9, 9, 0, 8, 0},        /* mov address,%eax */
      {"\x67\xa1\x01\x02\x03\x04", 6, 6, 0, 4, 0},
      {"\xf3\x0f\x7e\x05\x01\x02\x03\x04", 8, 8, 4, 0, 8}, /* movq */
      {"\x06", 1, 0, 0, 0, 0},                             /* not in 64-bit code */
      {"\x0f\x04", 2, 0, 0, 0, 0},
      {"\x48", 1, 0, 0, 0, 0}, /* truncated */
      {"\x0f", 1, 0, 0, 0, 0},
      {"\x0f\x38", 2, 0, 0, 0, 0},
      {"\x8b", 1, 0, 0, 0, 0},
      {"\x8b\x04", 2, 0, 0, 0, 0},
      {"\x8b\x05\x01", 3, 0, 0, 0, 0},
      {"\xc5\xfb", 2, 0, 0, 0, 0},
      {"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, 0, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct x86_instruction x;
    bool known = x86_read((const uint8_t *)cases[i].bytes, cases[i].size, &x);
    CU_ASSERT_EQUAL(known, cases[i].length > 0);
    if (!known) continue;
    bool good = x.size == cases[i].length && x.displacement_size == cases[i].displacement &&
                x.immediate_size == cases[i].immediate && x.access == cases[i].access;
    if (!good)
      printf("case %zu: size %zu, displacement %zu, immediate %zu, access %u\n", i, x.size,
             x.displacement_size, x.immediate_size, x.access);
    CU_ASSERT_TRUE(good);
  }
}

/* ---- files that are not programs --------------------- */

static char path[] = "/tmp/test_code.XXXXXX"; /* of a file that each test writes */

__attribute__((constructor)) static void path_make(void) {
  if (!mkdtemp(path) || rmdir(path) != 0) exit(2);
}

__attribute__((destructor)) static void path_remove(void) {
  unlink(path);
}

static void write_file(const void *data, size_t size) {
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CU_ASSERT_EQUAL(fwrite(data, 1, size, file), size);
  CU_ASSERT_EQUAL(fclose(file), 0);
}

static pprofc_status compare_status(void) {
  struct code_comparison c;
  pprofc_error error = {0};
  pprofc_status status = code_compare(&c, path, path, &mem_default, &error);
  if (status != PPROFC_OK) CU_ASSERT_PTR_NOT_NULL(strstr(error.message, path));
  code_comparison_free(&c);
  return status;
}

TEST(other_files_are_refused) {
  Elf64_Ehdr elf = {.e_type = ET_EXEC, .e_machine = EM_AARCH64};
  memcpy(elf.e_ident, ELFMAG, 4);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_ident[EI_DATA] = ELFDATA2LSB;
  unlink(path);
  CU_ASSERT_EQUAL(compare_status(), PPROFC_E_IO);
  write_file("text", 4);
  CU_ASSERT_EQUAL(compare_status(), PPROFC_E_FORMAT);
  write_file(&elf, sizeof elf);
  CU_ASSERT_EQUAL(compare_status(), PPROFC_E_UNSUPPORTED);
}

/* Damaged programs must not cause a read outside of the file. */
TEST(damaged_programs_are_survived) {
  struct buffer program = buffer_make(&mem_default, 1 << 20), damaged = program;
  CU_ASSERT_EQUAL_FATAL(file_read(TESTDATA "/native/native_c", &program, NULL), PPROFC_OK);
  unsigned state = 1;
  for (int round = 0; round < 100; round++) {
    buffer_clear(&damaged);
    buffer_add_str(&damaged, buffer_str(&program));
    for (int k = 0; k < 20; k++) {
      state = state * 1103515245u + 12345u;
      size_t at = state % 3 ? state / 7 % program.size : state / 7 % 64;
      if (state % 2) at = program.size - 1 - state / 11 % 2048; /* change the section headers */
      if (at >= 20) damaged.data[at] = (char)(state >> 16);
    }
    write_file(damaged.data, round % 5 ? damaged.size : state % damaged.size);
    (void)compare_status();
  }
  buffer_free(&damaged);
  buffer_free(&program);
}

/* Comparing a program with itself must find no difference. */
TEST(a_program_is_itself) {
  struct code_comparison c;
  pprofc_error error = {0};
#ifndef __x86_64__
  printf("skipped: the machine is not x86-64\n");
  return;
#endif
  CU_ASSERT_EQUAL_FATAL(code_compare(&c, "/proc/self/exe", "/proc/self/exe", &mem_default, &error),
                        PPROFC_OK);
  CU_ASSERT_TRUE(c.same > 100);
  CU_ASSERT_EQUAL(c.changed, 0);
  CU_ASSERT_EQUAL(c.moved, 0);
  code_comparison_free(&c);
}
