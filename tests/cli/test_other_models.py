#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's files: the page docs/how-to/files-of-any-model.md, whose commands run as written and print what it says; shapes of files in the wild; files larger than memory."""
import json
import math
import os
import subprocess
import sys
import unittest

try:
    import netCDF4
    import numpy as np
except ImportError:
    netCDF4 = None

try:
    import h5py
except ImportError:
    h5py = None

from pages import run_page
from support import CommandTest, PROGRAM, SOURCE

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"
PAGE = SOURCE / "docs/how-to/files-of-any-model.md"
MAKER = SOURCE / "examples/other-models/make.py"


@unittest.skipIf(netCDF4 is None, WITHOUT)
class PageTest(CommandTest):
    def test_every_command_of_the_page_ends_and_prints_as_it_says(self):
        ran, checked = run_page(self, PAGE)
        self.assertGreater(ran, 10)
        self.assertGreater(checked, 15)


@unittest.skipIf(h5py is None or netCDF4 is None, "no h5py, numpy or netCDF4 (Debian: apt-get install python3-h5py python3-numpy python3-netcdf4)")
class Hdf5Test(CommandTest):
    """What HDF5 has and netCDF passes over: types, datasets without values, filters that are not there, chunks that were never written."""
    def write(self, name, make):
        with h5py.File(self.folder / name, "w") as file:
            file.create_dataset("plain", data=np.arange(5.0))
            make(file)
        return self.folder / name

    def answer(self, make, code=0, **options):
        """Of two files, the second of which is made with 1 for 0."""
        return self.json("compare", self.write("a.nc", lambda file: make(file, 0)), self.write("b.nc", lambda file: make(file, 1)), "--json", code=code, **options)

    def test_types_that_netcdf_does_not_list_are_compared(self):
        kinds = {
            "booleans": lambda file, k: file.create_dataset("mask", data=np.array([True, False, bool(k)])),
            "complex numbers": lambda file, k: file.create_dataset("z", data=np.array([1j, 2 + 1j * k, 3])),
            "long doubles": lambda file, k: file.create_dataset("wide", data=np.array([1, 2 + k, 3], np.longdouble)),
            "a group's": lambda file, k: file.create_dataset("inner/mask", data=np.array([True, False, bool(k)])),
        }
        for name, make in kinds.items():
            with self.subTest(name):
                answer = self.answer(make)
                self.assertIs(answer["equal"], False)
                self.assertEqual(sorted(entry["differing"] for entry in answer["variables"].values()), [0, 1])
                self.assertIs(self.answer(lambda file, k: make(file, 0))["equal"], True)

    def test_what_cannot_be_compared_is_listed(self):
        def references(file, _):
            file.create_dataset("where", data=[file["plain"].ref], dtype=h5py.ref_dtype)
        answer = self.answer(references)
        self.assertIsNone(answer["equal"])
        self.assertEqual(answer["same"], {"plain": "bits"})
        self.assertTrue(any("where: references are addresses" in line for line in answer["not_compared"]), answer["not_compared"])
        # Another order of members is another type.
        def enumeration(file, k):
            kind = h5py.enum_dtype({"dry": k, "wet": 1 - k}, basetype="i1")
            file.create_dataset("state", data=np.zeros(3, "i1"), dtype=kind)
        answer = self.answer(enumeration, code=1)
        self.assertIsNot(answer["equal"], True)

    def test_a_dataset_without_values_refuses_nothing(self):
        answer = self.answer(lambda file, k: file.create_dataset("nothing", data=h5py.Empty("f8")))
        self.assertIs(answer["equal"], True)

    def test_a_missing_filter_is_named_and_takes_its_variable_alone(self):
        zstandard = 32015
        def packed(file, _):
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((4,))
            properties.set_filter(zstandard, h5py.h5z.FLAG_OPTIONAL, ())
            dataset = h5py.h5d.create(file.id, b"packed", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((4,)), properties)
            dataset.write_direct_chunk((0,), b"not to be unpacked", 0)
        answer = self.answer(packed, code=1, env=dict(os.environ, HDF5_PLUGIN_PATH="/nowhere"))
        self.assertEqual(answer["same"], {"plain": "bits", "packed": None})
        self.assertIsNone(answer["equal"])
        for word in ("32015 (zstandard)", "HDF5_PLUGIN_PATH"):
            self.assertIn(word, answer["undefined"]["packed.linf"])

    def test_values_of_other_datasets_are_values(self):
        def virtual(file, k):
            for i in range(2):
                with h5py.File(self.folder / f"part{i}.h5", "w") as part:
                    part["T"] = np.arange(4.0) * (i + 1)
            layout = h5py.VirtualLayout((4,), "f8")
            layout[:] = h5py.VirtualSource(self.folder / f"part{k}.h5", "T", (4,))
            file.create_virtual_dataset("T", layout)
            file["linked"] = h5py.SoftLink("/plain")
            file.create_dataset("scale", data=np.array([1j, k])).make_scale("scale")
        answer = self.answer(virtual)
        self.assertIs(answer["equal"], False)
        self.assertEqual((answer["variables"]["T"]["differing"], answer["variables"]["scale"]["differing"]), (3, 1))

    def test_bytes_without_meaning_make_no_difference(self):
        def padded(file, k):
            wide = np.frombuffer(np.arange(3, dtype=np.longdouble).tobytes(), np.uint8).reshape(3, 16).copy()
            wide[:, 10:] = 255 * k
            dataset = file.create_dataset("wide", shape=(3,), dtype=np.longdouble)
            dataset.id.write(h5py.h5s.ALL, h5py.h5s.ALL, wide.view(np.longdouble).reshape(3))
        self.assertIs(self.answer(padded)["equal"], True)

    def test_much_in_few_bytes_is_no_damage(self):
        def sparse(file, k):
            file.create_dataset("unwritten", shape=(5000, 4000), dtype="f4", chunks=(500, 500), fillvalue=0)
            mask = file.create_dataset("mask", shape=(5000, 4000), dtype="i1", chunks=(5000, 4000), compression=9)
            mask[0, 0] = k
        answer = self.answer(sparse)
        self.assertEqual((answer["same"]["unwritten"], answer["variables"]["mask"]["differing"]), ("bits", 1))


@unittest.skipIf(netCDF4 is None, WITHOUT)
class MadeFoldersTest(CommandTest):
    def make(self, folder, *words):
        subprocess.run([sys.executable, MAKER, self.folder / folder, "--members", "2", *words], check=True, timeout=240)
        return self.folder / folder

    def test_depend_on_the_seed_alone(self):
        first, again = self.make("a", "--only", "icon"), self.make("b", "--only", "icon")
        other = self.make("c", "--only", "icon", "--seed", "2")
        names = sorted(path.relative_to(first) for path in first.rglob("*.nc"))
        self.assertEqual(len(names), 2 + 3 + 3 + 1)
        for name in names:
            self.assertTrue(self.json("compare", first / name, again / name, "--json")["equal"], name)
        self.assertFalse(self.json("compare", first / names[1], other / names[1], "--json")["equal"])


@unittest.skipIf(netCDF4 is None, WITHOUT)
class WildFilesTest(CommandTest):
    def write(self, name, dimensions, variables, group=None, **attributes):
        """variables: {name: (type, dimensions, values, attributes)}; `_FillValue` among the last."""
        with netCDF4.Dataset(self.folder / name, "w") as file:
            file.setncatts(attributes)
            for dimension, size in dimensions.items():
                file.createDimension(dimension, size)
            for variable, (kind, axes, values, described) in variables.items():
                described = dict(described)
                place = file.createGroup(group) if group and len(axes) > 1 else file
                made = place.createVariable(variable, kind, axes, fill_value=described.pop("_FillValue", None))
                made.setncatts(described)
                made.set_auto_maskandscale(False)
                made[...] = values
        return self.folder / name

    def test_a_packed_field_of_a_group_with_land_members_and_levels_has_a_spectrum_and_features(self):
        random = np.random.default_rng(21)
        stored = random.integers(-3000, 3000, (2, 3, 2, 16, 16)).astype("i2")  # ens, time, lev, lat, lon
        stored[:, :, :, 3:5, 6:9] = -32768
        axes = {"ens": 2, "time": None, "lev": 2, "lat": 16, "lon": 16}
        place = {"lat": ("f4", ("lat",), 70 + 0.1 * np.arange(16), {"units": "degrees_north"}),
                 "lon": ("f4", ("lon",), (179.2 + 0.1 * np.arange(16) + 180) % 360 - 180, {"units": "degrees_east"}),
                 "time": ("f8", ("time",), [20200101.0, 20200101.5, 20200102.0], {"units": "day as %Y%m%d.%f", "calendar": "proleptic_gregorian"})}
        packing = {"_FillValue": np.int16(-32768), "scale_factor": 2e-3, "add_offset": 8.0, "units": "day-1"}
        path = self.write("a.nc", axes, {**place, "d": ("i2", ("ens", "time", "lev", "lat", "lon"), stored, packing)}, group="ice")
        values = np.where(stored == -32768, np.nan, stored * 2e-3 + 8.0)

        def power(plane):
            plane = np.where(np.isnan(plane), np.nanmean(plane), plane)
            return (np.abs(np.fft.fft2(plane)) ** 2).sum() / plane.size
        rows = 6371008.8 * math.radians(0.1)
        for time, level, ens in ((0, 0, 0), (-1, 1, 1), (1, 0, 1)):
            answer = self.json("spectrum", path, "--variable", "ice/d", "--time", time, "--level", level, "--at", f"ens={ens}", "--json")
            total = np.dot(answer["power"], answer["modes"]) + answer["outside"]["power"] * answer["outside"]["modes"]
            self.assertAlmostEqual(total / power(values[ens, time, level]), 1, delta=1e-12)
            self.assertEqual(answer["units"], "cycles per m")
            self.assertTrue(any(note.startswith("6 of 256 values are missing") for note in answer["notes"]), answer["notes"])
            self.assertTrue(any("lon is in degrees" in note for note in answer["notes"]))
        # Coordinates are floats: 0.1 degrees are known to 8e-6 of 179 degrees, over 15 intervals.
        everything = self.json("spectrum", path, "--variable", "ice/d", "--all-times", "--json")["spectra"]
        self.assertEqual([part["time_index"] for part in everything], [0, 1, 2])
        self.assertEqual([part["planes"] for part in everything], [4, 4, 4])
        for time, part in enumerate(everything):
            total = np.dot(part["power"], part["modes"]) + part["outside"]["power"] * part["outside"]["modes"]
            self.assertAlmostEqual(total / np.mean([power(values[ens, time, level]) for ens in (0, 1) for level in (0, 1)]), 1, delta=1e-12)
        self.assert_fails(2, "lkf", path, "--variable", "ice/d", says="has 4 planes, 2 of ens and 2 of lev")
        found = self.json("lkf", path, "--variable", "ice/d", "--level", 0, "--at", "ens=1", "--json")
        self.assertAlmostEqual(found["spacing_km"]["rows"] * 1000 / rows, 1, delta=1e-5)
        self.assertAlmostEqual(found["spacing_km"]["columns"] * 1000 / (rows * math.cos(math.radians(70.75))), 1, delta=1e-4)
        self.assert_fails(2, "spectrum", path, "--variable", "ice/d", "--at", "member=1", says="no dimension 'member'")
        self.assert_fails(2, "spectrum", path, "--variable", "ice/d", "--at", "ens", says="DIMENSION=INDEX")
        self.assert_fails(2, "spectrum", path, "--variable", "ice/d", "--level", "2", says="no index 2 along lev")

    def test_several_variables_and_levels_without_values_have_spectra(self):
        field = np.random.default_rng(22).normal(size=(3, 8, 8))
        field[2] = 9e30
        path = self.write("a.nc", {"z": 3, "y": 8, "x": 8}, {
            "a": ("f8", ("z", "y", "x"), field, {"_FillValue": 9e30}),
            "b": ("f8", ("y", "x"), field[0], {})})
        a, b = self.json("spectrum", path, "--variable", "a,b", "--json")["spectra"]
        self.assertEqual((a["field"], a["planes"], b["field"], b["planes"]), ("a", 2, "b", 1))
        self.assertIn("1 planes without values were left out", a["notes"])
        first, second = (self.json("spectrum", path, "--variable", "a", "--level", level, "--json")["power"] for level in (0, 1))
        np.testing.assert_allclose(a["power"], (np.array(first) + second) / 2, rtol=1e-15)
        self.assertEqual(b["power"], first)
        self.assert_fails(2, "spectrum", path, "--variable", "a", "--level", -1, says="missing")

    def test_a_mean_over_very_many_planes_is_refused_at_once(self):
        path = self.write("a.nc", {"ens": 30_000, "y": 2, "x": 2}, {"h": ("i1", ("ens", "y", "x"), 0, {})})
        self.assert_fails(2, "spectrum", path, "--variable", "h", says=("30000 planes", "--at"))
        self.assert_done("spectrum", path, "--variable", "h", "--at", "ens=-1")

    def test_cells_without_order_have_no_spectrum(self):
        path = self.write("a.nc", {"height": 3, "ncells": 20}, {"t": ("f4", ("height", "ncells"), np.zeros((3, 20)), {})})
        self.assert_fails(2, "spectrum", path, "--variable", "t", says=("ncells", "interpolate"))
        self.assert_fails(2, "lkf", path, "--variable", "t", says="ncells")

    def test_times_of_two_models_match_by_their_dates(self):
        def at(name, units, calendar, times):
            return self.write(name, {"time": None, "x": 2}, {
                "time": ("f8", ("time",), times, {"units": units, "calendar": calendar}),
                "h": ("f8", ("time", "x"), [[i, i] for i in range(len(times))], {})})
        icon = at("icon.nc", "day as %Y%m%d.%f", "proleptic_gregorian", [20200229.0, 20200229.25, 20200301.0])
        other = at("other.nc", "hours since 2020-02-29", "standard", [6.0, 24.0, 30.0])
        answer = self.json("compare", icon, other, "--all-times", "--json")
        self.assertEqual([entry["date"] for entry in answer["variables"]["h"]], ["2020-02-29 06:00:00", "2020-03-01 00:00:00"])
        self.assertEqual([entry["bias"] for entry in answer["variables"]["h"]], [-1, -1])
        years = at("years.nc", "days since 2020-01-01", "noleap", [59.0, 60.0])
        self.assertIn("calendars differ", self.assert_done("compare", icon, years, code=1))

    def test_wrf_has_times_of_characters_staggered_winds_and_places_that_depend_on_time(self):
        random = np.random.default_rng(23)
        sizes = {"Time": None, "DateStrLen": 19, "bottom_top": 3, "south_north": 10, "west_east": 12, "west_east_stag": 13}
        dates = np.array([list(f"2005-08-28_0{hour}:00:00") for hour in (0, 1)], "S1")
        south, west = np.meshgrid(50 + 0.027 * np.arange(10), 8 + 0.042 * np.arange(12), indexing="ij")
        described = {"coordinates": "XLONG XLAT", "units": "m s-1", "FieldType": np.int32(104)}
        variables = {"Times": ("S1", ("Time", "DateStrLen"), dates, {}),
                     "XLAT": ("f8", ("Time", "south_north", "west_east"), np.stack([south, south]), {"units": "degree_north"}),
                     "XLONG": ("f8", ("Time", "south_north", "west_east"), np.stack([west, west]), {"units": "degree_east"}),
                     "W": ("f4", ("Time", "bottom_top", "south_north", "west_east"), random.normal(size=(2, 3, 10, 12)), described),
                     "U": ("f4", ("Time", "bottom_top", "south_north", "west_east_stag"), random.normal(size=(2, 3, 10, 13)), described)}
        path = self.write("wrf.nc", sizes, variables)
        later = dict(variables, Times=("S1", ("Time", "DateStrLen"), np.array([list(f"2005-08-28_0{hour}:00:00") for hour in (1, 2)], "S1"), {}))
        answer = self.json("compare", path, self.write("later.nc", sizes, later), "--json", "--all-times")["variables"]
        self.assertEqual(sorted(answer), ["U", "W"])
        self.assertEqual([entry["date"] for entry in answer["W"]], ["2005-08-28 01:00:00"])
        metre = 6371008.8 * math.radians(1)
        spectrum = self.json("spectrum", path, "--variable", "W", "--level", 0, "--variant", "physical", "--json")
        # Rings are as wide as the first wave of the shorter side.
        sides = (10 * 0.027 * metre, 12 * 0.042 * metre * math.cos(math.radians(south[5, 0])))
        self.assertAlmostEqual(spectrum["wavenumber"][1] * min(sides), 1, delta=1e-6)
        self.assertEqual(self.json("spectrum", path, "--variable", "U", "--level", 0, "--json")["units"], "cycles per cell")

    def test_columns_of_e3sm_are_weighted_by_their_solid_angles(self):
        random = np.random.default_rng(24)
        area, field = random.uniform(0.1, 1, 20), random.normal(size=(1, 3, 20))
        def column(name, field):
            return self.write(name, {"time": None, "ncol": 20, "lev": 3}, {
                "area": ("f8", ("ncol",), area, {"units": "radians^2"}),
                "T": ("f8", ("time", "lev", "ncol"), field, {"_FillValue": 1e20})})
        answer = self.json("compare", column("y.nc", field), column("x.nc", field + area), "--json")
        self.assertEqual(answer["variables"]["T"]["weights"], "area")
        self.assertAlmostEqual(answer["variables"]["T"]["bias"], (area * area).sum() / area.sum(), delta=1e-14)
        self.assertIn("weights area: known by their usual name, no attribute says what they are", answer["notes"])

    def test_nextsim_has_its_places_in_the_group_of_its_fields(self):
        rows, columns = np.meshgrid(80 + 0.01 * np.arange(10), 0.02 * np.arange(12), indexing="ij")
        values = np.random.default_rng(25).uniform(0.1, 1, (10, 12))
        path = self.write("nextsim.nc", {"ydim": 10, "xdim": 12, "dg_comp": 3}, {
            "latitude": ("f8", ("ydim", "xdim"), rows, {}), "longitude": ("f8", ("ydim", "xdim"), columns, {}),
            "shear": ("f8", ("ydim", "xdim"), values, {"units": "s-1"}),
            "hice": ("f8", ("ydim", "xdim", "dg_comp"), np.stack([values] * 3, 2), {})}, group="data")
        spacing = self.json("lkf", path, "--variable", "data/shear", "--json")["spacing_km"]
        self.assertAlmostEqual(spacing["rows"], 6371.0088 * math.radians(0.01), delta=1e-6)
        self.assertAlmostEqual(spacing["columns"], 6371.0088 * math.radians(0.02) * math.cos(math.radians(rows[5, 0])), delta=1e-6)
        mean = self.json("spectrum", path, "--variable", "data/hice", "--json")
        first = self.json("spectrum", path, "--variable", "data/hice", "--at", "dg_comp=0", "--json")
        self.assertEqual((mean["planes"], first["planes"]), (3, 1))
        np.testing.assert_allclose(mean["power"], first["power"], rtol=1e-15)

    def test_a_bad_choice_of_weights_is_bad_input(self):
        path = self.write("a.nc", {"x": 2}, {"h": ("f8", ("x",), [1, 2], {})})
        self.assert_fails(2, "compare", path, path, "--weights", "absent.nc", says=("absent.nc", "no such file"))
        self.assert_fails(2, "compare", path, path, "--weights", "area", says="no variable 'area'")
        self.assert_done("compare", path, path, "--weights", "none")


@unittest.skipIf(netCDF4 is None, WITHOUT)
class LargeFilesTest(CommandTest):
    TIMES, ROWS, COLUMNS = 2, 5000, 6000  # 240 MB a time, in chunks of 4 MB: twice what may be held

    def test_large_files_are_compared_in_little_memory(self):
        chunk = np.arange(500_000, dtype="f8").reshape(500, 1000)
        for name, offset in (("a.nc", 1.0), ("b.nc", 1.5)):
            with netCDF4.Dataset(self.folder / name, "w") as file:
                for axis, size in (("time", None), ("y", self.ROWS), ("x", self.COLUMNS)):
                    file.createDimension(axis, size)
                field = file.createVariable("h", "f8", ("time", "y", "x"), zlib=True, complevel=1, shuffle=True, chunksizes=(1, 500, 1000))
                # All but a stripe is one number, so that the file is small on the disk.
                field[self.TIMES - 1, :, :] = offset
                field[self.TIMES - 1, :500, :1000] = chunk + offset
        self.assertLess((self.folder / "a.nc").stat().st_size, 2**25)
        with netCDF4.Dataset(self.folder / "small.nc", "w") as file:
            file.createDimension("x", 2)
            file.createVariable("h", "f8", ("x",))[:] = [1, 2]
        _, least = self.measured("small.nc", "small.nc")
        answer, most = self.measured("a.nc", "b.nc")
        metrics = answer["variables"]["h"]
        self.assertEqual((metrics["points"], metrics["bias"]), (self.ROWS * self.COLUMNS, 0.5))
        # A slab of 32 MiB a file, and as much again for what unpacks them.
        self.assertLess(most - least, 4 * 32 * 1024)

    def measured(self, first, second):
        """The answer of `compare` and its largest resident set (kB): an allowance of address space would count libraries, too."""
        process = subprocess.Popen([PROGRAM, "compare", first, second, "--json"], cwd=self.folder, stdout=subprocess.PIPE)
        with process.stdout:
            answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return json.loads(answer), usage.ru_maxrss


if __name__ == "__main__":
    unittest.main()
