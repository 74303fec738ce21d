/* Answers the messages of benchmark plugins. A message consists of its length, a command number,
 * and fields. All numbers are little-endian. */
#include "simulate/counting.h"

#include <poll.h>

#define COMMANDS_PATH "/tmp/runner.ctl.fifo"
#define ANSWERS_PATH  "/tmp/runner.ack.fifo"

#define MESSAGE_MAX 65536             /* maximum length of a message in bytes */
#define ROUNDS_MAX  ((size_t)1 << 29) /* maximum size in bytes of the round durations of a run */
#define PROFILER_MS 2000              /* time limit in milliseconds for an answer of the profiler */

/* Numbers of the commands in the plugin protocol. */
enum {
  EXECUTED = 0,
  START = 1,
  STOP = 2,
  ACKNOWLEDGE = 3,
  SET_PLUGIN = 5,
  ADD_MARKER = 7,
  GET_MODE = 9,
  MODE = 10
};

enum { MODE_WALLTIME = 0 };

/* Types of the markers that plugins send. */
enum { ROUND_BEGINS = 2, ROUND_ENDS = 3 };

/* ---- FIFOs ------------------------------------------- */

static bool fifo_is_read(const char *path) {
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

/* Removes a FIFO that an earlier run left in the file system. */
static void fifo_clear(const char *path) {
  struct stat info;
  const char *why = NULL;
  if (lstat(path, &info) != 0) return;
  if (info.st_uid != geteuid())
    why = "it belongs to another user";
  else if (!S_ISFIFO(info.st_mode))
    why = "it is not a FIFO";
  else if (fifo_is_read(path))
    why = "another runner of benchmarks uses it";
  else if (unlink(path) != 0)
    why = ERRNO_TEXT(errno);
  if (why) ci_fail("cannot replace '%s': %s", path, why);
}

/* Creates a FIFO, and opens it for reading and for writing. Because this process can also write to
 * the FIFO, a read never reports the end of the file. */
static void fifo_make(const char *path, int *fd) {
  struct stat info;
  fifo_clear(path);
  if (mkfifo(path, 0600) == 0) *fd = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (*fd < 0 || fstat(*fd, &info) != 0 || !S_ISFIFO(info.st_mode) || info.st_uid != geteuid())
    ci_fail("cannot make '%s': %s", path, ERRNO_TEXT(errno));
}

void talk_init(struct talk *talk, struct arena *arena) {
  *talk = (struct talk){.arena = arena,
                        .commands = -1,
                        .answers = -1,
                        .control = -1,
                        .acknowledge = -1,
                        .plugin = ""};
  buffer_init(&talk->rounds, &ci_mem, ROUNDS_MAX);
  buffer_init(&talk->pending, &ci_mem, 3 * MESSAGE_MAX);
}

void talk_open(struct talk *talk) {
  talk->count = 0;
  talk->now = (struct talk_benchmark){.name = NULL};
  buffer_clear(&talk->rounds);
  buffer_clear(&talk->pending);
  fifo_make(COMMANDS_PATH, &talk->commands);
  fifo_make(ANSWERS_PATH, &talk->answers);
}

/* Closes a FIFO, and removes it if this run created it. */
static void fifo_close(const char *path, int *fd) {
  if (*fd < 0) return;
  close(*fd);
  (void)unlink(path);
  *fd = -1;
}

void talk_close(struct talk *talk) {
  fifo_close(COMMANDS_PATH, &talk->commands);
  fifo_close(ANSWERS_PATH, &talk->answers);
}

void talk_free(struct talk *talk) {
  talk_close(talk);
  buffer_free(&talk->rounds);
  buffer_free(&talk->pending);
  ARRAY_FREE(&ci_mem, talk->items, talk->capacity);
}

/* ---- the profiler ------------------------------------ */

/* Switches the profiler on or off, and waits for the profiler's answer. */
static void profiler_switch(const struct talk *talk, const char *word) {
  char reply[64];
  if (talk->control < 0) return;
  while (read(talk->acknowledge, reply, sizeof reply) > 0)
    continue; /* Skip a late answer to an earlier command. */
  if (write(talk->control, word, strlen(word)) < 0) return;
  struct pollfd wait = {.fd = talk->acknowledge, .events = POLLIN};
  if (poll(&wait, 1, PROFILER_MS) > 0) (void)!read(talk->acknowledge, reply, sizeof reply);
}

static uint64_t talk_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- messages ---------------------------------------- */

/* Reads a little-endian integer of `size` bytes at the start of *text, and removes these bytes. If
 * the text is shorter, returns 0 and marks the conversation as failed. */
static uint64_t talk_take_number(struct talk *talk, pprofc_str *text, size_t size) {
  uint64_t number = 0;
  if (text->size < size) {
    talk->failed = true;
    text->size = 0;
    return 0;
  }
  for (size_t i = size; i-- > 0;) number = number << 8 | (unsigned char)text->data[i];
  *text = str_slice(*text, size, text->size);
  return number;
}

static pprofc_str talk_take_text(struct talk *talk, pprofc_str *text) {
  uint64_t size = talk_take_number(talk, text, 8);
  if (size > text->size) {
    talk->failed = true;
    size = 0;
  }
  pprofc_str taken = str_slice(*text, 0, (size_t)size);
  *text = str_slice(*text, (size_t)size, text->size);
  return taken;
}

/* Sends a command with one field, the number *field, or without fields if `field` is NULL. */
static void talk_send(const struct talk *talk, uint32_t command, const uint32_t *field) {
  uint32_t words[] = {4, command, 0};
  unsigned char bytes[sizeof words];
  if (field) {
    words[0] += sizeof *field;
    words[2] = *field;
  }
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(words[i / 4] >> (i % 4 * 8));
  (void)!write(talk->answers, bytes, 4 + words[0]);
}

static void talk_take_start(struct talk *talk) {
  size_t rounds = talk->rounds.size / sizeof(double);
  talk->now = (struct talk_benchmark){.begin = talk_time(), .first_round = rounds};
  talk->round_begin = 0;
  profiler_switch(talk, "enable\n");
}

static void talk_take_stop(struct talk *talk) {
  profiler_switch(talk, "disable\n");
  talk->now.end = talk_time();
  talk->now.rounds = talk->rounds.size / sizeof(double) - talk->now.first_round;
}

static void talk_take_marker(struct talk *talk, pprofc_str fields) {
  (void)talk_take_number(talk, &fields, 4); /* skip the process id */
  uint64_t kind = talk_take_number(talk, &fields, 4), time = talk_take_number(talk, &fields, 8);
  if (kind == ROUND_BEGINS) talk->round_begin = time;
  if (kind != ROUND_ENDS || !talk->round_begin || time < talk->round_begin) return;
  double took = (double)(time - talk->round_begin);
  buffer_add(&talk->rounds, &took, sizeof took);
  talk->round_begin = 0;
}

/* Adds a benchmark with the rounds that arrived last. A plugin sends the name of a benchmark after
 * its rounds. */
static void talk_take_executed(struct talk *talk, pprofc_str fields) {
  talk->now.process = (uint32_t)talk_take_number(talk, &fields, 4);
  talk->now.name = text_shown(talk->arena, talk_take_text(talk, &fields));
  talk->failed |= !*talk->now.name;
  (void)ARRAY_PUSH(&ci_mem, talk->items, talk->count, talk->capacity, talk->now);
  talk->now = (struct talk_benchmark){.name = NULL};
}

static void talk_take_plugin(struct talk *talk, pprofc_str fields) {
  pprofc_str name = talk_take_text(talk, &fields), version = talk_take_text(talk, &fields);
  talk->plugin = text_printf(talk->arena, "%.*s %.*s", STR_ARG(name), STR_ARG(version));
}

static void talk_take_message(struct talk *talk, pprofc_str fields) {
  static const uint32_t mode = MODE_WALLTIME;
  switch (talk_take_number(talk, &fields, 4)) {
  case EXECUTED:
    talk_take_executed(talk, fields);
    break;
  case START:
    talk_take_start(talk);
    break;
  case STOP:
    talk_take_stop(talk);
    break;
  case SET_PLUGIN:
    talk_take_plugin(talk, fields);
    break;
  case ADD_MARKER:
    talk_take_marker(talk, fields);
    break;
  case GET_MODE:
    talk_send(talk, MODE, &mode);
    return;
  default:
    break; /* ignore SetVersion, PingProfiler, and commands of later versions */
  }
  talk_send(talk, ACKNOWLEDGE, NULL);
}

static void talk_take_messages(struct talk *talk) {
  pprofc_str rest = buffer_str(&talk->pending);
  while (rest.size >= 4 && !talk->failed) {
    pprofc_str message = rest;
    uint64_t size = talk_take_number(talk, &message, 4);
    talk->failed |= size < 4 || size > MESSAGE_MAX;
    if (talk->failed || message.size < size) break;
    talk_take_message(talk, str_slice(message, 0, (size_t)size));
    rest = str_slice(message, (size_t)size, message.size);
  }
  if (rest.size) memmove(talk->pending.data, rest.data, rest.size);
  talk->pending.size = rest.size;
}

void talk_serve(void *context) {
  struct talk *talk = context;
  char chunk[MESSAGE_MAX];
  ssize_t size = read(talk->commands, chunk, sizeof chunk);
  if (size <= 0 || talk->failed) return;
  buffer_add(&talk->pending, chunk, (size_t)size);
  talk_take_messages(talk);
  talk->failed |= talk->pending.failed || talk->rounds.failed;
}
