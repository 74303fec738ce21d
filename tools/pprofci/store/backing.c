/* Code that folders and buckets share. */
#include "store/backing.h"

#include "core/array.h"
#include "gate/read/record.h"
#include "run/text.h"

#include <signal.h>
#include <stdlib.h>

pprofc_status backing_open(struct backing *backing, const char *where, bool create,
                           pprofc_error *error) {
  /* A file beyond a size limit must fail the write, not end the process. */
  (void)signal(SIGXFSZ, SIG_IGN);
  bool bucket = str_starts(str_of(where), str_of(backing_s3.scheme));
  *backing = (struct backing){.kind = bucket ? &backing_s3 : &backing_folder, .where = where};
  arena_init(&backing->arena, &mem_default);
  pprofc_status status = backing->kind->open(backing, create, error);
  if (status != PPROFC_OK) backing_close(backing);
  return status;
}

void backing_close(struct backing *backing) {
  if (backing->kind && backing->state) backing->kind->close(backing);
  backing->state = NULL;
  arena_free(&backing->arena);
}

pprofc_status backing_put(struct backing *backing, const char *key, pprofc_str data,
                          pprofc_error *error) {
  return backing->kind->put(backing, key, data, error);
}

pprofc_status backing_get(struct backing *backing, const char *key, struct buffer *data,
                          pprofc_error *error) {
  return backing->kind->get(backing, key, data, error);
}

static int stored_by_name(const void *a, const void *b) {
  const struct stored_key *x = a, *y = b;
  return strcmp(x->name, y->name);
}

pprofc_status backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys,
                           pprofc_error *error) {
  *keys = (struct stored_keys){.count = 0};
  arena_init(&keys->arena, &mem_default);
  pprofc_status status = backing->kind->list(backing, prefix, keys, error);
  if (keys->count) qsort(keys->items, keys->count, sizeof *keys->items, stored_by_name);
  return status;
}

void stored_keys_free(struct stored_keys *keys) {
  ARRAY_FREE(&mem_default, keys->items, keys->capacity);
  keys->count = 0;
  arena_free(&keys->arena);
}

bool stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time) {
  const char *copy = text_keep(&keys->arena, name);
  if (!copy || !ARRAY_RESERVE(&mem_default, keys->items, keys->capacity, keys->count + 1))
    return false;
  keys->items[keys->count++] = (struct stored_key){copy, size, time};
  return true;
}

pprofc_status backing_remove(struct backing *backing, const char *key, pprofc_error *error) {
  return backing->kind->remove(backing, key, error);
}

pprofc_status backing_check_mark(struct backing *backing, pprofc_str mark, pprofc_error *error) {
  if (str_equal(mark, STR(RECORD_MARK_TEXT))) return PPROFC_OK;
  return error_set(error, PPROFC_E_FORMAT, "'%s' is a store of another version (see '%s')",
                   backing->where, RECORD_MARK);
}
