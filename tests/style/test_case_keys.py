#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The search for undeclared keys finds what it is for: each way of reading one in a small tree."""
import pathlib
import sys
import tempfile
import unittest

import case_keys

TABLE = 'auto const keys = {number_key("grid.dx", 1, 0, 2, "a distance"), flag_key("start.*.moist", true, "water")};\n'
READS = 'void f(CaseFile const& c) { c.number("grid.dx", 1); c.flag("start." + name + ".moist", true); }\n'


class CaseKeysTest(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"core/les/keys.cpp": TABLE, "core/les/parameters.cpp": READS, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return case_keys.check(root)

    def assert_found(self, path, text, name):
        self.assertEqual(self.check({path: text}), [f"{path}:2: '{name}' is read of a case but declared in no table of keys"])

    def test_declared_keys_and_their_tables_pass(self):
        self.assertEqual(self.check({}), [])
        self.assertEqual(self.check({"core/les/a.cpp": 'c.has("grid"); c.has("start.bubble"); c.number("start.bubble.moist"); // c.number("grid.dy")\n'}), [])

    def test_every_reader_of_an_undeclared_key_is_found(self):
        for call in ('c.number("grid.dy", 1)', 'c.integer<std::int64_t>("grid.dy")', 'c->flag("grid.dy")', 'keys.choice( "grid.dy")',
                     'c.error("grid.dy", "")', 'c.number("lid.height", 1)'):
            with self.subTest(call):
                self.assert_found("core/les/a.cpp", f"\n{call};\n", "lid.height" if "lid" in call else "grid.dy")

    def test_a_key_that_is_handed_on_is_found_where_cases_are_read(self):
        for use in ('io::quantity(c, "grid.dy", "m", 1, 0, 2)', 'char const* key = "grid.dy"', 'refuse_idle_keys(c, {"grid.dx", "grid.dy"}, "")'):
            with self.subTest(use):
                self.assert_found("core/les/a.cpp", f"CaseFile const& c;\n{use};\n", "grid.dy")
        self.assertEqual(self.check({"core/les/a.cpp": 'runner.add("grid.dy");\n'}), [])
        self.assertEqual(self.check({"ensembles/a.cpp": 'CaseFile c; open("grid.nc");\n'}), [])

    def test_keys_behind_a_chosen_name_and_of_evaluations_are_found(self):
        self.assert_found("verification/gates.cpp", 'CaseFile c;\nc.number(key + ".limit", 0);\n', "*.limit")
        self.assertEqual(self.check({"verification/gates.cpp": 'CaseFile c; c.flag(key + ".moist", false);\n'}), [])
        self.assert_found("verification/evaluators/a.cpp", '\nkeys.number("exponent", 1);\n', "evaluate.*.exponent")

    def test_keys_of_another_core_are_not_known(self):
        found = self.check({"core/fem/keys.cpp": 'number_key("mesh.dx")\n', "core/fem/a.cpp": '\nc.number("grid.dx", 1);\nc.number("mesh.dx", 1);\n'})
        self.assertEqual(found, ["core/fem/a.cpp:2: 'grid.dx' is read of a case but declared in no table of keys"])

    def test_a_core_without_a_table_is_left_out(self):
        self.assertEqual(self.check({"core/fem/a.cpp": 'c.number("mesh.dx", 1);\n'}), [])

    def test_a_declared_key_that_nothing_reads_is_found(self):
        found = self.check({"core/les/more_keys.cpp": '\nnumber_key("lid.height", 0)\n'})
        self.assertEqual(found, ["core/les/more_keys.cpp:2: 'lid.height' is declared but nothing reads it"])


if __name__ == "__main__":
    unittest.main()
