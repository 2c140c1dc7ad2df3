#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GRIB, Zarr and NetCDF that gzip has packed, read as NetCDF is: held against what ecCodes, xarray and netCDF4 read of the same files."""
import gzip
import os
import shutil
import subprocess
import sys
import unittest

try:
    import netCDF4
    import numpy as np
except ImportError:
    netCDF4 = None
try:
    import eccodes
except (ImportError, RuntimeError):
    eccodes = None
try:
    import numcodecs
    import xarray
    import zarr
except ImportError:
    zarr = None

from support import CommandTest, PROGRAM

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"
WITHOUT_GRIB = "no ecCodes for Python (Debian: apt-get install python3-eccodes)"
WITHOUT_ZARR = "no xarray and zarr (Debian: apt-get install python3-xarray python3-zarr)"
EPOCH = "seconds since 1970-01-01 00:00:00"
FILL = -1e30


def message(sample, **keys):
    handle = eccodes.codes_grib_new_from_samples(sample)
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    return handle


def coded(handle, values):
    """The bytes of a message with these values (NaN: missing), in the order of the file."""
    missing = np.isnan(values)
    if missing.any():
        eccodes.codes_set(handle, "bitmapPresent", 1)
        eccodes.codes_set(handle, "missingValue", FILL)
    eccodes.codes_set_values(handle, np.where(missing, FILL, values))
    return eccodes.codes_get_message(handle)


def decoded(data):
    """What ecCodes reads of a message: values in the order of the file."""
    handle = eccodes.codes_new_from_message(data)
    eccodes.codes_set(handle, "missingValue", FILL)
    values = eccodes.codes_get_values(handle)
    return np.where(values == FILL, np.nan, values)


def regular(edition=2, ni=5, nj=4, mode=0, **keys):
    """A message on a regular grid from 0 to 10 (ni - 1) E, whose scanning mode has the bits of WMO's code table 3.4."""
    west_to_east, south_to_north = not mode & 128, mode & 64
    east, north = 10 * (ni - 1), 10 * (nj - 1)
    first, last = (0, east) if west_to_east else (east, 0)
    low, high = (0, north) if south_to_north else (north, 0)
    handle = message(f"regular_ll_pl_grib{edition}", Ni=ni, Nj=nj, latitudeOfFirstGridPointInDegrees=low, latitudeOfLastGridPointInDegrees=high, longitudeOfFirstGridPointInDegrees=first, longitudeOfLastGridPointInDegrees=last,
                     iDirectionIncrementInDegrees=10, jDirectionIncrementInDegrees=10, iScansNegatively=int(mode & 128 > 0), jScansPositively=int(mode & 64 > 0), jPointsAreConsecutive=int(mode & 32 > 0))
    if edition == 2:
        eccodes.codes_set(handle, "alternativeRowScanning", int(mode & 16 > 0))
    for key, value in {"dataDate": 20200101, "dataTime": 0, "shortName": "t", "level": 500, "bitsPerValue": 16, **keys}.items():
        eccodes.codes_set(handle, key, value)
    return handle


@unittest.skipIf(netCDF4 is None, WITHOUT)
class FormatsTest(CommandTest):
    def netcdf(self, name, variables, coordinates):
        """A NetCDF file: {variable: (dimensions, values)}, {coordinate: (values, attributes)}."""
        with netCDF4.Dataset(self.folder / name, "w") as file:
            for dimension, (values, attributes) in coordinates.items():
                file.createDimension(dimension, len(values))
                file.createVariable(dimension, "f8", (dimension,))[:] = values
                file[dimension].setncatts(attributes)
            for variable, (dimensions, values) in variables.items():
                for dimension, length in zip(dimensions, values.shape):
                    if dimension not in file.dimensions:
                        file.createDimension(dimension, length)
                file.createVariable(variable, "f8", dimensions, fill_value=FILL)[:] = np.where(np.isnan(values), FILL, values)
                if variable == "t":
                    file[variable].units = "K"
        return self.folder / name

    def compared(self, reference, path, variable="t", differing=0):
        """The answer of compare, with so many values of a variable that differ, over all times; None: any number but 0."""
        answer = self.json("compare", reference, path, "--variables", variable, "--all-times", "--json")
        times = answer["variables"][variable]
        found = sum(time["differing"] + time["missing_only_in_reference"] + time["missing_only_in_test"] for time in times)
        self.assertGreater(sum(time["points"] for time in times), 0, answer)
        if differing is None:
            self.assertGreater(found, 0, answer)
        else:
            self.assertEqual(found, differing, answer)
        return answer


PLACES = {"latitude": {"units": "degrees_north"}, "longitude": {"units": "degrees_east"}}
TIME = {"units": EPOCH, "calendar": "proleptic_gregorian"}
DAY = 18262 * 86400  # of 2020-01-01


@unittest.skipIf(eccodes is None, WITHOUT_GRIB)
class GribTest(FormatsTest):
    def grib(self, name, messages):
        path = self.folder / name
        path.write_bytes(b"".join(messages))
        return path

    def test_packings_give_the_values_of_eccodes(self):
        ni, nj = 16, 31
        values = 280 + np.sin(np.arange(ni * nj) * 0.01)  # smooth: ecCodes 2.28 has no room for a PNG that does not shrink
        holes = np.where(np.random.default_rng(1).random(ni * nj) < 0.3, np.nan, values)
        for edition, packing in [(1, "grid_simple"), (2, "grid_simple"), (2, "grid_ccsds"), (2, "grid_complex"), (2, "grid_complex_spatial_differencing"), (2, "grid_png"), (2, "grid_jpeg"), (2, "grid_ieee")]:
            for kind, wanted in [("full", values), ("with a bitmap", holes)]:
                if packing == "grid_png" and kind != "full":
                    continue  # ecCodes 2.28 ends the process that writes one
                with self.subTest(edition=edition, packing=packing, kind=kind):
                    handle = regular(edition, ni, nj)
                    eccodes.codes_set_values(handle, values)  # PNG and JPEG take the shape from the values that are there
                    eccodes.codes_set(handle, "packingType", packing)
                    data = coded(handle, wanted)
                    field = decoded(data)
                    path = self.grib("a.grib", [data])
                    coordinates = {"time": ([DAY], TIME), "latitude": (10.0 * np.arange(nj)[::-1], PLACES["latitude"]), "longitude": (10.0 * np.arange(ni), PLACES["longitude"])}
                    cube = field.reshape(1, nj, ni)
                    self.compared(self.netcdf("a.nc", {"t": (tuple(coordinates), cube)}, coordinates), path)
                    changed = cube.copy()
                    changed[0, 2, 3] = 1
                    self.compared(self.netcdf("a.nc", {"t": (tuple(coordinates), changed)}, coordinates), path, differing=1)

    def test_every_scanning_mode_puts_values_where_wmo_says(self):
        for mode in range(0, 256, 16):
            with self.subTest(mode=mode):
                ni, nj = 5, 4
                # The value tells its place; lines of the file are walked as code table 3.4 says.
                longitudes = [10.0 * i for i in range(ni)][:: -1 if mode & 128 else 1]
                latitudes = [10.0 * j for j in range(nj)][:: 1 if mode & 64 else -1]
                lines, along = (longitudes, latitudes) if mode & 32 else (latitudes, longitudes)
                stored = []
                for number, line in enumerate(lines):
                    turned = along[::-1] if mode & 16 and number % 2 else along
                    stored += [100 * line + other if mode & 32 == 0 else 100 * other + line for other in turned]
                data = coded(regular(2, ni, nj, mode, bitsPerValue=24), np.array(stored))
                expected = np.array([[[100 * y + x for x in longitudes] for y in latitudes]])
                coordinates = {"time": ([DAY], TIME), "latitude": (latitudes, PLACES["latitude"]), "longitude": (longitudes, PLACES["longitude"])}
                answer = self.json("compare", self.netcdf("a.nc", {"t": (tuple(coordinates), expected)}, coordinates), self.grib("a.grib", [data]), "--variables", "t", "--json")
                self.assertLess(answer["variables"]["t"]["linf"], 0.01, answer)

    def test_messages_in_any_order_are_times_members_and_levels(self):
        random = np.random.default_rng(2)
        levels, steps, members = [300, 500, 850], [0, 6, 12], [0, 1]
        cube, messages = np.full((3, 2, 3, 4, 5), np.nan), []
        for s, step in enumerate(steps):
            for m, member in enumerate(members):
                for k, level in enumerate(levels):
                    handle = regular(2, productDefinitionTemplateNumber=1, number=member, step=step)
                    eccodes.codes_set(handle, "level", level)
                    data = coded(handle, random.normal(size=20))
                    cube[s, m, k] = decoded(data).reshape(4, 5)
                    messages.append(data)
        coordinates = {"time": ([DAY + 3600 * step for step in steps], TIME), "number": (members, {"standard_name": "realization"}), "isobaricInhPa": (levels, {"units": "hPa", "positive": "down"}),
                       "latitude": ([30, 20, 10, 0], PLACES["latitude"]), "longitude": ([0, 10, 20, 30, 40], PLACES["longitude"])}
        reference = self.netcdf("a.nc", {"t": (tuple(coordinates), cube)}, coordinates)
        order = random.permutation(len(messages))
        path = self.grib("a.grib", [messages[i] for i in order])
        self.compared(reference, path)
        self.compared(reference, self.grib("b.grib", [b"\0\0some heading\r\r\n" + messages[i] for i in order]))
        self.compared(reference, self.grib("twice.grib", messages + messages[:4]))
        # Without one of them its values are missing, which is told.
        cube[1, 0, 2] = np.nan
        del messages[8]
        answer = self.compared(self.netcdf("c.nc", {"t": (tuple(coordinates), cube)}, coordinates), self.grib("c.grib", messages))
        self.assertTrue(any("1 of 18 messages are not there, the first at 2020-01-01 06:00:00, number 0, isobaricInhPa 850" in note for note in answer["notes"]), answer["notes"])

    def test_forecasts_for_one_time_keep_their_reference_times(self):
        messages = [coded(regular(2, dataDate=date, step=step), np.full(20, float(date % 100 * 100 + step))) for date in (20200101, 20200102) for step in (0, 24)]
        path = self.grib("a.grib", messages)
        coordinates = {"time": ([DAY, DAY + 86400], TIME), "step": ([0, 86400], {"units": "s"}), "latitude": ([30, 20, 10, 0], PLACES["latitude"]), "longitude": ([0, 10, 20, 30, 40], PLACES["longitude"])}
        cube = np.array([[decoded(messages[2 * d + s]).reshape(4, 5) for s in range(2)] for d in range(2)])
        self.compared(self.netcdf("a.nc", {"t": (tuple(coordinates), cube)}, coordinates), path)

    def test_a_name_on_several_types_of_level_is_several_variables(self):
        one = coded(regular(2), np.arange(20.0))
        two = coded(regular(2, typeOfLevel="heightAboveGround", level=2), np.arange(20.0) + 5)
        path = self.grib("a.grib", [one, two])
        answer = self.json("compare", path, path, "--json")
        self.assertEqual(set(answer["variables"]), {"t_isobaricInhPa", "t_heightAboveGround"}, answer)

    def test_grids_without_rows_are_compared(self):
        for sample in ("reduced_gg_pl_32_grib2", "reduced_gg_pl_32_grib1", "sh_ml_grib2", "polar_stereographic_pl_grib2", "rotated_ll_pl_grib1"):
            with self.subTest(sample):
                handle = message(sample)
                size = eccodes.codes_get_size(handle, "values")
                name = eccodes.codes_get(handle, "shortName")
                if not sample.startswith("sh"):
                    eccodes.codes_set(handle, "bitsPerValue", 16)
                values = np.sin(np.arange(size))
                first = self.grib("a.grib", [coded(handle, values)])
                values[size // 2] += 1
                second = self.grib("b.grib", [coded(handle, values)])
                self.assertTrue(self.json("compare", first, first, "--json")["equal"])
                self.compared(first, second, name, differing=None)

    def test_damage_is_one_line_and_exit_2(self):
        data = coded(regular(2), np.arange(20.0))
        whole = self.grib("whole.grib", [data, data[:-4] + b"7777"])
        for name, content in {"cut short": data + data[:-30], "without an end": data[:-4] + b"7x77", "a length": data[:15] + b"\xff" + data[16:], "an edition": data[:7] + b"\x05" + data[8:], "a second start": data + b"GRUB" + data[4:]}.items():
            with self.subTest(name):
                bad = self.grib("bad.grib", [content])
                done = subprocess.run([PROGRAM, "compare", whole, bad], capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("bad.grib: cannot be opened as GRIB (message ", done.stderr)


@unittest.skipIf(zarr is None, WITHOUT_ZARR)
class ZarrTest(FormatsTest):
    def data(self):
        random = np.random.default_rng(3)
        fields = {"h": random.normal(size=(3, 7, 11)).astype("f4"), "n": random.integers(-9, 9, (3, 7, 11)).astype("i2"), "wide": random.integers(-(2**60), 2**60, (3, 7, 11)), "gap": np.where(random.random((3, 7, 11)) < 0.3, np.nan, 1.5)}
        time = np.datetime64("2020-01-01", "ns") + np.arange(3) * np.timedelta64(6, "h")
        return xarray.Dataset({name: (("time", "y", "x"), values) for name, values in fields.items()}, coords={"time": time, "y": np.arange(7.0), "x": np.arange(11.0)})

    def test_stores_of_xarray_equal_its_netcdf(self):
        data = self.data()
        data.to_netcdf(self.folder / "a.nc")
        for name, compressor in {"blosc": numcodecs.Blosc("lz4"), "zstd": numcodecs.Blosc("zstd", shuffle=2), "zlib": numcodecs.Zlib(3), "gzip": numcodecs.GZip(3), "none": None}.items():
            with self.subTest(name):
                store = self.folder / f"{name}.zarr"
                data.to_zarr(store, encoding={variable: {"compressor": compressor, "chunks": (2, 3, 4)} for variable in data.data_vars})
                answer = self.json("compare", self.folder / "a.nc", store, "--json")
                self.assertTrue(answer["equal"], answer)
        other = data.copy(deep=True)
        other["wide"].values[1, 2, 3] += 1
        other.to_zarr(self.folder / "other.zarr")
        self.assertFalse(self.json("compare", self.folder / "a.nc", self.folder / "other.zarr", "--json")["equal"])
        for variable, differing in {"h": 0, "n": 0, "gap": 0, "wide": 1}.items():
            self.compared(self.folder / "a.nc", self.folder / "other.zarr", variable, differing)

    def test_chunks_that_are_not_there_are_missing(self):
        data = self.data()[["gap"]]
        data.to_zarr(self.folder / "a.zarr", encoding={"gap": {"chunks": (3, 7, 4)}})
        os.unlink(self.folder / "a.zarr/gap/0.0.1")
        xarray.open_zarr(self.folder / "a.zarr").to_netcdf(self.folder / "a.nc")
        self.compared(self.folder / "a.nc", self.folder / "a.zarr", "gap")

    def test_what_is_not_read_is_one_line(self):
        data = self.data()[["h"]]
        data.to_netcdf(self.folder / "a.nc")
        data.to_zarr(self.folder / "a.zarr", encoding={"h": {"compressor": numcodecs.LZ4()}})
        done = subprocess.run([PROGRAM, "compare", self.folder / "a.nc", self.folder / "a.zarr", "--variables", "h"], capture_output=True, text=True, timeout=100)
        self.assertIn("packed by 'lz4', which is not read", done.stdout + done.stderr)
        shutil.rmtree(self.folder / "a.zarr")
        (self.folder / "a.zarr").mkdir()
        (self.folder / "a.zarr/zarr.json").write_text("{}")
        for name, content in {"version 3": None, "no shape": '{"zarr_format": 2, "chunks": [1], "dtype": "<f4"}', "no sense": "{", "a shape": '{"zarr_format": 2, "shape": [-1], "chunks": [1], "dtype": "<f4"}'}.items():
            with self.subTest(name):
                if content is not None:
                    (self.folder / "a.zarr/zarr.json").unlink(missing_ok=True)
                    (self.folder / "a.zarr/.zarray").write_text(content)
                done = subprocess.run([PROGRAM, "compare", self.folder / "a.nc", self.folder / "a.zarr"], capture_output=True, text=True, timeout=100)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stdout + done.stderr)
                self.assertIn("a.zarr: cannot be opened as Zarr (", done.stderr)


class GzipTest(FormatsTest):
    def packed(self, name, content):
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def test_packed_files_equal_themselves(self):
        for kind in ("NETCDF3_CLASSIC", "NETCDF4"):
            with self.subTest(kind):
                with netCDF4.Dataset(self.folder / "a.nc", "w", format=kind) as file:
                    file.createDimension("x", 4000)
                    file.createVariable("h", "f8", ("x",))[:] = np.random.default_rng(4).normal(size=4000)
                plain = (self.folder / "a.nc").read_bytes()
                halves = gzip.compress(plain[:5000]) + gzip.compress(plain[5000:]) + b"\0" * 100
                for content in (gzip.compress(plain), halves):
                    self.assertTrue(self.json("compare", self.folder / "a.nc", self.packed("a.nc.gz", content), "--json")["equal"])

    def test_what_cannot_be_unpacked_is_one_line_and_nothing_stays(self):
        with netCDF4.Dataset(self.folder / "a.nc", "w") as file:
            file.createDimension("x", 4000)
            file.createVariable("h", "f8", ("x",))[:] = np.random.default_rng(5).normal(size=4000)
        plain = (self.folder / "a.nc").read_bytes()
        whole = gzip.compress(plain)
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 255
        scratch = self.folder / "scratch"
        scratch.mkdir()
        cases = {"cut short": (whole[: len(whole) // 2], "cut short"), "damaged": (bytes(damaged), "damaged"), "text": (gzip.compress(b"no values"), "neither NetCDF nor GRIB"), "twice": (gzip.compress(whole), "twice")}
        for name, (content, words) in cases.items():
            with self.subTest(name):
                path = self.packed("b.nc.gz", content)
                done = subprocess.run([PROGRAM, "compare", self.folder / "a.nc", path], capture_output=True, text=True, timeout=100, env={**os.environ, "TMPDIR": str(scratch)})
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(words, done.stderr)
        self.assertEqual(list(scratch.iterdir()), [])
        path = self.packed("b.nc.gz", whole)
        done = subprocess.run([PROGRAM, "compare", self.folder / "a.nc", path], capture_output=True, text=True, timeout=100, env={**os.environ, "TMPDIR": str(self.folder / "none")})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertIn("set TMPDIR to a folder", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
