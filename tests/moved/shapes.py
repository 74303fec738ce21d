"""Programs before and after a change, as folded stacks with mean samples.

A shape is a pair (base, head) in which cost only moved. HIDDEN has similar changes that are regressions. RENAMES maps
the old name of a renamed function to its new name.
"""

BACKGROUND = {f"main;svc.run;lib{i}.fn{j}": 60 + 10 * ((i * 7 + j) % 9) for i in range(6) for j in range(6)}


def each(form, cost, items):
    return {form % item: cost for item in items}


def chain(*names):
    return ";".join(("main", "svc.run") + names)


METHODS = ("(*Reader).next", "(*Reader).fill", "(*Writer).next", "(*Writer).flush", "Encode", "decode", "sum", "(*Pool).get",
           "(*Pool).put", "hash", "grow", "scan")


def package(path):
    """Returns functions of a package that call each other, with similar costs."""
    stacks = {}
    for i, name in enumerate(METHODS):
        caller = METHODS[i // 3]
        above = [f"{path}.{caller}"] if i else []
        stacks[chain(*above, f"{path}.{name}")] = 170 + 3 * i
    return stacks


def parse(*callees, own=400):
    """Returns stacks of a function with many unchanged callees, and with the given callees."""
    above = ("svc.parse", "core::Split::next")
    stacks = {chain("svc.parse"): own, chain(*above): 500}
    return {**stacks, **{chain(*above, *names): cost for names, cost in callees}}


SEARCH = ("core::Searcher::next_match", "core::Searcher::next")  # functions of a library that only the head calls
STEPS = [((*SEARCH, f"core::step{letter}::get"), 26) for letter in "abcdefghij"]


def called(cost, name, callers=("svc.A", "app.B")):
    """Returns stacks in which functions of different packages call the function."""
    return each(chain("%s", name), cost, callers)


SHAPES = {
    "split": ({chain("svc.f"): 900}, {chain("svc.f"): 350, chain("svc.f", "svc.fHelper"): 550}),
    "split in a chain": ({chain("svc.f"): 900},
                         {chain("svc.f"): 200, chain("svc.f", "svc.a"): 50, chain("svc.f", "svc.a", "svc.b"): 300,
                          chain("svc.f", "svc.a", "svc.b", "svc.c"): 350}),
    "split into many": ({chain("svc.f"): 900}, each(chain("svc.f", "svc.part%s"), 45, "abcdefghijklmnopqrst")),
    "many into one": (each(chain("svc.f", "svc.part%s"), 45, "abcdefghijklmnopqrst"), {chain("svc.f"): 900}),
    "split into siblings": ({chain("svc.f"): 900}, {chain("svc.f1"): 450, chain("svc.f2"): 450}),
    "merge": (each(chain("svc.g%d"), 300, range(3)), {chain("svc.g"): 900}),
    "five to three": (each(chain("svc.step%s"), 210, "ABCDE"),
                      {chain("svc.read"): 350, chain("svc.check"): 350, chain("svc.write"): 350}),
    "three to five, below a new caller": ({chain("svc.read"): 350, chain("svc.check"): 350, chain("svc.write"): 350},
                                          each(chain("svc.steps", "svc.step%s"), 210, "ABCDE")),
    "within a type": ({chain("p.(*T).a"): 600, chain("p.(*T).b"): 300, chain("p.(*T).c"): 300},
                      {chain("p.(*T).a"): 200, chain("p.(*T).b"): 500, chain("p.(*T).c"): 500}),
    "within a C++ class": ({chain("ns::Parser<int>::next(char const*)"): 600, chain("ns::Parser<int>::value() const"): 300},
                           {chain("ns::Parser<int>::next(char const*)"): 250, chain("ns::Parser<int>::value() const"): 650}),
    "new methods of a C++ class": ({chain("void ns::Table::insert<int>(int)"): 900},
                                   {chain("void ns::Table::insert<int>(int)"): 300, chain("ns::Table::grow()"): 350,
                                    chain("ns::Table::probe(unsigned long) const"): 250}),
    "C functions": ({chain("parse_line"): 700}, {chain("scan_tokens"): 400, chain("build_tree"): 300}),
    "copies of gcc": ({chain("work.constprop.0"): 800}, {chain("work.isra.0"): 300, chain("work.part.1"): 500}),
    "closures of Go": ({chain("svc.f", "svc.f.func1"): 500, chain("svc.f", "svc.f.func2"): 400},
                       {chain("svc.f", "svc.f.func2"): 500, chain("svc.f", "svc.f.func3"): 400}),
    "closures of Rust": ({chain("shop::cart::total::{{closure}}"): 800},
                         {chain("shop::cart::total"): 300, chain("shop::cart::total::{{closure}}"): 500}),
    "goroutines": ({"svc.(*Pool).run.func1": 900}, {"svc.(*Pool).readLoop": 400, "svc.(*Pool).writeLoop": 500}),
    "goroutines without a type": ({"svc.serve;svc.work": 800}, {"svc.reader;svc.readAll": 350, "svc.writer;svc.writeAll": 450}),
    "inlined into three callers": ({**each(chain("svc.%s"), 200, "abc"), **each(chain("svc.%s", "util.hash"), 150, "abc")},
                                   each(chain("svc.%s"), 350, "abc")),
    "one helper for three callers": (each(chain("svc.%s"), 350, "abc"),
                                     {**each(chain("svc.%s"), 200, "abc"), **each(chain("svc.%s", "util.hash"), 150, "abc")}),
    "to a function that others call": ({chain("svc.f"): 700, chain("svc.h", "util.copy"): 200},
                                       {chain("svc.f"): 300, chain("svc.f", "util.copy"): 400, chain("svc.h", "util.copy"): 200}),
    "renamed package": (package("old/enc"), package("new/enc/v2")),
    "renamed type": (each(chain("p.(*Old).f%d"), 200, range(5)), each(chain("p.(*New).f%d"), 200, range(5))),
    "renamed Java package": (each(chain("com.acme.shop.Cart.f%d"), 200, range(5)),
                             each(chain("com.acme.store.Cart.f%d"), 200, range(5))),
    "renamed Rust module": (each(chain("shop::old::f%d"), 200, range(5)), each(chain("shop::fresh::f%d"), 200, range(5))),
    "renamed namespace": (each(chain("ns::v1::f%d(int)"), 200, range(5)), each(chain("ns::v2::f%d(int)"), 200, range(5))),
    "renamed function": ({chain("svc.parse_before"): 500}, {chain("svc.parse_after"): 500}),
    "new library function": (parse((("memchr",), 260)), parse(((*SEARCH, "core::str::decode"), 260))),
    "many new library functions": (parse((("memchr",), 130), (("memcmp",), 130)), parse(*STEPS)),
    "new library functions below two callers": (
        {**each(chain("svc.parse", "svc.%s", "memchr"), 260, "ab"), chain("svc.parse"): 400},
        {**{chain("svc.parse", "svc." + b, *names): cost for b in "ab" for names, cost in STEPS}, chain("svc.parse"): 400}),
    "replaced below two callers": (called(400, "lib.old"), called(400, "lib.new")),
    "replaced by another package": (called(400, "encoding/json.Marshal"), called(400, "github.com/acme/fast.Encode")),
    "replaced in C++": (called(400, "std::sort(int*, int*)"), called(400, "boost::sort::pdq_impl(int*, int)")),
    "replaced in Rust": (called(400, "std::collections::HashMap<K,V>::get"), called(400, "hashbrown::raw::RawTable<T>::find")),
    "replaced below three callers": (called(260, "lib.old", "abc"), called(260, "fast.find", "abc")),
    "replaced by two": (called(400, "lib.old"), {**called(220, "x.first"), **called(180, "y.second")}),
    "two replaced by one": ({**called(220, "lib.first"), **called(180, "lib.second")}, called(400, "x.whole")),
    "three replaced by two": ({**called(150, "lib.a"), **called(150, "lib.b"), **called(140, "old.c")},
                              {**called(250, "x.p"), **called(190, "y.q")}),
    "replaced with its callees": ({**called(200, "lib.old"), **called(200, "lib.old;mem.copy")},
                                  {**called(250, "fast.run"), **called(150, "fast.run;fast.inner")}),
    "replaced below two goroutines": ({"svc.A;lib.old": 500, "app.B;lib.old": 300}, {"svc.A;fast.run": 500, "app.B;fast.run": 300}),
    "callers": ({"main;svc.A;util.enc": 600, "main;svc.B;util.enc": 200}, {"main;svc.A;util.enc": 200, "main;svc.B;util.enc": 600}),
}

# Growth of one part of the program while other parts shrink.
HIDDEN = {
    "one grew, another of the package shrank": ({chain("svc.f"): 400, chain("svc.g"): 700}, {chain("svc.f"): 700, chain("svc.g"): 400}),
    "one grew, another package shrank": ({chain("svc.f"): 400, chain("other.g"): 700}, {chain("svc.f"): 700, chain("other.g"): 400}),
    "a new function, another package shrank": ({chain("other.g"): 700}, {chain("svc.fresh"): 300, chain("other.g"): 400}),
    "another handler shrank": ({"main;svc.A;a.f": 400, "main;svc.B;b.g": 700}, {"main;svc.A;a.f": 700, "main;svc.B;b.g": 400}),
    "main calls all": ({"main;main.f": 400, "main;main.g": 700}, {"main;main.f": 700, "main;main.g": 400}),
    "a runtime function shrank": ({chain("svc.f"): 400, chain("svc.h", "runtime.memmove"): 700},
                                  {chain("svc.f"): 700, chain("svc.h", "runtime.memmove"): 400}),
    "a new library function is slower": (parse((("memchr",), 200)), parse(((*SEARCH, "core::str::decode"), 550))),
    "many new library functions are slower": (
        parse((("memchr",), 200)), parse(*STEPS, ((*SEARCH, "core::str::decode"), 290))),
    "a new library function, its caller shrank less": (
        parse((("memchr",), 100), own=600), parse(((*SEARCH, "core::str::decode"), 500), own=500)),
    "a new library function, another caller shrank": (
        {**parse(), chain("svc.h", "svc.g"): 700}, {**parse(((*SEARCH, "core::str::decode"), 300)), chain("svc.h", "svc.g"): 400}),
    "replaced by a slower function": (called(300, "lib.old"), called(480, "fast.run")),
    "replaced by a slower function below one caller": (
        called(500, "lib.old"), {**called(850, "fast.run", ["svc.A"]), **called(150, "fast.run", ["app.B"])}),
    "the rest of the program got faster": ({chain("svc.f"): 400, **each(chain("lib9.fn%d"), 60, range(20))},
                                           {chain("svc.f"): 700, **each(chain("lib9.fn%d"), 45, range(20))}),
}


def regressed(shape):
    """Returns the shape with 350 samples added to the largest function of the head that has fewer samples in the base."""
    base, head = shape
    grown = max((s for s in head if head[s] > base.get(s, 0)), key=lambda s: (head[s], s))
    return base, {**head, grown: head[grown] + 350}
