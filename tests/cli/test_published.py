#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpine consistency --as`: the rules of PyCECT, probtest and EVV on files of their models, against NumPy and SciPy."""
import itertools
import re
import unittest

try:
    import netCDF4
    import numpy as np
    import histories
except ImportError:
    netCDF4 = None

from support import CommandTest

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"


def numbers(values):
    return np.array([[float(value) for value in row] for row in values])


@unittest.skipIf(netCDF4 is None, WITHOUT)
class PublishedTest(CommandTest):
    def runs(self, make, members=70, new=5, **options):
        random = np.random.default_rng(1)
        for folder, count, shift in (("ensemble", members, 0.0), ("same", new, 0.0), ("other", new, 4.0)):
            (self.folder / folder).mkdir()
            for number in range(count):
                make(self.folder / folder / f"n{number:03}.nc", random, shift=shift, **options)

    def scores(self, document):
        """{(component, run): (score, limit)}"""
        pattern = re.compile(r"component (\d+), (.*)")
        found = {}
        for finding in document["outcomes"][0]["findings"]:
            component, run = pattern.fullmatch(finding["subject"]).groups()
            found[int(component), run] = (finding["value"], finding["limit"])
        return found

    def expected_scores(self, means, new):
        """Absolute scores of new runs and deviations of the ensemble's, by NumPy; variables in rows."""
        mean, deviation = means.mean(axis=1, keepdims=True), means.std(axis=1, ddof=1, keepdims=True)
        standard = (means - mean) / deviation
        values, vectors = np.linalg.eigh(np.cov(standard))
        vectors = vectors[:, ::-1]
        return np.abs(vectors.T @ ((new - mean) / deviation)), (vectors.T @ standard).std(axis=1, ddof=1)

    def assert_scores(self, mean_of, names, runs=3, components=None, options=()):
        """The command's scores are those of NumPy from means by `mean_of` of a file."""
        paths = {folder: sorted((self.folder / folder).glob("*.nc")) for folder in ("ensemble", "other")}
        means = {}
        for folder, files in paths.items():
            means[folder] = np.zeros((len(names), len(files)))
            for column, path in enumerate(files):
                with netCDF4.Dataset(path) as file:
                    means[folder][:, column] = [mean_of(file, name) for name in names]
        wanted, deviations = self.expected_scores(means["ensemble"], means["other"][:, :runs])
        document = self.json("consistency", "--ensemble", "ensemble", "--test", *(f"other/n{number:03}.nc" for number in range(runs)), "--as", "pycect", "--json", *options, code=1)
        found = self.scores(document)
        self.assertEqual(len(found), runs * (components or len(names)))
        for (component, run), (score, limit) in found.items():
            column = int(run[1:4])
            self.assertAlmostEqual(abs(score), wanted[component - 1, column], delta=1e-9 * max(1, abs(score)))
            self.assertAlmostEqual(limit, 2.23 * deviations[component - 1], delta=1e-9)
        return document

    def test_scores_of_cam_on_columns_are_numpys(self):
        self.runs(histories.cam)

        def mean_of(file, name):
            values = file.variables[name][1].astype("f8")
            return np.mean([np.average(level, weights=file.variables["area"][:]) for level in np.atleast_2d(values)])
        names = ["V0", "V1", "V2", "V3", "DOUBLE", "S1", "S2", "S3"]
        document = self.assert_scores(mean_of, names, components=8, options=("--parameter", "pycect.tslice=1", "--parameter", "pycect.nPC=8"))
        notes = "\n".join(document["notes"])
        # That the mean of a constant is the constant rounding decides: else it has too few values.
        self.assertRegex(notes, "left out as PyCECT does .*CONSTANT")
        for part in ("3 % of the members): ", "FEW", "linearly dependent on others; of equal ones PyCECT may leave out another): S0"):
            self.assertIn(part, notes)
        self.assertIn("PyCECT's rule fails", document["statement"])
        self.assertIn("without --as", document["statement"])

    def test_scores_of_cam_on_a_grid_are_numpys(self):
        self.runs(lambda *words, **options: histories.cam(*words, columns=False, missing=True, **options))

        def mean_of(file, name):
            values = file.variables[name][-1].astype("f8")
            levels = values if values.ndim == 3 else values[np.newaxis]
            return np.mean([np.average(np.average(level, axis=0, weights=file.variables["gw"][:])) for level in levels])
        names = ["GAPS", "HALF_LEVELS", "V0", "V1", "V2", "V3", "DOUBLE", "S1", "S2", "S3"]
        self.assert_scores(mean_of, names, components=10, options=("--parameter", "pycect.tslice=-1", "--parameter", "pycect.nPC=10"))

    def test_scores_of_mpas_are_weighted_by_cells_edges_and_vertices(self):
        self.runs(histories.mpas)
        weights = {"tangential": "dvEdge", "vorticity": "areaTriangle"}

        def mean_of(file, name):
            return np.mean(np.average(file.variables[name][0].astype("f8"), axis=0, weights=file.variables[weights.get(name, "areaCell")][:]))
        names = ["pressure", "rho", "theta", "uReconstructMeridional", "uReconstructZonal", "w", "tangential", "vorticity"]
        document = self.assert_scores(mean_of, names, components=8, options=("--parameter", "pycect.nPC=8", "--parameter", "pycect.sigMul=2.23"))
        self.assertEqual(document["outcomes"][0]["parameters"]["sigMul"], "2.23")

    def test_a_summary_judges_as_its_runs_do(self):
        for model, make in (("cam", histories.cam), ("mpas", histories.mpas)):
            with self.subTest(model):
                for folder in ("ensemble", "same", "other"):
                    for path in (self.folder / folder).glob("*"):
                        path.unlink()
                    if (self.folder / folder).exists():
                        (self.folder / folder).rmdir()
                self.runs(make)
                self.assertEqual(self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", f"{model}.nc"), f"{model}.nc\n")
                for rule, (folder, code) in itertools.product(("pycect", "eet"), (("same", 0), ("other", 1))):
                    direct, kept = (self.json("consistency", "--ensemble", ensemble, "--test", folder, "--as", rule, "--json", code=code) for ensemble in ("ensemble", f"{model}.nc"))
                    self.assertEqual(direct["outcomes"], kept["outcomes"])
                with netCDF4.Dataset(self.folder / f"{model}.nc") as file:
                    standard = file.variables["standardized_gm"][:]
                    self.assertTrue(np.allclose(standard.std(axis=1, ddof=1), 1))
                    names = [bytes(row.compressed() if np.ma.isMaskedArray(row) else row).decode().strip() for row in file.variables["vars"][:]]
                    self.assertIn("V0" if model == "cam" else "theta", names)
                # What Ulpine wrote it replaces; what another wrote it leaves.
                self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", f"{model}.nc")
        (self.folder / "mine.nc").write_text("mine")
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", "mine.nc", says="mine.nc")
        self.assert_fails(2, "consistency", "--ensemble", "cam.nc", "--test", "same", "--as", "pycect", says=("is no history of CAM",))

    def test_a_summary_of_pycect_serves_the_own_methods(self):
        self.runs(histories.cam)
        self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", "theirs.nc")
        document = self.json("consistency", "--ensemble", "theirs.nc", "--test", "other", "--json", code=1)
        self.assertEqual([outcome["method"] for outcome in document["outcomes"]], ["values", "pca", "twosample"])
        statements = {outcome["method"]: outcome["statement"] for outcome in document["outcomes"]}
        self.assertRegex(statements["twosample"], "mean of (V0|S1|S3) differs")
        self.assertIn("undecided: ", self.assert_done("consistency", "--ensemble", "theirs.nc", "--test", "same", code=4))
        for option, words in ((("--method", "tolerance"), "--method tolerance: PyCECT's summary has means alone"), (("--levels",), "leave out --levels"),
                              (("--as", "pycect", "--variables", "V0"), "PyCECT's summary has its own"), (("--as", "pycect", "--write-summary", "new.nc"), "is a summary already")):
            self.assert_fails(2, "consistency", "--ensemble", "theirs.nc", "--test", "same", *option, says=words)

    def test_what_is_drawn_and_missing_is_told(self):
        self.runs(histories.cam, new=7)
        notes = "\n".join(self.json("consistency", "--ensemble", "ensemble", "--test", "same", "--as", "pycect", "--json")["notes"])
        self.assertIn("3 of 7 new runs are judged", notes)
        self.assertIn("6 components in place of the 128 asked for", notes)
        self.assertNotIn("3 of 7", "\n".join(self.json("consistency", "--ensemble", "ensemble", "--test", "same", "--as", "eet", "--json")["notes"]))
        for path in (self.folder / "same").glob("*.nc"):
            with netCDF4.Dataset(path, "a") as file:
                file.renameVariable("V1", "V1_NEW")
        notes = "\n".join(self.json("consistency", "--ensemble", "ensemble", "--test", "same", "--as", "pycect", "--json", code=self.call("consistency", "--ensemble", "ensemble", "--test", "same", "--as", "pycect").returncode)["notes"])
        self.assertIn("V1: 7 of 7 runs have none (PyCECT takes 0 for its mean)", notes)
        with netCDF4.Dataset(self.folder / "other/n001.nc", "a") as file:
            file.variables["V2"][0, 1, 3] = np.nan
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "other", "--as", "eet", says=("other/n001.nc: V2: has a NaN",))

    def test_runs_of_any_model_are_judged_too(self):
        random = np.random.default_rng(4)
        for folder, count, shift in (("ensemble", 30, 0.0), ("same", 3, 0.0), ("other", 3, 4.0)):
            (self.folder / folder).mkdir()
            for number in range(count):
                with netCDF4.Dataset(self.folder / folder / f"n{number:03}.nc", "w") as file:
                    for name, length in (("time", None), ("y", 4), ("x", 5)):
                        file.createDimension(name, length)
                    time = file.createVariable("time", "f8", ("time",))
                    time.units = "hours since 2000-01-01"
                    time[:] = [0, 6]
                    for variable in range(5):
                        file.createVariable(f"v{variable}", "f8", ("time", "y", "x"))[:] = random.normal(size=(2, 1, 1)) + shift + 0.1 * random.normal(size=(2, 4, 5))
        for rule, code in itertools.product(("pycect", "eet", "evv"), (0, 1)):
            text = self.assert_done("consistency", "--ensemble", "ensemble", "--test", ("same", "other")[code], "--as", rule, code=code)
            self.assertTrue(text.splitlines()[-1].startswith(("consistent: ", "different: ")[code]), text)
            if rule != "evv":
                self.assertIn(f"# time 1 of 2 is looked at, 2000-01-01 00:00:00 ({rule}.tslice=0; -1 is the last)", text)
        self.assert_done("consistency", "--ensemble", "ensemble", "--write-summary", "own.nc")
        direct, kept = (self.json("consistency", "--ensemble", ensemble, "--test", "other", "--as", "pycect", "--json", code=1) for ensemble in ("ensemble", "own.nc"))
        self.assertEqual(direct["outcomes"], kept["outcomes"])

    def test_bad_words_are_refused(self):
        self.runs(histories.cam, members=12)
        same = ("consistency", "--ensemble", "ensemble", "--test", "same")
        self.assert_fails(2, *same, "--as", "pycet", says=("--as pycet: no such rule", "did you mean 'pycect'"))
        self.assert_fails(2, *same, "--as", "pycect", "--method", "pca", says=("--method: has no effect", "not --as"))
        self.assert_fails(2, *same, "--as", "pycect", "--parameter", "pca.sigma=2", says=("pca.sigma", "begin it with pycect."))
        self.assert_fails(2, *same, "--as", "pycect", "--parameter", "pycect.sigma=2", says=("pycect.sigma: no such parameter", "sigMul"))
        self.assert_fails(2, *same, "--as", "pycect", "--parameter", "pycect.tslice=7", says="time")
        self.assert_fails(2, *same, "--as", "pycect", "--times", "last", says=("--times: has no effect", "as PyCECT does"))
        self.assert_fails(2, "consistency", "--ensemble", "ensemble", "--test", "same/n000.nc", "--as", "pycect", says=("1 new runs are fewer than the 3", "numRunFile"))
        self.assert_fails(2, "consistency", "--ensemble", "same", "--test", "ensemble", "--as", "pycect", says="fewer members (5) than variables (11)")

    def test_pop_is_judged_by_shares_of_points(self):
        random = np.random.default_rng(2)
        (self.folder / "ensemble").mkdir()
        for member, month in itertools.product(range(6), (1, 2)):
            histories.pop(self.folder / f"ensemble/g.{member:03}.pop.h.0001-{month:02}.nc", random)
        for folder, shift in (("same", 0.0), ("other", 2.5)):
            (self.folder / folder).mkdir()
            histories.pop(self.folder / folder / "t.000.pop.h.0001-02.nc", random, shift=shift)
        self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", "pop.nc")
        fields = {}
        for member in range(6):
            with netCDF4.Dataset(self.folder / f"ensemble/g.{member:03}.pop.h.0001-02.nc") as file:
                for name in ("TEMP", "SALT", "SSH"):
                    fields.setdefault(name, []).append(file.variables[name][0].astype("f8"))
        with netCDF4.Dataset(self.folder / "pop.nc") as file:
            for part, names in (("3d", ("SALT", "TEMP")), ("2d", ("SSH",))):
                for number, name in enumerate(names):
                    mean, deviation = np.ma.mean(fields[name], axis=0), np.ma.std(fields[name], axis=0)
                    mask = np.ma.getmaskarray(np.ma.array(fields[name])).all(axis=0)
                    for what, values in (("ens_avg", mean), ("ens_stddev", deviation)):
                        kept = np.array(file.variables[what + part][1, number])
                        self.assertLess(np.abs(kept - values)[~mask].max(), 5e-6)
            self.assertEqual(file.variables["RMSZ"].shape, (2, 3, 6, 40))
            self.assertAlmostEqual(float(file.variables["RMSZ"][1, 0, 0].sum()), 1, delta=1e-6)
        for folder, code in (("same", 0), ("other", 1)):
            document = self.json("consistency", "--ensemble", "pop.nc", "--test", folder, "--as", "pycect", "--json", "--parameter", "pycect.pop_threshold=0.8", code=code)
            found = {finding["subject"].split(",")[0]: finding["value"] for finding in document["outcomes"][0]["findings"]}
            with netCDF4.Dataset(self.folder / folder / "t.000.pop.h.0001-02.nc") as file, netCDF4.Dataset(self.folder / "pop.nc") as summary:
                region = file.variables["REGION_MASK"][:]
                for part, names in (("3d", ("SALT", "TEMP")), ("2d", ("SSH",))):
                    for number, name in enumerate(names):
                        values = file.variables[name][0]
                        score = np.abs((values.astype("f8") - summary.variables["ens_avg" + part][1, number]) / summary.variables["ens_stddev" + part][1, number])
                        open_points = np.broadcast_to((region >= 1) & (region <= 6), values.shape) & ~np.ma.getmaskarray(values)
                        self.assertAlmostEqual(found[name], np.mean(np.array(score)[open_points] <= 3), delta=1e-12)
        self.assert_fails(2, "consistency", "--ensemble", "pop.nc", "--test", "same", "--as", "eet", says="no exhaustive test for POP")
        (self.folder / "same/t.000.pop.h.0001-02.nc").rename(self.folder / "same/t.000.pop.h.0007-02.nc")
        self.assert_fails(2, "consistency", "--ensemble", "pop.nc", "--test", "same", "--as", "pycect", says="has the month of no new run")

    def test_evv_compares_annual_means(self):
        try:
            from scipy import stats
        except ImportError:
            self.skipTest("no scipy")
        random = np.random.default_rng(5)
        histories.eam(self.folder / "reference", "r", random, 9)
        histories.eam(self.folder / "same", "s", random, 9, months=13)
        histories.eam(self.folder / "other", "o", random, 9, shift=4, constant=1.0)

        def means(folder, name):
            annual = []
            for instance in range(1, 10):
                monthly = []
                for path in sorted((self.folder / folder).glob(f"*.eam_{instance:04}.h0.*.nc"))[-12:]:
                    with netCDF4.Dataset(path) as file:
                        monthly.append(np.mean(file.variables[name][0, ...]))
                annual.append(np.average(np.array(monthly, "f8")))
            return annual
        for folder, code in (("same", 0), ("other", 1)):
            document = self.json("consistency", "--ensemble", "reference", "--test", folder, "--as", "evv", "--json", code=code)
            findings = {finding["subject"]: finding for finding in document["outcomes"][0]["findings"]}
            self.assertEqual(sorted(findings), ["FIXED", "PS", "Q", "T", "U"])
            p = {name: stats.ks_2samp(means(folder, name), means("reference", name)).pvalue for name in findings}
            for name, finding in findings.items():
                self.assertAlmostEqual(finding["p"], p[name], delta=1e-9)
            # Benjamini and Yekutieli; what is constant in both is not counted, whatever its values.
            rank = sorted(p, key=p.get)
            harmonic = sum(1 / k for k in range(1, 6))
            last = max([k for k in range(1, 6) if p[rank[k - 1]] <= 0.05 * k / 5 / harmonic], default=0)
            self.assertEqual({name for name, finding in findings.items() if finding["rejected"]}, set(rank[:last]) - {"FIXED"})
            self.assertIn("FIXED", "\n".join(document["notes"]))
        (self.folder / "other/o.eam_0003.h0.0001-05.nc").unlink()
        self.assert_fails(2, "consistency", "--ensemble", "reference", "--test", "other", "--as", "evv", says=("instance 3 has 11 monthly files",))


@unittest.skipIf(netCDF4 is None, WITHOUT)
class ProbtestTest(CommandTest):
    def write(self, name, random, amplitude=0.0, nan=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fixed = np.random.default_rng(8)
        with netCDF4.Dataset(path, "w") as file:
            for dimension, length in (("time", None), ("height", 3), ("ncells", 20)):
                file.createDimension(dimension, length)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "hours since 2000-01-01"
            time[:] = [0, 1, 2]
            height = file.createVariable("height", "f8", ("height",))
            height.axis = "Z"
            height[:] = [10, 20, 40]
            for variable, dimensions, shape in (("T", ("time", "height", "ncells"), (3, 3, 20)), ("PS", ("time", "ncells"), (3, 20))):
                values = 3 * fixed.normal(size=shape)
                if nan and variable == "PS":
                    values[1, 7] = np.nan
                file.createVariable(variable, "f8", dimensions)[:] = values * (1 + amplitude * (2 * random.random(shape) - 1))

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(6)
        self.write("reference.nc", random)
        for number in range(8):
            self.write(f"members/m{number}.nc", random, 1e-6)
        self.write("same.nc", random, 1e-6)
        self.write("other.nc", random, 1e-3)

    def statistics(self, name):
        """{(variable, height, time, statistic): value} by NumPy."""
        found = {}
        with netCDF4.Dataset(self.folder / name) as file:
            for time, variable in itertools.product(range(3), ("T", "PS")):
                levels = np.atleast_2d(file.variables[variable][time])
                for height, level in zip((10.0, 20.0, 40.0) if variable == "T" else (-1.0,), levels):
                    for statistic in ("min", "mean", "max"):
                        found[variable, height, time, statistic] = float(getattr(np, statistic)(level))
        return found

    def read(self, name):
        """The same of a table of probtest; tolerances have the height 0."""
        lines = [line.split(",") for line in (self.folder / name).read_text().splitlines()]
        first = len(lines[2]) - len([word for word in lines[2] if word == ""])
        self.assertEqual(lines[2][:first], ["file_ID", "variable", "height"][:first])
        return {(row[1], float(row[2]) if first == 3 else 0.0, int(lines[0][i]), lines[1][i]): float(row[i]) for row in lines[3:] for i in range(first, len(row))}

    def test_tables_are_those_of_numpy_and_judge_as_the_runs_do(self):
        runs = ("consistency", "--ensemble", "members", "--unperturbed", "reference.nc", "--as", "probtest")
        (self.folder / "tables").mkdir()
        self.assert_done(*runs, "--write-summary", "tables/stats_{member_id}.csv")
        self.assert_done(*runs, "--write-summary", "tolerance.csv")
        reference = self.statistics("reference.nc")
        self.assertEqual(len(list((self.folder / "tables").glob("*.csv"))), 9)
        for name, kept in (("reference.nc", "stats_ref.csv"), ("members/m4.nc", "stats_5.csv")):
            expected, found = self.statistics(name), self.read("tables/" + kept)
            self.assertEqual(expected.keys(), found.keys())
            for key, value in expected.items():
                self.assertAlmostEqual(found[key], value, delta=1e-14, msg=key)
        tolerance = self.read("tolerance.csv")
        for variable, statistic in itertools.product(("T", "PS"), ("min", "mean", "max")):
            so_far = 0.0
            for time in range(3):
                for member in range(8):
                    for key, value in self.statistics(f"members/m{member}.nc").items():
                        if (key[0], key[2], key[3]) == (variable, time, statistic):
                            so_far = max(so_far, abs(reference[key] - value) / (1 + abs(reference[key])))
                self.assertAlmostEqual(tolerance[variable, 0.0, time, statistic], so_far, delta=1e-14)
        for name, code in (("same", 0), ("other", 1)):
            (self.folder / name).mkdir()
            (self.folder / f"{name}.nc").rename(self.folder / name / f"{name}.nc")
            self.assert_done("consistency", "--ensemble", name, "--unperturbed", "reference.nc", "--as", "probtest", "--write-summary", name + "_{member_id}.csv")
            of_runs = self.json(*runs, "--test", name, "--json", code=code)
            of_tables = self.json("consistency", "--ensemble", "tables", "--test", f"{name}_1.csv", "--as", "probtest", "--json", code=code)
            of_limits = self.json("consistency", "--ensemble", "tolerance.csv", "--unperturbed", "tables/stats_ref.csv", "--test", f"{name}_1.csv", "--as", "probtest", "--json", code=code)
            values = [sorted((finding["value"], finding["limit"]) for finding in document["outcomes"][0]["findings"]) for document in (of_runs, of_tables, of_limits)]
            self.assertEqual(len(values[0]), 18)
            self.assertEqual(values[0], values[1])
            self.assertEqual(values[1], values[2])
            self.assertIn("18 values are beyond 5 times the tolerance", of_runs["statement"])

    def test_what_is_nan_fails(self):
        self.write("broken.nc", np.random.default_rng(7), nan=True)
        runs = ("consistency", "--ensemble", "members", "--test", "broken.nc")
        self.assert_fails(2, *runs, "--as", "evv", "--unperturbed", "reference.nc", says="--unperturbed: has no effect (it needs --as probtest)")
        found = self.json(*runs, "--unperturbed", "reference.nc", "--as", "probtest", "--json", code=1)["outcomes"][0]["findings"]
        self.assertEqual(sorted(finding["subject"] for finding in found if finding["rejected"]), [f"PS {statistic} at time 1, broken.nc" for statistic in ("max", "mean", "min")])
        self.assert_fails(2, *runs, "--as", "evv", says="PS: has a mean that is not finite")

    def test_bad_words_are_refused(self):
        self.assert_fails(2, "consistency", "--ensemble", "members", "--test", "same.nc", "--as", "probtest", says=("--unperturbed", "name the run without noise"))
        (self.folder / "t.csv").write_text("time,,0\nstatistic,,mean\nfile_ID,variable,\nx,T,0.5\n")
        self.assert_fails(2, "consistency", "--ensemble", "t.csv", "--test", "same.nc", "--as", "probtest", says="no reference run")
        self.assert_fails(2, "consistency", "--ensemble", "t.csv", "--unperturbed", "t.csv", "--test", "t.csv", "--as", "probtest", says=("t.csv: has tolerances",))
        self.assert_fails(2, "consistency", "--ensemble", "members", "--unperturbed", "reference.nc", "--as", "probtest", "--write-summary", "t.csv", says="t.csv")
        self.assertIn("0.5", (self.folder / "t.csv").read_text())


if __name__ == "__main__":
    unittest.main()
