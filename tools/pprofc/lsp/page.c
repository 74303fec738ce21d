/* Writes the page with the flame graph into a private folder. */
#include "lsp/lsp.h"

#include "destination.h"
#include "noise/noise.h"
#include "report/report.h"

static pprofc_status page_make_folder(struct lsp_page *page, pprofc_error *error) {
  const char *top = getenv("TMPDIR");
  if (!top || *top != '/') top = "/tmp"; /* A file URL needs an absolute path. */
  int size = snprintf(page->folder, sizeof page->folder, "%s/pprofc-XXXXXX", top);
  errno = ENAMETOOLONG;
  if (size > 0 && (size_t)size < sizeof page->folder && mkdtemp(page->folder)) {
    snprintf(page->path, sizeof page->path, "%s/flame.html", page->folder);
    return PPROFC_OK;
  }
  page->folder[0] = '\0';
  return error_file(error, "create a folder in", top, errno);
}

/* Writes the same page as -flame, or for a comparison the same page as -flame -noise. */
static pprofc_status page_render(const struct command *command, const struct costs *costs, int fd,
                                 pprofc_error *error) {
  struct command flame = *command;
  struct arena arena = arena_make(&mem_default);
  flame.format = &report_format_find("flame")->info;
  flame.report.format = "flame";
  flame.report.argument = "";
  flame.brief_bytes = 0;
  flame.report.verdicts = costs->judged.verdicts;
  pprofc_status status = PPROFC_OK;
  if (flame.report.verdicts && !noise_hide_folded(costs->profile, &arena, &flame.report))
    status = error_nomem(error);
  if (!status) status = destination_render(&flame, costs->profile, fd_write, &fd, error);
  arena_free(&arena);
  return status;
}

static pprofc_status page_write(struct lsp_page *page, const struct command *command,
                                const struct costs *costs, pprofc_error *error) {
  pprofc_status status = page_make_folder(page, error);
  if (status) return status;
  int fd = open(page->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) status = error_file(error, "write", page->path, errno);
  if (!status) signals_remove(page->path);
  if (!status) status = page_render(command, costs, fd, error);
  if (fd >= 0) close(fd);
  if (status) page_remove(page);
  return status;
}

pprofc_status page_address(struct lsp_page *page, const struct command *command,
                           const struct costs *costs, pprofc_str function, struct buffer *address,
                           pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (*page->folder && access(page->path, R_OK) != 0) page_remove(page);
  if (!*page->folder) status = page_write(page, command, costs, error);
  if (status) return status;
  buffer_add_text(address, "file://");
  escape_url(address, str_of(page->path), "/");
  buffer_add_text(address, "#sel=");
  url_escape_query(address, function);
  return address->failed ? error_nomem(error) : PPROFC_OK;
}

void page_remove(struct lsp_page *page) {
  if (!*page->folder) return;
  signals_remove(NULL);
  tree_remove(page->folder);
  page->folder[0] = '\0';
}
