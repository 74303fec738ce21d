"""Tests each style rule with a text that violates the rule."""
import unittest

import banned
import layers
import sizes
import words
from source import code, functions, read


class Problems:
    def __init__(self):
        self.found = []

    def add(self, rule, subject, path, line, text):
        self.found.append((rule, subject, line))


ARCHITECTURE = """
    base < unit, model < codec < report < tools
    base < bench < tools
    base < open < tools
    bench: read, print < classic

    words < that say nothing of (rooms)
"""


class Rules(unittest.TestCase):
    def includes(self, path, target):
        problems = Problems()
        layers.check(path, f'/* x */\n#include "{target}"\n', layers.layers(ARCHITECTURE), problems)
        return [line for _, _, line in problems.found]

    def test_lower_layers_may_be_included(self):
        self.assertEqual(self.includes("libpprofc/src/codec/a.c", "base/mem.h"), [])
        self.assertEqual(self.includes("libpprofc/src/codec/a.c", "codec/b.h"), [])
        self.assertEqual(self.includes("tools/pprofc/a.c", "bench/b.h"), [])
        self.assertEqual(self.includes("tools/pprofc/a.c", "common/flags.h"), [])
        self.assertEqual(self.includes("libpprofc/include/pprofc/a.h", "pprofc/base.h"), [])

    def test_higher_layers_and_neighbours_may_not(self):
        self.assertEqual(self.includes("libpprofc/src/base/a.c", "unit/unit.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/model/a.c", "unit/unit.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/a.c", "model/profile.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/report/a.c", "bench/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/a.c", "pprofc/profile.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/base/a.c", "common/flags.h"), [2])
        self.assertEqual(self.includes("libpprofc/include/pprofc/a.h", "base/mem.h"), [2])
        self.assertEqual(self.includes("tools/pprofci/run/a.c", "pprofc/steps.h"), [2])

    def test_rooms_inside_a_room_have_an_order(self):
        self.assertEqual(self.includes("libpprofc/src/bench/classic/a.c", "bench/print/b.h"), [])
        self.assertEqual(self.includes("libpprofc/src/bench/read/a.c", "bench/b.h"), [])
        self.assertEqual(self.includes("libpprofc/src/bench/read/a.c", "base/mem.h"), [])
        self.assertEqual(self.includes("tools/pprofc/a.c", "bench/read/b.h"), [])
        self.assertEqual(self.includes("libpprofc/src/open.c", "base/mem.h"), [])
        self.assertEqual(self.includes("libpprofc/src/bench/read/a.c", "bench/print/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/print/a.c", "bench/classic/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/a.c", "bench/read/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/read/a.c", "codec/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/open.c", "codec/b.h"), [2])
        self.assertEqual(self.includes("libpprofc/src/bench/a.c", "bench/unknown/b.h"), [2])

    def test_a_program_uses_only_the_first_rooms_of_another(self):
        orders = layers.tool_orders(read("docs/ARCHITECTURE.md"))
        allowed = lambda path, target: layers.tool_may_include(orders, path, target)
        self.assertTrue(allowed("tools/pprofci/run/a.c", "tools/pprofc/noise/b.h"))
        self.assertFalse(allowed("tools/pprofci/run/a.c", "tools/pprofc/web/b.h"))
        self.assertFalse(allowed("tools/pprofci/run/a.c", "tools/pprofc/shell/b.h"))
        self.assertFalse(allowed("tools/pprofc/a.c", "tools/pprofci/run/b.h"))

    def test_calls_are_found_and_only_calls(self):
        text = 'x = malloc (1);\n/* free(x) */ y->free(x); arena_free(x);\nputs("atoi(");\nfree(x);\n'
        self.assertEqual(list(banned.calls(text, "malloc free atoi")), [("malloc", 1), ("free", 4)])

    def test_uses_of_a_name_are_found_outside_comments(self):
        text = "/* mem_default */\nread(&mem_default);\nmem_default_too = x;\n"
        self.assertEqual(banned.uses(text, "mem_default"), [2])

    def test_markup_is_found_in_strings(self):
        text = '/* <p> */\nf("x<p>%s</p>", "</svg>");\ng("a <file> <init>", "<a href=\\"");\nif (a <b> c)\n'
        self.assertEqual(list(banned.markup(text)), [("p", 2), ("p", 2), ("svg", 2), ("a", 3)])

    def test_comments_and_strings_are_blanked_in_place(self):
        text = 'a /* b\n c */ "d\\"e" \'f\' // g\nh'
        blanked = code(text)
        self.assertEqual(blanked.split(), ["a", "h"])
        self.assertEqual([i for i, c in enumerate(blanked) if c == "\n"], [i for i, c in enumerate(text) if c == "\n"])
        self.assertEqual(len(blanked), len(text))

    def constructions(self, text):
        problems = Problems()
        words.check_constructions("tools/a.c", text, problems)
        return [(subject, line) for _, subject, line in problems.found]

    def test_constructions_are_found_in_comments_and_messages(self):
        self.assertEqual(self.constructions("/* Whether it fits. */\nint x; /* the size of a\n * and that of b */\n"),
                         [("tools/a.c:whether", 1), ("tools/a.c:that_of", 2)])
        self.assertEqual(self.constructions('fail("\'%s\' is no profile");'), [("tools/a.c:is_no", 1)])
        self.assertEqual(self.constructions('f("none of x", "What is kept"); /* 0 if there is no row */\nint behind;\n'), [])

    def comments(self, path, text):
        problems = Problems()
        words.check_comments(path, text, problems)
        return [(subject.split(":")[1], line) for _, subject, line in problems.found]

    def test_comments_of_all_languages_are_checked(self):
        self.assertEqual(self.comments("a.py", '"""Whether it\nfits."""\nx = "what # a"  # is no\n# the sum\n# of\n'), [("whether", 1), ("is_no", 3)])
        self.assertEqual(self.comments("a.sh", "#!/bin/sh\n# The size and\n  # that of b.\necho '# None' a#b # what\n"), [("that_of", 2), ("what", 4)])
        self.assertEqual(self.comments("a.mjs", "/* Whether a. */ x = `behind`; // goes\n// on\n"), [("whether", 1), ("goes_on", 1)])
        self.assertEqual(self.comments("a.css", "a { } /* Prints a page. */"), [])

    def test_comments_on_functions_begin_with_a_verb(self):
        self.assertEqual(self.comments("a.py", 'def f():\n    """The sum."""\n\n\ndef g():\n    """Returns\n    it."""\n'), [("verb", 2)])
        self.assertEqual(self.comments("a.js", "/** The sum. */\nfunction f() {}\n\n/** True if a. */\nexport async function g() {}\n/** A box. */\nconst c = 1;\n"), [("verb", 1)])
        self.assertEqual(self.comments("a.sh", "# f NAME: the sum.\nf() {\n# g NAME: prints it.\ng() {\n"), [("verb", 1)])

    def test_functions_are_measured_whole(self):
        text = "static int f(int a,\n             int b) {\n  if (a) {\n  }\n  return b;\n}\n\nstatic const int t[] = {\n1\n};\n"
        self.assertEqual(functions(text), [("f", 1, 6)])

    def test_long_functions_and_files_are_found(self):
        problems = Problems()
        body = "  x();\n"
        sizes.check("a.c", "/* A. */\nvoid f(void) {\n" + 78 * body + "}\n", problems)
        self.assertEqual(problems.found, [])
        sizes.check("a.c", "void f(void) {\n" + 79 * body + "}\n" + 600 * "\n", problems)
        self.assertEqual(problems.found, [("size", "a.c", 1), ("purpose", "a.c", 1), ("length", "a.c:f", 1)])


    def test_long_and_wide_pages_are_found(self):
        problems = Problems()
        fits = "---\nname: " + 200 * "x" + "\n---\n# Page\n\n| " + 200 * "x" + " |\n    " + 200 * "x" + "\n" + 100 * "x" + "\n"
        sizes.check_page("docs/A.md", fits + 142 * "\n", problems)
        sizes.check_page("docs/ARCHITECTURE.md", 180 * "\n", problems)
        self.assertEqual(problems.found, [])
        sizes.check_page("docs/A.md", 101 * "x" + "\n" + 150 * "\n", problems)
        self.assertEqual(problems.found, [("page", "docs/A.md", 1), ("wide", "docs/A.md:1", 1)])


if __name__ == "__main__":
    unittest.main()
