/* Prints help and version, and limits the size of reports (-budget). */
#include "common/flags.h"

static int about_write(void *context, const void *data, size_t size) {
  struct about_output *about = context;
  int fd = STDOUT_FILENO;
  if (fd_write(&fd, data, size) == 0) return 0;
  about->failed = errno;
  return -1;
}

void about_begin(struct about_output *about) {
  about->failed = 0;
  output_init(&about->out, about_write, about);
}

pprofc_status about_end(struct about_output *about, pprofc_error *error) {
  pprofc_status status = output_flush(&about->out, error);
  if (!about->failed) return status;
  return error_set(error, PPROFC_E_IO, "cannot write standard output: %s",
                   ERRNO_TEXT(about->failed));
}

bool about_print(const struct flag_table *table, bool help, const struct about *about,
                 pprofc_status *status, pprofc_error *error) {
  struct about_output to;
  about_begin(&to);
  *status = PPROFC_OK;
  if (help)
    help_print(table, &to.out, terminal_width(STDOUT_FILENO));
  else if (*about->completion)
    *status = completion_print(table, str_of(about->completion), &to.out, error);
  else if (about->manual)
    manual_print_options(table, &to.out);
  else if (about->version)
    output_printf(&to.out, "%s %s\n", table->program, pprofc_version());
  else
    return false;
  if (*status == PPROFC_OK) *status = about_end(&to, error);
  return true;
}

const char *brief_store(void *options, const struct flag *flag, const char *text) {
  uint64_t bytes;
  if (!str_parse_uint(str_of(text), 0, &bytes)) return "parse error";
  if (bytes && (bytes < BRIEF_LEAST || bytes > UINT32_MAX)) return "must be 256 or more, below 4G";
  *(uint64_t *)(void *)((char *)options + flag->offset) = bytes;
  return NULL;
}

void brief_command(int argc, char *const *argv, uint64_t bytes, char out[BRIEF_COMMAND]) {
  const char *slash = argc ? strrchr(argv[0], '/') : NULL;
  size_t size = 0;
  for (int i = 0; i < argc; i++) {
    const char *word = i || !slash ? argv[i] : slash + 1;
    size_t flag = flags_prefix(word, "budget"), left = BRIEF_COMMAND - size;
    int length;
    if (flag && flag == strcspn(word, "=")) {
      i += !word[flag];
      length = snprintf(out + size, left, " -budget=%llu", 4 * (unsigned long long)bytes);
    } else {
      const char *blank = i ? " " : "";
      bool plain = *word && text_only_has(str_of(word), SHELL_PLAIN);
      length = plain ? snprintf(out + size, left, "%s%s", blank, word) : -1;
    }
    if (length < 0 || (size_t)length >= left) {
      *out = '\0';
      return;
    }
    size += (size_t)length;
  }
}

pprofc_status brief_report(const struct brief *kind, uint64_t bytes, const char *more,
                           brief_render_fn render, const void *context, pprofc_write_fn write,
                           void *to, pprofc_error *error) {
  struct brief brief;
  if (!bytes) return render(context, write, to, error);
  brief_init(&brief, &mem_default, kind->kind, (size_t)bytes, more);
  brief.markdown = kind->markdown;
  brief.rank_of = kind->rank_of;
  brief.skip = kind->skip;
  pprofc_status status = render(context, brief_write, &brief, error);
  if (!status) status = brief_finish(&brief, write, to, error);
  brief_free(&brief);
  return status;
}
