/* Keeps profiles open from one tool call to the next. If memory does not suffice, closes the
 * profile, or the view (results of a profile), whose last use is longest ago. */
#include "mcp/mcp.h"

#include "pprofc/transform.h"

/* Minimum number of samples for which the server merges equal samples, so that later calls read
 * fewer samples. */
#define MERGED_FROM 100000

void profiles_close_view(struct profiles *p, struct profile_view *view) {
  size_t at = 0;
  while (p->views[at] != view) at++;
  view_free(view);
  p->views[at] = p->views[--p->view_count];
}

static void profiles_close(struct profiles *p, size_t index) {
  struct open_profile *item = &p->items[index];
  for (size_t i = p->view_count; i-- > 0;) {
    struct profile_view *view = p->views[i];
    if (view->of[0] == item->profile || view->of[1] == item->profile) profiles_close_view(p, view);
  }
  pprofc_profile_release(item->profile);
  text_free(item->path);
  *item = p->items[--p->count];
}

bool profiles_make_room(struct profiles *p) {
  uint64_t oldest = p->calls;
  struct profile_view *view = NULL;
  size_t profile = p->count;
  for (size_t i = 0; i < p->view_count; i++)
    if (p->views[i]->last_call < oldest) {
      view = p->views[i];
      oldest = view->last_call;
    }
  for (size_t i = 0; i < p->count; i++)
    if (p->items[i].last_call < oldest) {
      profile = i;
      oldest = p->items[i].last_call;
    }
  if (profile < p->count)
    profiles_close(p, profile);
  else if (view)
    profiles_close_view(p, view);
  return oldest < p->calls;
}

void profiles_free(struct profiles *p) {
  while (p->count) profiles_close(p, p->count - 1);
}

static void profiles_warn(void *context, const char *message) {
  struct open_profile *item = context;
  size_t size = strlen(item->warnings);
  snprintf(item->warnings + size, sizeof item->warnings - size, "%s\n", message);
}

/* Merges equal samples. The caller must do so before it creates views, because views refer to
 * samples. */
static void profiles_add_up(struct open_profile *item) {
  pprofc_samples_view view;
  const pprofc_profile *one = item->profile;
  pprofc_profile *merged;
  pprofc_error error;
  if (item->added_up) return;
  item->added_up = true;
  pprofc_profile_samples(one, &view);
  if (view.count < MERGED_FROM || pprofc_merge(&one, 1, &merged, &error) != PPROFC_OK) return;
  pprofc_profile_release(item->profile);
  item->profile = merged;
  merged->disposable = false;
}

static pprofc_status profiles_read(const struct profiles *p, pprofc_str data,
                                   struct open_profile *item, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = budget_allocator(p->budget);
  options.limits = &p->command->limits;
  options.threads = (unsigned)p->command->threads;
  options.call_stacks = p->command->call_stacks;
  options.warn = profiles_warn;
  options.warn_context = item;
  pprofc_status status =
      pprofc_profile_read_memory(data.data, data.size, &options, &item->profile, error);
  if (status) return status;
  item->profile->disposable = false;
  return PPROFC_OK;
}

/* Initializes the buffer for the data of a file. The buffer's limit is -max_input, or SIZE_MAX if a
 * size_t cannot hold that number. */
static void profiles_buffer(const struct profiles *p, struct buffer *data) {
  uint64_t most = p->command->limits.input_bytes;
  buffer_init(data, budget_allocator(p->budget), most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

/* Reads a file. If memory does not suffice, closes other profiles and tries again. */
static pprofc_status profiles_load(struct profiles *p, int fd, pprofc_str path,
                                   struct open_profile *item, pprofc_error *error) {
  struct buffer data;
  pprofc_status status;
  profiles_buffer(p, &data);
  int number = fd_read_all(fd, &data);
  while (data.failed && profiles_make_room(p)) {
    buffer_free(&data);
    profiles_buffer(p, &data);
    number = lseek(fd, 0, SEEK_SET) == 0 ? fd_read_all(fd, &data) : EIO;
  }
  if (number)
    status =
        error_set(error, PPROFC_E_IO, "cannot read '%.*s': %s", STR_ARG(path), ERRNO_TEXT(number));
  else if (data.failed)
    status = error_set(error, PPROFC_E_LIMIT, "'%.*s' needs more than -max_memory or -max_input",
                       STR_ARG(path));
  else
    do {
      item->warnings[0] = '\0';
      status = profiles_read(p, buffer_str(&data), item, error);
    } while ((status == PPROFC_E_LIMIT || status == PPROFC_E_NOMEM) && profiles_make_room(p));
  buffer_free(&data);
  limit_flags_name(error);
  return status;
}

static bool profiles_same(const struct stat *a, const struct stat *b) {
  struct timespec first = system_modified(a), second = system_modified(b);
  return system_same_file(a, b) && a->st_size == b->st_size && first.tv_sec == second.tv_sec &&
         first.tv_nsec == second.tv_nsec;
}

/* Returns a file's open profile, or NULL. Closes a profile of an older version of the file, unless
 * the current call uses it. */
static struct open_profile *profiles_find(struct profiles *p, const struct stat *info,
                                          pprofc_str path) {
  for (size_t i = 0; i < p->count; i++) {
    struct open_profile *item = &p->items[i];
    if (!str_equal(str_of(item->path), path)) continue;
    if (item->last_call == p->calls || profiles_same(&item->info, info)) return item;
    profiles_close(p, i);
    return NULL;
  }
  return NULL;
}

static struct open_profile *profiles_put(struct profiles *p, int fd, pprofc_str path,
                                         const struct stat *info, pprofc_error *error) {
  struct open_profile item = {.info = *info, .last_call = p->calls};
  /* Repeat the call until the number of profiles is lower, because profiles_make_room may close a
   * view instead of a profile. */
  while (p->count == PROFILES_OPEN)
    if (!profiles_make_room(p)) {
      error_set(error, PPROFC_E_LIMIT, "more than %d profiles in one question", PROFILES_OPEN);
      return NULL;
    }
  if (profiles_load(p, fd, path, &item, error)) return NULL;
  item.path = text_copy(path);
  if (!item.path) {
    pprofc_profile_release(item.profile);
    error_nomem(error);
    return NULL;
  }
  p->items[p->count] = item;
  return &p->items[p->count++];
}

const struct open_profile *profiles_get(struct profiles *p, pprofc_str path, bool add_up,
                                        pprofc_error *error) {
  struct stat info;
  int fd = files_find(p->files, path, &info, error);
  if (fd < 0) return NULL;
  struct open_profile *item = profiles_find(p, &info, path);
  if (item)
    item->last_call = p->calls;
  else
    item = profiles_put(p, fd, path, &info, error);
  close(fd);
  if (item && add_up) profiles_add_up(item);
  return item;
}
