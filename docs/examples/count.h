/* Marks the code that `pprofci run -simulate PROGRAM` counts, for x86-64 and 64-bit Arm:
 *
 *   count_begin();
 *   work();
 *   count_end("parser::work");
 *
 * Without valgrind the marks have no effect and cost a few instructions. */
#pragma once

static inline void count_request(unsigned long code, const char *name) {
  volatile unsigned long request[6] = {0x43540000 + code, (unsigned long)name};
#if defined(__x86_64__)
  unsigned long answer = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                   "xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(request)
                   : "cc", "memory");
#elif defined(__aarch64__)
  __asm__ volatile("mov x3, xzr; mov x4, %0; ror x12, x12, #3; ror x12, x12, #13\n\t"
                   "ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                   :
                   : "r"(request)
                   : "x3", "x4", "cc", "memory");
#endif
}

static inline void count_begin(void) {
  count_request(1, 0); /* reset the counts */
  count_request(4, 0); /* start counting */
}

static inline void count_end(const char *name) {
  count_request(5, 0);    /* stop counting */
  count_request(3, name); /* write the counts under this name */
}
