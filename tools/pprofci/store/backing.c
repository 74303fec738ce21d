/* Implements the functions that are common to stores in folders and stores in buckets. */
#include "store/backing.h"

#include "core/array.h"
#include "gate/read/record.h"
#include "run/text.h"

#include <signal.h>
#include <stdlib.h>

/* Writes the marker file of a new store. */
static pprofc_status backing_create(struct backing *backing, pprofc_error *error) {
  const struct backing_kind *kind = backing->kind;
  pprofc_status status = kind->check_new ? kind->check_new(backing, error) : PPROFC_OK;
  return status == PPROFC_OK ? kind->put(backing, RECORD_MARK, STR(RECORD_MARK_TEXT), error)
                             : status;
}

/* Checks the marker file of the store. */
static pprofc_status backing_check_mark(struct backing *backing, bool create, pprofc_error *error) {
  struct buffer mark;
  buffer_init(&mark, &mem_default, 4096);
  pprofc_status status = backing->kind->get(backing, RECORD_MARK, &mark, error);
  if (status == PPROFC_E_NO_MATCH && create)
    status = backing_create(backing, error);
  else if (status == PPROFC_E_NO_MATCH)
    status =
        error_set(error, PPROFC_E_INVALID, "'%s' is not a store of pprofci: the %s '%s' is missing",
                  backing->where, backing->kind->what, RECORD_MARK);
  else if (status == PPROFC_OK && !str_equal(buffer_str(&mark), STR(RECORD_MARK_TEXT)))
    status = error_set(error, PPROFC_E_FORMAT, "'%s' is a store of another version (see '%s')",
                       backing->where, RECORD_MARK);
  buffer_free(&mark);
  return status;
}

pprofc_status backing_open(struct backing *backing, const char *where, bool create,
                           pprofc_error *error) {
  /* Ignore the signal. If a file exceeds the size limit, the write must fail instead of ending the
   * process. */
  (void)signal(SIGXFSZ, SIG_IGN);
  bool bucket = str_starts(str_of(where), str_of(backing_s3.scheme));
  *backing = (struct backing){.kind = bucket ? &backing_s3 : &backing_folder, .where = where};
  arena_init(&backing->arena, &mem_default);
  pprofc_status status = backing->kind->open(backing, error);
  if (status == PPROFC_OK) status = backing_check_mark(backing, create, error);
  if (status != PPROFC_OK) backing_close(backing);
  return status;
}

void backing_close(struct backing *backing) {
  if (backing->kind->close && backing->state) backing->kind->close(backing);
  backing->state = NULL;
  arena_free(&backing->arena);
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

pprofc_status backing_each(struct backing *backing, const char *prefix, backing_key_fn *take,
                           void *context, pprofc_error *error) {
  struct stored_keys keys;
  pprofc_status status = backing_list(backing, prefix, &keys, error);
  for (size_t i = 0; i < keys.count && status == PPROFC_OK; i++)
    status = take(context, &keys.items[i], error);
  stored_keys_free(&keys);
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
