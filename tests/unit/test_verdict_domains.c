/* Tests domains, groups of functions inside which cost moved. Also tests splitting function names,
 * and lack of memory. */
#include "faults.h"
#include "pprofc/verdict.h"
#include "profile_text.h"
#include "unit.h"
#include "verdict/relations.h"

static pprofc_error error;

/* A stack, leaf first, with its numbers of samples in base and head. */
struct moved_stack {
  const char *stack;
  int64_t base, head;
};

static pprofc_profile *make_moved(const pprofc_allocator *mem, const struct moved_stack *stacks,
                                  size_t count, int run, bool head) {
  pprofc_builder *b = pprofc_builder_new(mem);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 1000);
  for (int i = 0; i < 15; i++) {
    char stack[64];
    snprintf(stack, sizeof stack, "lib.f%d run main", i);
    sample(b, stack, (2000 / (i + 1) + (run * 13 * (i + 3)) % 17) * 1000, 0);
  }
  for (size_t i = 0; i < count; i++) {
    int64_t value = head ? stacks[i].head : stacks[i].base;
    if (value) sample(b, stacks[i].stack, (value + (run * 7 + (int64_t)i) % 9) * 1000, 0);
  }
  return finish(b);
}

static pprofc_status judge_moved(const struct moved_stack *stacks, size_t count,
                                 pprofc_verdicts **verdicts) {
  pprofc_profile *profiles[6];
  pprofc_verdict_run runs[6];
  for (int i = 0; i < 6; i++) {
    profiles[i] = make_moved(NULL, stacks, count, i, i >= 3);
    runs[i] = (pprofc_verdict_run){.profile = profiles[i]};
  }
  pprofc_status status = pprofc_verdicts_new(runs, 3, runs + 3, 3, NULL, verdicts, &error);
  for (int i = 0; i < 6; i++) pprofc_profile_release(profiles[i]);
  return status;
}

/* Returns the domain of the only change of a comparison. */
static pprofc_verdict_domain judge_one(const struct moved_stack *stacks, size_t count,
                                       pprofc_verdicts **verdicts) {
  size_t domains;
  *verdicts = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_moved(stacks, count, verdicts), PPROFC_OK);
  const pprofc_verdict_domain *all = pprofc_verdicts_domains(*verdicts, &domains);
  CU_ASSERT_EQUAL_FATAL(domains, 1);
  return all[0];
}

TEST(test_a_split_moves_cost_inside_its_caller) {
  static const struct moved_stack stacks[] = {{"svc.f run main", 900, 350},
                                              {"svc.help svc.f run main", 0, 550}};
  pprofc_verdicts *v;
  pprofc_verdict_domain d = judge_one(stacks, COUNT(stacks), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_CALLER && d.moved && d.row_count == 2);
  CU_ASSERT(str_equal(d.name, STR("svc.f")));
  CU_ASSERT_EQUAL(d.net.verdict, PPROFC_VERDICT_UNCHANGED);
  const pprofc_verdict_row *row = pprofc_verdicts_find(v, STR("svc.help"));
  CU_ASSERT_PTR_NOT_NULL(pprofc_verdicts_domain_of(v, row));
  CU_ASSERT_PTR_NULL(pprofc_verdicts_domain_of(v, pprofc_verdicts_find(v, STR("lib.f1"))));
  pprofc_verdicts_free(v);
}

TEST(test_growth_beside_moved_cost_is_its_sum) {
  static const struct moved_stack stacks[] = {{"svc.f run main", 900, 350},
                                              {"svc.help svc.f run main", 0, 900}};
  pprofc_verdicts *v;
  pprofc_verdict_domain d = judge_one(stacks, COUNT(stacks), &v);
  CU_ASSERT(!d.moved && d.net.verdict == PPROFC_VERDICT_GREW);
  CU_ASSERT(d.net.delta > 340e3 && d.net.delta < 360e3);
  pprofc_verdicts_free(v);
}

TEST(test_types_files_and_packages_have_names) {
  static const struct moved_stack type[] = {{"p.(*T).a run main", 600, 200},
                                            {"p.T.b run main", 300, 500},
                                            {"p.(*T).c run main", 300, 500}};
  static const struct moved_stack package[] = {
      {"svc.g1 run main", 300, 0}, {"svc.g2 run main", 300, 0}, {"svc.all run main", 0, 600}};
  static const struct moved_stack roots[] = {
      {"svc.work", 700, 0}, {"svc.one", 0, 400}, {"svc.two", 0, 300}};
  static const struct moved_stack renamed[] = {{"old.a run main", 300, 0},
                                               {"new.a run main", 0, 300}};
  static const struct moved_stack packages[] = {{"old.a run main", 300, 0},
                                                {"old.b run main", 310, 0},
                                                {"new.a run main", 0, 305},
                                                {"new.b run main", 0, 303}};
  pprofc_verdicts *v;
  pprofc_verdict_domain d = judge_one(type, COUNT(type), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_TYPE && d.moved && d.row_count == 3);
  pprofc_verdicts_free(v);
  d = judge_one(package, COUNT(package), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_PACKAGE && d.moved && str_equal(d.name, STR("svc")));
  pprofc_verdicts_free(v);
  d = judge_one(roots, COUNT(roots), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_PACKAGE && d.moved && d.row_count == 3);
  pprofc_verdicts_free(v);
  d = judge_one(renamed, COUNT(renamed), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_RENAMED && str_equal(d.renamed, STR("new.a")));
  pprofc_verdicts_free(v);
  d = judge_one(packages, COUNT(packages), &v);
  CU_ASSERT(d.kind == PPROFC_DOMAIN_RENAMED && d.row_count == 4);
  CU_ASSERT(str_equal(d.name, STR("old")) && str_equal(d.renamed, STR("new")));
  pprofc_verdicts_free(v);
}

/* The cost of one helper function moves to three callers. It must not explain the growth of a
 * single caller. */
TEST(test_cost_that_three_share_explains_none_alone) {
  static const struct moved_stack stacks[] = {
      {"svc.a run main", 200, 350},         {"svc.b run main", 200, 350},
      {"svc.c run main", 200, 700},         {"util.hash svc.a run main", 150, 0},
      {"util.hash svc.b run main", 150, 0}, {"util.hash svc.c run main", 150, 0}};
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_moved(stacks, COUNT(stacks), &v), PPROFC_OK);
  const pprofc_verdict_domain *c =
      pprofc_verdicts_domain_of(v, pprofc_verdicts_find(v, STR("svc.c")));
  const pprofc_verdict_domain *a =
      pprofc_verdicts_domain_of(v, pprofc_verdicts_find(v, STR("svc.a")));
  CU_ASSERT_FATAL(a && c);
  CU_ASSERT(a->moved && !c->moved && c->net.delta > 340e3);
  pprofc_verdicts_free(v);
}

TEST(test_functions_that_are_not_connected_stay_apart) {
  static const struct moved_stack stacks[] = {{"svc.f run main", 400, 700},
                                              {"svc.g run main", 700, 400}};
  pprofc_verdicts *v = NULL;
  size_t domains;
  CU_ASSERT_EQUAL_FATAL(judge_moved(stacks, COUNT(stacks), &v), PPROFC_OK);
  pprofc_verdicts_domains(v, &domains);
  CU_ASSERT_EQUAL(domains, 0);
  pprofc_verdicts_free(v);
}

TEST(test_memory_that_runs_out_is_an_error) {
  static const struct moved_stack stacks[] = {
      {"svc.f run main", 900, 350},    {"svc.help svc.f run main", 0, 900},
      {"old.a run main", 300, 0},      {"old.b run main", 310, 0},
      {"new.a run main", 0, 305},      {"new.b run main", 0, 303},
      {"p.(*T).a run main", 600, 200}, {"p.(*T).b run main", 300, 700}};
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, &faults};
  pprofc_verdict_run runs[6] = {{NULL, NULL, 0, 0}};
  pprofc_profile *profiles[6];
  for (int i = 0; i < 6; i++)
    runs[i].profile = profiles[i] = make_moved(&mem, stacks, COUNT(stacks), i, i >= 3);
  size_t before = faults.live;
  pprofc_status status = PPROFC_E_NOMEM;
  for (size_t at = 0; status == PPROFC_E_NOMEM && at < 5000; at++) {
    pprofc_verdicts *v = NULL;
    faults.fail_at = faults.calls + at;
    status = pprofc_verdicts_new(runs, 3, runs + 3, 3, NULL, &v, &error);
    CU_ASSERT(status == PPROFC_OK || status == PPROFC_E_NOMEM);
    pprofc_verdicts_free(v);
    CU_ASSERT_EQUAL_FATAL(faults.live, before);
  }
  CU_ASSERT_EQUAL(status, PPROFC_OK);
  faults.fail_at = SIZE_MAX;
  for (int i = 0; i < 6; i++) pprofc_profile_release(profiles[i]);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}

/* ---- calls ------------------------------------------- */

/* Judges the stacks, and returns the domain that consists of svc.B and the functions it calls. */
static const pprofc_verdict_domain *judge_calls(const struct moved_stack *stacks, size_t count,
                                                pprofc_verdicts **verdicts) {
  *verdicts = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_moved(stacks, count, verdicts), PPROFC_OK);
  return pprofc_verdicts_calls_of(*verdicts, pprofc_verdicts_find(*verdicts, STR("svc.B")));
}

TEST(test_calls_from_elsewhere_add_nothing) {
  static const struct moved_stack moved[] = {{"util.enc svc.A main", 600, 200},
                                             {"util.enc svc.B main", 200, 600}};
  static const struct moved_stack grown[] = {{"util.enc svc.A main", 600, 600},
                                             {"util.enc svc.B main", 200, 600}};
  static const struct moved_stack hidden[] = {{"util.enc svc.A main", 600, 200},
                                              {"util.dec svc.B main", 200, 600}};
  pprofc_verdicts *v;
  const pprofc_verdict_domain *d = judge_calls(moved, COUNT(moved), &v);
  CU_ASSERT_PTR_NOT_NULL_FATAL(d);
  CU_ASSERT(d->moved && str_equal(d->name, STR("svc.B")) && d->row_count == 1);
  CU_ASSERT_PTR_NULL(pprofc_verdicts_calls_of(v, pprofc_verdicts_find(v, STR("svc.A"))));
  pprofc_verdicts_free(v);
  d = judge_calls(grown, COUNT(grown), &v);
  CU_ASSERT(!d || d->net.verdict == PPROFC_VERDICT_GREW);
  pprofc_verdicts_free(v);
  d = judge_calls(hidden, COUNT(hidden), &v);
  CU_ASSERT(!d || (!d->moved && d->net.delta > 390e3));
  pprofc_verdicts_free(v);
}

TEST(test_growth_in_a_caller_is_no_moved_call) {
  /* The cost of util.enc moved into its callers, and B grew in addition. */
  static const struct moved_stack stacks[] = {
      {"svc.A main", 200, 350}, {"util.enc svc.A main", 150, 0}, {"svc.B main", 200, 700},
      {"svc.C main", 200, 350}, {"util.enc svc.B main", 150, 0}, {"util.enc svc.C main", 150, 0}};
  pprofc_verdicts *v;
  const pprofc_verdict_domain *d = judge_calls(stacks, COUNT(stacks), &v);
  CU_ASSERT(!d || (!d->moved && d->net.delta > 340e3));
  pprofc_verdicts_free(v);
}

/* Returns the domain of svc.B. The head calls svc.B and a function below it in place of the base's
 * functions lib.gone and lib.lost. Adds `more` samples to the head. */
static const pprofc_verdict_domain *judge_new(int64_t more, pprofc_verdicts **v) {
  const struct moved_stack stacks[] = {
      {"svc.rest svc.parse main", 900, 900},     {"lib.gone svc.parse main", 130, 0},
      {"lib.lost svc.parse main", 130, 0},       {"new.a svc.B svc.parse main", 0, 60 + more},
      {"new.b svc.B svc.parse main", 0, 60},     {"new.c svc.B svc.parse main", 0, 60},
      {"new.d svc.B via svc.parse main", 0, 60}, {"main", 3000, 3000},
      {"svc.B svc.B svc.parse main", 0, 20}};
  return judge_calls(stacks, COUNT(stacks), v);
}

TEST(test_new_functions_below_a_caller_that_did_not_grow_add_nothing) {
  static const struct moved_stack apart[] = {{"svc.rest svc.parse main", 900, 900},
                                             {"lib.gone svc.parse main", 130, 0},
                                             {"new.a svc.B svc.parse main", 0, 130},
                                             {"new.b svc.B other.f main", 0, 130},
                                             {"other.f main", 100, 100},
                                             {"main", 3000, 3000}};
  pprofc_verdicts *v;
  const pprofc_verdict_domain *d = judge_new(0, &v);
  CU_ASSERT_PTR_NOT_NULL_FATAL(d);
  CU_ASSERT(d->moved && str_equal(d->name, STR("svc.parse")) && d->row_count == 1);
  CU_ASSERT(pprofc_verdicts_find(v, STR("svc.B"))->cum.delta > 250e3);
  pprofc_verdicts_free(v);
  d = judge_new(300, &v);
  CU_ASSERT_PTR_NOT_NULL_FATAL(d);
  CU_ASSERT(!d->moved && d->net.delta > 290e3 && d->net.delta < 320e3);
  pprofc_verdicts_free(v);
  d = judge_calls(apart, COUNT(apart), &v);
  CU_ASSERT(!d || (!d->moved && d->net.delta > 120e3));
  pprofc_verdicts_free(v);
}

/* The sum of a large package is too noisy to show that one of its functions only got another name.
 */
TEST(test_a_function_of_a_large_renamed_package_has_its_old_name) {
  enum { FUNCTIONS = 40 };
  char names[2 * FUNCTIONS][32];
  struct moved_stack stacks[2 * FUNCTIONS];
  for (int i = 0; i < 2 * FUNCTIONS; i++) {
    bool head = i % 2;
    snprintf(names[i], sizeof names[i], "%s.B%d run main", head ? "new" : "old", i / 2);
    stacks[i] = (struct moved_stack){names[i], head ? 0 : 200, head ? 200 : 0};
  }
  pprofc_verdicts *v = NULL;
  CU_ASSERT_EQUAL_FATAL(judge_moved(stacks, COUNT(stacks), &v), PPROFC_OK);
  const pprofc_verdict_domain *d =
      pprofc_verdicts_calls_of(v, pprofc_verdicts_find(v, STR("new.B7")));
  CU_ASSERT(d && d->moved);
  pprofc_verdicts_free(v);
}

/* ---- names ------------------------------------------- */

TEST(test_names_have_parts) {
  static const struct {
    const char *name, *package, *type, *last;
  } names[] = {
      {"main", "", "", "main"},
      {"svc.f", "svc", "", "f"},
      {"github.com/a/b.v2/enc.(*Writer).flush", "github.com/a/b.v2/enc",
       "github.com/a/b.v2/enc.(*Writer)", "flush"},
      {"svc.f.func1.2", "svc", "", "f"},
      {"svc.(*T).run-fm", "svc", "svc.(*T)", "run"},
      {"svc.Map[go.shape.int].Get", "svc", "svc.Map[go.shape.int]", "Get"},
      {"ns::v1::Parser<int>::next(char const*)", "ns::v1", "ns::v1::Parser<int>", "next"},
      {"ns::Parser::value const", "ns", "ns::Parser", "value"},
      {"void ns::Table::insert<int>(int)", "ns", "ns::Table", "insert<int>"},
      {"Table::operator()(int)", "", "Table", "operator()"},
      {"(anonymous namespace)::scan(int)", "(anonymous namespace)", "", "scan"},
      {"shop::cart::total::{{closure}}", "shop::cart", "", "total"},
      {"shop::total::h0123456789abcdef", "shop", "", "total"},
      {"<a::T as b::Trait>::run", "", "<a::T as b::Trait>", "run"},
      {"com.acme.Cart.lambda$sum$0", "com.acme", "com.acme.Cart", "lambda$sum"},
      {"work.constprop.0", "", "", "work"},
      {"work.part.1 [clone .cold]", "", "", "work"},
      {"", "", "", ""},
      {".", "", "", "."},
      {"::", "", "", "::"},
      {"((((", "", "", "(((("},
      {"a>>>::b", "", "a>>>", "b"},
  };
  for (size_t i = 0; i < COUNT(names); i++) {
    struct name_parts p = name_split(str_of(names[i].name));
    bool same = str_equal(p.package, str_of(names[i].package)) &&
                str_equal(p.type, str_of(names[i].type)) &&
                str_equal(p.last, str_of(names[i].last));
    if (!same)
      printf("%s: %.*s | %.*s | %.*s\n", names[i].name, STR_ARG(p.package), STR_ARG(p.type),
             STR_ARG(p.last));
    CU_ASSERT(same);
  }
  struct name_parts a = name_split(STR("p.(*T).a")), b = name_split(STR("p.T.b"));
  struct name_parts c = name_split(STR("q.(*T).a")), d = name_split(STR("p.f"));
  CU_ASSERT_EQUAL(name_type_key(&a), name_type_key(&b));
  CU_ASSERT_NOT_EQUAL(name_type_key(&a), name_type_key(&c));
  CU_ASSERT_EQUAL(name_type_key(&d), 0);
}
