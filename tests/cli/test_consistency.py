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
        self.assert_fails(2, "consistency", "--ensemble", "summary.nc", "--test", "new", says=("summary.nc", "not as Ulpine wrote it"))

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
        self.assertEqual((kept["ensemble"], kept["tests"]), ("ensemble", ["new"]))
        self.assertEqual(kept["answer"], "different")
        suite = ElementTree.parse(self.folder / "out/junit.xml").getroot().find("testsuite")
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), sum(outcome["answer"] == "different" for outcome in kept["outcomes"]))
        self.assertEqual(int(suite.get("skipped")), sum(outcome["answer"] not in ("different", "consistent") for outcome in kept["outcomes"]))

    def test_a_variable_that_new_runs_lack_leaves_the_verdict_open(self):
        self.ensemble()
        self.new_runs("fewer", variables=11)
        self.new_runs("fewer_shifted", variables=11, shift=3)
        arguments = ("--method", "twosample,tolerance,pca", "--json")
        open_one = self.json("consistency", "--ensemble", "ensemble", "--test", "fewer", *arguments, code=4)
        self.assertEqual(open_one["statement"], "values: v11, n00.nc: not there, though every accepted run has it")
        self.assertEqual([finding["subject"] for finding in open_one["outcomes"][0]["findings"]], ["v11, n00.nc"])
        self.assertIn("v0", self.json("consistency", "--ensemble", "ensemble", "--test", "fewer_shifted", *arguments, code=1)["statement"])
        # What one accepted run lacks the ensemble does not have, and what is not asked for is not missed.
        names = ",".join(f"v{number}" for number in range(11))
        self.assertEqual(self.json("consistency", "--ensemble", "ensemble", "--test", "fewer", "--variables", names, *arguments, code=0)["answer"], "consistent")
        self.write("ensemble/m07.nc", np.random.default_rng(8), variables=11)
        self.assertEqual(self.json("consistency", "--ensemble", "ensemble", "--test", "fewer", *arguments, code=0)["answer"], "consistent")

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

    def test_times_are_chosen(self):
        self.ensemble(members=24)
        self.new_runs("new", runs=12)
        for path in (self.folder / "new").glob("*.nc"):
            with netCDF4.Dataset(path, "a") as file:
                file["v0"][0] += 30
        arguments = ("consistency", "--ensemble", "ensemble", "--test", "new", "--method", "twosample,fieldwise", "--json")
        for times, code in (("all", 1), ("0", 1), ("2000-01-01 00", 1), ("-2..last", 1), ("mean", 1)):
            with self.subTest(times):
                found = self.json(*arguments, "--times", times, code=code)
                self.assertEqual(found["answer"], "different")
        self.assertIn("v0, at 2000-01-01", " ".join(finding["subject"] for finding in self.json(*arguments, code=1)["outcomes"][1]["findings"]))
        self.assertNotEqual(json.loads(self.call(*arguments, "--times", "last").stdout)["answer"], "different")
        self.assert_done("consistency", "--ensemble", "ensemble", "--write-summary", "summary.nc")
        summarised = ("consistency", "--ensemble", "summary.nc", "--test", "new", "--method", "twosample", "--json")
        self.assertNotEqual(json.loads(self.call(*summarised, "--times", "1").stdout)["answer"], "different")
        self.json(*summarised, "--times", "0", code=1)
        for times in ("7", "1999", "1..0", "0,"):
            self.assert_fails(2, *arguments[:-1], "--times", times, says="--times")

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
        for name, link in (("soft.nc", os.symlink), ("hard.nc", os.link)):
            link(self.folder / "ensemble/m00.nc", self.folder / name)
            self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", name, says=(name, "two places, also as ensemble/m00.nc"))
        self.assert_fails(2, "consistency", "--ensemble", "nowhere", "--test", "celsius", says="nowhere")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "missing.nc", says="missing.nc")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", says="--test")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "celsius", "--variables", "v77", says="v77")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "celsius", "--method", "ks", says=("ks", "twosample"))

    def on_a_grid(self, name, random, latitudes, calendar="noleap", shift=0.0, flip=False, cells=False, steps=None, empty=False, height=2.0, site="summit"):
        """T, U and V on 9 x 4 points of a climate that depends on the latitude, at a height and a site; or on 40 cells along an unlimited dimension."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with netCDF4.Dataset(path, "w") as file:
            if cells:
                file.createDimension("cell", None)
                dimensions, shape, climate = ("cell",), (40,), np.zeros(40)
            else:
                for dimension, length in (("time", None), ("lat", 9), ("lon", 4)):
                    file.createDimension(dimension, length)
                dimensions, shape = ("time", "lat", "lon"), (2, 9, 4)
                time = file.createVariable("time", "f8", ("time",))
                time.units, time.calendar = "days since 2000-01-01", calendar
                time[:] = [0, 30]
                for axis, units, values in (("lat", "degrees_north", latitudes), ("lon", "degrees_east", np.arange(4) * 90.0)):
                    variable = file.createVariable(axis, "f8", (axis,))
                    variable.units = units
                    variable[:] = values
                climate = 300 - 50 * np.sin(np.radians(np.linspace(-80, 80, 9))) ** 2 + 5 * np.linspace(-1, 1, 9)
                climate = (climate[::-1] if flip else climate)[None, :, None]
            file.createDimension("letter", 6)
            file.createVariable("height", "f8")[...] = height
            file.createVariable("site", "S1", ("letter",))[:] = np.array(list(site), "S1")
            for field in "TUV":
                variable = file.createVariable(field, "f4", dimensions, fill_value=np.float32(1e20))
                variable.units = "K"
                variable.coordinates = "height site"
                if steps is None:
                    variable[:] = climate + shift + 0.1 * (random.normal() + random.normal(size=shape))
                else:
                    # Whole units of the last place of float from 256 to 512.
                    variable[:] = np.float32(300) + np.float32(2.0 ** -15) * random.integers(0, steps + 1, shape) + np.float32(shift)
                if empty and field == "U":
                    variable[:] = np.ma.masked_all(shape)

    def grids(self, folder, number, seed, latitudes=None, **what):
        random = np.random.default_rng(seed)
        south = np.linspace(-80, 80, 9)
        for run in range(number):
            self.on_a_grid(f"{folder}/r{run:02}.nc", random, south if latitudes is None else latitudes, **what)

    def test_runs_at_other_places_or_dates_are_refused(self):
        south = np.linspace(-80, 80, 9)
        self.grids("ensemble", 26, 1)
        self.grids("same", 20, 2)
        self.grids("flipped", 3, 3, south[::-1], flip=True)
        self.grids("elsewhere", 3, 4, np.linspace(0, 8, 9))
        self.grids("standard", 3, 5, calendar="standard")
        self.grids("higher", 3, 6, height=10.0)
        self.grids("at-sea", 3, 7, site="buoy 7")
        self.assert_done("consistency", "--ensemble", "ensemble", "--write-summary", "summary.nc")
        for ensemble, held_against in (("ensemble", "ensemble/r00.nc"), ("summary.nc", "summary.nc")):
            with self.subTest(ensemble):
                self.assert_done("consistency", "--ensemble", ensemble, "--test", "same")
                for folder, says in (("flipped", "lat runs the other way"), ("elsewhere", "lat differs"), ("standard", "calendars differ: standard against noleap"),
                                     ("higher", "height differs: 10 against 2"), ("at-sea", "site differs")):
                    self.assert_fails(2, "consistency", "--ensemble", ensemble, "--test", folder, says=(f"{folder}/r00.nc", says, held_against))

    def test_names_do_not_matter_and_findings_have_dates(self):
        self.grids("ensemble", 26, 1)
        self.grids("new", 3, 2, shift=5)
        for folder in ("ensemble", "new"):
            for number, path in enumerate(sorted((self.folder / folder).glob("*.nc"))):
                path.rename(path.with_name(f"wrfout_d01_2000-01-{number + 1:02}_00:00:00"))
        text = self.assert_done("consistency", "--ensemble", "ensemble", "--test", "new", "--method", "tolerance", code=1)
        self.assertIn("at 2000-01-31 00:00:00", text)

    def test_the_last_bit_of_the_type_is_no_spread(self):
        self.grids("ensemble", 26, 1, steps=1)
        self.grids("same", 24, 2, steps=1)
        self.grids("off", 3, 3, steps=1, shift=0.01)
        line = self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "same", says=("no method has power", "last bit of float"))
        self.assertNotIn("e-31", line)
        text = self.assert_done("consistency", "--ensemble", "ensemble", "--test", "off", code=1)
        self.assertIn("values: T, r00.nc", text.splitlines()[-1])
        self.assertIn("# T: members differ by no more than the last bit of float, left out of pca", text)

    def test_an_empty_field_of_a_member_is_named(self):
        self.grids("ensemble", 10, 1)
        self.on_a_grid("ensemble/r05.nc", np.random.default_rng(9), np.linspace(-80, 80, 9), empty=True)
        self.grids("new", 3, 2)
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "new", says=("ensemble/r05.nc: U", "missing", "--variables"))
        self.assert_done("consistency", "--ensemble", "new", "--test", "ensemble/r05.nc", code=1)

    def test_cells_along_an_unlimited_dimension_are_no_times(self):
        self.grids("ensemble", 26, 1, cells=True)
        self.grids("off", 3, 2, cells=True, shift=20)
        text = self.assert_done("consistency", "--ensemble", "ensemble", "--test", "off", code=1)
        found = json.loads(self.call("consistency", "--ensemble", "ensemble", "--test", "off", "--json").stdout)
        subjects = [finding["subject"] for outcome in found["outcomes"] if outcome["method"] == "tolerance" for finding in outcome["findings"]]
        # Three numbers of each variable, and not of each cell.
        self.assertEqual(sorted(subjects), sorted(f"{field} {number}" for field in "TUV" for number in ("min", "mean", "max")), text)

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
