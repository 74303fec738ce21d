/* Runs dot for pages. */
#include "web/dot.h"

#include "core/budget.h"
#include "core/child.h"

#include <pthread.h>
#include <time.h>

#define DOT_MILLISECONDS 10000
#define DOT_LOOK_MS      100 /* interval of checks for cancellation */

struct dot_slots {
  pthread_mutex_t lock;
  pthread_cond_t freed;
  unsigned free;
};

struct dot_slots *dot_slots_new(unsigned count) {
  struct dot_slots *slots = mem_zero_array(&mem_default, 1, sizeof *slots);
  if (!slots) return NULL;
  pthread_mutex_init(&slots->lock, NULL);
  pthread_cond_init(&slots->freed, NULL);
  slots->free = count ? count : 1;
  return slots;
}

void dot_slots_free(struct dot_slots *slots) {
  if (!slots) return;
  pthread_cond_destroy(&slots->freed);
  pthread_mutex_destroy(&slots->lock);
  mem_free(&mem_default, slots, 1, sizeof *slots);
}

/* Waits for a slot; false if the budget stops first. */
static bool dot_enter(struct dot_slots *slots, const pprofc_allocator *mem) {
  pthread_mutex_lock(&slots->lock);
  while (!slots->free && !budget_stopped(mem)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += DOT_LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
      until.tv_nsec -= 1000000000L;
      until.tv_sec++;
    }
    pthread_cond_timedwait(&slots->freed, &slots->lock, &until);
  }
  bool entered = slots->free > 0 && !budget_stopped(mem);
  if (entered) slots->free--;
  pthread_mutex_unlock(&slots->lock);
  return entered;
}

static void dot_leave(struct dot_slots *slots) {
  pthread_mutex_lock(&slots->lock);
  slots->free++;
  pthread_cond_signal(&slots->freed);
  pthread_mutex_unlock(&slots->lock);
}

/* Removes the XML declaration and the document type before the picture. */
static pprofc_status dot_cut(struct buffer *svg, size_t from, pprofc_error *error) {
  pprofc_str text = str_slice(buffer_str(svg), from, svg->size);
  size_t at = str_find(text, STR("<svg"));
  if (at == text.size)
    return error_set(error, PPROFC_E_IO, "cannot draw the graph: dot wrote no picture");
  memmove(svg->data + from, text.data + at, text.size - at);
  svg->size -= at;
  return PPROFC_OK;
}

pprofc_status dot_draw(void *context, pprofc_str graph, struct buffer *svg, pprofc_error *error) {
  static const char *const argv[] = {"dot", "-Tsvg", NULL};
  struct dot_slots *slots = context;
  struct child child = {argv, graph, DOT_MILLISECONDS};
  struct child_end end;
  size_t from = svg->size;
  if (!child_exists("dot"))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot draw the graph: graphviz is not installed (apt install graphviz)");
  if (!dot_enter(slots, svg->mem)) return error_nomem(error);
  pprofc_status status = child_run(&child, svg, &end, error);
  dot_leave(slots);
  if (status == PPROFC_E_LIMIT) error_prefix(error, "cannot draw the graph, try fewer nodes: ");
  if (status == PPROFC_OK && end.status)
    return error_set(error, PPROFC_E_IO, "cannot draw the graph: dot failed with status %d: %s",
                     end.status, end.said);
  return status == PPROFC_OK ? dot_cut(svg, from, error) : status;
}
