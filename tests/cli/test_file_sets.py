#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are parts of one data set: the layouts of models, read as the whole; what does not fit is said, a line each."""
import json
import re
import shutil
import subprocess
import unittest

try:
    import netCDF4
    import numpy as np
except ImportError:
    netCDF4 = None

from support import CASE, SMALL, CommandTest, limit

if netCDF4 is not None:
    from file_sets import Data, daily, field, fms, nemo, ocean, pieces, tile_of

WITHOUT = "no numpy or netCDF4 (Debian: apt-get install python3-numpy python3-netcdf4)"


class SetTest(CommandTest):
    def assert_whole(self, parts, whole, *says, code=0, notes=None):
        """Both are the same bits, in every variable and place; `notes` are said, a line each."""
        done = self.call("compare", parts, whole, "--fail-on", "different", "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if notes is not None:
            lines = [line for line in done.stderr.splitlines() if str(parts) in line]
            self.assertEqual(len(lines), len(notes), done.stderr)
            for line, words in zip(lines, notes):
                for word in [words] if isinstance(words, str) else words:
                    self.assertIn(word, line)
        return done

    def assert_refused(self, *lines, parts, what="compare"):
        """The set is refused by these lines alone, each with its words."""
        done = self.call(what, parts, parts)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        told = done.stderr.splitlines()
        self.assertEqual(len(told), len(lines), done.stderr)
        for line, words in zip(told, lines):
            self.assertTrue(line.startswith("ulpine: "), line)
            for word in [words] if isinstance(words, str) else words:
                self.assertIn(word, line)


@unittest.skipIf(netCDF4 is None, WITHOUT)
class TimesTest(SetTest):
    def split(self, whole, days=(5, 4, 3), **options):
        start = 0
        for number, count in enumerate(days):
            whole.cut(time=slice(start, start + count)).write(self.folder / f"parts/day_{number:02d}.nc", **options)
            start += count

    def test_times_in_files_are_those_of_the_whole(self):
        whole = daily()
        for kind in ("NETCDF4", "NETCDF3_64BIT_OFFSET"):
            with self.subTest(kind):
                shutil.rmtree(self.folder / "parts", ignore_errors=True)
                whole.write(self.folder / "whole.nc", format=kind)
                self.split(whole, format=kind)
                self.assert_whole("parts/day_*.nc", "whole.nc", notes=[])
                self.assert_whole("parts", "whole.nc", notes=[])
                self.assert_whole("whole.nc", "parts/", notes=[])

    def test_a_changed_value_is_found_with_its_date(self):
        whole = daily()
        self.split(whole)
        whole.variables["tas"][1][7, 2, 3] += 1
        whole.write(self.folder / "whole.nc")
        self.assert_whole("parts", "whole.nc", code=1)
        answer = self.json("compare", "parts", "whole.nc", "--variables", "tas", "--json")["variables"]["tas"]
        self.assertEqual((answer["differing"], answer["worst"]["date"]), (1, "2001-01-08 12:00:00"))

    def test_times_come_in_order_whatever_the_names(self):
        whole = daily(days=12)
        whole.write(self.folder / "whole.nc")
        for number, days in enumerate(pieces(12, 12)):
            whole.cut(time=days).write(self.folder / f"parts/run-{(number * 7) % 12 + 1}.nc")
        self.assert_whole("parts", "whole.nc", notes=[])

    def test_each_part_may_count_from_its_own_date_and_be_packed_in_its_own_way(self):
        whole = daily()
        whole.write(self.folder / "whole.nc")
        packed = Data()
        packed.variables = dict(whole.variables)
        for number, days in enumerate(pieces(12, 3)):
            part = whole.cut(time=days)
            time, bounds = (part.variables[name] for name in ("time", "time_bnds"))
            shift = days.start * 24
            part.add("time", time[0], time[1] * 24 - shift, **{**time[2], "units": f"hours since 2001-01-{days.start + 1:02d}"})
            part.add("time_bnds", bounds[0], bounds[1] * 24 - shift)
            if number == 2:
                part.add("time", time[0], np.rint(part.variables["time"][1]).astype("i4"), **part.variables["time"][2])
            if number == 1:
                part.add("tas", ["time", "lat", "lon"], (part.variables["tas"][1] * 2).astype("i2"), units="K", cell_measures="area: area", scale_factor=0.5)
            else:
                part.add("tas", ["time", "lat", "lon"], (part.variables["tas"][1] * 8).astype("i2"), units="K", cell_measures="area: area", scale_factor=0.125)
            part.write(self.folder / f"parts/{number}.nc")
        answer = self.json("compare", "parts", "whole.nc", "--all-times", "--json")
        self.assertEqual([time["differing"] for time in answer["variables"]["pr"]], [0] * 12)
        self.assertEqual(answer["variables"]["pr"][5]["date"], "2001-01-06 12:00:00")
        largest = [time["linf"] for time in answer["variables"]["tas"]]
        self.assertLess(max(largest[:4] + largest[8:]), 0.125)
        self.assertGreater(max(largest[4:8]), 0.25)
        self.assertLess(max(largest), 0.5)

    def test_what_a_restart_wrote_again_counts_once_as_last_written(self):
        whole = daily()
        first = whole.cut(time=slice(0, 8))
        for name in ("tas", "pr"):
            dims, values, attributes = first.variables[name]
            first.add(name, dims, np.concatenate([values[:6], values[6:] + 1]), **attributes)
        first.write(self.folder / "parts/run_1.nc")
        whole.cut(time=slice(6, 12)).write(self.folder / "parts/run_2.nc")
        whole.write(self.folder / "whole.nc")
        self.assert_whole("parts", "whole.nc", notes=[("2 times written twice", "run_2.nc")])

    def test_a_hole_in_time_is_said(self):
        whole = daily()
        self.split(whole)
        (self.folder / "parts/day_01.nc").unlink()
        done = self.call("compare", "parts", "parts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("parts: no file has times between 2001-01-05 12:00:00 and 2001-01-10 12:00:00", done.stderr.splitlines()[0])

    def test_files_that_do_not_fit_are_refused_a_line_each(self):
        whole = daily()
        self.split(whole)
        other = daily(days=2, start=20)
        other.add("lat", ["lat"], np.linspace(-49, 51, 6), units="degrees_north").write(self.folder / "parts/day_03.nc")
        daily(days=2, start=30, nx=9).write(self.folder / "parts/day_04.nc")
        late = daily(days=2, start=40)
        late.add("time", ["time"], late.variables["time"][1], units="days since 2001-01-01", calendar="360_day").write(self.folder / "parts/day_05.nc")
        self.assert_refused(("day_03.nc: lat: other places",), ("day_04.nc: lon: other places",), ("day_05.nc: time: other times", "360_day"), parts="parts")

    def test_two_runs_are_not_taken_for_one(self):
        daily().write(self.folder / "parts/a.nc")
        daily().write(self.folder / "parts/b.nc")
        self.assert_refused(("parts/b.nc", "the same times as in parts/a.nc"), parts="parts")

    def test_without_times_nothing_tells_files_apart(self):
        for number in (1, 2):
            Data().add("h", ["y", "x"], field((4, 5), number)).write(self.folder / f"parts/{number}.nc")
        self.assert_refused(("parts/2.nc: h: other values", "at the same places"), parts="parts")

    def test_own_parts_of_a_restarted_run_are_joined_by_its_folder(self):
        whole = daily()
        whole.write(self.folder / "whole.nc")
        for number, days in enumerate(pieces(12, 3)):
            name = f"output-{number + 1}.nc" if number < 2 else "output.nc"
            whole.cut(time=days).write(self.folder / "run" / name)
        (self.folder / "run/run.json").write_text("{}")
        daily(days=2).write(self.folder / "run/other.nc")
        self.assert_whole("run", "whole.nc", notes=[])


class RestartedRunTest(SetTest):
    def test_the_folder_of_a_run_with_restarts_is_that_of_one_without(self):
        small = (*SMALL, "-q", "--set", "output.interval='2 min'")
        for end, more in (("10 min", ()), ("20 min", ("--restart", "a/restart.nc"))):
            self.assert_done("run", CASE, *small, "--until", end, "-o", "a", *more)
        self.assert_done("run", CASE, *small, "--until", "20 min", "-o", "b")
        self.assert_whole("a", "b/output.nc", notes=["1 time written twice"])


@unittest.skipIf(netCDF4 is None, WITHOUT)
class VariablesTest(SetTest):
    def test_a_variable_a_file_on_staggered_grids(self):
        """MicroHH's u.nc, v.nc, ... (from 3d_to_nc.py)."""
        t, z, y, x = np.arange(3) * 600.0, np.arange(4) + 0.5, np.arange(5) + 0.5, np.arange(6) + 0.5
        whole = Data()
        whole.add("time", ["time"], t, units="seconds since 2000-01-01 00:00:00").add("z", ["z"], z, units="m").add("y", ["y"], y, units="m")
        whole.add("x", ["x"], x, units="m").add("xh", ["xh"], x - 0.5, units="m").add("zh", ["zh"], z - 0.5, units="m")
        whole.add("u", ["time", "z", "y", "xh"], field((3, 4, 5, 6), 1)).add("w", ["time", "zh", "y", "x"], field((3, 4, 5, 6), 2)).add("th", ["time", "z", "y", "x"], field((3, 4, 5, 6), 3))
        whole.write(self.folder / "whole.nc")
        for name in ("u", "w", "th"):
            whole.only({name, *whole.variables[name][0]}).write(self.folder / f"parts/{name}.nc")
        self.assert_whole("parts", "whole.nc", notes=[])
        self.assert_whole("parts/{u,w,th}.nc", "whole.nc", notes=[])

    def test_variables_and_years_as_cmip_has_them(self):
        whole = daily(days=9)
        whole.write(self.folder / "whole.nc")
        for name in ("tas", "pr"):
            for number, days in enumerate(pieces(9, 3)):
                part = whole.cut(time=days).only({name, "lat", "lon", "time", "time_bnds"} | ({"area"} if name == "tas" else set()))
                part.write(self.folder / f"parts/{name}_day_M_{number}.nc")
        self.assert_whole("parts", "whole.nc", notes=[])
        (self.folder / "parts/pr_day_M_1.nc").unlink()
        self.assert_refused(("pr_day_M_2.nc: pr: lacks 3 times", "2001-01-04 12:00:00"), parts="parts")


@unittest.skipIf(netCDF4 is None, WITHOUT)
class RanksTest(SetTest):
    def test_parts_of_nemo_without_their_halos(self):
        whole = ocean()
        whole.write(self.folder / "whole.nc")
        nemo(whole, self.folder / "parts/out", rows=3, columns=4, halo=2)
        self.assert_whole("parts/out_*.nc", "whole.nc", notes=[])

    def test_a_halo_of_other_values_is_dropped(self):
        whole = ocean()
        whole.write(self.folder / "whole.nc")

        def spoil(rank, part, low, high):
            dims, values, attributes = part.variables["sossheig"]
            values = values.copy()
            values[:, :low[0]] = values[:, :, :low[1]] = -7
            values[:, values.shape[1] - high[0]:] = values[:, :, values.shape[2] - high[1]:] = -9
            part.add("sossheig", dims, values, **attributes)
        nemo(whole, self.folder / "parts/out", spoil=spoil)
        self.assert_whole("parts", "whole.nc", notes=[])

    def test_missing_ranks_are_named(self):
        nemo(ocean(), self.folder / "parts/out", rows=3, columns=3, skip=(2, 5))
        self.assert_refused(("parts/out_*.nc: parts 2, 5 of 9 are missing",), parts="parts/out_*.nc")

    def test_ranks_without_ocean_are_read_as_missing(self):
        whole = ocean(ny=8, nx=12)
        for name in ("nav_lon", "nav_lat"):
            dims, values, attributes = whole.variables[name]
            whole.add(name, dims, values, **attributes, _FillValue=np.float32(1e20))
        nemo(whole, self.folder / "parts/out", rows=2, columns=3, halo=0)
        (self.folder / "parts/out_0005.nc").unlink()
        for rank in range(5):
            with netCDF4.Dataset(self.folder / f"parts/out_{rank:04d}.nc", "a") as file:
                file.DOMAIN_number_total = np.int32(5)
        for name, (dims, values, attributes) in list(whole.variables.items()):
            if "x" in dims and "_FillValue" in attributes:
                values = values.copy()
                values[..., 4:, 8:] = attributes["_FillValue"]
                whole.add(name, dims, values, **attributes)
        whole.write(self.folder / "whole.nc")
        self.assert_whole("parts", "whole.nc", notes=["some places are in no part"])

    def test_two_parts_with_other_values_at_a_place_are_said(self):
        whole = ocean()

        def spoil(rank, part, low, high):
            dims, values, attributes = part.variables["sossheig"]
            part.add("sossheig", dims, values + (rank == 3), **attributes)
        nemo(whole, self.folder / "parts/out", halo=1, spoil=spoil)
        for path in sorted((self.folder / "parts").iterdir()):
            with netCDF4.Dataset(path, "a") as file:
                file.DOMAIN_halo_size_start = file.DOMAIN_halo_size_end = np.zeros(2, "i4")
        whole.write(self.folder / "whole.nc")
        answer = self.json("compare", "parts", "whole.nc", "--json", code=1)
        self.assertEqual((answer["variables"]["votemper"]["same"], answer["variables"]["sossheig"]["same"]), ("bits", None))
        self.assertIn("out_0003.nc: sossheig: other values than another part of parts has at the same place", str(answer))

    def test_parts_of_fms(self):
        whole = ocean()
        for name, (dims, values, attributes) in list(whole.variables.items()):
            del whole.variables[name]
            whole.add({"y": "yt", "x": "xt"}.get(name, name), [{"y": "yt", "x": "xt"}.get(d, d) for d in dims], values, **attributes)
        whole.add("xt", ["xt"], np.arange(13.0), axis="X").add("yt", ["yt"], np.arange(10.0), axis="Y")
        whole.write(self.folder / "whole.nc")
        fms(whole, self.folder / "parts/out.nc", rows=2, columns=3)
        self.assert_whole("parts/out.nc.*", "whole.nc", notes=[])
        (self.folder / "parts/out.nc.0004").unlink()
        self.assert_refused(("part 4 of 6 is missing",), parts="parts/out.nc.*")

    def test_patches_of_wrf(self):
        """io_form_history 102: dates in characters, staggered dimensions one longer in the last patches alone."""
        ny, nx, nt = 7, 9, 2
        dates = np.array([list(f"2000-01-24_{12 + 3 * t:02d}:00:00") for t in range(nt)], "S1")
        whole = Data(["Time"], {"WEST-EAST_GRID_DIMENSION": np.int32(nx + 1), "SOUTH-NORTH_GRID_DIMENSION": np.int32(ny + 1)})
        whole.add("Times", ["Time", "DateStrLen"], dates).add("XLAT", ["Time", "south_north", "west_east"], np.repeat(field((1, ny, nx), 1), nt, 0), units="degree_north")
        whole.add("T", ["Time", "bottom_top", "south_north", "west_east"], field((nt, 3, ny, nx), 2), units="K", coordinates="XLAT")
        whole.add("U", ["Time", "bottom_top", "south_north", "west_east_stag"], field((nt, 3, ny, nx + 1), 3), units="m s-1")
        whole.add("V", ["Time", "bottom_top", "south_north_stag", "west_east"], field((nt, 3, ny + 1, nx), 4), units="m s-1")
        whole.write(self.folder / "whole.nc")
        rank = 0
        for j in pieces(ny, 2):
            for i in pieces(nx, 2):
                stag_j, stag_i = slice(j.start, j.stop + (j.stop == ny)), slice(i.start, i.stop + (i.stop == nx))
                more = {}
                for axis, plain, stag in (("WEST-EAST", i, stag_i), ("SOUTH-NORTH", j, stag_j)):
                    for name, part in (("UNSTAG", plain), ("STAG", stag)):
                        more |= {f"{axis}_PATCH_START_{name}": np.int32(part.start + 1), f"{axis}_PATCH_END_{name}": np.int32(part.stop)}
                whole.cut(south_north=j, west_east=i, south_north_stag=stag_j, west_east_stag=stag_i).write(self.folder / f"parts/wrfout_d01_2000-01-24_12:00:00_{rank:04d}", **more)
                rank += 1
        self.assert_whole("parts/wrfout_d01_*", "whole.nc", notes=[])
        (self.folder / "parts/wrfout_d01_2000-01-24_12:00:00_0002").unlink()
        done = self.call("compare", "parts", "parts")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no file has its values at south_north 4 to 6, west_east 0 to 3", done.stderr)

    def test_parts_of_roms_that_say_their_row_and_column(self):
        """The attribute `partition` of UCLA's and CROCO's ROMS: rho points one more at each end of the whole."""
        eta, xi = 9, 12
        whole = Data().add("ocean_time", ["ocean_time"], np.arange(2) * 3600.0, units="seconds since 2000-01-01")
        whole.unlimited = {"ocean_time"}
        whole.add("zeta", ["ocean_time", "eta_rho", "xi_rho"], field((2, eta, xi), 1)).add("u", ["ocean_time", "s_rho", "eta_rho", "xi_u"], field((2, 3, eta, xi - 1), 2))
        whole.add("v", ["ocean_time", "s_rho", "eta_v", "xi_rho"], field((2, 3, eta - 1, xi), 3))
        whole.write(self.folder / "whole.nc")
        inner = {"xi": pieces(xi - 2, 2), "eta": pieces(eta - 2, 3)}
        for jj in range(3):
            for ii in range(2):
                def rho(axis, part, last):
                    return slice(part.start + (part.start > 0), part.stop + 1 + last)

                i, j = inner["xi"][ii], inner["eta"][jj]
                whole.cut(xi_rho=rho("xi", i, ii == 1), eta_rho=rho("eta", j, jj == 2), xi_u=slice(i.start, i.stop + (ii == 1)), eta_v=slice(j.start, j.stop + (jj == 2))).write(
                    self.folder / f"parts/his.{ii + 2 * jj}.nc", partition=np.array([ii, jj, 2, 3], "i4"))
        self.assert_whole("parts/his.*.nc", "whole.nc", notes=[])

    def test_parts_by_their_coordinates_in_folders_of_ranks(self):
        whole = daily()
        whole.write(self.folder / "whole.nc")
        for number, (j, i) in enumerate((j, i) for j in pieces(6, 2) for i in pieces(8, 3)):
            whole.cut(lat=j, lon=i).write(self.folder / f"parts/{number:06d}/DATA.nc")
        self.assert_whole("parts", "whole.nc", notes=[])
        self.assert_whole("parts/*/DATA.nc", "whole.nc", notes=[])
        shutil.rmtree(self.folder / "parts/000004")
        done = self.call("compare", "parts", "parts")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no file has its values at lat 3 to 5, lon 3 to 4", done.stderr)

    def test_one_part_alone_says_that_there_are_more(self):
        nemo(ocean(), self.folder / "out")
        done = self.call("compare", "out_0000.nc", "out_0000.nc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("out_0000.nc: is one of 4 parts of a domain (DOMAIN_position_first), the others are left out; name all of them: 'out_[0-9]*.nc'", done.stderr.splitlines()[0])


@unittest.skipIf(netCDF4 is None, WITHOUT)
class TilesTest(SetTest):
    def write(self, folder, spoil=None, tiles=range(1, 7)):
        for number in tiles:
            tile = tile_of(number)
            if spoil == number:
                tile.variables["temp"][1][1, 0, 2, 3] += 1
            tile.write(self.folder / folder / f"atmos.tile{number}.nc")

    def test_the_tile_and_the_place_of_a_difference_are_named(self):
        self.write("a")
        self.write("b", spoil=4)
        answer = self.json("compare", "a/atmos.tile*.nc", "b/atmos.tile*.nc", "--json")["variables"]
        self.assertEqual(answer["ps"]["differing"], 0)
        self.assertEqual(answer["temp"]["differing"], 1)
        largest = answer["temp"]["worst"]
        self.assertEqual(largest["index"], {"tile": 3, "pfull": 0, "grid_yt": 2, "grid_xt": 3})
        self.assertEqual(largest["coordinates"]["tile"], "4")

    def test_areas_of_tiles_weight_them(self):
        self.write("a")
        self.write("b", spoil=4)
        for number in range(1, 7):
            area = np.full((6, 6), float(number))
            Data().add("grid_xt", ["grid_xt"], np.arange(1.0, 7), axis="X").add("grid_yt", ["grid_yt"], np.arange(1.0, 7), axis="Y").add("area", ["grid_yt", "grid_xt"], area, units="m2").write(
                self.folder / f"grid_spec.tile{number}.nc")
        for weights in ("grid_spec.tile*.nc", "grid_spec.tile*.nc:area"):
            answer = self.json("compare", "a", "b", "--weights", weights, "--variables", "temp", "--json")["variables"]["temp"]
            self.assertAlmostEqual(answer["rmse"] ** 2, 4 / (2 * 36 * 21), delta=1e-7)

    def test_a_missing_tile_is_named(self):
        self.write("a", tiles=(1, 2, 4, 5, 6))
        self.assert_refused(("a: tile 3 is missing",), parts="a")

    def test_one_tile_alone_says_that_there_are_more(self):
        self.write("a")
        done = self.call("compare", "a/atmos.tile2.nc", "a/atmos.tile2.nc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is one of 6 tiles, the others are left out; name all of them: 'a/atmos.tile[0-9]*.nc'", done.stderr.splitlines()[0])

    def test_tiles_in_ranks_parts(self):
        self.write("a")
        for number in range(1, 7):
            fms(tile_of(number), self.folder / f"b/atmos.tile{number}.nc", along=("grid_xt", "grid_yt"))
        self.assert_whole("b/atmos.tile*.nc.*", "a/atmos.tile*.nc", notes=[])

    def test_planes_of_a_tile(self):
        self.write("a")
        alone = self.json("spectrum", "a/atmos.tile3.nc", "--variable", "ps", "--json")
        joined = self.json("spectrum", "a", "--variable", "ps", "--at", "tile=2", "--json")
        self.assertEqual(joined["ps"]["power"] if "ps" in joined else joined["power"], alone["ps"]["power"] if "ps" in alone else alone["power"])


@unittest.skipIf(netCDF4 is None, WITHOUT)
class CommandsTest(SetTest):
    """The other commands answer of a set as of the whole."""
    def runs(self, count, seed):
        """Oceans that differ by noise, whole and as parts of NEMO in a folder of all and in a folder for each."""
        for number in range(count):
            whole = ocean(days=2, nz=1, ny=6, nx=8)
            for name in ("votemper", "sossheig"):
                dims, values, attributes = whole.variables[name]
                whole.add(name, dims, values + field(values.shape, seed + number) * np.float32(1e-3), **attributes)
            name = f"m{seed + number:03d}"
            whole.write(self.folder / f"whole/{seed}/{name}.nc")
            nemo(whole, self.folder / f"parts/{seed}/{name}")
            nemo(whole, self.folder / f"folders/{seed}/{name}/out", rows=1, columns=3)

    def test_consistency_takes_ranks_parts_for_one_run(self):
        self.runs(10, 100)
        self.runs(2, 500)
        verdicts = []
        for kind in ("whole", "parts", "folders"):
            done = self.call("consistency", "--ensemble", f"{kind}/100", "--test", f"{kind}/500", "--json")
            self.assertIn(done.returncode, (0, 1, 4), done.stderr)
            verdicts.append(json.loads(done.stdout))
        for other in verdicts[1:]:
            self.assertEqual(other["answer"], verdicts[0]["answer"])
            self.assertEqual(strip(other["outcomes"]), strip(verdicts[0]["outcomes"]))
        named = self.call("consistency", "--ensemble", "parts/100", "--test", "parts/500/m500_*.nc", "parts/500/m501_*.nc", "--json")
        self.assertEqual(strip(json.loads(named.stdout.replace("_*.nc", ".nc"))["outcomes"]), strip(verdicts[0]["outcomes"]))

    def test_digits_of_samples_in_parts(self):
        self.runs(4, 100)
        answers = []
        for number, kind in enumerate(("whole/100/m10{}.nc", "parts/100/m10{}_*.nc")):
            self.assert_done("digits", "-o", f"d{number}", "--samples-from", *(kind.format(n) for n in range(4)), "--variables", "sossheig")
            answers.append(json.loads((self.folder / f"d{number}/digits.json").read_text())["fields"])
        self.assertEqual(strip(answers[0]), strip(answers[1]))

    def test_spectra_and_features_of_parts(self):
        n = 32
        j, i = np.mgrid[:n, :n]
        ridge = 1e-7 + 1e-5 * np.exp(-((i - j) / 1.5) ** 2)
        whole = Data().add("y", ["y"], np.arange(n) * 1000.0, units="m", axis="Y").add("x", ["x"], np.arange(n) * 1000.0, units="m", axis="X")
        whole.add("time", ["time"], np.arange(2.0), units="days since 2000-01-01").add("shear", ["time", "y", "x"], np.stack([ridge, ridge[:, ::-1]]), units="s-1")
        whole.write(self.folder / "whole.nc")
        for number, (t, y, x) in enumerate((t, y, x) for t in pieces(2, 2) for y in pieces(n, 2) for x in pieces(n, 3)):
            whole.cut(time=t, y=y, x=x).write(self.folder / f"parts/{number}.nc")
        for words in (("spectrum", "--variable", "shear"), ("lkf", "--variable", "shear")):
            answers = [self.json(words[0], name, *words[1:], "--json") for name in ("whole.nc", "parts")]
            self.assertEqual(strip(answers[0]), strip(answers[1]))

    def test_same_takes_sets(self):
        self.runs(2, 100)
        for kind in ("whole/100/m10{}.nc", "parts/100/m10{}_*.nc"):
            self.assertEqual(self.call("same", kind.format(0), kind.format(0)).returncode, 0)
            self.assertEqual(self.call("same", kind.format(0), kind.format(1)).returncode, self.call("same", "whole/100/m100.nc", "whole/100/m101.nc").returncode)


def strip(answer):
    """Without what is of the files' names alone."""
    if isinstance(answer, dict):
        return {strip(key): strip(value) for key, value in answer.items() if key not in ("file", "files", "path", "name", "run", "runs")}
    if isinstance(answer, str):
        return re.sub(r"_\[0-9\]\*|\.nc", "", answer)
    return [strip(value) for value in answer] if isinstance(answer, list) else answer


@unittest.skipIf(netCDF4 is None, WITHOUT)
class JoinersTest(SetTest):
    """The values are those that the tools for joining make of the same files."""
    def assert_joined(self, *command, variables):
        if shutil.which(command[0]) is None:
            self.skipTest(f"no {command[0]}")
        files = sorted(str(path) for path in (self.folder / "parts").iterdir())
        subprocess.run([*command, *files, str(self.folder / "joined.nc")], check=True, capture_output=True)
        answer = self.json("compare", "parts", "joined.nc", "--variables", ",".join(variables), "--json")["variables"]
        for name in variables:
            self.assertEqual((answer[name]["times"], answer[name]["differing"]), (9, 0), answer[name])

    def write(self, cuts):
        whole = daily(days=9)
        for number, where in enumerate(cuts):
            names = where.pop("names", whole.variables)
            whole.cut(**where).only(set(names)).write(self.folder / f"parts/{number}.nc")

    def test_ncrcat(self):
        self.write([{"time": days} for days in pieces(9, 4)])
        self.assert_joined("ncrcat", variables=("tas", "pr"))

    def test_mergetime(self):
        self.write([{"time": days} for days in reversed(pieces(9, 4))])
        self.assert_joined("cdo", "-s", "mergetime", variables=("tas", "pr"))

    def test_collgrid(self):
        self.write([{"lat": j, "lon": i} for j in pieces(6, 2) for i in pieces(8, 2)])
        self.assert_joined("cdo", "-s", "collgrid", variables=("tas", "pr"))

    def test_merge(self):
        self.write([{"names": {name, "lat", "lon", "time", "time_bnds"}} for name in ("tas", "pr")])
        self.assert_joined("cdo", "-s", "merge", variables=("tas", "pr"))


@unittest.skipIf(netCDF4 is None, WITHOUT)
class ManyTest(SetTest):
    def test_thousands_of_files_in_bounded_memory_and_few_open_files(self):
        count = 3000
        model = daily(days=1, ny=4, nx=5).only({"lat", "lon", "time", "tas"})
        first = self.folder / "parts/d_0000.nc"
        model.write(first, format="NETCDF3_64BIT_OFFSET")
        time, tas = np.arange(count) + 0.5, field((count, 4, 5), 9)
        for n in range(count):
            path = self.folder / f"parts/d_{n:04d}.nc"
            if n:
                shutil.copy(first, path)
            with netCDF4.Dataset(path, "a") as file:
                file["time"][0], file["tas"][0] = time[n], tas[n]
        whole = model.add("time", ["time"], time, **model.variables["time"][2]).add("tas", ["time", "lat", "lon"], tas, **model.variables["tas"][2])
        for name in ("time", "tas"):
            whole.variables[name][2].pop("bounds", None)
            whole.variables[name][2].pop("cell_measures", None)
        whole.write(self.folder / "whole.nc", format="NETCDF3_64BIT_OFFSET")
        done = self.call("compare", "parts/d_*.nc", "whole.nc", "--variables", "tas", "--json", preexec_fn=limit(NOFILE=256), timeout=550)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["variables"]["tas"]["differing"], 0)


if __name__ == "__main__":
    unittest.main()
