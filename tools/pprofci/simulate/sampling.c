/* Samples timed benchmarks with perf. The messages of benchmark plugins switch perf on and off. The
 * profile of a benchmark contains the samples of its time range, without the callers of the
 * plugin's root frame, in which the benchmark runs. */
#include "core/child.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "simulate/counting.h"

#include <fnmatch.h>

#define ROOT_FRAME "__codspeed_root_frame__"

bool sampling_is_permitted(struct timing *t) {
  const char *to = text_printf(&t->run->arena, "%s/probe.data", t->run->work);
  struct program perf = {.argv = TEXT_LIST("perf", "record", "-q", "-o", to, "--", "true")};
  const char *why = "perf is not installed";
  if (child_exists("perf")) {
    program_run(&perf);
    program_end(&perf);
    if (perf.status == 0) return true;
    why = "the kernel does not permit perf";
  }
  message_note("%s: times only, without profiles", why);
  return false;
}

/* ---- recording --------------------------------------- */

/* Creates a FIFO in the folder of a run, and opens the FIFO for reading and writing. */
static int sampling_fifo(struct timing *t, const char *place, const char *name) {
  const char *path = text_printf(&t->run->arena, "%s/%s", place, name);
  if (mkfifo(path, 0600) != 0) return -1;
  return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static void close_control(struct talk *talk) {
  if (talk->control >= 0) close(talk->control);
  if (talk->acknowledge >= 0) close(talk->acknowledge);
  talk->control = talk->acknowledge = -1;
}

/* True if the programs of the command keep frame pointers. This holds for JavaScript, and for Rust
 * that cargo codspeed built. Unwinding by frame pointers copies less of the stack than unwinding by
 * debug information. */
static bool has_frame_pointers(const struct timing *t) {
  return STR_ANY(str_equal, str_path_base(str_of(t->words[0])), "node", "npm", "npx", "pnpm",
                 "yarn", "bun", "deno", "cargo", "vitest");
}

void sampling_begin(struct timing *t, const char *place, struct word_list *words) {
  static const char *const perf[] = {"perf", "record", "--quiet", "-F", "199",
                                     "-k",   "mono",   "--delay", "-1", "--call-graph"};
  struct arena *arena = &t->run->arena;
  close_control(&t->talk);
  t->talk.control = sampling_fifo(t, place, "control");
  t->talk.acknowledge = sampling_fifo(t, place, "acknowledge");
  if (t->talk.control < 0 || t->talk.acknowledge < 0)
    ci_fail("cannot make a FIFO in '%s': %s", place, ERRNO_TEXT(errno));
  words_add_all(words, perf, sizeof perf / sizeof *perf);
  words_add(words, has_frame_pointers(t) ? "fp" : "dwarf,16384");
  words_add(words, text_printf(arena, "--control=fifo:%s/control,%s/acknowledge", place, place));
  words_add(words, text_printf(arena, "--output=%s/perf.data", place));
  words_add(words, "--");
}

/* ---- compiled code ----------------------------------- */

/* Removes the files of a process in the folder `place` that describe code generated at run time. */
static void remove_compiled(struct timing *t, const char *place, uint32_t process) {
  const char *names[] = {text_printf(&t->run->arena, "jit-%u.dump", process),
                         text_printf(&t->run->arena, "jitted-%u-*.so", process),
                         text_printf(&t->run->arena, "perf-%u.map", process)};
  DIR *folder = opendir(place);
  struct dirent *entry;
  while (folder && (entry = readdir(folder)) != NULL) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      if (fnmatch(names[i], entry->d_name, 0) != 0) continue;
      const char *path = text_printf(&t->run->arena, "%s/%s", place, entry->d_name);
      if (sides_own_file(path)) (void)unlink(path);
    }
  }
  if (folder) closedir(folder);
}

/* Adds code that was generated at run time to the recording, if the processes described this code
 * for perf. Returns the path of the new recording. */
static const char *add_compiled(struct timing *t, const char *place) {
  const char *from = text_printf(&t->run->arena, "%s/perf.data", place);
  const char *to = text_printf(&t->run->arena, "%s/perf.jit.data", place);
  struct program perf = {.argv = TEXT_LIST("perf", "inject", "--jit", "-f", "-i", from, "-o", to)};
  program_run(&perf);
  program_end(&perf);
  return perf.status == 0 ? to : from;
}

/* ---- profiles ---------------------------------------- */

/* Writes a profile without the frames above the root frame. If no stack has the root frame, writes
 * the whole profile: for example, stacks of Python before 3.12 contain only C frames. Returns false
 * if there are no samples. */
static bool write_cut(struct timing *t, pprofc_str text, const char *path) {
  pprofc_profile *whole = NULL, *cut = NULL;
  pprofc_read_options options;
  pprofc_filter_options filter;
  pprofc_read_options_init(&options);
  pprofc_filter_options_init(&filter);
  options.allocator = t->run->mem;
  filter.show_from = ROOT_FRAME;
  /* If a benchmark was too short to have samples, the reader fails. */
  if (pprofc_profile_read_memory(text.data, text.size, &options, &whole, &ci_error) != PPROFC_OK)
    return false;
  ci_need(pprofc_filter(whole, &filter, &cut, &ci_error));
  pprofc_profile *shown = profile_edit(cut->samples.count ? cut : whole);
  bool trimmed = shown && profile_trim_files(shown, sides_tree_end(t->run));
  ci_need(trimmed ? PPROFC_OK : error_nomem(&ci_error));
  bool any = shown->samples.count > 0;
  if (!cut->samples.count) t->rootless |= any;
  if (any) ci_need(pprofc_profile_write_file(shown, path, &ci_error));
  pprofc_profile_release(shown);
  pprofc_profile_release(cut);
  pprofc_profile_release(whole);
  return any;
}

static void sampling_cut(struct timing *t, const char *data, const struct talk_benchmark *talked) {
  struct arena *arena = &t->run->arena;
  const unsigned long long begin = talked->begin, end = talked->end;
  /* The file names must differ, because one folder contains all runs of a pair of profiles. */
  const char *path = text_printf(arena, "%s/times/samples%04zu.pb.gz", t->run->work, t->places++);
  const char *times = text_printf(arena, "--time=%llu.%09llu,%llu.%09llu", begin / 1000000000,
                                  begin % 1000000000, end / 1000000000, end % 1000000000);
  struct program perf = {.argv =
                             TEXT_LIST("perf", "script", "-f", "-i", data, "-F", "+pid", times)};
  struct timed_profiles *profiles = &timed_of(t, str_of(talked->name))->profiles[t->side];
  struct buffer text = ci_buffer();
  program_run(&perf);
  if (perf.status != 0)
    ci_fail("cannot read '%s': perf ended with status %d: %.*s", data, perf.status,
            STR_ARG(program_last_line(&perf)));
  sides_source_files(t->folders[t->side], buffer_str(&perf.printed), &text);
  if (write_cut(t, buffer_str(&text), path))
    (void)ARRAY_PUSH_IN(arena, profiles->items, profiles->count, profiles->capacity, path);
  buffer_free(&text);
  program_end(&perf);
}

void sampling_clean(struct timing *t) {
  for (size_t i = 0; i < t->talk.count; i++) {
    remove_compiled(t, "/tmp", t->talk.items[i].process);
    remove_compiled(t, t->folders[t->side], t->talk.items[i].process);
  }
}

void sampling_end(struct timing *t, const char *place) {
  close_control(&t->talk);
  const char *data = add_compiled(t, place);
  for (size_t i = 0; i < t->talk.count; i++) sampling_cut(t, data, &t->talk.items[i]);
}
