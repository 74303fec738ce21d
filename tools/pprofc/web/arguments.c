/* The command line without report options: flags of sources, then the sources. */
#include "web/arguments.h"

#include "core/mem.h"

#include <stdio.h>

/* Flags of sources, by their offset in the command. */
static const struct {
  const char *name;
  size_t offset;
} arguments_texts[] = {
    {"benchmark", offsetof(struct command, benchmark)},
    {"symbolize", offsetof(struct command, symbolize)},
    {"buildid", offsetof(struct command, buildid)},
    {"tools", offsetof(struct command, tools)},
    {"add_comment", offsetof(struct command, add_comment)},
};

struct arguments {
  struct arena *arena;
  const char **items;
  size_t count;
  bool failed;
};

/* Adds "-NAME=VALUE", or the value alone. */
static void arguments_add(struct arguments *a, const char *name, const char *value) {
  size_t size = strlen(name) + strlen(value) + 4;
  char *text = arena_alloc(a->arena, size);
  a->failed = a->failed || !text;
  if (!text) return;
  if (!*name)
    snprintf(text, size, "%s", value);
  else
    snprintf(text, size, *value ? "-%s=%s" : "-%s%s", name, value);
  a->items[a->count++] = text;
}

static void arguments_add_flags(struct arguments *a, const struct command *command) {
  static const char *const stacks[] = {
      [PPROFC_STACKS_EDGES] = "edges", [PPROFC_STACKS_FLAT] = "flat"};
  for (size_t i = 0; i < sizeof arguments_texts / sizeof *arguments_texts; i++) {
    const char *value;
    memcpy(&value, (const char *)command + arguments_texts[i].offset, sizeof value);
    if (value && *value) arguments_add(a, arguments_texts[i].name, value);
  }
  if (command->all_frames) arguments_add(a, "all_frames", "");
  if (command->call_stacks != PPROFC_STACKS_PROPORTIONAL)
    arguments_add(a, "callgrind_stacks", stacks[command->call_stacks]);
}

/* Adds the files of a side: its runs, or its source. `flag` is the name of a flag, or "". */
static void arguments_add_side(struct arguments *a, const char *flag,
                               const struct state_profile *side) {
  for (size_t i = 0; i < side->run_count; i++) arguments_add(a, flag, side->runs[i].name);
  if (!side->run_count) arguments_add(a, flag, side->source);
}

/* True if a command line can load the side. */
static bool arguments_can_load(const struct state_profile *side, bool sums) {
  return !side || sums || side->run_count || *side->source;
}

static size_t arguments_bases(const struct state_profile *base) {
  return base ? base->run_count : 0;
}

bool arguments_make(const struct command *command, const struct state_choice *choice,
                    struct arena *arena, const char *const **items, size_t *count) {
  struct arguments a = {.arena = arena};
  const struct state_profile *head = choice->head, *base = choice->base;
  bool sums = head->is_command && !head->run_count;
  size_t sources = sums ? command->source_count : head->run_count;
  *items = NULL;
  *count = 0;
  if (!arguments_can_load(head, sums) || !arguments_can_load(base, false)) return true;
  a.items = arena_array(arena, sources + arguments_bases(base) + 16, sizeof *a.items);
  if (!a.items) return false;
  if (base) arguments_add_side(&a, *command->base ? "base" : "diff_base", base);
  arguments_add_flags(&a, command);
  if (command->executable) arguments_add(&a, "", command->executable);
  for (size_t i = 0; i < sources && sums; i++) arguments_add(&a, "", command->sources[i]);
  if (!sums) arguments_add_side(&a, "", head);
  *items = a.items;
  *count = a.count;
  return !a.failed;
}
