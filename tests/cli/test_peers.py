#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The published rules against the tools themselves and their data: checkouts that ULPINE_PYCECT and ULPINE_PROBTEST name."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

try:
    import netCDF4
    import numpy as np
    import histories
except ImportError:
    netCDF4 = None

from support import CommandTest

PYCECT = pathlib.Path(os.environ.get("ULPINE_PYCECT", "/nowhere"))
PROBTEST = pathlib.Path(os.environ.get("ULPINE_PROBTEST", "/nowhere"))
SCENARIOS = PYCECT / "data/MPAS_scenario_data/UFECT_MPAS_dirs/test_output_dir"


class PeerTest(CommandTest):
    def run_peer(self, script, *words):
        done = subprocess.run([sys.executable, str(script), *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout


@unittest.skipUnless(netCDF4 is not None and SCENARIOS.is_dir(), "no checkout of PyCECT with its data (ULPINE_PYCECT), or no netCDF4")
class PycectTest(PeerTest):
    def test_saved_results_give_their_scores_and_their_exhaustive_test(self):
        summary = PYCECT / "data/MPAS_example_bug_sum.nc"
        for scenario in ("example_bug", "example_bug_fixed"):
            passed, choices = np.load(SCENARIOS / scenario / "eet.npy")
            results = SCENARIOS / scenario / "savefile.nc"
            document = self.json("consistency", "--ensemble", summary, "--test", results, "--as", "eet", "--json", code=1 if choices - passed > 0.1 * choices else 0)
            self.assertIn(f"{choices - passed} of {choices} choices of 3 runs fail", document["statement"])
            with netCDF4.Dataset(results) as file, netCDF4.Dataset(summary) as ensemble:
                scores, deviations = file.variables["scores"][:], ensemble.variables["sigma_scores_gm"][:]
            findings = document["outcomes"][0]["findings"]
            self.assertEqual(len(findings), 26 * scores.shape[1])
            for finding in findings:
                component, run = map(int, re.fullmatch(r"component (\d+), run (\d+)", finding["subject"]).groups())
                score = float(scores[component - 1, run - 1])
                self.assertAlmostEqual(finding["value"], score, delta=1e-9 * max(1.0, abs(score)))
                self.assertAlmostEqual(finding["limit"], 2 * float(deviations[component - 1]), delta=1e-12)
            drawn = self.json("consistency", "--ensemble", summary, "--test", results, "--as", "pycect", "--json", code=1 if scenario == "example_bug" else 0)
            self.assertIn("3 of 30 new runs are judged", "\n".join(drawn["notes"]))

    def runs(self, make, members=70):
        random = np.random.default_rng(1)
        for folder, count, shift in (("ensemble", members, 0.0), ("same", 3, 0.0), ("other", 3, 4.0)):
            (self.folder / folder).mkdir()
            for number in range(count):
                make(self.folder / folder / f"n{number:03}.nc", random, shift=shift)

    def assert_alike(self, make, model, script, options):
        """Each judges by the summary of the other as by its own."""
        self.runs(make)
        code, text = self.run_peer(PYCECT / script, "--esize", 70, "--indir", "ensemble", "--sumfile", "theirs.nc", "--tslice", 1, "--jsonfile", "none.json", "--mpi_disable")
        self.assertEqual(code, 0, text)
        tslice = ("--parameter", "pycect.tslice=1")
        self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", "ours.nc", *tslice)
        with netCDF4.Dataset(self.folder / "theirs.nc") as theirs, netCDF4.Dataset(self.folder / "ours.nc") as ours:
            for name in ("vars", "global_mean", "standardized_gm", "mu_gm", "sigma_gm", "sigma_scores_gm"):
                a, b = theirs.variables[name][:], ours.variables[name][:]
                if name == "vars":
                    self.assertEqual(*([np.ma.filled(row, b" ").tobytes().decode().strip() for row in rows] for rows in (a, b)))
                else:
                    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
            # Names are as wide as the longest, in PyCECT of those left out too; no variable is on soil levels.
            lengths = [{name: dimension.size for name, dimension in file.dimensions.items() if name not in ("str_size", "nSoilLevels")} for file in (theirs, ours)]
            self.assertEqual(*lengths)
            self.assertEqual(theirs.dimensions.keys(), ours.dimensions.keys())
        for folder, code in (("same", 0), ("other", 1)):
            for summary in ("theirs.nc", "ours.nc"):
                done, text = self.run_peer(PYCECT / "pyCECT.py", "--sumfile", summary, "--indir", folder, "--tslice", 1, "--numRunFile", 3, "--saveResults", "results.nc", *options)
                self.assertEqual(done, 0, text)
                self.assertIn(("****PASSED****", "****FAILED****")[code], text)
                document = self.json("consistency", "--ensemble", summary, "--test", folder, "--as", "pycect", "--json", *tslice, code=code)
                with netCDF4.Dataset(self.folder / "results.nc") as file:
                    scores = file.variables["scores"][:]
                findings = document["outcomes"][0]["findings"]
                self.assertEqual(len(findings), 3 * int(scores.shape[0] * 0.8))
                for finding in findings:
                    component, run = re.fullmatch(r"component (\d+), n(\d+).nc", finding["subject"]).groups()
                    self.assertAlmostEqual(finding["value"], float(scores[int(component) - 1, int(run)]), delta=1e-9)
                self.assertIn(f"{document['statement'].split(': ')[1].split()[0]} PC scores failed at least 2 runs", text)

            done, text = self.run_peer(PYCECT / "pyCECT.py", "--sumfile", "ours.nc", "--indir", folder, "--tslice", 1, "--eet", 3, *options)
            self.assertIn(f"{code} tests failed out of 1 possible tests", text)
            document = self.json("consistency", "--ensemble", "ours.nc", "--test", folder, "--as", "eet", "--json", "--parameter", "eet.tslice=1", code=code)
            self.assertIn(f": {code} of 1 choices of 3 runs fail", document["statement"])

    def test_cam_on_columns(self):
        self.assert_alike(histories.cam, "cam", "pyEnsSum.py", ())

    def test_cam_on_a_grid(self):
        self.assert_alike(lambda *words, **options: histories.cam(*words, columns=False, **options), "cam", "pyEnsSum.py", ())

    def test_mpas(self):
        self.assert_alike(histories.mpas, "mpas", "pyEnsSumMPAS.py", ("--mpas",))

    def test_pop(self):
        random = np.random.default_rng(2)
        (self.folder / "ensemble").mkdir()
        for member in range(8):
            for month in (1, 2):
                histories.pop(self.folder / f"ensemble/g.{member:03}.pop.h.0001-{month:02}.nc", random)
        self.assert_done("consistency", "--ensemble", "ensemble", "--as", "pycect", "--write-summary", "ours.nc")
        (self.folder / "variables.json").write_text(json.dumps({"Var2d": ["SSH"], "Var3d": ["SALT", "TEMP"]}))
        for folder, shift, code in (("same", 0.0, 0), ("other", 2.5, 1)):
            (self.folder / folder).mkdir()
            histories.pop(self.folder / folder / "t.000.pop.h.0001-02.nc", random, shift=shift)
            done, text = self.run_peer(PYCECT / "pyCECT.py", "--popens", "--sumfile", "ours.nc", "--indir", folder, "--jsonfile", "variables.json", "--input_glob", "t.000", "--pop_threshold", "0.80")
            self.assertEqual(done, 0, text)
            self.assertIn(("overall PASS", "overall FAIL")[code], text)
            document = self.json("consistency", "--ensemble", "ours.nc", "--test", folder, "--as", "pycect", "--json", "--parameter", "pycect.pop_threshold=0.8", code=code)
            for finding in document["outcomes"][0]["findings"]:
                self.assertIn(f"{finding['subject'].split(',')[0]}: {finding['value']:.2%}", text)

    def test_shipped_summaries_are_made_again_from_their_means(self):
        """Of 430 members each: runs of one value a variable have the summary's means."""
        for path in sorted((PYCECT / "data/MPAS_no_pv_430_sums").glob("*.nc"))[:1]:
            with netCDF4.Dataset(path) as file:
                names = [b"".join(row.compressed() if np.ma.isMaskedArray(row) else row).decode().strip() for row in file.variables["vars"][:]]
                means, deviations = file.variables["global_mean"][:], file.variables["sigma_scores_gm"][:]
            for folder in ("ensemble", "new"):
                (self.folder / folder).mkdir()
                for run in range(means.shape[1] if folder == "ensemble" else 3):
                    with netCDF4.Dataset(self.folder / folder / f"n{run:03}.nc", "w") as file:
                        file.createDimension("x", 1)
                        for number, name in enumerate(names):
                            file.createVariable(name, "f8", ("x",))[:] = means[number, run]
            document = self.json("consistency", "--ensemble", "ensemble", "--test", "new", "--as", "pycect", "--parameter", "pycect.nPC=43", "--parameter", "pycect.sigMul=1", "--json",
                                 code=self.call("consistency", "--ensemble", "ensemble", "--test", "new", "--as", "pycect", "--parameter", "pycect.nPC=43", "--parameter", "pycect.sigMul=1").returncode)
            found = {int(finding["subject"].split()[1].rstrip(",")): finding["limit"] for finding in document["outcomes"][0]["findings"]}
            self.assertEqual(len(found), 43)
            for component, limit in found.items():
                self.assertAlmostEqual(limit, float(deviations[component - 1]), delta=1e-9)
            for folder in ("ensemble", "new"):
                for file in (self.folder / folder).iterdir():
                    file.unlink()
                (self.folder / folder).rmdir()


@unittest.skipUnless((PROBTEST / "tests/data/stats_ref.csv").is_file(), "no checkout of probtest (ULPINE_PROBTEST)")
class ProbtestTest(PeerTest):
    DATA = PROBTEST / "tests/data"
    # pandas before 2.1 calls it applymap.
    START = "import sys, pandas; pandas.DataFrame.map = getattr(pandas.DataFrame, 'map', None) or pandas.DataFrame.applymap; sys.path.insert(0, sys.argv[1]); "

    def python(self, code, *words):
        done = subprocess.run([sys.executable, "-c", self.START + code, str(PROBTEST), *map(str, words)], cwd=self.folder, env=dict(os.environ, PROBTEST_CONFIG="none"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if "No module named" in done.stdout:
            self.skipTest(done.stdout.splitlines()[-1])
        return done

    @unittest.skipIf(netCDF4 is None, "no netCDF4")
    def test_statistics_of_files_are_its(self):
        random = np.random.default_rng(3)
        (self.folder / "members").mkdir()
        for name in ("reference.nc", "members/m1.nc"):
            histories.icon(self.folder / name, random, 1e-3)
        self.assert_done("consistency", "--ensemble", "members", "--unperturbed", "reference.nc", "--as", "probtest", "--write-summary", "ours_{member_id}.csv")
        done = self.python("from engine.stats import create_stats_dataframe as make; make(sys.argv[2], [('NetCDF', '*.nc')], 'theirs.csv', {'NetCDF': {'format': 'netcdf', 'time_dim': 'time', "
                           "'horizontal_dims': ['ncells'], 'fill_value_key': '_FillValue'}})", "members")
        self.assertEqual(done.returncode, 0, done.stdout)
        ours, theirs = (sorted((self.folder / name).read_text().splitlines()[3:]) for name in ("ours_1.csv", "theirs.csv"))
        self.assertEqual([row.split(",")[:3] for row in ours], [row.split(",")[:3] for row in theirs])
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(np.array(a.split(",")[3:], "f8"), np.array(b.split(",")[3:], "f8"), rtol=1e-14)
        self.assertEqual((self.folder / "ours_1.csv").read_text().splitlines()[:3], (self.folder / "theirs.csv").read_text().splitlines()[:3])

    def test_its_own_statistics_give_its_tolerances_and_its_checks(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        (self.folder / "tables").mkdir()
        for path in [self.DATA / "stats_ref.csv", *self.DATA.glob("stats_dp_*.csv")]:
            (self.folder / "tables" / path.name).symlink_to(path)
        self.assert_done("consistency", "--ensemble", "tables", "--as", "probtest", "--write-summary", "ours.csv")
        def call(command, *words):
            return self.python(f"from engine.{command} import {command} as command; command(sys.argv[2:])", *words)
        done = call("tolerance", "--ensemble-files", self.DATA / "stats_{member_id}.csv", "--tolerance-files", "theirs.csv", "--member-type", "dp")
        self.assertEqual(done.returncode, 0, done.stdout)
        ours, theirs = (pandas.read_csv(self.folder / name, index_col=[0, 1], header=[0, 1]) for name in ("ours.csv", "theirs.csv"))
        pandas.testing.assert_frame_equal(ours.sort_index(axis=1), theirs.sort_index(axis=1), rtol=1e-12)
        for number in (1, 7):
            for factor, name in ((5, "theirs.csv"), (0.5, "ours.csv")):
                current = self.DATA / f"stats_dp_{number}.csv"
                done = call("check", "--reference-files", self.DATA / "stats_ref.csv", "--current-files", current, "--tolerance-files", name, "--factor", factor)
                self.assertIn(done.returncode, (0, 1), done.stdout)
                self.assert_done("consistency", "--ensemble", name, "--unperturbed", self.DATA / "stats_ref.csv", "--test", current, "--as", "probtest", "--parameter", f"probtest.factor={factor}",
                                 code=done.returncode)


if __name__ == "__main__":
    unittest.main()
