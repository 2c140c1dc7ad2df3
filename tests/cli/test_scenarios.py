#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark that asks `ulpine consistency` about changed runs: its files are read, its answers are kept, and it goes on where it stopped."""
import csv
import os
import pathlib
import subprocess
import sys
import unittest

try:
    import numpy as np
    import scipy  # noqa: F401
    import netCDF4
except ImportError:
    netCDF4 = None

from support import CommandTest

FOLDER = pathlib.Path(os.environ["ULPINE_SOURCE_DIR"]) / "benchmarks/consistency"
CHANGES = ("equal", "many_off_1000_sd", "level_nan", "without_variable")


@unittest.skipIf(netCDF4 is None, "no numpy, scipy or netCDF4 (Debian: apt-get install python3-scipy python3-netcdf4)")
class ScenariosTest(CommandTest):
    def run_script(self, *words):
        words = [sys.executable, str(FOLDER / "scenarios.py"), *map(str, words)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self):
        with open(self.folder / "answers.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_answers_are_kept_and_not_asked_again(self):
        words = (os.environ["ULPINE_PROGRAM"], "answers.csv", "--sizes", "8x3", "--scratch", self.folder)
        self.run_script(*words, "--changes", ",".join(CHANGES[:2]))
        first = (self.folder / "answers.csv").read_text(encoding="utf-8")
        printed = self.run_script(*words, "--changes", ",".join(CHANGES))
        self.assertTrue((self.folder / "answers.csv").read_text(encoding="utf-8").startswith(first))
        rows = self.rows()
        answers = {(row["change"], row["method"]): row for row in rows}
        self.assertEqual(len(answers), len(rows))
        self.assertEqual(answers["level_nan", "all"]["answer"], "different")
        self.assertEqual(answers["level_nan", "all"]["found_by"], "values")
        self.assertEqual((answers["equal", "all"]["evv"], answers["many_off_1000_sd", "all"]["evv"]), ("0", "1"))
        self.assertEqual(answers["equal", "all"]["pycect"], "")
        self.assertIn("| a level NaN | 1 | 1 / 0 | -, -, 0 |", printed)
        self.assertIn("False alarms of 1", printed)

    def test_means_are_those_of_cells_edges_and_vertices(self):
        source = self.modules()[1].Made(5)
        members = source.draw(np.random.default_rng(1), 3)
        (self.folder / "members").mkdir()
        for run in range(3):
            source.write(self.folder / "members" / f"{run}.nc", members, run)
        self.assert_done("consistency", "--ensemble", "members", "--write-summary", "summary.nc")
        with netCDF4.Dataset(self.folder / "summary.nc") as file:
            totals = {total.long_name.split()[-1]: np.asarray(total[:]) for name, total in file.variables.items() if name.endswith("_total")}
        for variable, means in zip(source.variables, source.means(members)):
            np.testing.assert_allclose(totals[variable.name], means, rtol=1e-11, atol=1e-18, err_msg=variable.name)

    def modules(self):
        sys.path.insert(0, str(FOLDER))
        self.addCleanup(sys.path.remove, str(FOLDER))
        import changes
        import ensembles

        return changes, ensembles

    def test_changes_keep_what_they_say_they_keep(self):
        """Means that stay stay, and a change alters the runs it is given, not those it was made of."""
        changes, ensembles = self.modules()
        source = ensembles.Made(3)
        members, new = (source.draw(np.random.default_rng(seed), count) for seed, count in ((1, 9), (2, 4)))
        setting = changes.Setting(source, members, np.random.default_rng(3))
        before, means = changes.copied(new), source.means(new)
        for name, change in changes.CHANGES.items():
            with self.subTest(name):
                changed = change(new, setting)
                for variable, values in before.items():
                    np.testing.assert_array_equal(new[variable], values)
                same = all(np.array_equal(values, before[variable], equal_nan=True) for variable, values in changed.items()) and len(changed) == len(new)
                self.assertEqual(same, name == "equal")
        for name in ("level_biased", "region_biased", "constant_field", "noise"):
            np.testing.assert_allclose(source.means(changes.CHANGES[name](new, setting))[0], means[0], rtol=1e-12)
        np.testing.assert_allclose(np.sort(source.means(changes.CHANGES["correlation"](new, setting)), axis=1), np.sort(means, axis=1), rtol=1e-12)
        off = source.means(changes.CHANGES["eleven_months"](new, setting)).mean(axis=2)[0] - means.mean(axis=2)[0]
        np.testing.assert_allclose(off, 2.3 * source.means(members).mean(axis=2)[0].std(ddof=1), rtol=1e-9)


if __name__ == "__main__":
    unittest.main()
