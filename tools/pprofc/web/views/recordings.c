/* Creates the strip of recordings. The flag -every=TIME makes the server record a profile at
 * intervals. Each recording has a bar, and the height of the bar shows the recording's total. Links
 * choose a base, pause the page, and pin a recording. */
#include "unit/unit.h"
#include "web/views/page.h"

#define BAR_HEIGHT 100

/* Finds the total for the displayed sample type. Returns false if the recording lacks this type. */
static bool strip_total(const struct view_page *page, const struct web_recording *r, int64_t *total,
                        pprofc_str *unit) {
  size_t index;
  pprofc_str type = str_of(page->options.sample_index ? page->options.sample_index : "");
  if (!r->profile || value_select(r->profile, type, &index, NULL) != PPROFC_OK) return false;
  *total = r->totals[index];
  *unit = profile_unit(r->profile, index);
  return true;
}

static double strip_largest(const struct view_page *page, const struct web_recordings *all) {
  double largest = 0;
  int64_t total;
  pprofc_str unit;
  for (size_t i = 0; i < all->count; i++)
    if (strip_total(page, &all->items[i], &total, &unit))
      largest = fmax(largest, fabs((double)total));
  return largest;
}

static void strip_fill_clock(struct view_page *page, const char *name, int64_t seconds) {
  char text[16] = "";
  struct tm local;
  if (localtime_r(&(time_t){seconds}, &local)) strftime(text, sizeof text, "%H:%M:%S", &local);
  fill_words(&page->fill, name, text);
}

static pprofc_str strip_id(unsigned id, char text[16]) {
  int size = id ? snprintf(text, 16, "%u", id) : 0;
  return (pprofc_str){text, (size_t)size};
}

/* Adds a bar. A click makes the recording the base, or removes the base. */
static void strip_bar(struct view_page *page, const struct web_recording *r, double largest) {
  const struct web_recordings *all = page->in->info->recordings;
  struct fill *fill = &page->fill;
  char id[16], label[UNIT_LABEL_MAX];
  int64_t total = 0;
  pprofc_str unit;
  bool is_base = r->id && r->id == all->base;
  const struct web_change changes[] = {{"base", strip_id(is_base ? 0 : r->id, id)},
                                       {"side", STR("")}};
  fill_begin(fill, "bars");
  strip_fill_clock(page, "clock", r->time);
  fill_words(fill, "why", r->why);
  if (r->failures > 1) fill_number(fill, "times", r->failures);
  page_link(page, "address", page->view->path, changes, 2);
  fill_number(fill, "id", r->id);
  if (is_base) fill_words(fill, "aria-current", "true");
  fill_words(fill, "is-head", r->id && r->id == all->head ? "head" : "");
  fill_words(fill, "is-pinned", r->pinned ? "pinned" : "");
  if (strip_total(page, r, &total, &unit))
    fill_str(fill, "total", unit_label(total, unit, STR("auto"), label));
  double height = largest > 0 ? BAR_HEIGHT * fabs((double)total) / largest : 0;
  if (total) height = fmax(height, 2);
  fill_pack(fill, "height:i top:i}", (int64_t)height, (int64_t)(BAR_HEIGHT - (int64_t)height));
}

static const struct web_recording *strip_find(const struct web_recordings *all, unsigned id) {
  for (size_t i = 0; i < all->count && id; i++)
    if (all->items[i].id == id) return &all->items[i];
  return NULL;
}

/* Adds the times of head and base, and a link that pauses the page or continues it. A paused page
 * has the parameter `head`. */
static void strip_sides(struct view_page *page) {
  const struct web_recordings *all = page->in->info->recordings;
  const struct web_recording *head = strip_find(all, all->head), *base = strip_find(all, all->base);
  bool paused = *page_parameter(page, "head") != '\0';
  char id[16];
  const struct web_change change = {"head", strip_id(paused ? 0 : all->head, id)};
  fill_flag(&page->fill, "paused", paused);
  if (head) strip_fill_clock(page, "head-clock", head->time);
  if (base) strip_fill_clock(page, "base-clock", base->time);
  page_link(page, "pause", page->view->path, &change, 1);
}

/* Adds the button that pins or unpins the base. If there is no base, the button pins the head and
 * makes it the base. */
static void strip_pin(struct view_page *page) {
  const struct web_recordings *all = page->in->info->recordings;
  const struct web_recording *base = strip_find(all, all->base), *r = base;
  char id[16];
  if (!r) r = strip_find(all, all->head);
  if (!r) return;
  pprofc_str text = strip_id(r->id, id);
  const struct web_change changes[] = {
      {"pin", text}, {"base", text}, {"side", STR("")}, {"view", str_of(page->view->path)}};
  fill_begin(&page->fill, "pin");
  page_link(page, "action", base && base->pinned ? "unpin" : "pin", changes, 4);
  fill_str(&page->fill, "data-base", text);
  const char *words = base && base->pinned ? "Unpin base" : "Pin base";
  fill_pack(&page->fill, "words:s}", base ? words : "Pin as base");
}

/* Adds the reason why the last attempt to record failed, and the time of the next attempt. */
static void strip_failure(struct view_page *page) {
  const struct web_recordings *all = page->in->info->recordings;
  if (!all->next || !all->count) return;
  const struct web_recording *gap = &all->items[all->count - 1];
  fill_begin(&page->fill, "failure");
  strip_fill_clock(page, "since", gap->time);
  fill_words(&page->fill, "reason", gap->why);
  if (gap->failures > 1) fill_number(&page->fill, "failures", gap->failures);
  strip_fill_clock(page, "next", all->next);
  fill_end(&page->fill);
}

void document_recordings(struct view_page *page) {
  const struct web_recordings *all = page->in->info->recordings;
  struct fill *fill = &page->fill;
  char text[UNIT_LABEL_MAX];
  if (!all) return;
  double largest = strip_largest(page, all);
  fill_pack(fill, "recordings:{tries:i most:i every:S", (int64_t)all->changes, (int64_t)all->most,
            unit_go_duration(all->every_ms * 1000000, text));
  fill_str(fill, "most-bytes",
           unit_label((int64_t)all->most_bytes, STR("bytes"), STR("auto"), text));
  strip_sides(page);
  strip_pin(page);
  strip_failure(page);
  for (size_t i = all->count; i > 0; i--) strip_bar(page, &all->items[i - 1], largest);
  fill_end(fill);
}
