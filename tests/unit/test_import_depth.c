/* Tests deep stacks in formats that list each frame once. Memory must grow with the size of the
 * file, not with its depth. A file that needs too much memory must be rejected. */
#include "core/buffer.h"
#include "core/varint.h"
#include "counting.h"
#include "open.h"
#include "pprofc/pprofc.h"
#include "profile/profile.h"
#include "unit.h"

#define DEPTH      20000u
#define LIST_DEPTH 66000u
#define TICKS      340000u
/* Maximum bytes of memory per byte of the file. A separate stack for each sample would need 400. */
#define BYTES_OF_FILE 30u

static pprofc_status read_with(const struct buffer *text, const pprofc_allocator *mem,
                               const pprofc_limits *limits, pprofc_profile **profile,
                               pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  options.limits = limits;
  return pprofc_profile_read_memory(text->data, text->size, &options, profile, error);
}

/* Lists in documents. "<D ITEM>" stands for DEPTH items, separated by commas. In an item, "#"
 * stands for the index, and "^" for the index + 1. */
static const struct list {
  char letter;
  unsigned count;
  const char *separator;
} list_kinds[] = {{'D', DEPTH, ","},
                  {'E', DEPTH - 1, ","},
                  {'L', LIST_DEPTH, ","},
                  {'N', LIST_DEPTH, ""},
                  {'T', TICKS, ","}};

static void add_list(struct buffer *text, const struct list *list, pprofc_str item) {
  char quoted[128];
  for (size_t k = 0; k < item.size; k++) quoted[k] = item.data[k] == '\'' ? '"' : item.data[k];
  for (unsigned i = 0; i < list->count; i++) {
    pprofc_str rest = {quoted, item.size};
    if (i) buffer_add_text(text, list->separator);
    while (rest.size) {
      size_t hash = str_find_char(rest, '#'), next = str_find_char(rest, '^');
      size_t size = hash < next ? hash : next;
      buffer_add_str(text, str_slice(rest, 0, size));
      if (size < rest.size) buffer_printf(text, "%u", i + (next == size));
      rest = str_slice(rest, size < rest.size ? size + 1 : size, rest.size);
    }
  }
}

/* Creates a document from a text that has ' instead of ", and lists such as "<D ITEM>". */
static void make(struct buffer *text, const char *document) {
  buffer_init(text, &mem_default, 1 << 28);
  for (const char *c = document; *c; c++) {
    const struct list *list = list_kinds;
    if (*c != '<') {
      buffer_add_char(text, *c == '\'' ? '"' : *c);
      continue;
    }
    while (list->letter != c[1]) list++;
    pprofc_str item = str_of(c + 3);
    item.size = str_find_char(item, '>');
    add_list(text, list, item);
    c = item.data + item.size;
  }
}

static const char *const documents[] = {
    "[<D {'ph':'B','name':'f#','ts':#,'pid':1,'tid':1}>]",
    "{'shared':{'frames':[<D {'name':'f#'}>]},'profiles':[{'type':'evented','unit':'none',"
    "'startValue':0,'endValue':90000,'events':[<D {'type':'O','frame':#,'at':#}>]}]}",
    "{'startTime':0,'endTime':90000,'nodes':["
    "<D {'id':#,'callFrame':{'functionName':'f#','url':'a'},'children':[^]}>],"
    "'samples':[<D #>],'timeDeltas':[<D 1>]}",
    "{'meta':{'preprocessedProfileVersion':48},'threads':[{'stringArray':[<D 'f#'>],"
    "'funcTable':{'name':[<D #>]},'frameTable':{'func':[<D #>]},"
    "'stackTable':{'frame':[0,<E ^>],'prefix':[null,<E #>]},'samples':{'stack':[<D #>]}}]}",
};

/* Documents in further formats: stacks as lists of frames, and a log of calls. */
static const char *const more_documents[] = {
    "{'mode':'cpu','interval':1,'samples':1,'frames':{<L '#':{'name':'f#'}>},"
    "'raw':[66000,<L #>,1]}",
    "{'functions':[],'code':[<L {'type':'CODE','name':'f#'}>],"
    "'ticks':[{'tm':5,'s':[<L #,0>]}]}",
    "{'recording':{'sampleDurations':[1],'sampleStackTraces':[{'stackFrames':["
    "<L {'name':'f#','url':'a','line':1}>]}]}}",
    "{'dhatFileVersion':2,'pps':[{'tb':5,'tbk':1,'fs':[<L ^>]}],"
    "'ftbl':['[root]',<L '0x#: f# (a.c:1)'>]}",
    "Script_x log opened (PC)\n<N #:PUSH:1:1:F (1):s..f#\n>",
};

TEST(test_deep_stacks_share_their_callers) {
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    struct buffer text;
    struct counting counts = {0, 0};
    pprofc_allocator mem = counting_allocator(&counts);
    pprofc_profile *profile = NULL;
    pprofc_error error = {PPROFC_OK, 0, ""};
    pprofc_samples_view view;
    uint32_t *frames = calloc(DEPTH, sizeof *frames);
    make(&text, documents[i]);
    CU_ASSERT_EQUAL(read_with(&text, &mem, NULL, &profile, &error), PPROFC_OK);
    CU_ASSERT(counts.peak < text.size * BYTES_OF_FILE);
    if (profile) {
      pprofc_profile_samples(profile, &view);
      CU_ASSERT(view.count >= DEPTH - 1);
      /* Reads the frames of a sample in the middle, from its leaf to its root. */
      size_t depth = pprofc_profile_stack(profile, 9999, frames, DEPTH);
      CU_ASSERT_EQUAL(depth, 10000);
      for (uint32_t k = 1; k < depth; k++) CU_ASSERT_EQUAL(frames[k], frames[0] - k);
    }
    pprofc_profile_release(profile);
    CU_ASSERT_EQUAL(counts.live, 0);
    free(frames);
    buffer_free(&text);
  }
}

/* Reads a text with a limit of `depth` frames per stack. */
static pprofc_status read_limited(const struct buffer *text, uint32_t depth, pprofc_error *error) {
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profile = NULL;
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  limits.stack_depth = depth;
  pprofc_status status = read_with(text, &mem, &limits, &profile, error);
  CU_ASSERT(counts.peak < text->size * 64);
  if (profile) {
    pprofc_samples_view view;
    pprofc_profile_samples(profile, &view);
    uint32_t *frames = calloc(2 * LIST_DEPTH, sizeof *frames);
    /* The last call of a log has no duration yet. Its stack has one frame more. */
    CU_ASSERT_EQUAL(pprofc_profile_stack(profile, view.count - 1, frames, 2 * LIST_DEPTH),
                    LIST_DEPTH);
    free(frames);
  }
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(counts.live, 0);
  return status;
}

TEST(test_no_list_of_frames_is_cut) {
  for (size_t i = 0; i < sizeof more_documents / sizeof *more_documents; i++) {
    pprofc_error error = {PPROFC_OK, 0, ""};
    struct buffer text;
    make(&text, more_documents[i]);
    CU_ASSERT_EQUAL(read_limited(&text, 2 * LIST_DEPTH, &error), PPROFC_OK);
    CU_ASSERT_EQUAL(read_limited(&text, 10, &error), PPROFC_E_LIMIT);
    buffer_free(&text);
    CU_ASSERT(strstr(error.message, "more than 10 frames (raise the limit stack_depth)") != NULL);
  }
}

static const char ticks[] =
    "{'functions':[],'code':[{'type':'CODE','name':'f'}],"
    "'ticks':[<T {'tm':#,'vm':0,'s':[0,19295144,0,548630,-1,0,0,19295216]}>]}";

/* Reads a log as a text that must stay, and as a text that the reader may overwrite. The reader
 * holds the text, or its copy, and 16 to 32 bytes for each tick. */
TEST(test_a_log_takes_less_than_twice_its_size) {
  struct buffer text;
  make(&text, ticks);
  for (int may_overwrite = 0; may_overwrite < 2; may_overwrite++) {
    struct counting counts = {0, 0};
    pprofc_allocator mem = counting_allocator(&counts);
    pprofc_read_options options;
    pprofc_profile *profile = NULL;
    pprofc_error error = {PPROFC_OK, 0, ""};
    pprofc_read_options_init(&options);
    options.allocator = &mem;
    CU_ASSERT_EQUAL(may_overwrite ? open_text(buffer_str(&text), &options, NULL, &profile, &error)
                                  : pprofc_profile_read_memory(text.data, text.size, &options,
                                                               &profile, &error),
                    PPROFC_OK);
    CU_ASSERT(counts.peak < (may_overwrite ? text.size : text.size + 32 * TICKS));
    CU_ASSERT_FATAL(profile != NULL);
    CU_ASSERT_EQUAL(profile->samples.values[0], TICKS);
    pprofc_profile_release(profile);
  }
  buffer_free(&text);
}

TEST(test_stacks_deeper_than_the_limit_are_refused) {
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    struct buffer text;
    pprofc_profile *profile = NULL;
    pprofc_error error = {PPROFC_OK, 0, ""};
    pprofc_limits limits;
    pprofc_limits_init(&limits);
    limits.stack_depth = DEPTH / 2;
    make(&text, documents[i]);
    CU_ASSERT_EQUAL(read_with(&text, NULL, &limits, &profile, &error), PPROFC_E_LIMIT);
    CU_ASSERT(strstr(error.message, "more than 10000 frames (raise the limit stack_depth)") !=
              NULL);
    buffer_free(&text);
  }
}

/* Texts whose stacks are lists of frames: before the frames, each frame, after the frames. */
static const struct {
  const char *before, *frame, *after;
} lists[] = {{"", "f;", "f 1\n"},
             {"prog 7 1.5: 3 cycles:\n", "\t1000 f (/bin/x)\n", "\n"},
             {"# austin: 3.7.0\n# interval: 100\n# mode: wall\n\nP1;T0:1", ";a.py:f:1", " 5\n"},
             {"goroutine 1 [running]:\n", "main.f()\n\t/a.go:1 +0x1\n", "\n"}};

static pprofc_status read_list(size_t format, unsigned depth, const pprofc_limits *limits,
                               pprofc_profile **profile, pprofc_error *error) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 28);
  buffer_add_text(&text, lists[format].before);
  for (unsigned i = 0; i < depth; i++) buffer_add_text(&text, lists[format].frame);
  buffer_add_text(&text, lists[format].after);
  pprofc_status status = read_with(&text, NULL, limits, profile, error);
  buffer_free(&text);
  return status;
}

TEST(test_no_text_of_frames_is_cut) {
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    pprofc_profile *profile = NULL;
    pprofc_error error = {PPROFC_OK, 0, ""};
    pprofc_limits limits;
    pprofc_limits_init(&limits);
    CU_ASSERT_EQUAL(read_list(i, LIST_DEPTH, &limits, &profile, &error), PPROFC_E_LIMIT);
    CU_ASSERT(strstr(error.message, "more than 65536 frames (raise the limit stack_depth)") !=
              NULL);
    limits.stack_depth = LIST_DEPTH + 1;
    CU_ASSERT_EQUAL(read_list(i, LIST_DEPTH, &limits, &profile, &error), PPROFC_OK);
    CU_ASSERT(pprofc_profile_max_depth(profile) >= LIST_DEPTH);
    pprofc_profile_release(profile);
  }
}

static void add_message(struct buffer *out, unsigned field, const struct buffer *inside) {
  uint8_t head[2 * VARINT_BYTES_MAX];
  size_t size = varint_put(head, field << 3 | 2);
  size += varint_put(head + size, inside->size);
  buffer_add(out, head, size);
  buffer_add(out, inside->data, inside->size);
}

/* Wraps the text in a protobuf message as the field `field`. */
static void wrap(struct buffer *text, unsigned field) {
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 28);
  add_message(&out, field, text);
  buffer_free(text);
  *text = out;
}

/* Creates OTLP with `count` resources. Each has one profile, one sample and one sample type. As
 * columns it would need count
 *
 * count values. */
static void make_types(struct buffer *text, unsigned count) {
  struct buffer dictionary, item;
  buffer_init(text, &mem_default, 1 << 28);
  buffer_init(&dictionary, &mem_default, 1 << 28);
  for (unsigned i = 0; i < count; i++) {
    uint8_t type[16] = {1 << 3}, sample[] = {2 << 3 | 2, 3, 4 << 3 | 2, 1, 1};
    size_t size = 1 + varint_put(type + 1, i);
    buffer_init(&item, &mem_default, 1 << 20);
    buffer_add(&item, type, size);
    wrap(&item, 1);
    buffer_add(&item, sample, sizeof sample);
    for (unsigned level = 0; level < 2; level++) wrap(&item, 2);
    add_message(text, 1, &item);
    buffer_free(&item);
    buffer_init(&item, &mem_default, 1 << 20);
    if (i) buffer_printf(&item, "t%u", i);
    add_message(&dictionary, 5, &item);
    buffer_free(&item);
  }
  add_message(text, 2, &dictionary);
  buffer_free(&dictionary);
}

TEST(test_a_small_file_that_needs_much_is_refused) {
  struct buffer text;
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, 0, ""};
  make_types(&text, 8000);
  CU_ASSERT_EQUAL(read_with(&text, &mem, NULL, &profile, &error), PPROFC_E_LIMIT);
  CU_ASSERT(strstr(error.message, "400 times its size (raise the limit inflate_ratio)") != NULL);
  CU_ASSERT(counts.peak < text.size * 401 + (2 << 20));
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&text);
}
