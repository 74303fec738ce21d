/* Fills the templates of pages that show the lines of functions: -weblist and the view Source. */
#include "core/template.h"
#include "report/source/lookup.h"
#include "report/source/weblist_data.h"

/* Sets "place" to "name:line". The name has no folders. */
static void fill_place(struct fill *fill, pprofc_str file, int64_t line) {
  buffer_printf(fill_text(fill, "place"), "%.*s:%lld", STR_ARG(str_path_base(file)),
                (long long)line);
}

/* Adds the inlined calls that lead to an instruction. Skips the outer calls that also lead to the
 * previous instruction. */
static void fill_calls(const struct weblist_lines *w, const struct web_place *place,
                       const struct web_place *before, pprofc_str around) {
  bool same = before != NULL;
  for (size_t i = 0; i < place->call_count; i++) {
    const struct web_call *call = &place->calls[i];
    const struct web_call *other = same && i < before->call_count ? &before->calls[i] : NULL;
    same = other && call->line == other->line && str_equal(call->file, other->file);
    if (same) continue;
    pprofc_str text;
    if (!source_lookup_line(w->sources, call->file, call->line, &text)) text = STR("");
    fill_pack(w->fill, "asm:{call:b", true);
    w->code(w->context, str_trim(text), i, around);
    fill_place(w->fill, call->file, call->line);
    fill_end(w->fill);
  }
}

static void fill_instructions(const struct weblist_lines *w, const struct web_place *places,
                              size_t count, pprofc_str around) {
  for (size_t i = 0; i < count; i++) {
    const struct web_instruction *in = &w->data->instructions[places[i].instruction];
    const struct web_instruction *last = i ? &w->data->instructions[places[i - 1].instruction] : in;
    if (i && in->address != last->address + last->length) fill_pack(w->fill, "asm:{gap:b}", true);
    fill_calls(w, &places[i], i ? &places[i - 1] : NULL, around);
    if (!in->text.size) continue;
    fill_pack(w->fill, "asm:{instruction:b", true);
    w->cost(w->context, in->flat, in->cum);
    buffer_printf(fill_text(w->fill, "address"), "%8llx", (unsigned long long)in->file_address);
    w->code(w->context, in->text, places[i].call_count, around);
    if (in->file.size) fill_place(w->fill, in->file, in->line);
    fill_end(w->fill);
  }
}

/* True if the line has instructions to show. */
static bool is_live(const struct web_data *data, const struct web_place *places, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (places[i].call_count || data->instructions[places[i].instruction].text.size) return true;
  return false;
}

static void fill_line(const struct weblist_lines *w, pprofc_str file, int64_t number,
                      const struct web_place *places, size_t count) {
  pprofc_str text;
  if (!source_lookup_line(w->sources, file, number, &text)) {
    if (!count) return;
    text = number ? STR("???") : STR("<instructions with unknown line numbers>");
  }
  int64_t flat = 0, cum = 0;
  bool live = is_live(w->data, places, count);
  weblist_sum(w->data, places, count, &flat, &cum);
  fill_pack(w->fill, "lines:{live:b dead:b text:S", live, count && !live, text);
  buffer_printf(fill_text(w->fill, "number"), "%6lld", (long long)number);
  w->cost(w->context, flat, cum);
  if (live) fill_instructions(w, places, count, text);
  fill_end(w->fill);
}

void weblist_fill_run(const struct weblist_lines *w, const struct weblist_run *run) {
  const struct web_place *places = w->data->places + run->first;
  size_t next = 0;
  for (int64_t number = run->begin; number < run->end; number++) {
    size_t from = next;
    while (next < run->count && places[next].line == number) next++;
    fill_line(w, places->file, number, places + from, next - from);
  }
}
