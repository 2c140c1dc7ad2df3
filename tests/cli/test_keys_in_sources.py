#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No source reads a key of a case that `ulpine cases --keys` does not know; each way of reading one is found in a small tree."""
import pathlib
import unittest

from keys_in_sources import undeclared
from support import SOURCE
from test_declared_keys import DeclaredTest

DECLARED = {"common": {"core", "time.end", "verify.tolerated", "verify.*.*.limit", "evaluate.*.kind"}, "les": {"grid.dx", "start.*.moist"},
            "fem": {"mesh.dx"}}


class SmallTree(DeclaredTest):
    def found(self, path, text):
        source = pathlib.Path(self.folder) / path
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        found = undeclared(pathlib.Path(self.folder), DECLARED)
        source.unlink()
        return found

    def test_declared_keys_and_their_tables_pass(self):
        for use in ('c.number("grid.dx", 1)', 'c.has("grid")', 'c.has("start.bubble")', 'c.flag("start.bubble.moist", true)', 'c.duration("time.end")',
                    '// c.number("grid.dy")', 'runner.add("grid.dy")', 'c.number("x", 1)'):
            with self.subTest(use):
                self.assertEqual(self.found("core/les/a.cpp", use + ";\n"), [])
        self.assertEqual(self.found("core/mesh/a.cpp", 'c.number("grid.dx", 1); c.number("mesh.dx", 1);\n'), [])
        self.assertEqual(self.found("ensembles/a.cpp", 'CaseFile c; open("time.nc");\n'), [])

    def test_every_reader_of_an_undeclared_key_is_found(self):
        for call in ('c.number("grid.dy", 1)', 'c.integer<std::int64_t>("grid.dy")', 'c->flag("grid.dy")', 'keys.choice( "grid.dy")', 'c.error("grid.dy", "")',
                     'c.keys_under("grid.dy")', 'c.has(\n"grid.dy")'):
            with self.subTest(call):
                self.assertEqual(self.found("core/les/a.cpp", call + ";\n"), [f"core/les/a.cpp:{2 if chr(10) in call else 1}: grid.dy"])
        self.assertEqual(self.found("core/les/a.cpp", '\nc.number("lid.height", 1);\n'), ["core/les/a.cpp:2: lid.height"])

    def test_a_key_that_is_handed_on_is_found_where_cases_are_read(self):
        for use in ('io::quantity(c, "grid.dy", "m", 1, 0, 2)', 'char const* key = "grid.dy"', 'refuse_idle_keys(c, {"grid.dx", "grid.dy"}, "")'):
            with self.subTest(use):
                self.assertEqual(self.found("core/les/a.cpp", f"CaseFile const& c;\n{use};\n"), ["core/les/a.cpp:2: grid.dy"])

    def test_keys_behind_a_chosen_name_and_of_evaluations_are_found(self):
        self.assertEqual(self.found("verification/gates/gates.cpp", 'CaseFile c; c.number(key + ".limit"); c.number(key + ".spread");\n'),
                         ["verification/gates/gates.cpp:1: *.spread"])
        self.assertEqual(self.found("verification/evaluators/a.cpp", 'keys.text("kind"); keys.number("exponent", 1);\n'),
                         ["verification/evaluators/a.cpp:1: evaluate.*.exponent"])

    def test_keys_of_another_core_are_not_known(self):
        self.assertEqual(self.found("core/fem/a.cpp", 'c.number("grid.dx", 1); c.number("mesh.dx", 1);\n'), ["core/fem/a.cpp:1: grid.dx"])

    def test_a_core_that_has_declared_nothing_reads_what_it_likes(self):
        self.assertEqual(self.found("core/own/own_core.cpp", 'c.number("lid.height", 1);\n'), [])


class Sources(DeclaredTest):
    def test_what_they_read_is_declared(self):
        declared = {group: set(self.declared(group)) for group in self.groups()}
        self.assertLessEqual({"common", "fdm", "fem", "les", "seaice"}, set(declared))
        self.assertEqual(undeclared(SOURCE, declared), [])


if __name__ == "__main__":
    unittest.main()
