/* A small program with inlined functions to be profiled: hashing, sorting and matrix work. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, WORD_SIZE = 16, MATRIX = 96 };

static inline uint32_t rotate(uint32_t x, int bits) {
  return (x << bits) | (x >> (32 - bits));
}

static inline uint32_t mix_byte(uint32_t hash, unsigned char byte) {
  return rotate(hash ^ byte, 5) * UINT32_C(0x9e3779b1);
}

static inline uint32_t hash_word(const char *word) {
  uint32_t hash = 17;
  for (size_t i = 0; word[i] != '\0'; i++) {
    hash = mix_byte(hash, (unsigned char)word[i]);
  }
  return hash;
}

static inline uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

__attribute__((noinline)) static void fill_words(char (*words)[WORD_SIZE], uint32_t seed) {
  for (int i = 0; i < WORDS; i++) {
    int length = 4 + (int)(next_random(&seed) % (WORD_SIZE - 5));
    for (int j = 0; j < length; j++) {
      words[i][j] = (char)('a' + next_random(&seed) % 26);
    }
    words[i][length] = '\0';
  }
}

__attribute__((noinline)) static uint32_t hash_words(char (*words)[WORD_SIZE]) {
  uint32_t sum = 0;
  for (int i = 0; i < WORDS; i++) {
    sum += hash_word(words[i]);
  }
  return sum;
}

static int compare_words(const void *a, const void *b) {
  return strcmp(a, b);
}

__attribute__((noinline)) static void sort_words(char (*words)[WORD_SIZE]) {
  qsort(words, WORDS, WORD_SIZE, compare_words);
}

static inline double dot(const double *row, const double *matrix, int column) {
  double sum = 0;
  for (int k = 0; k < MATRIX; k++) {
    sum += row[k] * matrix[k * MATRIX + column];
  }
  return sum;
}

__attribute__((noinline)) static double multiply(const double *a, const double *b, double *out) {
  double trace = 0;
  for (int i = 0; i < MATRIX; i++) {
    for (int j = 0; j < MATRIX; j++) {
      out[i * MATRIX + j] = dot(a + i * MATRIX, b, j);
    }
    trace += out[i * MATRIX + i];
  }
  return trace;
}

/* One frame for each level, so that the profile has deep stacks too. */
__attribute__((noinline)) static uint32_t descend(char (*words)[WORD_SIZE], int depth) {
  if (depth == 0) {
    return hash_words(words);
  }
  return descend(words, depth - 1) + (uint32_t)depth;
}

static uint32_t run_round(char (*words)[WORD_SIZE], double *matrices, uint32_t round) {
  double *a = matrices, *b = matrices + MATRIX * MATRIX, *out = matrices + 2 * MATRIX * MATRIX;
  uint32_t sum = 0;
  fill_words(words, round + 1);
  for (int i = 0; i < 20; i++) {
    sum += descend(words, 12);
  }
  sort_words(words);
  for (int i = 0; i < MATRIX * MATRIX; i++) {
    a[i] = (double)(i % 7);
    b[i] = (double)((i + (int)round) % 5);
  }
  return sum + (uint32_t)multiply(a, b, out);
}

int main(int argc, char **argv) {
  static char words[WORDS][WORD_SIZE];
  static double matrices[3 * MATRIX * MATRIX];
  uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100, sum = 0;
  for (uint32_t round = 0; round < rounds; round++) {
    sum += run_round(words, matrices, round);
  }
  printf("%u\n", (unsigned)sum);
  return 0;
}
