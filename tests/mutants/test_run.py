#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The harness for planted faults puts them where it says, and nowhere else."""
import re
import unittest

import planted
import run

LISTED = {program for programs in run.PROGRAMS.values() for program in programs}


def mutant(text, to, **more):
    return planted.Mutant("exec", {"name": text, "file": "a.cpp", "text": text, "to": to, "mistake": "none", **more})


class InstrumentTest(unittest.TestCase):
    def test_an_expression_becomes_a_choice(self):
        one = mutant("return «a + b»;", "a - b")
        self.assertEqual(planted.instrument("f() { return a +\n  b; }", [one]),
                         f"f() {{ return (::ulpine_mutants::on({one.number}) ? (a - b) : (a +\n  b)); }}")

    def test_a_statement_becomes_a_branch(self):
        one = mutant("«x = 1;»", "x = 2;")
        self.assertEqual(planted.instrument("x = 1;", [one]), f"if (::ulpine_mutants::on({one.number})) {{ x = 2; }} else {{ x = 1; }}")

    def test_a_statement_can_be_left_out(self):
        one = mutant("«x = 1;»", "")
        self.assertEqual(planted.instrument("x = 1;", [one]), f"if (!::ulpine_mutants::on({one.number})) {{ x = 1; }}")

    def test_a_text_of_its_own_replaces_the_part(self):
        one = mutant("f(«a, b»)", "", switched="ON ? b : a, ON ? a : b")
        on = f"::ulpine_mutants::on({one.number})"
        self.assertEqual(planted.instrument("f(a, b)", [one]), f"f({on} ? b : a, {on} ? a : b)")

    def test_mutants_of_one_part_are_chained(self):
        one, two = mutant("= «a»;", "b"), mutant("x = «a»;", "c")
        self.assertEqual(planted.instrument("x = a;", [one, two]),
                         f"x = (::ulpine_mutants::on({two.number}) ? (c) : ((::ulpine_mutants::on({one.number}) ? (b) : (a))));")

    def test_overlapping_mutants_are_refused(self):
        with self.assertRaisesRegex(ValueError, "overlap"):
            planted.instrument("x = a + b;", [mutant("= «a + b»;", "b"), mutant("«a» +", "c")])

    def test_a_text_must_occur_exactly_once(self):
        for source in ("y = a;", "x = a; x = a;"):
            with self.subTest(source), self.assertRaisesRegex(ValueError, "occurs"):
                planted.instrument(source, [mutant("x = «a»;", "b")])

    def test_an_occurrence_can_be_chosen(self):
        one = mutant("x = «a»;", "b", occurrence=2)
        self.assertTrue(planted.instrument("x = a; x = a;", [one]).startswith("x = a; x = (::"))


class SwitchTest(unittest.TestCase):
    def test_expressions_and_statements_have_one(self):
        for part, to in (("a < b", "b < a"), ("-a", "a"), ("'@'", "'#'"), ("0", "&b"), ("x = {};", ""), ("*a", "*b"), ("if (a) { b; }", "")):
            self.assertTrue(planted.can_switch(part, to), part)

    def test_a_members_name_alone_has_none(self):
        for source, part, alone in (("f(a.b, c)", "b", True), ("a->b", "b", True), ("a.\n  b", "b", True), ("f(a.b, c)", "a.b", False), ("x = b;", "b", False), ("// B.\n  b();", "b();", False)):
            begin = source.rindex(part)
            self.assertEqual(planted.is_member(source, begin, begin + len(part)), alone, source)

    def test_a_piece_of_a_name_has_none(self):
        for source, part, cut in (("RulesReader(a);", "Reader(a);", True), ("x = a_one;", "a", True), ("x = a(1);", "a", False), ("f(a);", "f(a);", False)):
            begin = source.rindex(part) if part != "a" else source.index("a")
            self.assertEqual(planted.cuts_a_word(source, begin, begin + len(part)), cut, source)

    def test_operators_pieces_and_nothing_have_none(self):
        for part, to in (("<", ">"), (" >= ", ">"), ("|| a == b", ""), ("&& a", "&& b"), ("a", ""), ("a", "/ b"), ("a = {}", ""), ("std::vector<double>{3}", "b")):
            self.assertFalse(planted.can_switch(part, to), part)


class ConstantTest(unittest.TestCase):
    def test_values_of_constants_are_found(self):
        for source in ("constexpr double tail = x;", "f(); static constexpr int a[] = {1, x};", "constexpr auto a = g(y, x);", "constexpr T a{x};",
                       "static_assert(a == x);", "constinit int a = x;"):
            self.assertTrue(planted.in_constant(source, source.index("x;" if "x;" in source else "x}" if "x}" in source else "x)")), source)

    def test_functions_that_may_be_constant_are_none(self):
        for source in ("constexpr int f(int a = 3) { return x;", "constexpr bool operator==(T b) { return x;", "constexpr int a = 3; b = x;",
                       "constexpr T f() { while (a) b = x;", "constexpr explicit T(int a) : b{x;", "if constexpr (a) b = x;"):
            self.assertFalse(planted.in_constant(source, source.index("x;")), source)


class MutantTest(unittest.TestCase):
    def test_unknown_and_missing_keys_are_refused(self):
        with self.assertRaises(SystemExit):
            mutant("«a»", "b", typo=1)
        with self.assertRaises(SystemExit):
            planted.Mutant("exec", {"name": "a", "file": "a.cpp", "text": "«a»", "to": "b"})
        with self.assertRaises(SystemExit):
            mutant("no part", "b")

    def test_the_number_depends_on_the_name_alone(self):
        self.assertEqual(mutant("«a»", "b").number, mutant("«a»", "c").number)
        self.assertNotEqual(mutant("«a»", "b").number, mutant("«b»", "b").number)

    def test_survivors_and_the_noticed_are_counted_by_room(self):
        one, two = mutant("«a»", "b"), mutant("«b»", "c")
        results = {"mutants": {f"exec/{one.name}": {"noticed": True, "with": "with", "how": "time limit", "program": "p"},
                               f"exec/{two.name}": {"noticed": False, "reached": False}}}
        table = run.table([one, two], results)
        self.assertIn("| exec | 2 | 0 | 1 | 1 |", table)
        self.assertIn(f"Survivors:\n\n- exec/{two.name}: none (a.cpp, reached by no test)", table)
        self.assertIn(f"time limit:\n\n- exec/{one.name}: p", table)


class ProgramsTest(unittest.TestCase):
    def test_every_test_of_the_host_belongs_to_a_room(self):
        there = set()
        for listing in (planted.ROOT / "tests").glob("*/CMakeLists.txt"):
            text = listing.read_text(encoding="utf-8")
            loop = re.search(r"foreach\(name (.*?)\)", text)
            names = loop.group(1).split() if loop else [""]
            for program, rest in re.findall(r"ulpine_test\((\S+)(.*?)\)$", text, re.S | re.M):
                if " GPU" not in rest:
                    there.update(program.replace("${name}", name) for name in names)
        self.assertGreater(len(there), 40)
        there.discard("linalg_petsc")  # built only where PETSc is: the others see the faults of that room
        self.assertEqual(there - LISTED, set(), "tests that see no planted fault")
        self.assertEqual({name for name in LISTED if not name.startswith(("cli_", "python_"))} - there, {"report", *run.SCRIPTED}, "tests that are not there")

    def test_the_sources_of_every_program_are_found(self):
        for program in LISTED:
            with self.subTest(program):
                self.assertTrue(run.sources_of(program))
                for path in run.sources_of(program):
                    self.assertTrue(path.is_file(), path)
                self.assertIn(run.uses_data(program), (False, True))

    def test_the_tests_that_a_program_lists_are_found(self):
        listed = "Running main() from gmock_main.cc\nA.\n  one\n  DISABLED_two\nB/C/0.  # TypeParam = float\n  three/1  # GetParam() = 4\n"
        self.assertEqual(run.gtest_names(listed), ["A.one", "B/C/0.three/1"])

    def test_a_program_uses_data_where_its_sources_say_so(self):
        for program in ("lkf", "seaice_case_setup", "mesh", "cli_usage"):
            self.assertTrue(run.uses_data(program), program)
        for program in ("exec_random", "exec_two_devices", "seal", "field"):
            self.assertFalse(run.uses_data(program), program)


if __name__ == "__main__":
    unittest.main()
