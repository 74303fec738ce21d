/* Tests finding the origin of a frame's code (runtime, library, user ...), by the conventions of
 * each language and by user rules. */
#include "unit.h"

#include "flame/flame.h"

struct example {
  enum origin origin;
  const char *name, *file, *mapping;
};

static void check(const struct example *examples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct example *e = &examples[i];
    enum origin origin = origin_of(NULL, str_of(e->name), str_of(e->file), str_of(e->mapping));
    if (origin != e->origin) printf("%s %s %s: %d\n", e->name, e->file, e->mapping, (int)origin);
    CU_ASSERT_EQUAL(origin, e->origin);
  }
}
#define CHECK(examples) check(examples, sizeof(examples) / sizeof *(examples))

TEST(test_go) {
  static const struct example examples[] = {
      {ORIGIN_USER, "main.main", "/home/me/tool/main.go", "/home/me/tool/tool"},
      {ORIGIN_USER, "example.com/tool/parse.(*Parser).next", "/home/me/tool/parse/parse.go", ""},
      {ORIGIN_SYSTEM, "runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", ""},
      {ORIGIN_SYSTEM, "runtime/internal/atomic.Load", "/go/src/runtime/internal/a.go", ""},
      {ORIGIN_SYSTEM, "syscall.Syscall", "/usr/lib/go-1.19/src/syscall/asm_linux_amd64.s", ""},
      {ORIGIN_LIBRARY, "encoding/json.(*decodeState).value", "encoding/json/decode.go", ""},
      {ORIGIN_LIBRARY, "sort.Sort", "/opt/go/src/sort/sort.go", ""},
      {ORIGIN_LIBRARY, "github.com/a/b.F", "/home/me/go/pkg/mod/github.com/a/b@v1.2.3/f.go", ""},
      {ORIGIN_LIBRARY, "github.com/a/b.F", "/src/tool/vendor/github.com/a/b/f.go", ""},
  };
  CHECK(examples);
}

TEST(test_c_and_cpp) {
  static const struct example examples[] = {
      {ORIGIN_USER, "main", "src/main.c", "/usr/bin/tool"},
      {ORIGIN_USER, "parse(std::string const&)", "src/parse.cpp", "/usr/bin/tool"},
      {ORIGIN_LIBRARY, "std::sort<int*>(int*, int*)", "/usr/include/c++/12/bits/stl_algo.h", ""},
      {ORIGIN_LIBRARY, "std::__cxx11::basic_string<char>::append", "", "/usr/bin/tool"},
      {ORIGIN_LIBRARY, "operator new(unsigned long)", "", "/usr/bin/tool"},
      {ORIGIN_LIBRARY, "inflate", "", "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13"},
      {ORIGIN_SYSTEM, "malloc", "", "/usr/lib/x86_64-linux-gnu/libc.so.6"},
      {ORIGIN_SYSTEM, "__libc_start_main", "", "/usr/bin/tool"},
      {ORIGIN_SYSTEM, "_start", "", "/usr/bin/tool"},
      {ORIGIN_SYSTEM, "do_syscall_64", "", "[kernel.kallsyms]"},
      {ORIGIN_SYSTEM, "_dl_relocate_object", "", "/lib64/ld-linux-x86-64.so.2"},
      {ORIGIN_SYSTEM, "(below main)", "", "/usr/bin/tool"},
      {ORIGIN_SYSTEM, "__GI___libc_write", "", ""},
      {ORIGIN_SYSTEM, "_int_malloc", "/build/glibc-2.36/malloc/malloc.c", "/usr/bin/tool"},
      {ORIGIN_SYSTEM, "__memmove_avx_unaligned", "../sysdeps/x86_64/multiarch/memmove.S", ""},
      {ORIGIN_SYSTEM, "__x64_sys_read", "", ""},
      {ORIGIN_SYSTEM, "vfs_read_[k]", "", ""},
  };
  CHECK(examples);
}

TEST(test_rust) {
  static const struct example examples[] = {
      {ORIGIN_USER, "tool::parse::next", "src/parse.rs", "/home/me/target/release/tool"},
      {ORIGIN_SYSTEM, "std::rt::lang_start_internal", "/rustc/1234/library/std/src/rt.rs", ""},
      {ORIGIN_LIBRARY, "core::ptr::drop_in_place", "", "/home/me/target/release/tool"},
      {ORIGIN_LIBRARY, "alloc::vec::Vec<T>::push", "/rustc/1234/library/alloc/src/vec.rs", ""},
      {ORIGIN_LIBRARY, "<T as core::fmt::Debug>::fmt", "/rustc/1234/library/core/fmt.rs", ""},
      {ORIGIN_LIBRARY, "serde::de::f", "/home/me/.cargo/registry/src/x/serde-1.0/src/de.rs", ""},
  };
  CHECK(examples);
}

TEST(test_python) {
  static const struct example examples[] = {
      {ORIGIN_USER, "main", "/home/me/tool.py", ""},
      {ORIGIN_LIBRARY, "loads", "/usr/lib/python3.11/json/__init__.py", ""},
      {ORIGIN_LIBRARY, "get", "/home/me/.venv/lib/python3.11/site-packages/requests/api.py", ""},
      {ORIGIN_LIBRARY, "_find_and_load", "<frozen importlib._bootstrap>", ""},
  };
  CHECK(examples);
}

TEST(test_node) {
  static const struct example examples[] = {
      {ORIGIN_USER, "handler", "file:///home/me/app/server.js", ""},
      {ORIGIN_LIBRARY, "readFileSync", "node:fs", ""},
      {ORIGIN_LIBRARY, "next", "file:///home/me/app/node_modules/express/router.js", ""},
      {ORIGIN_SYSTEM, "(garbage collector)", "", ""},
      {ORIGIN_SYSTEM, "Builtin:CallFunction", "", ""},
      {ORIGIN_SYSTEM, "BytecodeHandler:Star0", "", ""},
      {ORIGIN_SYSTEM, "Builtins_InterpreterEntryTrampoline", "", "/usr/bin/node"},
      {ORIGIN_SYSTEM, "uv_run", "", "/usr/bin/node"},
      {ORIGIN_USER, "fib", "/app/bench.mjs", ""},
      {ORIGIN_SYSTEM, "py_trampoline_evaluator", "", "/usr/bin/python3.13"},
      {ORIGIN_SYSTEM, "(idle)", "", ""},
      {ORIGIN_SYSTEM, "(program)", "", ""},
  };
  CHECK(examples);
}

TEST(test_jvm) {
  static const struct example examples[] = {
      {ORIGIN_USER, "com.example.Tool.run", "Tool.java", ""},
      {ORIGIN_LIBRARY, "java.util.HashMap.get", "HashMap.java", ""},
      {ORIGIN_LIBRARY, "jdk.internal.misc.Unsafe.park", "Unsafe.java", ""},
      {ORIGIN_LIBRARY, "kotlin.collections.CollectionsKt.map", "", ""},
      {ORIGIN_LIBRARY, "scala.collection.immutable.List.map", "List.scala", ""},
      {ORIGIN_SYSTEM, "G1ParTask::work", "", "/usr/lib/jvm/lib/server/libjvm.so"},
  };
  CHECK(examples);
}

TEST(test_unknown_has_neither_file_nor_binary) {
  static const struct example examples[] = {{ORIGIN_UNKNOWN, "0x7f0010", "", ""},
                                            {ORIGIN_UNKNOWN, "", "", ""}};
  CHECK(examples);
}

TEST(test_rules_of_ones_own_come_first) {
  struct arena arena;
  struct origin_rules rules;
  arena_init(&arena, &mem_default);
  static const char text[] = "# ours\n\nuser   name runtime.ours*\r\n"
                             "library file *generated/*\n system mapping *driver.so \n"
                             "unknown name ?";
  CU_ASSERT_EQUAL_FATAL(origin_rules_parse(&rules, str_of(text), &arena, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("runtime.ours.f"), STR("a.go"), STR("")), ORIGIN_USER);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("runtime.gc"), STR("a.go"), STR("")), ORIGIN_SYSTEM);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("f"), STR("src/generated/f.c"), STR("")), ORIGIN_LIBRARY);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("f"), STR(""), STR("/opt/driver.so")), ORIGIN_SYSTEM);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("x"), STR("x.c"), STR("")), ORIGIN_UNKNOWN);
  CU_ASSERT_EQUAL(origin_of(&rules, STR("xy"), STR("x.c"), STR("")), ORIGIN_USER);
  arena_free(&arena);
}

TEST(test_a_bad_rule_is_told_by_its_line) {
  static const char *const bad[] = {"ours name f", "user function f", "user name", "user name f g",
                                    "user name f\n\nuser"};
  static const char *const lines[] = {"line 1", "line 1", "line 1", "line 1", "line 3"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct arena arena;
    struct origin_rules rules;
    pprofc_error error = {PPROFC_OK, 0, ""};
    arena_init(&arena, &mem_default);
    CU_ASSERT_EQUAL(origin_rules_parse(&rules, str_of(bad[i]), &arena, &error), PPROFC_E_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, lines[i]));
    arena_free(&arena);
  }
}

TEST(test_packages) {
  static const char *const examples[][2] = {
      {"encoding/json.(*decodeState).value", "encoding/json"},
      {"std::sort<a/b>(int*)", "std"},
      {"main.main", "main"},
      {"java.util.HashMap.get", "java"},
      {"main", ""},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    CU_ASSERT(str_equal(origin_package(str_of(examples[i][0])), str_of(examples[i][1])));
}
