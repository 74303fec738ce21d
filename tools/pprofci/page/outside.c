/* Reads, checks and prints links to other servers. */
#include "page/page.h"

#include "run/text.h"

#define FILE_MOST  ((size_t)1 << 20)
#define LINKS_MOST 1000

bool outside_may_link(pprofc_str url) {
  static const char other[] = "\"<>\\^`{}|";
  size_t scheme = 0;
  if (str_starts(url, STR("http://"))) scheme = sizeof "http://" - 1;
  if (str_starts(url, STR("https://"))) scheme = sizeof "https://" - 1;
  if (!scheme || scheme == url.size || strchr("/?#:", url.data[scheme])) return false;
  for (size_t i = 0; i < url.size; i++) {
    char c = url.data[i];
    if (c <= ' ' || c > '~' || strchr(other, c)) return false;
  }
  return true;
}

static pprofc_status outside_add_one(struct ci_run *run, const struct node *from, const char *job,
                                     pprofc_error *error) {
  pprofc_str name = node_text(from, "name");
  struct run_link link = {
      .name = text_printf(&run->arena, "%s%s%.*s", job, *job ? ": " : "", STR_ARG(name)),
      .url = text_keep(&run->arena, node_text(from, "url"))};
  if (!link.name || !link.url ||
      !ARRAY_RESERVE(run->mem, run->links, run->link_capacity, run->link_count + 1))
    return error_nomem(error);
  run->links[run->link_count++] = link;
  return PPROFC_OK;
}

pprofc_status outside_add(struct ci_run *run, const struct node *root, const char *job,
                          pprofc_error *error) {
  const struct node *list = node_get(root, "links");
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < node_size(list) && i < LINKS_MOST && status == PPROFC_OK; i++)
    if (outside_may_link(node_text(node_at(list, i), "url")))
      status = outside_add_one(run, node_at(list, i), job, error);
  return status;
}

/* Checks that a file given by the user is complete and valid. */
static pprofc_status outside_check(const struct node *list, const char *path, pprofc_error *error) {
  if (!node_is(list, NODE_ARRAY))
    return error_set(error, PPROFC_E_FORMAT, "'%s' was not written by pprofci push -links", path);
  for (size_t i = 0; i < node_size(list); i++) {
    pprofc_str url = node_text(node_at(list, i), "url");
    if (!outside_may_link(url))
      return error_set(error, PPROFC_E_FORMAT, "'%s': '%.*s' is not an http or https address", path,
                       STR_ARG(str_slice(url, 0, 200)));
  }
  return PPROFC_OK;
}

pprofc_status outside_read(struct ci_run *run, pprofc_error *error) {
  const char *path = run->options->links;
  struct node *root = NULL;
  if (!*path) return PPROFC_OK;
  pprofc_status status = json_tree_read(&run->arena, path, FILE_MOST, &root, error);
  if (status == PPROFC_OK) status = outside_check(node_get(root, "links"), path, error);
  return status == PPROFC_OK ? outside_add(run, root, "", error) : status;
}

void outside_write(struct json_writer *json, const struct ci_run *run) {
  if (!run->link_count) return;
  json_line_break(json);
  json_begin_array(json_key(json, "links"));
  for (size_t i = 0; i < run->link_count; i++) {
    json_begin_object(json);
    json_text(json_key(json, "name"), run->links[i].name);
    json_text(json_key(json, "url"), run->links[i].url);
    json_end(json);
  }
  json_end(json);
}

void outside_fill(struct fill *f, const struct ci_run *run) {
  if (!run->link_count) return;
  fill_begin(f, "outside");
  for (size_t i = 0; i < run->link_count; i++) {
    fill_begin(f, "servers");
    fill_words(f, "url", run->links[i].url);
    fill_words(f, "name", run->links[i].name);
    fill_end(f);
  }
  fill_end(f);
}
