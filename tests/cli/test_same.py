#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpine same` and the gates of `compare` as a user calls them, on runs of known truth: Lorenz's model of 1996, integrated here, as files of any model have it."""
import unittest
import xml.etree.ElementTree as ElementTree

try:
    import netCDF4
    import numpy as np
except ImportError:
    netCDF4 = None

from support import CASE, CommandTest, SMALL, write_field

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"


class GateTest(CommandTest):
    """compare --fail-on and --limits."""
    def setUp(self):
        super().setUp()
        self.reference = write_field(self.folder / "ref.nc", "h", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, "m", 100.0)
        self.test = write_field(self.folder / "test.nc", "h", [1.0, 2.0, 3.0, 5.0, 5.0, 6.0], 2, 3, "m", 100.0)

    def limits(self, text):
        (self.folder / "limits.toml").write_text(text)
        return "limits.toml"

    def test_differences_fail_where_that_is_asked_for(self):
        self.assert_done("compare", self.reference, self.test)
        self.assert_done("compare", self.reference, self.reference, "--fail-on", "different")
        text = self.assert_done("compare", self.reference, self.test, "--fail-on", "different", code=1)
        self.assertIn("beyond: h differing is 1, at most 0\n", text)
        self.assertIn("h: differs most at y 1, x 0 (y 100 m, x 0 m)\n", text)
        self.assert_fails(2, "compare", self.reference, self.test, "--fail-on", "beyond", says="--fail-on")

    def test_what_was_not_asked_for_is_not_missed(self):
        done = self.assert_done("compare", self.reference, self.reference, "--variables", "h", "--fail-on", "different")
        self.assertIn("not all was compared", done)

    def test_limits_hold_or_are_exceeded(self):
        # The only difference is 1 m, the relative L2 difference 1 / sqrt(91).
        for text, code in (("[h]\nlinf = 1.0\n", 0), ("[h]\nlinf = 0.999\n", 1), ("[h]\nl2_relative = 0.1049\n", 0), ("[h]\nl2_relative = 0.1048\n", 1),
                           ('["*"]\ndiffering = 1\n', 0), ("[default]\ndiffering = 0\n", 1), ('[default]\nlinf = 0\n["h*"]\nlinf = 2\n', 0),
                           ("[h]\nskip = true\n[default]\nlinf = 0\n", 2)):
            with self.subTest(text):
                done = self.call("compare", self.reference, self.test, "--limits", self.limits(text))
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def test_undefined_metrics_are_undecided(self):
        constant = write_field(self.folder / "constant.nc", "h", [1.0] * 6, 2, 3, "m", 100.0)
        text = self.assert_done("compare", constant, self.test, "--limits", self.limits("[h]\nr = 0.9\n"), code=4)
        self.assertIn("undecided: h r has no value", text)

    def test_json_and_junit_say_the_same(self):
        words = ("compare", self.reference, self.test, "--limits", self.limits("[h]\nlinf = 0.5\nrmse = 0.5\n"), "--junit", "junit.xml")
        answer = self.json(*words, "--json", code=1)["limits"]
        self.assertIs(answer["within"], False)
        self.assertEqual([(r["subject"], r["limit_on"], r["limit"], r["answer"]) for r in answer["results"]], [("h", "linf", 0.5, "beyond"), ("h", "rmse", 0.5, "within")])
        suite = ElementTree.parse(self.folder / "junit.xml").getroot().find("testsuite")
        self.assertEqual((suite.get("name"), suite.get("tests"), suite.get("failures")), ("h", "2", "1"))
        self.assertEqual(suite.find("testcase/failure").get("message"), "value 1, limit 0.5")

    def test_bad_limits_are_refused_in_a_line(self):
        def refused(text, *says):
            self.assert_fails(2, "compare", self.reference, self.test, "--limits", self.limits(text), says=says)
        refused("[hh]\nlinf = 1\n", "limits.toml:2: hh:", "did you mean 'h'")
        refused("[h]\nlinff = 1\n", "limits.toml:2: h.linff:", "did you mean 'linf'")
        refused("[h]\nlinf = -1\n", "h.linf", "at least 0")
        refused("[g*]\n", "limits.toml")
        refused("[h]\nskip = true\n", "limits.toml", "holds for no variable")
        self.assert_fails(2, "compare", self.reference, self.test, "--limits", "absent.toml", says="absent.toml")

    def test_options_without_effect_and_files_of_others_are_refused(self):
        self.assert_fails(2, "compare", self.reference, self.test, "--junit", "junit.xml", says="--fail-on or --limits")
        self.assert_fails(2, "compare", self.reference, self.test, "--fail-on", "different", "--limits", "l.toml", says="--fail-on")
        mine = self.folder / "mine.xml"
        mine.write_text("<mine/>\n")
        self.assert_fails(2, "compare", self.reference, self.test, "--fail-on", "different", "--junit", mine, says="mine.xml")
        self.assertEqual(mine.read_text(), "<mine/>\n")
        self.assert_done("compare", self.reference, self.test, "--fail-on", "different", "--junit", mine, "--overwrite", code=1)
        self.assertIn("<testsuites", mine.read_text())
        self.assert_fails(2, "compare", self.reference, self.test, "--fail-on", "different", "--junit", self.test, "--overwrite", says="test.nc")


@unittest.skipIf(netCDF4 is None, WITHOUT)
class SameTest(CommandTest):
    outputs, noise = 30, 1e-10

    @classmethod
    def setUpClass(cls):
        cls.random = np.random.default_rng(7)
        cls.start = cls.states(8 + cls.random.normal(size=40), 2, 400)[-1]

    @staticmethod
    def states(x, outputs, steps=4, forcing=8.0, step=0.025):
        """The start and the states after every `steps` steps of Runge and Kutta's classical scheme."""
        def tendency(x):
            return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + forcing
        result = [x]
        for _ in range(outputs - 1):
            for _ in range(steps):
                a = tendency(x)
                b = tendency(x + step / 2 * a)
                c = tendency(x + step / 2 * b)
                d = tendency(x + step * c)
                x = x + step / 6 * (a + 2 * b + 2 * c + d)
            result.append(x)
        return np.array(result)

    def noisy(self, amplitude):
        return self.start * (1 + amplitude * self.random.uniform(-1, 1, 40))

    def write(self, name, series, kind="f8", first=0, more=()):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", None)
            file.createDimension("x", series.shape[1])
            time = file.createVariable("time", "f8", ("time",))
            time.units = "hours since 2000-01-01 00:00:00"
            time[:] = 6 * (first + np.arange(len(series)))
            for variable, values in (("wave", series), *more):
                file.createVariable(variable, kind, ("time", "x"))[:] = values
        return path

    def run_of(self, name, amplitude=0.0, kind="f8", **options):
        return self.write(name, self.states(self.noisy(amplitude) if amplitude else self.start, self.outputs, **options), kind)

    def members(self, count=12, kind="f8"):
        for number in range(count):
            self.run_of(f"noise/m{number:02}.nc", self.noise, kind)

    def answer(self, *words, code):
        return self.json("same", *words, "--json", code=code)

    def test_runs_of_known_truth_get_their_answer(self):
        reference = self.run_of("ref.nc")
        self.members()
        port = self.run_of("port.nc", 1e-15)
        answer = self.answer(reference, self.run_of("copy.nc"), code=0)
        self.assertEqual((answer["answer"], answer["same"]), ("same bits", True))
        answer = self.answer(reference, port, "--noise", "noise", code=0)
        self.assertEqual((answer["answer"], answer["noise"]["members"], answer["noise"]["power"]), ("as noise", 12, True))
        self.assertTrue(all(time["inside_noise"] for time in answer["variables"]["wave"]["times"]))
        answer = self.answer(reference, port, code=4)
        self.assertIsNone(answer["same"])
        self.assertIn("--noise", answer["missing"])
        for forcing in (8 + 1e-7, 8.0001, 8.1, 9.0):
            with self.subTest(forcing):
                answer = self.answer(reference, self.run_of("other.nc", forcing=forcing), "--noise", "noise", code=1)
                self.assertEqual(answer["answer"], "different")
                self.assertEqual(answer["noise"]["first_beyond"], {"variable": "wave", "time": "2000-01-01 06:00:00"})

    def test_the_first_difference_is_told_in_units_of_the_file(self):
        series = self.states(self.start, 5)
        reference = self.write("ref.nc", series, "f4", more=(("copy", series),))
        other = series.astype("f4")
        other[3, 7] = np.nextafter(other[3, 7], np.float32(100))
        self.write("bit.nc", other, "f4", more=(("copy", series),))
        text = self.assert_done("same", reference, "bit.nc")
        self.assertTrue(text.startswith("the same within the last bit of the file's float32: 1 of 2 variables differ by one unit in the last place from 2000-01-01 18:00:00 on\n"), text)
        other[2, 0] = other[2, 0] + 5 * np.spacing(other[2, 0])
        self.write("bits.nc", other, "f4", more=(("copy", series),))
        answer = self.answer(reference, "bits.nc", code=4)
        self.assertIn("differ from 2000-01-01 12:00:00 on, first in wave, by up to 5 units in the last place of float32", answer["sentence"])
        self.assertEqual([time["max_ulp"] for time in answer["variables"]["wave"]["times"]], [0, 0, 5, 1, 0])
        self.assertIsNone(answer["variables"]["copy"]["differs_from"])

    def test_wider_storage_of_the_same_numbers_is_the_same(self):
        series = self.states(self.start, 3).astype("f4")
        answer = self.answer(self.write("ref.nc", series, "f4"), self.write("wide.nc", series, "f8"), code=0)
        self.assertEqual(answer["answer"], "same values")

    def test_growth_is_told(self):
        self.outputs = 60
        answer = self.answer(self.run_of("ref.nc"), self.run_of("port.nc", 1e-14), code=4)
        # An output is 0.1 units of the model's time, in which errors grow by exp(1.68) (one run scatters).
        hours = answer["variables"]["wave"]["doubling"] / 3600
        self.assertAlmostEqual(hours, 60 * np.log(2) / 1.68, delta=10)
        self.assertIn("doubles in", answer["sentence"])

    def test_folders_go_together_by_the_names_of_their_files(self):
        series, port = self.states(self.start, self.outputs), self.states(self.noisy(1e-15), self.outputs)
        def write(folder, states):
            self.write(f"{folder}/day1.nc", states[:10])
            self.write(f"{folder}/day2.nc", states[10:], first=10)
        write("ref", series)
        write("port", port)
        for number in range(8):
            write(f"members/m{number}", self.states(self.noisy(self.noise), self.outputs))
        answer = self.answer("ref", "port", "--noise", "members", code=0)
        self.assertEqual(answer["answer"], "as noise")
        self.assertEqual(len(answer["variables"]["wave"]["times"]), self.outputs)
        self.assertEqual(self.answer("ref", "port", "--noise", *[f"members/m{number}" for number in range(8)], code=0)["noise"]["members"], 8)
        (self.folder / "port/day2.nc").unlink()
        answer = self.answer("ref", "port", "--noise", "members", code=4)
        self.assertTrue(any("day2.nc" in line for line in answer["not_compared"]), answer["not_compared"])
        self.write("else/other.nc", series)
        self.assert_fails(2, "same", "ref", "else", says="else")

    def test_what_cannot_be_compared_is_said(self):
        series = self.states(self.start, 6)
        reference = self.write("ref.nc", series, more=(("only", series),))
        answer = self.answer(reference, self.write("less.nc", series), code=4)
        self.assertTrue(any(line.startswith("only is only in ") for line in answer["not_compared"]), answer)
        self.assertEqual(self.answer(reference, "less.nc", "--variables", "wave", code=0)["answer"], "same bits")
        answer = self.answer(reference, self.write("short.nc", series[:4], more=(("only", series[:4]),)), code=4)
        self.assertIn("not all could", answer["sentence"])
        broken = series.copy()
        broken[4, 3] = np.nan
        answer = self.answer(reference, self.write("nan.nc", broken, more=(("only", series),)), code=1)
        self.assertIn("wave at 2000-01-02 00:00:00: 1 places have a value in one run only", answer["sentence"])
        answer = self.answer(reference, self.write("shape.nc", series[:, :30], more=(("only", series[:, :30]),)), code=4)
        self.assertTrue(any(line.startswith("wave: ") for line in answer["not_compared"]), answer)

    def test_texts_that_differ_are_said(self):
        series = self.states(self.start, 3)
        for name, label in (("a.nc", b"one"), ("b.nc", b"two")):
            with netCDF4.Dataset(self.write(name, series), "a") as file:
                file.createDimension("letters", 3)
                file.createVariable("label", "S1", ("letters",))[:] = np.frombuffer(label, "S1")
        self.assertEqual(self.answer("a.nc", "a.nc", code=0)["answer"], "same bits")
        answer = self.answer("a.nc", "b.nc", code=4)
        self.assertIn("label: its texts differ", answer["sentence"])

    def test_a_run_that_failed_is_said(self):
        for name in ("a", "b"):
            self.assert_done("run", CASE, *SMALL, "-o", name, "--until", "1 h", "--set", "grid.length=1", "--quiet", code=1)
        answer = self.answer("a", "b", code=4)
        self.assertIn("a/output.nc is of a run that failed: ", answer["sentence"])

    def test_noisy_runs_that_are_none_are_left_out_and_said(self):
        reference = self.run_of("noise/ref.nc")
        self.members(6)
        self.run_of("noise/without.nc")
        port = self.run_of("noise/port.nc", 1e-15)
        answer = self.answer(reference, port, "--noise", "noise", code=0)
        self.assertEqual(answer["noise"]["members"], 6)
        self.assertEqual(len(answer["notes"]), 3, answer["notes"])
        few = self.assert_done("same", reference, port, "--noise", "noise/m00.nc", "noise/m01.nc", code=4)
        self.assertIn("for a stronger answer: 3 more runs of the reference with noise\n", few)

    def test_a_study_gives_its_members(self):
        self.call("ensemble", CASE, "-o", "study", "--policies", "fp64", "--assemblies", "deterministic", "--members", "6", "--epsilons", "2^-23,2^-10", "--until", "20 min", "--quad-until", "0 s",
                  "--jobs", "1", "--quiet", *SMALL)
        reference = "study/runs/fp64-deterministic"
        answer = self.answer(reference, reference, "--noise", "study", code=0)
        self.assertEqual((answer["answer"], answer["noise"]["members"], answer["noise"]["amplitude"]), ("same bits", 6, "2^-10"))
        self.assertEqual(self.answer(reference, reference, "--noise", "study", "--epsilon", "2^-23", code=0)["noise"]["amplitude"], "2^-23")
        self.assert_fails(2, "same", reference, reference, "--noise", "study", "--epsilon", "2^-7", says="2^-7")

    def test_bad_input_is_refused_in_a_line(self):
        reference = self.run_of("ref.nc")
        self.assert_fails(2, "same", reference, "absent.nc", says="absent.nc")
        self.assert_fails(2, "same", reference, reference, "--variables", "wav", says=("wav", "did you mean 'wave'"))
        self.assert_fails(2, "same", reference, reference, "--epsilon", "1e-8", says="--noise")
        self.assert_fails(2, "same", reference, reference, "--noise", reference, "--epsilon", "1e-8", says="--epsilon")
        (self.folder / "empty").mkdir()
        self.assert_fails(2, "same", reference, "empty", says="empty")
        self.members(1)
        self.run_of("deep/one/a.nc")
        self.assert_fails(2, "same", "deep", reference, says="folders of runs")


if __name__ == "__main__":
    unittest.main()
