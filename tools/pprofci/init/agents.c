/* `pprofci init -agents`: puts the skill where coding agents look for it. */
#include "init/agents.h"

#include "run/files.h"

#include <errno.h>
#include <unistd.h>

extern const unsigned char asset_SKILL_md[], asset_init_agents_md[];
extern const size_t asset_SKILL_md_size, asset_init_agents_md_size;

#define AGENTS_FILE  "AGENTS.md"
#define AGENTS_MARK  "<!-- pprofc -->"
#define AGENTS_BYTES ((size_t)16 << 20)

/* .agents is the folder of the open format, .claude the one that Claude Code reads. */
static const char *const skill_folders[] = {".agents/skills/pprofc", ".claude/skills/pprofc"};
static const char *const skill_files[] = {".agents/skills/pprofc/SKILL.md",
                                          ".claude/skills/pprofc/SKILL.md"};

#define SKILLS (sizeof skill_files / sizeof *skill_files)

/* Reads a file; a missing one is empty. */
static pprofc_status agents_read(const char *path, struct buffer *text, bool *exists,
                                 pprofc_error *error) {
  buffer_init(text, &mem_default, AGENTS_BYTES);
  *exists = access(path, F_OK) == 0;
  return *exists ? file_read(path, text, error) : PPROFC_OK;
}

/* Sets *same if the file is the skill. Fails for a file that has other text. */
static pprofc_status skill_check(const char *path, pprofc_str skill, bool force, bool *same,
                                 pprofc_error *error) {
  struct buffer text;
  bool exists;
  pprofc_status status = agents_read(path, &text, &exists, error);
  *same = exists && str_equal(buffer_str(&text), skill);
  if (!status && exists && !*same && !force)
    status =
        error_set(error, PPROFC_E_INVALID, "'%s' has other text; replace it with -force", path);
  buffer_free(&text);
  return status;
}

static pprofc_status skills_write(bool force, struct output *out, pprofc_error *error) {
  const pprofc_str skill = {(const char *)asset_SKILL_md, asset_SKILL_md_size};
  bool same[SKILLS];
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < SKILLS && !status; i++)
    status = skill_check(skill_files[i], skill, force, &same[i], error);
  for (size_t i = 0; i < SKILLS && !status; i++) {
    if (!same[i]) status = files_need_folder(skill_folders[i], error);
    if (!same[i] && !status) status = save_text(skill_files[i], skill, error);
    if (!status) output_printf(out, same[i] ? "%s is up to date\n" : "wrote %s\n", skill_files[i]);
  }
  return status;
}

/* Adds the section to AGENTS.md. What people wrote there stays. */
static pprofc_status agents_add_section(struct output *out, pprofc_error *error) {
  struct buffer text;
  bool exists;
  pprofc_status status = agents_read(AGENTS_FILE, &text, &exists, error);
  pprofc_str before = buffer_str(&text);
  bool has = str_find(before, STR(AGENTS_MARK)) < before.size;
  if (!status && !has) {
    struct buffer added;
    buffer_init(&added, &mem_default, AGENTS_BYTES);
    if (before.size) buffer_add_text(&added, str_ends(before, STR("\n")) ? "\n" : "\n\n");
    buffer_add(&added, asset_init_agents_md, asset_init_agents_md_size);
    status =
        added.failed ? error_nomem(error) : files_append(AGENTS_FILE, buffer_str(&added), error);
    buffer_free(&added);
  }
  buffer_free(&text);
  if (status) return status;
  output_printf(out, has ? "%s has the section\n" : "added a section to %s\n", AGENTS_FILE);
  return PPROFC_OK;
}

pprofc_status agents_write(bool force, struct output *out, pprofc_error *error) {
  pprofc_status status = skills_write(force, out, error);
  return status ? status : agents_add_section(out, error);
}
