/* Collects labels, reads profiles, and converts them to gzip'd profile.proto or OTLP. */
#include "commands.h"
#include "publish/post.h"
#include "push/push.h"

/* True if the name is valid in Pyroscope. A valid name has letters, digits and '_', and does not
 * begin with a digit. */
static bool push_is_name(pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = char_is_letter(c) || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return name.size > 0;
}

/* Adds a label. Replaces a label that has the same name. Adds nothing if the value is empty. */
static void push_add_label(struct push *push, pprofc_str name, const char *value) {
  size_t i = 0;
  if (!value || !*value) return;
  while (i < push->label_count && !str_equal(push->labels[i].name, name)) i++;
  if (i == sizeof push->labels / sizeof *push->labels) ci_fail("too many labels");
  pprofc_str kept = arena_str(&push->remote.arena, str_of(value));
  push->labels[i] = (struct push_label){name, kept};
  if (i == push->label_count) push->label_count++;
}

static void push_add_own(struct push *push) {
  for (size_t i = 0; i < push->options->label_count; i++) {
    const char *text = push->options->labels[i], *equals = strchr(text, '=');
    pprofc_str name = {text, (size_t)(equals - text)};
    if (!push_is_name(name) || str_starts(name, STR("__")))
      ci_fail("a label name has only letters, digits and '_', not '%.*s'", STR_ARG(name));
    push_add_label(push, name, equals + 1);
  }
}

void push_read_labels(struct push *push) {
  const struct push_options *o = push->options;
  const struct site_options asked = {.host = "", .sha = o->sha, .page = "", .number = o->pr};
  struct site site;
  char number[32] = "";
  site_read(&site, &push->remote.arena, &asked);
  int64_t pr = o->pr > 0 ? o->pr : site.number;
  const char *sha = *o->sha ? o->sha : site.sha;
  const char *repository = *o->repository ? o->repository : site.repo;
  if (pr > 0) snprintf(number, sizeof number, "%lld", (long long)pr);
  const struct {
    pprofc_str name;
    const char *value;
  } known[] = {{STR("ci"), "true"},
               {STR("repository"), repository},
               {STR("sha"), sha},
               {STR("pull_request"), number},
               {STR("benchmark"), o->benchmark}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    push_add_label(push, known[i].name, known[i].value);
  push_add_own(push);
  if (push->label_count) qsort(push->labels, push->label_count, sizeof *push->labels, str_order);
}

#define WALL "wall"

/* Returns the index of a sample type, or SIZE_MAX. */
static size_t push_find_type(const pprofc_profile *profile, const char *type) {
  for (size_t i = 0; i < pprofc_profile_type_count(profile); i++)
    if (str_equal(pprofc_profile_type(profile, i).type, str_of(type))) return i;
  return SIZE_MAX;
}

/* Finds the profile type from the sample types; SIZE_MAX: unknown. */
static size_t push_kind(const pprofc_profile *profile) {
  for (size_t i = 0; i < pprofc_profile_type_count(profile); i++)
    for (size_t k = 0; k < REMOTE_KINDS; k++)
      if (str_equal(pprofc_profile_type(profile, i).type, str_of(remote_kinds[k].sample))) return k;
  return push_find_type(profile, WALL) < SIZE_MAX ? 0 : SIZE_MAX;
}

/* Sets Pyroscope's names of the profile, item->metric and item->type. A CPU profile that also has
 * wall time gets the metric "wall". */
static void push_name_type(struct push *push, const pprofc_profile *profile,
                           struct push_item *item) {
  pprofc_header header;
  bool wall = item->kind == 0 && push_find_type(profile, WALL) < SIZE_MAX;
  item->metric = wall ? WALL : remote_kinds[item->kind].metric;
  size_t at = push_find_type(profile, remote_kinds[item->kind].sample);
  if (at == SIZE_MAX) at = push_find_type(profile, WALL);
  pprofc_value_type type = pprofc_profile_type(profile, at);
  pprofc_profile_header(profile, &header);
  item->type = text_printf(&push->remote.arena, "%s:%.*s:%.*s:%.*s:%.*s", item->metric,
                           STR_ARG(type.type), STR_ARG(type.unit), STR_ARG(header.period_type.type),
                           STR_ARG(header.period_type.unit));
}

static void push_pack(struct push *push, const pprofc_profile *profile, pprofc_str *bytes) {
  struct buffer packed = ci_buffer();
  ci_need(pprofc_profile_write(profile, buffer_write, &packed, &ci_error));
  *bytes = buffer_take(&packed, &push->remote.arena);
}

/* Returns the index of the profile type. The file name distinguishes mutex and block profiles,
 * because both have the same sample types. */
static size_t push_kind_of(const pprofc_profile *profile, const char *path) {
  size_t kind = push_kind(profile);
  bool waits = kind < REMOTE_KINDS && strcmp(remote_kinds[kind].sample, "delay") == 0;
  bool is_block = str_find(str_path_base(str_of(path)), STR("block")) < strlen(path) &&
                  strstr(path, "block") != NULL;
  return waits && is_block && kind + 1 < REMOTE_KINDS ? kind + 1 : kind;
}

static void push_add(struct push *push, const struct found_file *at,
                     const pprofc_profile *profile) {
  pprofc_header header;
  struct push_item item = {.path = at->path, .side = at->side};
  item.kind = push_kind_of(profile, at->path);
  if (item.kind == SIZE_MAX && !push_is_otlp(push)) {
    message_note("pprofci: skipped '%s': not a cpu, heap, goroutine, mutex or block profile",
                 at->path);
    return;
  }
  pprofc_profile_header(profile, &header);
  item.time_nanos = header.time_nanos;
  if (item.kind < SIZE_MAX) push_name_type(push, profile, &item);
  if (push_is_otlp(push))
    push_pack_otlp(push, profile, &item.bytes);
  else
    push_pack(push, profile, &item.bytes);
  (void)ARRAY_PUSH_IN(&push->remote.arena, push->items, push->count, push->capacity, item);
}

static void push_read(struct push *push, const struct found_file *at) {
  pprofc_profile *profile;
  ci_need(pprofc_profile_read_file(at->path, NULL, &profile, &ci_error));
  push_add(push, at, profile);
  pprofc_profile_release(profile);
}

static void push_load_source(struct push *push, const char *source) {
  struct found_file first = {source, push->options->side, 0};
  struct found_files files;
  if (!file_is_folder(source)) {
    push_read(push, &first);
    return;
  }
  found_below(&push->remote.arena, source, first.side, &files);
  for (size_t i = 0; i < files.count; i++) push_read(push, &files.items[i]);
}

void push_load(struct push *push, const char *const *sources, size_t count) {
  for (size_t i = 0; i < count; i++) push_load_source(push, sources[i]);
  if (!push->count)
    ci_fail("the inputs have no cpu, heap, goroutine, mutex or block profile to push");
}
