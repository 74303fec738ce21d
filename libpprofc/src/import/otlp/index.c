/* Indexes a ProfilesData message: resources, scopes, profiles, and the tables of the dictionary.
 *
 * This file walks the nested messages, and protobuf-c unpacks the innermost messages. The fields of
 * frequent messages are copied to arrays, and the memory of the unpacked message is reused. */
#include "import/otlp/otlp.h"

/* Makes room for `more` elements in an array of `owner`. False when out of memory. */
#define INDEX_ROOM(o, owner, array, name, more)                                                    \
  import_need((o)->builder, ARRAY_RESERVE((o)->mem, (owner)->array, (owner)->name##_capacity,      \
                                          (owner)->name##_count + (more)))

/* Appends an element to an array of `owner`. False when out of memory. */
#define INDEX_PUSH(o, owner, array, name, ...)                                                     \
  import_need((o)->builder, ARRAY_PUSH((o)->mem, (owner)->array, (owner)->name##_count,            \
                                       (owner)->name##_capacity, __VA_ARGS__))

/* ---- tables ------------------------------------------ */

static bool index_mapping(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  ProtobufCAllocator kept = otlp_allocator(o);
  Otlp__Mapping *m = otlp__mapping__unpack(&kept, f->size, f->data);
  return m ? INDEX_PUSH(o, t, mappings, mapping, m) : otlp_fail_message(o);
}

static bool index_location(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  ProtobufCAllocator scratch = otlp_scratch(o);
  const Otlp__Location *l = otlp__location__unpack(&scratch, f->size, f->data);
  if (!l) return otlp_fail_message(o);
  if (!INDEX_ROOM(o, t, locations, location, 1) || !INDEX_ROOM(o, t, lines, line, l->n_lines) ||
      !INDEX_ROOM(o, t, attribute_list, attribute_list, l->n_attribute_indices))
    return false;
  t->locations[t->location_count++] =
      (struct otlp_location){.address = l->address,
                             .first_line = t->line_count,
                             .first_attribute = t->attribute_list_count,
                             .line_count = (uint32_t)l->n_lines,
                             .attribute_count = (uint32_t)l->n_attribute_indices,
                             .mapping = l->mapping_index};
  for (size_t i = 0; i < l->n_lines; i++)
    t->lines[t->line_count++] =
        (struct otlp_line){l->lines[i]->function_index, l->lines[i]->line, l->lines[i]->column};
  for (size_t i = 0; i < l->n_attribute_indices; i++)
    t->attribute_list[t->attribute_list_count++] = l->attribute_indices[i];
  return true;
}

static bool index_function(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  ProtobufCAllocator scratch = otlp_scratch(o);
  const Otlp__Function *m = otlp__function__unpack(&scratch, f->size, f->data);
  if (!m) return otlp_fail_message(o);
  return INDEX_PUSH(o, t, functions, function,
                    (struct otlp_function){m->name_strindex, m->system_name_strindex,
                                           m->filename_strindex, OTLP_UNREAD, m->start_line});
}

static bool index_link(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  ProtobufCAllocator kept = otlp_allocator(o);
  Otlp__Link *link = otlp__link__unpack(&kept, f->size, f->data);
  return link ? INDEX_PUSH(o, t, links, link, link) : otlp_fail_message(o);
}

static bool index_string(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  return INDEX_PUSH(o, t, strings, string, (pprofc_str){(const char *)f->data, f->size});
}

static bool index_attribute(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  ProtobufCAllocator kept = otlp_allocator(o);
  Otlp__KeyValueAndUnit *attribute = otlp__key_value_and_unit__unpack(&kept, f->size, f->data);
  return attribute ? INDEX_PUSH(o, t, attributes, attribute, attribute) : otlp_fail_message(o);
}

/* Checks the message of a stack, and stores its address for otlp_add_sample. */
static bool index_stack(struct otlp *o, struct otlp_tables *t, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  while (wire_each(&w, &field)) {
    if (field.number != 1 || field.type == WIRE_VARINT) continue;
    if (field.type != WIRE_BYTES) return otlp_fail_message(o);
    struct wire list = wire_inside(&field);
    if (!wire_check_varints(&list)) return otlp_fail_message(o);
  }
  if (w.fault) return otlp_fail_message(o);
  return INDEX_PUSH(o, t, stacks, stack, (uintptr_t)t->entry);
}

/* Readers of the dictionary's tables, by field number. */
static bool (*const index_entries[])(struct otlp *o, struct otlp_tables *t,
                                     const struct wire_field *f) = {
    NULL,       index_mapping, index_location,  index_function,
    index_link, index_string,  index_attribute, index_stack,
};

static bool index_is_entry(const struct wire_field *f) {
  return f->type == WIRE_BYTES && f->number > 0 &&
         f->number < sizeof index_entries / sizeof *index_entries;
}

static bool index_dictionary(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f) {
  struct wire w = wire_inside(f);
  struct wire_field entry;
  uint64_t before = 0;
  frame->tables.end = w.end;
  while (w.at < w.end) {
    frame->tables.entry = w.at;
    if (!wire_next(&w, &entry) || !index_is_entry(&entry)) return otlp_fail_message(o);
    bool stack = index_entries[entry.number] == index_stack;
    frame->tables.stacks_apart |= stack && frame->tables.stack_count && before != entry.number;
    before = entry.number;
    if (!index_entries[entry.number](o, &frame->tables, &entry)) return false;
  }
  return true;
}

/* ---- profiles ---------------------------------------- */

/* True if the reader uses this field of a profile, and the field is not the list of samples. */
static bool index_is_header(uint64_t number) {
  return (number >= 1 && number <= 7 && number != 2) || number == 11;
}

/* Appends the fields of a profile that the reader uses, except its samples, to `header`. */
static bool index_header(struct otlp *o, const struct wire_field *f, struct buffer *header) {
  struct wire w = wire_inside(f);
  struct wire_field field;
  while (w.at < w.end) {
    const uint8_t *at = w.at;
    if (!wire_next(&w, &field) || (field.number == 2 && field.type != WIRE_BYTES))
      return otlp_fail_message(o);
    if (index_is_header(field.number)) buffer_add(header, at, (size_t)(w.at - at));
  }
  return import_need(o->builder, !header->failed);
}

static bool index_profile(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f) {
  ProtobufCAllocator kept = otlp_allocator(o);
  struct otlp_found profile = {.message = {(const char *)f->data, f->size}};
  struct buffer bytes = buffer_make(o->mem, SIZE_MAX);
  if (index_header(o, f, &bytes))
    profile.header = otlp__profile__unpack(&kept, bytes.size, (const uint8_t *)bytes.data);
  buffer_free(&bytes);
  return profile.header ? INDEX_PUSH(o, frame, profiles, profile, profile) : otlp_fail_message(o);
}

/* Reads the next field of *w with the number 1 or 2, which must be a message. Returns false at the
 * end of *w. Also returns false, with *failed set, if the bytes are invalid. */
static bool index_next(struct wire *w, struct wire_field *field, bool *failed) {
  bool is_known = false;
  while (!is_known && wire_each(w, field)) is_known = field->number == 1 || field->number == 2;
  *failed = w->fault || (is_known && field->type != WIRE_BYTES);
  return is_known && !*failed;
}

typedef bool index_fn(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f);

/* Reads a resource or a scope. Calls `child` for each field 2, and unpacks field 1 as a message of
 * `kind`. Sets *first to the message of the first field 1. */
static bool index_level(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f,
                        index_fn *child, const ProtobufCMessageDescriptor *kind,
                        ProtobufCMessage **first) {
  ProtobufCAllocator kept = otlp_allocator(o);
  struct wire w = wire_inside(f);
  struct wire_field field;
  bool failed = false;
  while (index_next(&w, &field, &failed)) {
    if (field.number == 2) {
      if (!child(o, frame, &field)) return false;
      continue;
    }
    ProtobufCMessage *message = protobuf_c_message_unpack(kind, &kept, field.size, field.data);
    if (!message) return otlp_fail_message(o);
    if (!*first) *first = message;
  }
  return !failed || otlp_fail_message(o);
}

static bool index_scope(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f) {
  struct otlp_scope scope = {.first_profile = frame->profile_count};
  ProtobufCMessage *first = NULL;
  if (!index_level(o, frame, f, index_profile, &otlp__scope__descriptor, &first)) return false;
  scope.scope = (Otlp__Scope *)first;
  scope.profile_count = frame->profile_count - scope.first_profile;
  return INDEX_PUSH(o, frame, scopes, scope, scope);
}

static bool index_resource(struct otlp *o, struct otlp_frame *frame, const struct wire_field *f) {
  struct otlp_resource resource = {.first_scope = frame->scope_count};
  ProtobufCMessage *first = NULL;
  if (!index_level(o, frame, f, index_scope, &otlp__resource__descriptor, &first)) return false;
  resource.resource = (Otlp__Resource *)first;
  resource.scope_count = frame->scope_count - resource.first_scope;
  return INDEX_PUSH(o, frame, resources, resource, resource);
}

bool otlp_index(struct otlp *o, pprofc_str message, struct otlp_frame *frame) {
  const uint8_t *data = (const uint8_t *)message.data;
  struct wire w = wire_over(data, message.size);
  struct wire_field field;
  size_t dictionaries = 0;
  *frame = (struct otlp_frame){0};
  while (wire_each(&w, &field)) {
    dictionaries += field.number == 2;
    if (field.number == 1 ? !index_resource(o, frame, &field) : !index_dictionary(o, frame, &field))
      return false;
  }
  if (dictionaries == 1) return true;
  if (!dictionaries)
    return import_refuse(o->builder, PPROFC_E_FORMAT, "a message without a dictionary");
  return import_refuse(o->builder, PPROFC_E_FORMAT,
                       "%zu dictionaries in one message: probably several joined files",
                       dictionaries);
}

void otlp_index_free(struct otlp *o, struct otlp_frame *frame) {
  struct otlp_tables *t = &frame->tables;
  ARRAY_FREE(o->mem, t->strings, t->string_capacity);
  ARRAY_FREE(o->mem, t->functions, t->function_capacity);
  ARRAY_FREE(o->mem, t->locations, t->location_capacity);
  ARRAY_FREE(o->mem, t->lines, t->line_capacity);
  ARRAY_FREE(o->mem, t->attribute_list, t->attribute_list_capacity);
  ARRAY_FREE(o->mem, t->stacks, t->stack_capacity);
  ARRAY_FREE(o->mem, t->mappings, t->mapping_capacity);
  ARRAY_FREE(o->mem, t->links, t->link_capacity);
  ARRAY_FREE(o->mem, t->attributes, t->attribute_capacity);
  ARRAY_FREE(o->mem, frame->profiles, frame->profile_capacity);
  ARRAY_FREE(o->mem, frame->scopes, frame->scope_capacity);
  ARRAY_FREE(o->mem, frame->resources, frame->resource_capacity);
}
