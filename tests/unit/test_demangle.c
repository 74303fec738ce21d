/* Tests demangling: the results of each mode, names that are not mangled, and names that could
 * exhaust memory. */
#include "unit.h"

#include "symbolize/symbolize.h"

#include <stdlib.h>

static struct buffer out;

static void begin(void) {
  buffer_init(&out, &mem_default, (size_t)4 << 20);
}

static void check(const char *name, enum demangle_mode mode, const char *expected) {
  demangle_for_display(str_of(name), mode, &out);
  if (!str_equal(buffer_str(&out), str_of(expected)))
    printf("\n  %s (mode %d): '%.*s'", name, (int)mode, STR_ARG(buffer_str(&out)));
  CU_ASSERT(str_equal(buffer_str(&out), str_of(expected)));
}

/* Mangled name, and its results in the modes default, templates and full. NULL: the same as in the
 * previous column. */
static const char *const table[][4] = {
    {"_ZN3foo3barEv", "foo::bar", NULL, "foo::bar()"},
    {"_ZNK3foo3barEv", "foo::bar", NULL, "foo::bar() const"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
     "std::vector<int, std::allocator<int> >::push_back",
     "std::vector<int, std::allocator<int> >::push_back(int const&)"},
    {"_ZNKSt8functionIFvvEEclEv", "std::function::operator()", "std::function<void ()>::operator()",
     "std::function<void ()>::operator()() const"},
    {"_ZZN3foo3barEiENKUlvE_clEv", "foo::bar()::{lambda()#1}::operator()", NULL,
     "foo::bar(int)::{lambda()#1}::operator()() const"},
    {"_ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar()", NULL, NULL},
    {"_ZN3fooIiE3barIcEEvT_", "foo::bar", "foo<int>::bar<char>", "void foo<int>::bar<char>(char)"},
    {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo", NULL, "(anonymous namespace)::foo()"},
    {"_ZN3foocvbEv", "foo::operator bool", NULL, "foo::operator bool()"},
    {"_ZNKSsixEm", "std::string::operator[]", NULL, "std::string::operator[](unsigned long) const"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<",
     "std::operator<< <std::char_traits<char> >",
     "std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
     "<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)"},
    {"_ZStrsISt11char_traitsIcEERSt13basic_istreamIcT_ES5_Ph", "std::operator>>",
     "std::operator>><std::char_traits<char> >",
     "std::basic_istream<char, std::char_traits<char> >& std::operator>><std::char_traits<char> "
     ">(std::basic_istream<char, std::char_traits<char> >&, unsigned char*)"},
    {"_ZSt11make_uniqueIN4shop10SortedBookIlEEJEENSt8__detail9_MakeUniqIT_E15__single_"
     "objectEDpOT0_",
     "std::make_unique", "std::make_unique<shop::SortedBook<long> >",
     "std::__detail::_MakeUniq<shop::SortedBook<long> >::__single_object "
     "std::make_unique<shop::SortedBook<long> >()"},
    {"_Znwm", "operator new", NULL, "operator new(unsigned long)"},
    {"_ZTV3foo", "vtable for foo", NULL, NULL},
    {"_ZN3foo3barEv.part.1.cold", "foo::bar", NULL, "foo::bar()"},
    {"_GLOBAL__I_a", "global constructors keyed to _I_a", NULL, NULL},
    {"_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main", NULL, NULL},
    {"_RNvC6_123foo3bar", "123foo::bar", NULL, NULL},
    {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<>", "std::mem::align_of::<f64>", NULL},
    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt", NULL, NULL},
    {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
     "3bar17h930b740aa94f1d3aE",
     "<Test + 'static as foo::Bar<Test>>::bar", NULL, NULL},
    {"__ZN3foo3barEv", "foo::bar", NULL, "foo::bar()"},
    {"_ZN1DCI11BEi", "D::D", NULL, "D::D(int)"},
    {"_ZN1DIiECI11BEi", "D::D", "D<int>::D", "D<int>::D(int)"},
    {"_ZZ4mainENUt_C1ERKS_", "main::{unnamed type#1}::{unnamed type#1}", NULL,
     "main::{unnamed type#1}::{unnamed type#1}({unnamed type#1} const&)"},
    {"_ZZ4mainENUt_D1Ev", "main::{unnamed type#1}::~{unnamed type#1}", NULL,
     "main::{unnamed type#1}::~{unnamed type#1}()"},
    {"_ZZN1C1HEvENUlvE_C2EOS0_", "C::H()::{lambda()#1}::{lambda()#1}", NULL,
     "C::H()::{lambda()#1}::{lambda()#1}({lambda()#1}&&)"},
    {"_ZZ11inline_funcvENKUlTyTyT_T0_E_clIiiEEDaS_S0_",
     "inline_func()::{lambda<typename $T, typename $T0>($T, $T0)#1}::operator()",
     "inline_func()::{lambda<typename $T, typename $T0>($T, $T0)#1}::operator()<int, int>",
     "auto inline_func()::{lambda<typename $T, typename $T0>($T, $T0)#1}::operator()<int, "
     "int>(int, "
     "int) const"},
    {"_ZZ2FnILi1EEvvENKUlTyT_E_clIiEEDaS0_", "Fn()::{lambda<typename $T>($T)#1}::operator()",
     "Fn<1>()::{lambda<typename $T>($T)#1}::operator()<int>",
     "auto Fn<1>()::{lambda<typename $T>($T)#1}::operator()<int>(int) const"},
    {"_ZN3fooIcElsIiEEvT_", "foo::operator<<", "foo<char>::operator<< <int>",
     "void foo<char>::operator<< <int>(int)"},
    {"_ZNK3fooIXgtLi1ELi2EEE3barEv", "foo::bar", "foo<((1)>(2))>::bar",
     "foo<((1)>(2))>::bar() const"},
    {"_ZNH1S3fooES_", "S::foo", NULL, "S::foo(this S)"},
    {"_ZNH1SclIiEEDaOS_T_", "S::operator()", "S::operator()<int>",
     "auto S::operator()<int>(this S&&, int)"},
    {"_ZNH1S1fEPFivE", "S::f", NULL, "S::f(this int (*)())"},
};

TEST(test_every_form_of_the_table) {
  begin();
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *shown = table[i][1];
    check(table[i][0], DEMANGLE_DEFAULT, shown);
    if (table[i][2]) shown = table[i][2];
    check(table[i][0], DEMANGLE_TEMPLATES, shown);
    if (table[i][3]) shown = table[i][3];
    check(table[i][0], DEMANGLE_FULL, shown);
  }
  buffer_free(&out);
}

/* Brackets that qualify a path stay. Their contents and generic arguments are dropped. */
static const char *const rust_table[][3] = {
    {"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<>>::new",
     "<arrayvec::ArrayVec<u8, 123>>::new"},
    {"_RNvXs_C1aNtB4_1TNtC4core5Clone5clone", "<a::T as core::Clone>::clone", NULL},
    {"_RYNtC1a1TNtC4core3Ord", "<a::T as core::Ord>", NULL},
    {"_RINvC1a1fAhj10_E", "a::f::<>", "a::f::<[u8; 16]>"},
    {"_RINvC1a1fTmETlyEuE", "a::f::<>", "a::f::<(u32,), (i32, u64), ()>"},
    {"_RINvC1a1fRL_eQeE", "a::f::<>", "a::f::<&str, &mut str>"},
    {"_RINvC1a1fPaOsShE", "a::f::<>", "a::f::<*const i8, *mut i16, [u8]>"},
    {"_RIC1fFG_RL0_hEuE", "f::<>", "f::<for<'a> fn(&'a u8)>"},
    {"_RIC1fFUKCjEzE", "f::<>", "f::<unsafe extern \"C\" fn(usize) -> !>"},
    {"_RIC1fFK8fast_abiEuE", "f::<>", "f::<extern \"fast-abi\" fn()>"},
    {"_RIC1fDINtC1a1TpEp4ItemhNtB7_4SendEL_E", "f::<>", "f::<dyn a::T<_, Item = u8> + a::Send>"},
    {"_RIC1fDG_INtC1a1TRL0_hEEL_E", "f::<>", "f::<dyn for<'a> a::T<&'a u8>>"},
    {"_RIC1fKb1_Kb0_Kc41_Kc27_Kc9_Kc1f600_Klna_Ko123456789abcdef01_E", "f::<>",
     "f::<true, false, 'A', '\\'', '\\t', '\\u{1f600}', -10, 0x123456789abcdef01>"},
    {"_RIC7backrefKj3_KBa_E", "backref::<>", "backref::<3, 3>"},
    {"_RNCNCNvC1a1f0s_0", "a::f::{closure#0}::{closure#1}", NULL},
    {"_RNSNvC1a1f6vtable", "a::f::{shim:vtable#0}", NULL},
    {"_RNvNtCs1_1au8gdel_5qa1f",
     "a::g\xC3\xB6"
     "del::f",
     NULL},
    {"_RNvC1a1f.llvm.123", "a::f", NULL},
    {"_RNvC1a1fC1b", "a::f", NULL},
};

/* Names that Rust's reference demangler rejects. */
static const char *const not_rust[] = {"_R",
                                       "_R0NvC1a1f",
                                       "_RNvC1a1",
                                       "_RNvC1a9f",
                                       "_RNvC1a1fC",
                                       "_RNvC1a1f1g",
                                       "_RINvC1a1fgE",
                                       "_RINvC1a1fL0_E",
                                       "_RINvC1a1fKj01_E",
                                       "_RINvC1a1fKj_E",
                                       "_RINvC1a1fKb2_E",
                                       "_RB_",
                                       "_RNvC1au1z",
                                       "_RNvC1a1-",
                                       "_RIC1fFKu3abcEuE",
                                       "_RNvC2ab18446744073709551618xy"};

TEST(test_rust_keeps_the_brackets_of_paths) {
  begin();
  for (size_t i = 0; i < sizeof rust_table / sizeof *rust_table; i++) {
    const char *full = rust_table[i][2] ? rust_table[i][2] : rust_table[i][1];
    check(rust_table[i][0], DEMANGLE_DEFAULT, rust_table[i][1]);
    check(rust_table[i][0], DEMANGLE_TEMPLATES, full);
    check(rust_table[i][0], DEMANGLE_FULL, full);
  }
  for (size_t i = 0; i < sizeof not_rust / sizeof *not_rust; i++) {
    CU_ASSERT_FALSE(demangle(str_of(not_rust[i]), DEMANGLE_FULL, &out));
    check(not_rust[i], DEMANGLE_DEFAULT, not_rust[i]);
  }
  buffer_free(&out);
}

TEST(test_names_that_look_demangled_lose_their_brackets) {
  begin();
  check("<module>", DEMANGLE_DEFAULT, "");
  check("<lambda>", DEMANGLE_DEFAULT, "");
  check("a::(anonymous namespace)::g", DEMANGLE_DEFAULT, "a::::g");
  check("ns::operator()(int)", DEMANGLE_DEFAULT, "ns::operator");
  check("operator<", DEMANGLE_DEFAULT, "operator<");
  check("std::vector<int, std::allocator<int> >::push_back(int const&)", DEMANGLE_DEFAULT,
        "std::vector::push_back");
  check("std::vector<int>::at(unsigned long)", DEMANGLE_TEMPLATES, "std::vector<int>::at");
  check("std::vector<int>::at(unsigned long)", DEMANGLE_FULL,
        "std::vector<int>::at(unsigned long)");
  check("main.(*T).f", DEMANGLE_DEFAULT, "main.(*T).f");
  check("m[int].(x)", DEMANGLE_DEFAULT, "m[int].");
  check("a[...]).<b>", DEMANGLE_DEFAULT, "a[...]).<b>");
  check("a::b)c(d)", DEMANGLE_DEFAULT, "a::b)c(d)");
  check("", DEMANGLE_DEFAULT, "");
  buffer_free(&out);
}

TEST(test_what_is_not_mangled_is_told) {
  begin();
  CU_ASSERT_FALSE(demangle(STR("main"), DEMANGLE_FULL, &out));
  CU_ASSERT_FALSE(demangle(STR("_Z"), DEMANGLE_FULL, &out));
  CU_ASSERT_FALSE(demangle(STR("_Zfoo"), DEMANGLE_FULL, &out));
  CU_ASSERT_FALSE(demangle(STR("_ZN3foo3barEv"), DEMANGLE_NONE, &out));
  CU_ASSERT_FALSE(demangle(STR("_ZN3foo\0003barEv"), DEMANGLE_FULL, &out));
  buffer_free(&out);
}

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Each S_ doubles the output. Without a limit, a name of a few hundred bytes would become
 * gigabytes. */
TEST(test_names_that_explode_are_left_as_they_are) {
  begin();
  struct buffer name;
  buffer_init(&name, &mem_default, 1 << 20);
  buffer_add_text(&name, "_Z1fI1AE");
  for (int i = 0; i < 200; i++) buffer_add_text(&name, "S_IS_S_E");
  CU_ASSERT_FALSE(demangle(buffer_str(&name), DEMANGLE_FULL, &out) && out.size > (1 << 20));
  buffer_clear(&name);
  buffer_add_text(&name, "_Z1f");
  buffer_add_fill(&name, 'P', 60000);
  buffer_add_text(&name, "i");
  demangle(buffer_str(&name), DEMANGLE_FULL, &out);
  CU_ASSERT(out.size <= (1 << 20));
  buffer_clear(&name); /* a tuple of the two previous types, repeated */
  buffer_add_text(&name, "_RIC1fhh");
  for (int i = 0, second = 4; i < 60; i++) {
    int here = (int)name.size - 2;
    buffer_printf(&name, "TB%c%c_B%c%c_E", digits[(second - 1) / 62], digits[(second - 1) % 62],
                  digits[(second - 1) / 62], digits[(second - 1) % 62]);
    second = here;
  }
  buffer_add(&name, "E", 2); /* adds the terminating NUL of the string */
  name.size--;
  CU_ASSERT_FALSE(demangle(buffer_str(&name), DEMANGLE_FULL, &out));
  CU_ASSERT(out.size <= (1 << 20));
  check(name.data, DEMANGLE_DEFAULT, "f::<>");
  buffer_clear(&name);
  buffer_add_text(&name, "_RIC1f");
  buffer_add_fill(&name, 'S', 60000);
  buffer_add_text(&name, "hE");
  CU_ASSERT(demangle(buffer_str(&name), DEMANGLE_FULL, &out));
  CU_ASSERT_EQUAL(out.size, 5 + 2 * 60000 + 2);
  buffer_free(&name);
  buffer_free(&out);
}
