#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpine consistency` as a user calls it: verdicts on ensembles of known truth, from folders, summary files and a study; refusals."""
import json
import os
import unittest
import xml.etree.ElementTree as ElementTree

try:
    import netCDF4
    import numpy as np
except ImportError:
    netCDF4 = None

from support import CASE, CommandTest, SMALL

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"


@unittest.skipIf(netCDF4 is None, WITHOUT)
class ConsistencyTest(CommandTest):
    def write(self, name, random, shift=0.0, spread=1.0, nan=False, units="K", variables=12):
        """Correlated global numbers with noise on 3 x 4 points; the fault is in variable v0."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with netCDF4.Dataset(path, "w") as file:
            for dimension, length in (("time", None), ("y", 3), ("x", 4)):
                file.createDimension(dimension, length)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "hours since 2000-01-01"
            time[:] = [0, 6]
            common = random.normal()
            for number in range(variables):
                variable = file.createVariable(f"v{number}", "f8", ("time", "y", "x"))
                variable.units = units
                anomaly = 0.9 ** 0.5 * common + 0.1 ** 0.5 * random.normal()
                if number == 0:
                    anomaly = anomaly * spread + shift
                values = 280 + anomaly + 0.01 * random.normal(size=(2, 3, 4))
                if nan and number == 5:
                    values[1, 2, 3] = np.nan
                variable[:] = values

    def ensemble(self, members=30, seed=1):
        random = np.random.default_rng(seed)
        for number in range(members):
            self.write(f"ensemble/m{number:02}.nc", random)

    def new_runs(self, folder, runs=24, seed=2, **fault):
        random = np.random.default_rng(seed)
        for number in range(runs):
            self.write(f"{folder}/n{number:02}.nc", random, **fault)

    def test_known_truth_gives_its_verdict_and_exit_code(self):
        self.ensemble()
        self.new_runs("same")
        self.new_runs("shifted", shift=1.5)
        self.new_runs("wider", spread=3)
        self.new_runs("narrower", spread=0.2)
        self.new_runs("broken", runs=1, nan=True)
        for folder, code in (("same", 0), ("shifted", 1), ("wider", 1), ("narrower", 1), ("broken", 1)):
            with self.subTest(folder):
                text = self.assert_done("consistency", "--ensemble", "ensemble", "--test", folder, "--method", "twosample,tolerance,pca", code=code)
                self.assertTrue(text.splitlines()[-1].startswith("consistent: " if code == 0 else "different: "), text)
                if folder == "shifted":
                    self.assertIn("v0", text.splitlines()[-1])
                if folder == "broken":
                    self.assertIn("v5, n00.nc", text.splitlines()[-1])

    def test_a_summary_file_gives_the_folders_verdict(self):
        self.ensemble(members=20)
        self.new_runs("new", runs=12, shift=3)
        methods = ("--method", "twosample,tolerance,pca", "--json")
        self.assertIn("summary.nc", self.assert_done("consistency", "--ensemble", "ensemble", "--write-summary", "summary.nc"))
        folder, summary = (self.json("consistency", "--ensemble", ensemble, "--test", "new", *methods, code=1) for ensemble in ("ensemble", "summary.nc"))
        self.assertEqual(folder["outcomes"], summary["outcomes"])
        self.assertEqual(folder["schema"], "ulpine.consistency/1")
        text = self.assert_done("consistency", "--ensemble", "summary.nc", "--test", "new", "--method", "fieldwise,twosample", code=1)
        self.assertIn("not applied", text)
        content = bytearray((self.folder / "summary.nc").read_bytes())
        content[len(content) // 2] ^= 1
        (self.folder / "summary.nc").write_bytes(content)
        self.assert_fails(2, "consistency", "--ensemble", "summary.nc", "--test", "new", says=("summary.nc", "altered"))

    def test_too_few_runs_say_how_many_are_needed(self):
        self.ensemble(members=4)
        self.new_runs("new", runs=1)
        line = self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "new/n00.nc", says=("no method has power", "needed"))
        self.assertRegex(line, r"\d+ (members|new runs)")

    def test_what_is_kept_is_whole(self):
        self.ensemble(members=10)
        self.new_runs("new", runs=6, shift=30)
        self.assert_done("consistency", "--ensemble", "ensemble", "--test", "new", "-o", "out", "--quiet", code=1)
        kept = json.loads((self.folder / "out/consistency.json").read_text())
        self.assertEqual(kept["answer"], "different")
        suite = ElementTree.parse(self.folder / "out/junit.xml").getroot().find("testsuite")
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), sum(outcome["answer"] == "different" for outcome in kept["outcomes"]))
        self.assertEqual(int(suite.get("skipped")), sum(outcome["answer"] not in ("different", "consistent") for outcome in kept["outcomes"]))

    def values(self, folder, variable, time):
        found = []
        for path in sorted((self.folder / folder).glob("*.nc")):
            with netCDF4.Dataset(path) as file:
                found.append(np.asarray(file[variable][time]))
        return np.array(found)

    def means_in_summary(self, *words):
        self.assert_done("consistency", "--ensemble", "ensemble", "--write-summary", "summary.nc", *words)
        with netCDF4.Dataset(self.folder / "summary.nc") as file:
            return np.asarray(file["v0_total"])

    def test_means_are_weighted_as_it_is_named(self):
        self.ensemble(members=6)
        self.new_runs("new", runs=5)
        areas = np.random.default_rng(5).uniform(1, 9, (3, 4))
        with netCDF4.Dataset(self.folder / "grid.nc", "w") as file:
            file.createDimension("rows", 3)
            file.createDimension("columns", 4)
            file.createDimension("other", 7)
            file.createVariable("areacella", "f8", ("rows", "columns"))[:] = areas
            file.createVariable("odd", "f8", ("other",))[:] = 1
        # numpy's and our sums of 12 products differ by a few of their roundings.
        for words, weights in (((), None), (("--weights", "none"), None), (("--weights", "grid.nc"), areas), (("--weights", "grid.nc:areacella"), areas)):
            with self.subTest(words=words):
                expected = [[np.average(values, weights=weights) for values in self.values("ensemble", "v0", time)] for time in (0, 1)]
                np.testing.assert_allclose(self.means_in_summary(*words), np.transpose(expected), rtol=1e-14)
        arguments = ("--test", "new", "--method", "twosample,tolerance", "--json", "--weights", "grid.nc")
        of_files, of_summary = (json.loads(self.call("consistency", "--ensemble", ensemble, *arguments).stdout) for ensemble in ("ensemble", "summary.nc"))
        self.assertEqual(of_files["outcomes"], of_summary["outcomes"])
        self.assertTrue(any(note.startswith("v0, v1,") and note.endswith("weighted by grid.nc:areacella") for note in of_files["notes"]), of_files["notes"])
        self.assert_fails(2, "consistency", "--ensemble", "summary.nc", "--test", "new", says=("summary.nc", "areacella", "--weights"))
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "new", "--weights", "grid.nc:odd", says="fit none")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "new", "--weights", "grid.nc:area", says="areacella")

    def test_levels_are_looked_at_by_themselves(self):
        random = np.random.default_rng(8)
        for folder, shift in (("ensemble", 0), ("new", 6)):
            (self.folder / folder).mkdir()
            for number in range(12):
                with netCDF4.Dataset(self.folder / folder / f"r{number:02}.nc", "w") as file:
                    for dimension, length in (("lev", 2), ("y", 3), ("x", 4)):
                        file.createDimension(dimension, length)
                    for name in ("lev", "y", "x"):
                        axis = file.createVariable(name, "f8", (name,))
                        axis.axis = {"lev": "Z", "y": "Y", "x": "X"}[name]
                        axis[:] = np.arange(len(file.dimensions[name]))
                    mean, apart = random.normal(size=2)
                    levels = np.array([mean + apart + shift, mean - apart - shift])
                    file.createVariable("u", "f8", ("lev", "y", "x"))[:] = levels[:, None, None] + np.zeros((2, 3, 4))
        arguments = ("consistency", "--ensemble", "ensemble", "--test", "new", "--method", "twosample", "--json")
        whole, by_level = json.loads(self.call(*arguments).stdout), self.json(*arguments, "--levels", code=1)
        self.assertNotEqual(whole["answer"], "different")
        self.assertIn("u level ", by_level["outcomes"][1]["findings"][0]["subject"])

    def test_parameters_reach_the_methods(self):
        self.ensemble(members=12)
        self.new_runs("new", runs=12, shift=1)
        arguments = ("consistency", "--ensemble", "ensemble", "--test", "new", "--method", "twosample", "--json")
        loose = self.json(*arguments, "--parameter", "twosample.test=ks", "--parameter", "twosample.correction=none", "--parameter", "twosample.rate=0.2", code=1)
        self.assertEqual(loose["outcomes"][1]["parameters"]["test"], "ks")
        self.assertEqual(loose["outcomes"][1]["parameters"]["rate"], "0.2")
        seeds = [self.call(*arguments, "--seed", seed).stdout for seed in (1, 1, 2)]
        numbers = [json.loads(text)["outcomes"][1]["findings"][3]["adjusted_p"] for text in seeds]
        self.assertEqual(numbers[0], numbers[1])
        self.assertNotEqual(numbers[0], numbers[2])
        for parameter, says in (("twosample.tset=ks", "no such parameter"), ("nonsense", "METHOD.KEY=VALUE"), ("pca.sigma=2", "pca"), ("twosample.test=kss", "ks")):
            self.assert_fails(2, *arguments[:-1], "--parameter", parameter, says=says)

    def test_files_that_do_not_fit_are_refused_by_name(self):
        self.ensemble(members=5)
        self.new_runs("celsius", runs=3, units="degC")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "celsius", says=("degC", "n00.nc", "v0"))
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "ensemble/m00.nc", says=("m00.nc", "two places"))
        self.assert_fails(2, "consistency", "--ensemble", "nowhere", "--test", "celsius", says="nowhere")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "missing.nc", says="missing.nc")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", says="--test")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "celsius", "--variables", "v77", says="v77")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "celsius", "--method", "ks", says=("ks", "twosample"))

    def test_a_study_is_an_ensemble(self):
        self.call("ensemble", CASE, "-o", "study", "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "8", "--epsilons", "2^-23,2^-10", "--members-for", "fp64",
                         "--until", "10 min", "--quad-until", "0 s", "--quiet", *SMALL)
        new = "study/runs/fp32-deterministic/output.nc"
        done = self.call("consistency", "--ensemble", "study", "--test", new, "--method", "tolerance", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("noise of 2^-10", json.loads(done.stdout)["notes"][0])
        smaller = self.call("consistency", "--ensemble", "study", "--epsilon", "2^-23", "--test", new, "--method", "tolerance", "--json")
        self.assertIn("noise of 2^-23", json.loads(smaller.stdout)["notes"][0])
        self.assert_fails(2, "consistency", "--ensemble", "study", "--epsilon", "2^-7", "--test", new, says="2^-7")

    def test_the_page_is_drawn_from_what_was_kept(self):
        self.ensemble(members=12)
        self.new_runs("new", runs=6, shift=30)
        environment = {key: value for key, value in os.environ.items() if key != "ULPINE_PYTHON"}
        done = self.call("consistency", "--ensemble", "ensemble", "--test", "new", "-o", "out", env=environment)
        if "no report.html" in done.stderr:
            self.skipTest(done.stderr)
        page = (self.folder / "out/report.html").read_text(encoding="utf-8")
        for word in ("different", "twosample", "v0", "data:image"):
            self.assertIn(word, page)
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        (self.folder / "out/report.html").unlink()
        self.assert_done("report", "out", env=environment)
        self.assertTrue((self.folder / "out/report.html").exists())


if __name__ == "__main__":
    unittest.main()
