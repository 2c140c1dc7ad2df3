#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lkf at several times: features followed by their drift, records combined, tables, and the files of lkf_tools.

With ULPINE_LKF_TOOLS, the folder of its source, lkf_tools itself is the judge of `--as process_dataset`.
"""
import csv
import io
import math
import os
import struct
import subprocess
import sys
import unittest

from support import CommandTest, write_netcdf

try:
    import numpy as np
except ImportError:
    np = None
try:
    import netCDF4
except ImportError:
    netCDF4 = None

DAY, SPACING = 86400.0, 5000.0
N = 48
LKF_TOOLS = os.environ.get("ULPINE_LKF_TOOLS", "")

# lkf_tools cannot save features of different lengths with numpy from 1.24 on; np.save is given the array of objects that older ones made of a list.
THEIRS = """
import sys, warnings
warnings.simplefilter("ignore")
import matplotlib
matplotlib.use("Agg")
sys.path.insert(0, sys.argv[1])
import numpy as np
save = np.save
def save_lists(path, values):
    if isinstance(values, list) and len({value.shape for value in values}) > 1:
        array = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):
            array[i] = value
        values = array
    save(path, values)
np.save = save_lists
from lkf_tools.dataset import process_dataset
data = process_dataset(sys.argv[2], output_path=sys.argv[3], t_red=int(sys.argv[4]))
data.detect_lkfs()
data.track_lkfs()
"""


def ridges(lines):
    """A field of N x N in day-1 with ridges, each (row, column, length) of its first point, along the columns."""
    def value(row, column):
        least = min((max(0, first - column, column - first - length) ** 2 + (row - at) ** 2 for at, first, length in lines), default=99)
        return 0.01 + 0.5 * math.exp(-min(least, 30))
    return [value(row, column) for row in range(N) for column in range(N)]


class SeriesTest(CommandTest):
    def write(self, name, records, drift=(0.0, 0.0), times=None, reverse=False, turned=False, nodes=False, units="m s-1"):
        """Records of ridges, with a drift in cells a day along rows and along columns, or one for each record. `reverse`: rows run towards falling y; `turned`: rows run along x."""
        times = range(len(records)) if times is None else times
        row_axis, column_axis = ("x", "y") if turned else ("y", "x")
        along = [-SPACING * i if reverse else SPACING * i for i in range(N)]
        place = {row_axis: ((row_axis,), along, {"units": "m", "axis": row_axis.upper()}),
                 column_axis: ((column_axis,), [SPACING * i for i in range(N)], {"units": "m", "axis": column_axis.upper()})}
        dimensions = {"time": len(records), row_axis: N, column_axis: N}
        on = ("time", row_axis, column_axis)
        if nodes:
            dimensions.update({row_axis + "n": N + 1, column_axis + "n": N + 1})
            place.update({row_axis + "n": ((row_axis + "n",), [SPACING * (i - 0.5) for i in range(N + 1)], {"units": "m", "axis": row_axis.upper()}),
                          column_axis + "n": ((column_axis + "n",), [SPACING * (i - 0.5) for i in range(N + 1)], {"units": "m", "axis": column_axis.upper()})})
        at = ("time", row_axis + "n", column_axis + "n") if nodes else on
        drifts = drift if isinstance(drift, list) else [drift] * len(records)
        by_rows, by_columns = ([value * SPACING / DAY for value in pair for _ in range((N + bool(nodes)) ** 2)] for pair in zip(*drifts))
        if reverse:
            by_rows = [-value for value in by_rows]
        u, v = (by_rows, by_columns) if turned else (by_columns, by_rows)
        write_netcdf(self.folder / name, dimensions,
                     {"time": (("time",), [float(t) for t in times], {"units": "days since 2008-01-01"}), **place,
                      "shear": (on, [value for record in records for value in ridges(record)], {"units": "day-1"}),
                      "u": (at, u, {"units": units}), "v": (at, v, {"units": units})})
        return name

    def series(self, *words):
        return self.json("lkf", *words, "--json")["windows"]


def drifting(line, times, by_rows, by_columns):
    return [[(line[0] + by_rows * t, line[1] + by_columns * t, line[2])] for t in range(times)]


class TracksTest(SeriesTest):
    def test_a_feature_that_drifts_keeps_its_track_and_without_its_drift_loses_it(self):
        records = drifting((8, 6, 15), 5, 5, 3)
        for form in ({}, {"reverse": True}, {"turned": True}, {"nodes": True}, {"turned": True, "reverse": True}):
            with self.subTest(form):
                path = self.write("a.nc", records, (5, 3), **form)
                for rules in ("repaired", "lkf_tools"):
                    windows = self.series(path, "--track", "u,v", "--rules", rules)
                    self.assertEqual([[(f["track"], f["age"]) for f in w["features"]] for w in windows], [[(0, age)] for age in range(1, 6)])
                    self.assertEqual([w["tracks"][0]["from"] for w in windows[1:]], [0] * 4)
                    self.assertTrue(all(w["tracks"][0]["hausdorff_distance"] < 1.5 for w in windows[1:]))
        for drift in ((0, 0), (-5, 3), (3, 5)):
            path = self.write("a.nc", records, drift)
            windows = self.series(path, "--track", "u,v")
            self.assertEqual([[f["track"] for f in w["features"]] for w in windows], [[0], [1], [2], [3], [4]])
            self.assertEqual([w["tracks"] for w in windows], [[]] * 5)

    def test_births_deaths_splits_and_mergers_are_told(self):
        long, left, right = (20, 6, 30), (20, 6, 12), (20, 24, 12)
        records = [[long], [left, right], [left, right, (36, 10, 20)], [long, (36, 10, 20)], [(36, 10, 20)]]
        windows = self.series(self.write("a.nc", records), "--track", "u,v")
        self.assertEqual([w["count"] for w in windows], [1, 2, 3, 2, 1])
        split, third, merged, last = windows[1:]
        self.assertEqual([f["from"] for f in split["features"]], [[0], [0]])
        self.assertEqual(sorted((f["track"], f["age"]) for f in split["features"]), [(0, 2), (1, 1)])
        self.assertEqual(sorted((f["track"], f["age"]) for f in third["features"]), [(0, 3), (1, 2), (2, 1)])
        self.assertEqual([f["from"] for f in third["features"] if f["track"] == 2], [[]])
        both = next(f for f in merged["features"] if f["length_cells"] > 25)
        self.assertEqual(len(both["from"]), 2)
        self.assertIn(both["track"], (0, 1))
        self.assertEqual([(f["track"], f["age"]) for f in last["features"]], [(2, 3)])
        lines = self.assert_done("lkf", "a.nc", "--track", "u,v").splitlines()
        self.assertEqual(lines[0], "9 features in 5 windows of 1 record (repaired)")
        longest = max(f["age"] for w in windows for f in w["features"])
        self.assertEqual(lines[1], f"3 tracks, the longest through {longest} windows")
        self.assertEqual([line.split()[5:] for line in lines[3:]], [["0", "1", "0"], ["2", "0", "0"], ["2", "1", "0"], ["2", "0", "0"], ["1", "0", "1"]])

    def test_every_time_has_the_features_of_that_time_alone(self):
        path = self.write("a.nc", [[(10, 5, 20)], [], [(30, 8, 25), (40, 8, 10)]])
        windows = self.series(path, "--all-times")
        for time, window in enumerate(windows):
            alone = self.json("lkf", path, "--time", time, "--json")
            self.assertEqual(window["features"], alone["features"])
            self.assertEqual((window["records"], window["seconds"], window["tracks"]), ([time, time], [time * DAY] * 2, None))
        self.assertEqual([w["count"] for w in windows], [1, 0, 2])

    def test_files_one_after_the_other_are_one_series(self):
        records = drifting((8, 6, 15), 6, 2, 1)
        whole = self.series(self.write("all.nc", records, (2, 1)), "--track", "u,v")
        parts = [self.write("a.nc", records[:3], (2, 1), range(3)), self.write("b.nc", records[3:4], (2, 1), [3]), self.write("c.nc", records[4:], (2, 1), [4, 5])]
        self.assertEqual(self.series(*parts, "--track", "u,v"), whole)
        self.assert_fails(2, "lkf", *parts[::-1], "--track", "u,v", says=("--track", "order of time"))

    def test_records_that_are_combined_move_from_middle_to_middle(self):
        # Combined records draw a ridge as wide as it drifts, so that ridges drift along themselves.
        records = [[(20, 5 + 2 * t, 14)] for t in range(9)]
        path = self.write("a.nc", records, (0, 2))
        windows = self.series(path, "--track", "u,v", "--combine", 2)
        self.assertEqual([w["records"] for w in windows], [[0, 1], [2, 3], [4, 5], [6, 7]])
        self.assertEqual([w["seconds"][1] for w in windows], [DAY, 3 * DAY, 5 * DAY, 7 * DAY])
        self.assertIn("the last 1 of 9 records fill no window", self.assert_done("lkf", path, "--combine", 2).splitlines()[0])
        self.assertEqual([[f["track"] for f in w["features"]] for w in windows], [[0]] * 4)
        for before, after in zip(windows, windows[1:]):
            ends = [min(cell[1] for cell in w["features"][0]["cells"]) for w in (before, after)]
            self.assertAlmostEqual(ends[1] - ends[0], 4, delta=1)  # thinning shortens ends
            self.assertLess(after["tracks"][0]["hausdorff_distance"], 0.5)
        windows = self.series(path, "--track", "u,v", "--combine", 3, "--rules", "lkf_tools")
        self.assertEqual([w["records"] for w in windows], [[0, 2], [1, 3], [2, 4]])

    def test_drift_is_linear_in_time_between_the_middles_of_windows(self):
        path = self.write("a.nc", drifting((6, 8, 20), 5, 5, 0), [(0, 0), (10, 0)] * 2 + [(0, 0)])
        self.assertEqual([[f["track"] for f in w["features"]] for w in self.series(path, "--track", "u,v")], [[0]] * 5)
        # lkf_tools takes the velocity of the record after: 10 cells, then none.
        self.assertEqual([[f["track"] for f in w["features"]] for w in self.series(path, "--track", "u,v", "--rules", "lkf_tools")], [[0], [1], [2], [3], [4]])
        # From 0.5 to 2.5 days the mean velocities are 0, 2, 6 and 6 cells a day for half a day each.
        path = self.write("b.nc", [[(10, 8, 20)]] * 2 + [[(17, 8, 20)]] * 2, [(0, 0), (0, 0), (8, 0), (0, 0)])
        windows = self.series(path, "--track", "u,v", "--combine", 2)
        self.assertEqual([[f["track"] for f in w["features"]] for w in windows], [[0], [0]])
        self.assertLess(windows[1]["tracks"][0]["hausdorff_distance"], 0.2)

    def test_records_without_values_are_told_and_have_no_features(self):
        path = self.write("a.nc", [[(10, 5, 20)], [(10, 5, 20)]])
        data = bytearray((self.folder / path).read_bytes())
        first = data.index(struct.pack(">d", ridges([(10, 5, 20)])[0]))
        data[first:first + 8 * N * N] = struct.pack(">d", math.nan) * (N * N)
        (self.folder / path).write_bytes(data)
        windows = self.series(path, "--all-times")
        self.assertEqual([w["count"] for w in windows], [0, 1])
        self.assertEqual(windows[0]["notes"], ["record 0 has no values, so its window has no features"])


class FilesTest(SeriesTest):
    def table(self, *words):
        return list(csv.DictReader(io.StringIO(self.assert_done(*words, "--csv")), strict=True))

    def test_a_table_has_a_line_for_each_feature(self):
        path = self.write("a.nc", [[(10, 5, 20)], [(10, 5, 20), (30, 8, 25)]])
        windows = self.series(path, "--track", "u,v")
        lines = self.table("lkf", path, "--track", "u,v")
        features = [(number, i, f) for number, w in enumerate(windows) for i, f in enumerate(w["features"])]
        self.assertEqual(len(lines), len(features))
        for line, (number, i, f) in zip(lines, features):
            self.assertEqual([int(line[key]) for key in ("window", "first_record", "feature", "track", "age")], [number, number, i, f["track"], f["age"]])
            for key in ("length_cells", "chord_cells", "length_km", "chord_km", "mean_deformation", "orientation_degrees", "curvature"):
                self.assertEqual(float(line[key]), f[key])
            self.assertEqual([int(line[key]) for key in ("first_row", "first_column", "last_row", "last_column")], [*f["cells"][0], *f["cells"][-1]])
        self.assertEqual([(line["first_record"], line["track"]) for line in self.table("lkf", path, "--time", "-1")], [("1", "")] * 2)

    @unittest.skipUnless(np, "no numpy")
    def test_files_of_lkf_tools_are_those_that_numpy_reads(self):
        path = self.write("ice.v2.nc", [[(10, 5, 20), (20, 5, 14)], [(10, 5, 20), (20, 5, 14), (30, 8, 25)], [(30, 8, 25)], []])
        windows = self.series(path, "--track", "u,v")
        self.assert_done("lkf", path, "--track", "u,v", "--write-lkf-tools", "out")
        folder = self.folder / "out/ice"
        self.assertEqual(sorted(p.name for p in folder.iterdir()), [*(f"lkf_ice_00{i}.npy" for i in (1, 2, 3, 4)), "tracked_pairs"])
        for number, window in enumerate(windows):
            found = np.load(folder / f"lkf_ice_00{number + 1}.npy", allow_pickle=True)
            self.assertEqual([f.tolist() for f in found], [f["cells"] for f in window["features"]])
            self.assertTrue(all(f.dtype == np.float64 and f.flags.writeable for f in found))
            self.assertEqual((found.dtype, found.ndim), (object, 1) if len(found) > 1 else (float, 3 if len(found) else 1))
            if number:
                pairs = np.load(folder / f"tracked_pairs/lkf_tracked_pairs_ice_00{number}_to_ice_00{number + 1}.npy")
                self.assertEqual(pairs.tolist(), [[t["from"], t["to"]] for t in window["tracks"]] or [[], []])
        self.assert_fails(2, "lkf", path, "--track", "u,v", "--write-lkf-tools", "out", says=("out/ice", "has files already"))
        self.assert_fails(2, "lkf", path, "--write-lkf-tools", "new", says=("--write-lkf-tools", "--all-times"))

    def test_what_cannot_be_is_refused_in_a_line(self):
        path = self.write("a.nc", [[(10, 5, 20)]] * 2)
        self.assert_fails(2, "lkf", path, "--track", "u", says=("--track", "1 name of"))
        self.assert_fails(2, "lkf", path, "--track", "u,w", says=("a.nc", "w"))
        self.assert_fails(2, "lkf", path, "--combine", 3, says=("--combine", "there are 2"))
        self.assert_fails(2, "lkf", path, "--all-times", "--time", 0, says="--time")
        self.assert_fails(2, "lkf", path, path, "--time", 0, says="--time")
        self.assert_fails(2, "lkf", path, "--as", "process_dataset", says=("a.nc", "U"))
        self.assert_fails(2, "lkf", self.write("b.nc", [[(10, 5, 20)]] * 2, units="K"), "--track", "u,v", says=("b.nc: u", "'K'", "m s-1"))
        self.assert_fails(2, "lkf", self.write("c.nc", [[(10, 5, 20)]] * 2, times=[1, 0]), "--track", "u,v", says="--track")


@unittest.skipUnless(np and netCDF4, "no numpy or no netCDF4")
class ProcessDatasetTest(SeriesTest):
    def model(self, name, seed, rows=70, columns=80, records=6, latitude=90.0):
        """Ice that drifts with cracks across which its velocity jumps, round the pole or a place south of it."""
        chance = np.random.default_rng(seed)
        x, y = np.mgrid[:rows, :columns].astype(float)
        spacing, drift = 12500.0, (0.06, -0.035)
        u, v = np.full((records, rows, columns), drift[0]), np.full((records, rows, columns), drift[1])
        for _ in range(12):
            row, column, angle, length, jump = chance.uniform(0, rows), chance.uniform(0, columns), chance.uniform(0, np.pi), chance.uniform(20, 60), chance.uniform(-0.1, 0.1)
            for t in range(records):
                dx, dy = x - row - drift[0] * DAY / spacing * t, y - column - drift[1] * DAY / spacing * t
                along, across = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
                slip = jump * np.exp(-np.maximum(np.abs(along) - length / 2, 0) ** 2 / 8 - np.abs(across) / 30) * np.tanh(across / 0.7)
                u[t] += slip * np.cos(angle)
                v[t] += slip * np.sin(angle)
        u += 0.0006 * chance.normal(size=u.shape)
        v += 0.0006 * chance.normal(size=v.shape)
        ice = np.where(np.hypot(x - 20, y - 60) < 6, 0.0, 0.9) * np.ones((records, 1, 1))
        east, north = (x - rows * 0.45) * spacing, (y - columns * 0.55) * spacing
        with netCDF4.Dataset(self.folder / name, "w") as data:
            for dimension, size in (("time", records), ("i", rows), ("j", columns)):
                data.createDimension(dimension, size)
            time = data.createVariable("time", "f8", ("time",))
            time.units, time[:] = "days since 2008-01-01", np.arange(records)
            for variable, units, values in (("U", "m s-1", u), ("V", "m s-1", v), ("A", "1", ice), ("ULON", "degrees_east", np.degrees(np.arctan2(north, east)) % 360),
                                            ("ULAT", "degrees_north", latitude - 2 * np.degrees(np.arctan(np.hypot(east, north) / 2 / 6371e3))),
                                            ("DXU", "m", spacing * (1 + 0.03 * np.sin(x / 20))), ("DYV", "m", spacing * (1 + 0.02 * np.cos(y / 15)))):
                array = data.createVariable(variable, "f8", ("time", "i", "j")[3 - values.ndim:])
                array.units, array[:] = units, values
        return name

    def test_features_have_their_places_and_rates(self):
        self.model("ice.nc", 1)
        self.assert_done("lkf", "ice.nc", "--as", "process_dataset", "--combine", 1, "--rules", "repaired", "--write-lkf-tools", "out")
        with netCDF4.Dataset(self.folder / "ice.nc") as data:
            u, v, longitude, latitude = (np.ma.getdata(data[name][:]) for name in ("U", "V", "ULON", "ULAT"))
            dx, dy = np.ma.getdata(data["DXU"][:]), np.ma.getdata(data["DYV"][:])
        # Here all of the grid is in the Arctic domain but for its corners: the part begins at the first point with a deformation.
        for number in (1, 4):
            for row, column, east, north, divergence, shear, vorticity in np.concatenate(list(np.load(self.folder / f"out/ice/lkf_ice_00{number}.npy", allow_pickle=True))):
                i, j = int(row) + 1, int(column) + 1
                self.assertEqual(north, latitude[i, j])
                self.assertAlmostEqual((east - longitude[i, j]) % 360, 0, delta=1e-9)
                t = number - 1
                ux, vx = ((w[t, i + 1, j] - w[t, i - 1, j]) / (dx[i - 1, j] + dx[i, j]) * DAY for w in (u, v))
                uy, vy = ((w[t, i, j + 1] - w[t, i, j - 1]) / (dy[i, j - 1] + dy[i, j]) * DAY for w in (u, v))
                np.testing.assert_allclose([divergence, shear, vorticity], [ux + vy, math.hypot(ux - vy, uy + vx), (uy - vx) / 2], rtol=1e-9, atol=1e-12)
                self.assertGreater(math.hypot(i - 20, j - 60), 6, "a feature in open water")

    def test_a_grid_outside_the_arctic_is_refused(self):
        self.assert_fails(2, "lkf", self.model("south.nc", 1, latitude=60.0), "--as", "process_dataset", says=("south.nc", "Arctic"))

    @unittest.skipUnless(LKF_TOOLS, "no lkf_tools (ULPINE_LKF_TOOLS)")
    def test_features_and_pairs_are_those_of_lkf_tools(self):
        # Its BLAS decides how exact ties fall, and does it otherwise with AVX-512.
        environment = dict(os.environ, OPENBLAS_CORETYPE="Haswell")
        compared = 0
        for seed, days in ((1, 1), (2, 3), (3, 2)):
            with self.subTest(seed):
                name = self.model(f"ice{seed}.nc", seed)
                subprocess.run([sys.executable, "-c", THEIRS, LKF_TOOLS, name, f"theirs{seed}", str(days)], cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL)
                self.assert_done("lkf", name, "--as", "process_dataset", "--combine", days, "--write-lkf-tools", f"ours{seed}")
                theirs, ours = self.folder / f"theirs{seed}", self.folder / f"ours{seed}"
                files = sorted(path.relative_to(theirs) for path in theirs.rglob("*.npy"))
                self.assertEqual(sorted(path.relative_to(ours) for path in ours.rglob("*.npy")), files)
                for path in files:
                    wanted, found = (np.load(folder / path, allow_pickle=True) for folder in (theirs, ours))
                    self.assertEqual((found.shape, found.dtype), (wanted.shape, wanted.dtype), path)
                    for one, other in zip(wanted, found):
                        self.assertEqual(one.shape, other.shape, path)
                        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12)
                        compared += 1
        self.assertGreater(compared, 200)


if __name__ == "__main__":
    unittest.main()
