/* Implements `pprofci init`: writes a workflow for a project, or the skill for coding agents. */
#include "run/files.h"

extern const unsigned char asset_SKILL_md[], asset_init_agents_md[];
extern const size_t asset_SKILL_md_size, asset_init_agents_md_size;

#define AGENTS_FILE  "AGENTS.md"
#define AGENTS_MARK  "<!-- pprofc -->"
#define AGENTS_BYTES ((size_t)16 << 20)

/* Paths of the skill's files: one for the open format of agent skills, and one for Claude Code. */
static const char *const skill_files[] = {".agents/skills/pprofc/SKILL.md",
                                          ".claude/skills/pprofc/SKILL.md"};

#define SKILLS (sizeof skill_files / sizeof *skill_files)

/* Reads a file. A missing file counts as empty. */
static void agents_read(const char *path, struct buffer *text, bool *exists) {
  buffer_init(text, &ci_mem, AGENTS_BYTES);
  *exists = access(path, F_OK) == 0;
  if (*exists) ci_need(file_read(path, text, &ci_error));
}

/* True if the file contains exactly the skill. If the file has other text, ends the command unless
 * `force` is true. */
static bool skill_is_in(const char *path, pprofc_str skill, bool force) {
  struct buffer text;
  bool exists;
  agents_read(path, &text, &exists);
  bool same = exists && str_equal(buffer_str(&text), skill);
  if (exists && !same && !force) ci_fail("'%s' has other text; replace it with -force", path);
  buffer_free(&text);
  return same;
}

static void skills_write(bool force, struct output *out) {
  const pprofc_str skill = {(const char *)asset_SKILL_md, asset_SKILL_md_size};
  bool same[SKILLS];
  for (size_t i = 0; i < SKILLS; i++) same[i] = skill_is_in(skill_files[i], skill, force);
  for (size_t i = 0; i < SKILLS; i++) {
    if (!same[i]) ci_need(files_need_parent(skill_files[i], &ci_error));
    if (!same[i]) ci_need(save_text(skill_files[i], skill, &ci_error));
    output_printf(out, same[i] ? "%s is up to date\n" : "wrote %s\n", skill_files[i]);
  }
}

/* Adds the section about pprofci to AGENTS.md, and keeps all other text. */
static void agents_add_section(struct output *out) {
  struct buffer text;
  bool exists;
  agents_read(AGENTS_FILE, &text, &exists);
  pprofc_str before = buffer_str(&text);
  bool has = str_find(before, STR(AGENTS_MARK)) < before.size;
  if (!has) {
    struct buffer added = ci_buffer();
    if (before.size) buffer_add_text(&added, str_ends(before, STR("\n")) ? "\n" : "\n\n");
    buffer_add(&added, asset_init_agents_md, asset_init_agents_md_size);
    ci_need(save_append(AGENTS_FILE, buffer_str(&added), &ci_error));
    buffer_free(&added);
  }
  buffer_free(&text);
  output_printf(out, has ? "%s has the section\n" : "added a section to %s\n", AGENTS_FILE);
}

#define PROJECT_FILE_MOST ((size_t)16 << 20)

extern const unsigned char asset_init_workflow_yml[], asset_init_go_yml[], asset_init_cargo_yml[],
    asset_init_cmake_yml[], asset_init_maven_yml[], asset_init_python_yml[], asset_init_node_yml[];
extern const size_t asset_init_workflow_yml_size, asset_init_go_yml_size, asset_init_cargo_yml_size,
    asset_init_cmake_yml_size, asset_init_maven_yml_size, asset_init_python_yml_size,
    asset_init_node_yml_size;

struct init_options {
  const char *out, *action;
  bool force, agents;
};

#define FIELD(name) offsetof(struct init_options, name)

static const struct flag_group groups[] = {{"The workflow", NULL}, {"Coding agents", NULL}};

static const struct flag flags[] = {
    FLAG(STRING, 0, "out", out, "FILE", ".github/workflows/performance.yml",
         "file in which the command writes the workflow"),
    FLAG(STRING, 0, "action", action, "REPO@REF", "OWNER/pprofc@v0",
         "GitHub action that the workflow uses"),
    SWITCH(0, "force", force, "replace an existing file"),
    SWITCH(1, "agents", agents,
           "instead of a workflow, write a skill for coding agents: .agents/skills/pprofc, "
           ".claude/skills/pprofc and a section of AGENTS.md"),
};

static const char *const usage[] = {"[-out FILE] [-action REPO@REF] [-force]", "-agents [-force]",
                                    NULL};

static const char *const details[] = {
    "Writes a workflow for the kind of project in the current folder. Looks for these files, and "
    "takes the first one that exists: go.mod, Cargo.toml, CMakeLists.txt with Google Benchmark "
    "(also in the folders bench, benchmark and benchmarks), pom.xml with JMH, pyproject.toml with "
    "pytest, package.json.",
    NULL};

static const struct flag_note statuses[] = {
    {"0", "the files are written"}, {"1", "failed, or no project was found"}, {NULL, NULL}};

const struct flag_table init_table = {
    FLAG_TABLE("pprofci init", "writes a workflow that measures pull requests")};

/* A project type: the file that identifies the type, and the workflow steps that measure the
 * project. */
struct project {
  const char *file;
  const char *words[2]; /* one of these texts must be in the file; NULL: any text */
  const char *what, *next;
  const unsigned char *steps;
  const size_t *size;
};

#define STEPS(name) asset_init_##name##_yml, &asset_init_##name##_yml_size

#define CMAKE(file)                                                                                \
  {                                                                                                \
    file, {"benchmark::benchmark", "find_package(benchmark"},                                      \
        "a CMake project with Google Benchmark",                                                   \
        "its benchmarks are programs with \"bench\" in their names", STEPS(cmake)                  \
  }

static const struct project projects[] = {
    {"go.mod", {NULL, NULL}, "a Go module", "go test runs its benchmarks", STEPS(go)},
    {"Cargo.toml", {NULL, NULL}, "a Rust crate", "its benchmarks use criterion", STEPS(cargo)},
    CMAKE("CMakeLists.txt"),
    CMAKE("bench/CMakeLists.txt"),
    CMAKE("benchmark/CMakeLists.txt"),
    CMAKE("benchmarks/CMakeLists.txt"),
    {"pom.xml",
     {"jmh-core", NULL},
     "a Maven project with JMH",
     "mvn package builds its benchmarks into target/benchmarks.jar",
     STEPS(maven)},
    {"pyproject.toml",
     {"pytest", NULL},
     "a Python project with pytest",
     "its benchmarks use pytest-benchmark; if pytest does not find them by itself, or if they need "
     "more packages, add this to the workflow",
     STEPS(python)},
    {"package.json",
     {NULL, NULL},
     "a Node package",
     "package.json needs a script \"bench\"",
     STEPS(node)},
};

static bool project_matches(const struct project *project) {
  bool matches = file_is_regular(project->file);
  if (!matches || !project->words[0]) return matches;
  struct buffer text = buffer_make(&ci_mem, PROJECT_FILE_MOST);
  ci_need(file_read(project->file, &text, &ci_error));
  pprofc_str all = buffer_str(&text);
  matches = false;
  for (size_t i = 0; i < 2 && project->words[i]; i++)
    matches |= str_find(all, str_of(project->words[i])) < all.size;
  buffer_free(&text);
  return matches;
}

static const struct project *project_find(void) {
  for (size_t i = 0; i < sizeof projects / sizeof *projects; i++)
    if (project_matches(&projects[i])) return &projects[i];
  ci_fail("no project was found: there is neither go.mod, Cargo.toml, CMakeLists.txt with "
          "Google Benchmark, pom.xml with JMH, pyproject.toml with pytest, nor package.json");
}

/* Appends `text`, and replaces each occurrence of `mark` in the text by `with`. */
static void init_replace(struct buffer *out, pprofc_str text, pprofc_str mark, pprofc_str with) {
  for (;;) {
    size_t at = str_find(text, mark);
    buffer_add_str(out, str_slice(text, 0, at));
    if (at == text.size) return;
    buffer_add_str(out, with);
    text = str_slice(text, at + mark.size, text.size);
  }
}

static void init_write(const struct init_options *o, const struct project *project) {
  struct buffer steps = ci_buffer(), text = ci_buffer();
  pprofc_str skeleton = {(const char *)asset_init_workflow_yml, asset_init_workflow_yml_size};
  init_replace(&steps, skeleton, STR("@STEPS@\n"),
               (pprofc_str){(const char *)project->steps, *project->size});
  init_replace(&text, buffer_str(&steps), STR("@ACTION@"), str_of(o->action));
  ci_need(save_text(o->out, buffer_str(&text), &ci_error));
  buffer_free(&text);
  buffer_free(&steps);
}

static void init_place(const struct init_options *o) {
  if (!o->force && access(o->out, F_OK) == 0)
    ci_fail("'%s' exists; replace it with -force", o->out);
  ci_need(files_need_parent(o->out, &ci_error));
}

static void init_report(const struct init_options *o, const struct project *project,
                        struct output *out) {
  output_printf(out, "wrote %s for %s (%s); %s\n", o->out, project->what, project->file,
                project->next);
  output_printf(out,
                "permissions: the job that measures has contents: read; the job that publishes has "
                "pull-requests: write and checks: write, and runs nothing of the pull request\n");
  if (str_starts(str_of(o->action), STR("OWNER/")))
    output_printf(
        out, "next: replace OWNER by the owner of the action, commit the file to the main branch, "
             "and open a pull request\n");
  else
    output_printf(out, "next: commit the file to the main branch, and open a pull request\n");
  if (access(".git", F_OK) != 0)
    output_printf(out, "note: GitHub reads workflows only in the top folder of a repository, and "
                       "this folder has no .git\n");
  output_printf(out, "later: the comment /benchmark on a pull request measures it again\n");
}

static int init_run(void *options, const struct command_line *line) {
  const struct init_options *o = options;
  if (o->agents) {
    skills_write(o->force, line->out);
    agents_add_section(line->out);
    return EXIT_PASSED;
  }
  const struct project *project = project_find();
  init_place(o);
  init_write(o, project);
  init_report(o, project, line->out);
  return EXIT_PASSED;
}

COMMAND(init, struct init_options, COMMAND_NO_WORDS, NULL, init_run, false);
