#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare, lkf, spectrum and trace-diff on files of their own and on broken ones."""
import json
import math
import os
import unittest
from random import Random

from support import CommandTest, DATA, read_npy, write_field, write_netcdf


class CompareTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.reference = write_field(self.folder / "ref.nc", "h", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, "m")
        self.test = write_field(self.folder / "test.nc", "h", [1.0, 2.0, 3.0, 5.0, 5.0, 6.0], 2, 3, "m")

    def test_metrics_agree_with_hand_calculation(self):
        metrics = self.json("compare", self.reference, self.test, "--json")["variables"]["h"]
        self.assertAlmostEqual(metrics["l2_relative"], 1 / math.sqrt(91), delta=1e-15)
        self.assertEqual(metrics["linf"], 1)
        self.assertAlmostEqual(metrics["rmse"], math.sqrt(1 / 6), delta=1e-15)
        self.assertAlmostEqual(metrics["bias"], 1 / 6, delta=1e-15)

    def test_file_equals_itself(self):
        metrics = self.json("compare", self.reference, self.reference, "--json")["variables"]["h"]
        self.assertEqual((metrics["l2_relative"], metrics["linf"], metrics["max_ulp"]), (0, 0, 0))

    def test_table_names_the_variable(self):
        self.assertIn("h", self.assert_done("compare", self.reference, self.test))

    def test_quiet_says_nothing(self):
        self.assertEqual(self.assert_done("compare", self.reference, self.test, "--quiet"), "")

    def test_nan_on_one_side_is_a_difference(self):
        broken = write_field(self.folder / "nan.nc", "h", [1.0, 2.0, math.nan, 4.0, 5.0, 6.0], 2, 3, "m")
        self.assert_done("compare", self.reference, broken, code=1)

    def test_unusable_files_are_bad_input(self):
        for name, content in (("empty.nc", b""), ("text.nc", b"this is no NetCDF file\n" * 20),
                              ("truncated.nc", self.test.read_bytes()[:60])):
            (self.folder / name).write_bytes(content)
            with self.subTest(name):
                self.assert_fails(2, "compare", self.reference, self.folder / name, says=name)
        self.assert_fails(2, "compare", self.reference, "absent.nc", says="absent.nc")
        self.assert_fails(2, "compare", self.folder, self.test)

    def test_unknown_variable_names_the_nearest(self):
        write_field(self.folder / "long.nc", "thickness", [1.0] * 6, 2, 3)
        self.assert_fails(2, "compare", "long.nc", "long.nc", "--variables", "thicknes", says=("thicknes'", "thickness"))

    def test_nothing_in_common_is_bad_input(self):
        other = write_field(self.folder / "other.nc", "u", [1.0] * 6, 2, 3)
        self.assert_fails(2, "compare", self.reference, other)


    def test_fields_of_swapped_dimensions_are_not_paired(self):
        values = [float(i) for i in range(16)]
        def square(name, axes):
            return write_netcdf(self.folder / name, {axes[0]: 4, axes[1]: 4}, {"h": (axes, values, {"units": "m"})})
        reference = square("yx.nc", ("y", "x"))
        for axes in (("x", "y"), ("lon", "lat"), ("X", "Y")):
            with self.subTest(axes):
                test = square("_".join(axes) + ".nc", axes)
                text = self.assert_done("compare", reference, test, code=1)
                self.assertIn(f"h: cannot be compared, dimensions are in another order: {', '.join(axes)} against y, x", text)
                answer = self.json("compare", reference, test, "--json", code=1)
                self.assertFalse(answer["equal"])
                self.assertIsNone(answer["variables"]["h"]["linf"])
        # Other names of the same order, and names that tell nothing, are compared.
        for axes in (("lat", "lon"), ("rows", "columns"), ("yc", "xc"), ("nj", "ni")):
            with self.subTest(axes):
                answer = self.json("compare", reference, square("_".join(axes) + ".nc", axes), "--json")
                self.assertEqual(answer["variables"]["h"]["linf"], 0)

    def test_components_of_swapped_dimensions_make_no_speed(self):
        def wind(name, axes):
            values = [float(i) for i in range(9)]
            return write_netcdf(self.folder / name, {axes[0]: 3, axes[1]: 3}, {"u": (axes, values, {}), "v": (axes, values, {})})
        self.assertIn("speed(u,v)", self.json("compare", wind("a.nc", ("y", "x")), wind("b.nc", ("y", "x")), "--json")["variables"])
        self.assertNotIn("speed(u,v)", self.json("compare", "a.nc", wind("c.nc", ("x", "y")), "--json", code=1)["variables"])

    def series(self, name, times, calendar="standard", ocean=60.0):
        """h(time, lat): 1, 2, 3, ... every hour or so."""
        variables = {"time": (("time",), times, {"units": "hours since 2000-02-28 00:00:00", "calendar": calendar}),
                     "lat": (("lat",), [ocean, ocean + 1], {"units": "degrees_north"}),
                     "h": (("time", "lat"), [float(1 + i // 2) for i in range(2 * len(times))], {"units": "m"})}
        return write_netcdf(self.folder / name, {"time": len(times), "lat": 2}, variables)

    def test_times_match_the_nearest_and_calendars_and_places_must_agree(self):
        reference = self.series("a.nc", [0.0, 24.0, 48.0])
        near = self.series("b.nc", [0.1, 24.0, 61.0])
        answer = self.json("compare", reference, near, "--json", "--all-times")
        self.assertEqual([entry["time_s"] for entry in answer["variables"]["h"]], [0, 86400])
        self.assertTrue(all(entry["max_ulp"] == 0 and entry["weights"] is None for entry in answer["variables"]["h"]))
        self.assertIn("left out: the reference's 2000-03-01 00:00:00; the test's 2000-03-01 13:00:00", answer["notes"][-1])
        for name, other, reason in (("c.nc", self.series("c.nc", [0.0, 24.0, 48.0], calendar="noleap"), "calendars differ: noleap against standard"),
                                    ("d.nc", self.series("d.nc", [0.0, 24.0, 48.0], ocean=61.0), "coordinate lat differs: 61 against 60 degrees_north")):
            with self.subTest(name):
                answer = self.json("compare", reference, other, "--json", code=1)
                self.assertIsNone(answer["variables"]["h"]["linf"])
                self.assertIn(reason, answer["undefined"]["h.linf"])
                self.assertFalse(answer["equal"])
                self.assertIn(reason, self.assert_done("compare", reference, other, code=1))

    def test_memory_does_not_grow_with_the_field(self):
        # 192 MB of zeros each, which take no room on the disk.
        ny, nx = 6000, 4000
        for name in ("a.nc", "b.nc"):
            path = write_netcdf(self.folder / name, {"y": ny, "x": nx}, {"h": (("y", "x"), [], {})})
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size + 8 * ny * nx)
        process = self.start("compare", "a.nc", "b.nc", "--json")
        answer = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((process.returncode, answer["variables"]["h"]["points"]), (0, ny * nx))
        # Two slabs of 32 MiB, and what the program is without them.
        self.assertLess(usage.ru_maxrss, (2 * 32 + 64) * 1024)

    @unittest.skipUnless((DATA / "faults/sq.nc").is_file(), "no faulty data (ULPINE_TEST_DATA)")
    def test_swapped_dimensions_of_the_faults_folder_are_noticed(self):
        self.assertIn("another order", self.assert_done("compare", DATA / "faults/sq.nc", DATA / "faults/sq_txy.nc", code=1))


class JsonTest(CommandTest):
    """Whatever a file holds, --json is JSON."""
    VALUES = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e155, -1e155, 1e300, 1.7976931348623157e308, -1.7976931348623157e308, math.nan)
    NAMES = ("plain", 'she"ar', "back\\slash", "caf\u00e9", "a b", "a'b", "{x}", "%s", "</script>")

    def fields(self):
        random = Random(5)
        n = 12
        for trial in range(40):
            pool = random.sample(self.VALUES, random.randint(1, len(self.VALUES)))
            name = self.NAMES[trial % len(self.NAMES)]
            values = [random.choice(pool) * random.choice((1, 1, 0.5)) for _ in range(n * n)]
            spacing = random.choice((None, 1000.0, 1e-300, (4000.0, 1000.0), (1e300, 1e-300), 1e306, 1e-311, (0, 25.0)))
            yield name, write_field(self.folder / f"{trial}.nc", name, values, n, n, random.choice(("s-1", "day-1")), spacing)

    def test_of_every_command_is_strict_json(self):
        answered = {"compare": 0, "lkf": 0, "spectrum": 0}
        previous = None
        for name, path in self.fields():
            for command, words in (("compare", (path, path)), ("compare", (previous or path, path)),
                                   ("lkf", (path, "--variable", name)), ("spectrum", (path, "--variable", name)),
                                   ("spectrum", (path, "--variable", name, "--variant", "physical"))):
                done = self.call(command, *words, "--json")
                with self.subTest(f"{command} {path.name}"):
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                    self.assertNotIn("internal error", done.stderr)
                    if done.returncode == 2:
                        self.assertEqual(done.stdout, "")
                        continue
                    json.loads(done.stdout, parse_constant=self.fail)
                    answered[command] += 1
            previous = path
        self.assertTrue(all(count >= 5 for count in answered.values()), answered)

    def test_a_power_beyond_double_is_null_with_a_note(self):
        # The power of 1e200 squared is 1e400.
        path = write_field(self.folder / "huge.nc", 'a"b', [1e200 * (-1) ** i for i in range(64)], 8, 8)
        answer = self.json("spectrum", path, "--variable", 'a"b', "--json")
        self.assertEqual(answer["field"], 'a"b')
        self.assertIn(None, answer["power"])
        self.assertIn("beyond the range of double", answer["notes"][0])
        self.assertIn("# the power is beyond", self.assert_done("spectrum", path, "--variable", 'a"b'))
        # Alternating signs are the mode in the corner, which is in no ring.
        path = write_field(self.folder / "corner.nc", "h", [1e200 * (-1) ** (i + j) for j in range(8) for i in range(8)], 8, 8)
        answer = self.json("spectrum", path, "--variable", "h", "--json")
        self.assertIsNone(answer["outside"]["power"])
        self.assertTrue(any("beyond the range of double" in note for note in answer["notes"]), answer["notes"])

    def test_lengths_in_km_are_null_with_a_note_where_no_spacing_is_known(self):
        n = 40
        # Of 36 values of 1e308 the sum is beyond double; their mean is not. Above the threshold there is the crest alone.
        ridge = [1e306 + 1e308 * math.exp(-4 * (j - 20.0) ** 2) for j in range(n) for i in range(n)]
        words = ("lkf", write_field(self.folder / "ridge.nc", "shear", ridge, n, n, "day-1"), "--parameters", "dog_thres=3e307")
        answer = self.json(*words, "--json")
        self.assertEqual(answer["count"], 1)
        self.assertIsNone(answer["total_length_km"])
        self.assertIsNone(answer["features"][0]["length_km"])
        self.assertEqual(answer["notes"], ["no grid spacing is known, so no length in km (null in JSON)"])
        self.assertAlmostEqual(answer["features"][0]["mean_deformation"] / 1.01e308, 1, delta=1e-14)
        self.assertIn("# no grid spacing is known", self.assert_done(*words))
        write_field(self.folder / "ridge.nc", "shear", ridge, n, n, "day-1", spacing=4e306)
        answer = self.json(*words, "--json")
        self.assertAlmostEqual(answer["total_length_km"] / (4e303 * answer["total_length_cells"]), 1, delta=1e-14)
        self.assertEqual(answer["notes"], [])


class SpectrumTest(CommandTest):
    def test_power_of_a_cosine_lies_in_its_ring(self):
        k = 3
        for ny, nx in ((16, 16), (8, 16), (16, 8)):
            with self.subTest((ny, nx)):
                wave = [math.cos(2 * math.pi * k * i / nx) for _ in range(ny) for i in range(nx)]
                path = write_field(self.folder / f"{ny}x{nx}.nc", "h", wave, ny, nx, "m", spacing=500.0)
                answer = self.json("spectrum", path, "--variable", "h", "--json")
                # Two modes of (ny*nx/2)^2/(ny*nx) each (Parseval with the pysteps normalisation).
                self.assertAlmostEqual(answer["power"][k] * answer["modes"][k], ny * nx / 2, delta=1e-9)
                self.assertLess(max(p for i, p in enumerate(answer["power"]) if i != k), 1e-20)
                self.assertAlmostEqual(answer["wavenumber"][k], k / (max(ny, nx) * 500.0), delta=1e-18)

    def test_a_wave_has_its_length_where_spacings_differ(self):
        # Waves of 8 km along x on cells of 1 km x 4 km, y first and x first.
        ny, nx = 40, 160
        wave = [[math.cos(2 * math.pi * i / 8) for i in range(nx)] for _ in range(ny)]
        write_field(self.folder / "yx.nc", "h", sum(wave, []), ny, nx, "m", spacing=(4000.0, 1000.0))
        coordinates = {"x": (("x",), [1000.0 * i for i in range(nx)], {"units": "m"}), "y": (("y",), [4000.0 * j for j in range(ny)], {"units": "m"})}
        write_netcdf(self.folder / "xy.nc", {"x": nx, "y": ny}, {**coordinates, "h": (("x", "y"), [wave[j][i] for i in range(nx) for j in range(ny)], {})})
        for name in ("yx.nc", "xy.nc"):
            for variant in ("pysteps", "windowed", "detrended", "physical"):
                with self.subTest(f"{name} {variant}"):
                    answer = self.json("spectrum", name, "--variable", "h", "--variant", variant, "--json")
                    peak = max(range(1, len(answer["power"])), key=lambda ring: answer["power"][ring])
                    self.assertAlmostEqual(1 / answer["wavenumber"][peak], 8000, delta=1e-6)
                    self.assertEqual(any("the spacings differ" in note for note in answer["notes"]), variant != "physical")
        self.assertEqual(sum(answer["modes"]) + answer["outside"]["modes"], ny * nx)
        text = self.assert_done("spectrum", "yx.nc", "--variable", "h")
        self.assertIn("# the spacings differ (dy 4000, dx 1000)", text)
        self.assertIn("in no ring", text.splitlines()[-1])

    def test_rounded_coordinates_of_square_cells_are_those_of_square_cells(self):
        random = Random(8)
        ny, nx = 12, 20
        values = [random.random() for _ in range(ny * nx)]
        answers = []
        for name, spacing in (("square.nc", 4000.0), ("rounded.nc", (4000.001, 3999.999))):
            write_field(self.folder / name, "h", values, ny, nx, "m", spacing=spacing)
            answers.append(self.json("spectrum", name, "--variable", "h", "--json"))
        self.assertEqual(*(answer["power"] for answer in answers))
        self.assertEqual(*(answer["modes"] for answer in answers))
        self.assertEqual(len(answers[0]["notes"]), 1)
        self.assertIn("the domain is not square (12 x 20)", answers[0]["notes"][0])

    def test_a_spacing_of_one_axis_is_taken_for_both_with_a_note(self):
        write_field(self.folder / "x.nc", "h", [float(i * i % 7) for i in range(64)], 8, 8, "m", spacing=(0, 25.0))
        answer = self.json("spectrum", "x.nc", "--variable", "h", "--json")
        self.assertEqual(answer["units"], "cycles per m")
        self.assertEqual(answer["wavenumber"][4], 4 / (8 * 25.0))
        self.assertIn("no spacing in metres along y", answer["notes"][0])

    def test_a_grid_of_degrees_centred_on_the_equator_has_the_rings_of_one_in_metres(self):
        random = Random(9)
        ny, nx, step = 18, 36, 10.0
        values = [random.random() for _ in range(ny * nx)]
        latitudes = [step * (j - (ny - 1) / 2) for j in range(ny)]
        metre = 6371008.8 * math.radians(step)
        metres = write_field(self.folder / "metres.nc", "h", values, ny, nx, "m", spacing=metre)
        wanted = self.json("spectrum", metres, "--variable", "h", "--json")
        self.assertEqual(len(wanted["power"]), nx // 2 + 1)
        for name, rows in (("north.nc", latitudes), ("south.nc", latitudes[::-1])):
            with self.subTest(name):
                write_netcdf(self.folder / name, {"lat": ny, "lon": nx}, {
                    "lat": (("lat",), rows, {"units": "degrees_north"}),
                    "lon": (("lon",), [step * i for i in range(nx)], {"units": "degrees_east"}),
                    "h": (("lat", "lon"), values, {"units": "m"})})
                answer = self.json("spectrum", name, "--variable", "h", "--json")
                self.assertEqual((answer["power"], answer["modes"]), (wanted["power"], wanted["modes"]))
                for k, expected in zip(answer["wavenumber"], wanted["wavenumber"], strict=True):
                    self.assertAlmostEqual(k, expected, delta=1e-12 * expected)
                self.assertFalse(any("spacings differ" in note for note in answer["notes"]), answer["notes"])

    def test_an_axis_that_is_not_monotonic_is_bad_input(self):
        values = [float(i * i % 7) for i in range(48)]
        for rows, why in (([0.0, 1.0, 2.0, 0.0, 1.0, 2.0], "goes from 2 to 0 at index 3"), ([0.0, 1.0, math.nan, 3.0, 4.0, 5.0], "not finite at index 2")):
            write_netcdf(self.folder / "a.nc", {"y": 6, "x": 8}, {
                "y": (("y",), rows, {"units": "m"}), "x": (("x",), [float(i) for i in range(8)], {"units": "m"}), "h": (("y", "x"), values, {"units": "s-1"})})
            for command in ("spectrum", "lkf"):
                self.assert_fails(2, command, "a.nc", "--variable", "h", says=("a.nc: h: no places are known along y", why, "mend"))

    def test_rows_and_columns_are_named_where_the_file_does_not_tell(self):
        random = Random(10)
        values = [random.random() for _ in range(48)]
        sizes = {"p": 2, "q": 4, "r": 6}
        write_netcdf(self.folder / "odd.nc", sizes, {"h": (("p", "q", "r"), values, {"units": "s-1"})})
        write_netcdf(self.folder / "usual.nc", {"p": 2, "y": 4, "x": 6}, {"h": (("p", "y", "x"), values, {"units": "s-1"})})
        write_netcdf(self.folder / "cells.nc", {"nz1": 6, "nod2": 8}, {"h": (("nz1", "nod2"), values, {"units": "s-1"})})
        for command in ("spectrum", "lkf"):
            self.assert_fails(2, command, "odd.nc", "--variable", "h", says=("no place is known along p, q, r", "--plane q,r"))
            self.assert_fails(2, command, "cells.nc", "--variable", "h", says=("cells without rows and columns along nod2", "interpolate"))
            self.assert_fails(2, command, "odd.nc", "--variable", "h", "--plane", "q", says="--plane: 1 names")
            self.assert_fails(2, command, "odd.nc", "--variable", "h", "--plane", "q,q", says="names q twice")
            self.assert_fails(2, command, "odd.nc", "--variable", "h", "--plane", "q,s", says="no dimension 's'")
        for choice in (("--at", "p=1"), ()):
            wanted = self.json("spectrum", "usual.nc", "--variable", "h", *choice, "--json")
            self.assertEqual(self.json("spectrum", "odd.nc", "--variable", "h", "--plane", "q,r", *choice, "--json"), wanted)
            self.assertEqual(wanted["units"], "cycles per cell")

    def test_dimensions_of_one_name_are_chosen_by_their_number(self):
        write_netcdf(self.folder / "a.nc", {"country": 3, "y": 4, "x": 5}, {
            "h": (("country", "country", "y", "x"), [float(k * k % 11) for k in range(180)], {"units": "m"}),
            "cov": (("country", "country"), [float(k) for k in range(9)], {"units": "m"})})
        self.assert_fails(2, "spectrum", "a.nc", "--variable", "h", "--at", "country=2", says=("the name of 2 dimensions", "country:1", "country:2"))
        self.assert_fails(2, "spectrum", "a.nc", "--variable", "cov", says="--plane country:1,country:2")
        self.assertEqual(self.json("spectrum", "a.nc", "--variable", "cov", "--plane", "country:1,country:2", "--json")["planes"], 1)
        chosen = self.json("spectrum", "a.nc", "--variable", "h", "--at", "country:1=0", "--at", "country:2=2", "--json")
        write_netcdf(self.folder / "b.nc", {"y": 4, "x": 5}, {"h": (("y", "x"), [float(k * k % 11) for k in range(40, 60)], {"units": "m"})})
        self.assertEqual(chosen["power"], self.json("spectrum", "b.nc", "--variable", "h", "--json")["power"])

    def test_floored_values_are_counted(self):
        values = [0.0, -2.0, 1e-9, math.nan] + [1.0 + i for i in range(60)]
        write_field(self.folder / "f.nc", "h", values, 8, 8)
        answer = self.json("spectrum", "f.nc", "--variable", "h", "--log10", "1e-6", "--json")
        self.assertEqual(answer["floored"], 3)
        self.assertIn("3 of 64 values are below 1e-06 and were raised to it", answer["notes"])
        self.assertIn("# 3 of 64 values are below 1e-06", self.assert_done("spectrum", "f.nc", "--variable", "h", "--log10", "1e-6"))
        self.assertEqual(self.json("spectrum", "f.nc", "--variable", "h", "--log10", "1e-10", "--json")["floored"], 2)
        self.assertIsNone(self.json("spectrum", "f.nc", "--variable", "h", "--json")["floored"])

    def test_spacings_without_wave_numbers_are_bad_input(self):
        values = [float(i) for i in range(64)]
        for spacing in (1e-311, (1.0, 1e-311)):
            write_field(self.folder / "tiny.nc", "h", values, 8, 8, "m", spacing=spacing)
            for variant in ("pysteps", "physical"):
                self.assert_fails(2, "spectrum", "tiny.nc", "--variable", "h", "--variant", variant, says="spacings of")

    def test_logarithm_is_of_the_floored_values(self):
        # Of powers of ten the logarithm is the exponent, and of 0 that of the floor.
        exponents = [k * k % 7 - 3 for k in range(64)]
        write_field(self.folder / "powers.nc", "h", [10.0**k if k > -3 else 0.0 for k in exponents], 8, 8)
        write_field(self.folder / "exponents.nc", "h", exponents, 8, 8)
        powers, wanted = (self.json("spectrum", name, "--variable", "h", *options, "--json")["power"]
                          for name, options in (("powers.nc", ("--log10", "1e-3")), ("exponents.nc", ())))
        for power, expected in zip(powers, wanted, strict=True):
            self.assertAlmostEqual(power, expected, delta=1e-12 * max(wanted))

    def test_bad_requests_are_bad_input(self):
        path = write_field(self.folder / "a.nc", "h", [1.0, 2.0, 3.0, 4.0], 2, 2)
        self.assert_fails(2, "spectrum", path, "--variable", "hh")
        self.assert_fails(2, "spectrum", path, "--variable", "h", "--variant", "pystep",
                          says=("known are pysteps, windowed, detrended, physical", "did you mean 'pysteps'"))
        self.assert_fails(2, "spectrum", "absent.nc", "--variable", "h", says="absent.nc")
        line = write_netcdf(self.folder / "line.nc", {"x": 3}, {"h": (("x",), [1.0, 2.0, 3.0], {})})
        self.assert_fails(2, "spectrum", line, "--variable", "h", says="1 dimension")


class LkfTest(CommandTest):
    @unittest.skipUnless((DATA / "lkf/crossing.eps.npy").is_file(), "no reference data (ULPINE_TEST_DATA)")
    def test_counts_of_lkf_tools_are_met(self):
        (ny, nx), eps = read_npy(DATA / "lkf/crossing.eps.npy")
        path = write_field(self.folder / "eps.nc", "eps", eps, ny, nx, "day-1")
        for name in ("eps_default", "dog15"):
            with self.subTest(name):
                expected = json.loads((DATA / f"lkf/crossing.{name}.json").read_text())["lkf"]
                answer = self.json("lkf", path, "--variable", "eps", "--rules", "lkf_tools", "--parameters", name, "--json")
                self.assertEqual(answer["count"], len(expected))
                self.assertEqual([f["cells"] for f in answer["features"]], expected)

    def test_units_per_second_and_per_day_give_the_same_features(self):
        n = 40
        eps = [0.01 + 5.0 * math.exp(-((i - j) / 1.5) ** 2) + 0.001 * math.sin(i * 7 + j * 3) for j in range(n) for i in range(n)]
        day = write_field(self.folder / "day.nc", "shear", eps, n, n, "day-1", spacing=2000.0)
        # A power of two as scale keeps every bit, 86400 does not: coordinates are compared, not lengths.
        second = write_field(self.folder / "second.nc", "shear", [e / 86400 for e in eps], n, n, "s-1", spacing=2000.0)
        first, other = self.json("lkf", day, "--json"), self.json("lkf", second, "--json")
        self.assertGreater(first["count"], 0)
        self.assertEqual([f["cells"] for f in first["features"]], [f["cells"] for f in other["features"]])
        self.assertAlmostEqual(first["total_length_km"], 2 * first["total_length_cells"], delta=1e-9)

    def test_units_of_every_spelling_give_the_same_features(self):
        n = 40
        eps = [0.01 + 5.0 * math.exp(-((i - j) / 1.5) ** 2) + 0.001 * math.sin(i * 7 + j * 3) for j in range(n) for i in range(n)]
        wanted = None
        for units, per_day in (("day-1", 1), ("day^-1", 1), ("d-1", 1), ("1/day", 1), ("per day", 1), ("/d", 1), ("days-1", 1), ("1 day-1", 1), ("%/day", 0.01),
                               ("% day-1", 0.01), ("percent per day", 0.01), ("s-1", 86400), ("1/s", 86400), ("s^-1", 86400), ("s**-1", 86400), ("/s", 86400),
                               ("sec-1", 86400), ("1/sec", 86400), ("1 / s", 86400), ("per second", 86400), ("1e-6 s-1", 0.0864), ("s^{-1}", 86400)):
            with self.subTest(units):
                path = write_field(self.folder / "u.nc", "shear", [e / per_day for e in eps], n, n, units)
                found = [feature["cells"] for feature in self.json("lkf", path, "--json")["features"]]
                wanted = wanted or found
                self.assertGreater(len(found), 0)
                self.assertEqual(found, wanted)
        for units in ("Hz", "1", "", "s", "day", "S-1", "s-2", "m s-1", "1/s/m", "per", "%", "0 s-1", "-1 s-1", "inf s-1", "nan s-1", "1/", "sday-1", "s-1 m"):
            with self.subTest(units):
                path = write_field(self.folder / "u.nc", "shear", eps, n, n, units)
                self.assert_fails(2, "lkf", path, says="units" if units else "has no units")

    def test_lengths_go_by_the_spacing_of_each_axis(self):
        # A ridge of 70 km along x on cells of 1 km x 4 km; the ends of ridges are lost, a cell or two each.
        ny, nx = 40, 90
        eps = [0.01 + 0.5 * math.exp(-min(max(0, abs(i - 45) - 35) + abs(j - 20), 9) ** 2) for j in range(ny) for i in range(nx)]
        write_field(self.folder / "eps.nc", "shear", eps, ny, nx, "day-1", spacing=(4000.0, 1000.0))
        words = ("lkf", "eps.nc")
        for rules in ("lkf_tools", "repaired"):
            with self.subTest(rules):
                answer = self.json(*words, "--rules", rules, "--json")
                self.assertEqual(answer["count"], 1)
                self.assertAlmostEqual(answer["total_length_km"], 70, delta=4)
                self.assertEqual(answer["features"][0]["length_km"], answer["total_length_km"])
                self.assertEqual(answer["features"][0]["length_cells"], answer["total_length_km"])
                self.assertEqual(answer["spacing_km"], {"rows": 4, "columns": 1})
                self.assertIn("the cells are not square (the rows are 4 times as far apart", answer["notes"][0])
        text = self.assert_done(*words).splitlines()
        self.assertTrue(text[0].startswith("# the cells are not square"))
        self.assertIn(f"{answer['total_length_km']:.1f} km", text[1])
        self.assertTrue(text[2].startswith("over the grid's 8 orientations 1 to 1 features, "))
        self.assertEqual(text[4].split()[2], f"{answer['total_length_km']:.2f}")

    def test_what_a_count_owes_to_the_grids_orientation_is_told_beside_it(self):
        random = Random(7)
        ny, nx = 40, 52
        rows = [[0.02 * math.exp(random.gauss(0, 1)) for _ in range(nx)] for _ in range(ny)]
        counts, told = [], []
        for name in range(8):
            rows = [list(row) for row in zip(*rows)] if name == 4 else rows  # rows become columns
            rows = rows[::-1] if name % 2 else [row[::-1] for row in rows]
            path = write_field(self.folder / f"{name}.nc", "shear", [value for row in rows for value in row], len(rows), len(rows[0]), "day-1", spacing=2000.0)
            answer = self.json("lkf", path, "--json")
            counts.append(answer["count"])
            over = answer["orientations"]
            self.assertEqual(over["number"], 8)
            self.assertAlmostEqual(over["total_length_km"][1], 2 * over["total_length_cells"][1], delta=1e-9)
            told.append(over["count"])
            first = self.assert_done("lkf", path).splitlines()
            self.assertIn("features", first[0])
            self.assertIn(f"8 orientations {over['count'][0]} to {over['count'][1]} features", first[1])
        self.assertEqual(told, [[min(counts), max(counts)]] * 8)
        self.assertLess(min(counts), max(counts))

    def test_values_without_a_logarithm_are_counted(self):
        random = Random(4)
        n = 30
        eps = [random.random() for _ in range(n * n)]
        for at in (310, 400, 500):
            eps[at] = 0.0
        eps[311] = math.nan
        write_field(self.folder / "z.nc", "shear", eps, n, n, "day-1", spacing=4000.0)
        note = "3 of 675 values are zero or negative, have no logarithm and count as missing"
        self.assertIn(note, self.json("lkf", "z.nc", "--parameters", "dog15", "--json")["notes"])
        self.assertIn("# " + note, self.assert_done("lkf", "z.nc", "--parameters", "dog15"))
        self.assertEqual(self.json("lkf", "z.nc", "--json")["notes"], [])

    def test_infinite_deformation_is_refused_and_missing_is_not(self):
        n = 40
        def field(name, odd, where=(), units="day-1"):
            values = [0.01 + 5.0 * math.exp(-((i - j) / 1.5) ** 2) + 0.001 * math.sin(i * 7 + j * 3) for j in range(n) for i in range(n)]
            for j, i in where:
                values[j * n + i] = odd
            return write_field(self.folder / name, "shear", values, n, n, units)
        everywhere = [(j, i) for j in range(n) for i in range(n)]
        for odd in (math.inf, -math.inf):
            self.assert_fails(2, "lkf", field("all.nc", odd, everywhere), says=("all.nc: shear is infinite at (0, 0)", "_FillValue"))
            self.assert_fails(2, "lkf", field("one.nc", odd, [(7, 31)]), says="shear is infinite at (7, 31)")
        # 1e305 s-1 is no infinity, but 8.64e309 day-1 would be.
        self.assert_fails(2, "lkf", field("much.nc", 1e305, [(7, 31)], "s-1"), says="infinite at (7, 31)")
        self.assert_fails(2, "lkf", field("none.nc", math.nan, everywhere), says="no values")
        self.assertGreater(self.json("lkf", field("gap.nc", math.nan, [(7, 31)]), "--json")["count"], 0)

    def test_bad_requests_are_bad_input(self):
        path = write_field(self.folder / "a.nc", "shear", [1.0, 2.0, 3.0, 4.0], 2, 2, "s-1")
        metres = write_field(self.folder / "m.nc", "h", [1.0, 2.0, 3.0, 4.0], 2, 2, "m")
        self.assert_fails(2, "lkf", "absent.nc", says="absent.nc")
        self.assert_fails(2, "lkf", metres, "--variable", "h", says="units")
        self.assert_fails(2, "lkf", metres, says=("shear", "known are h"))
        self.assert_fails(2, "lkf", path, "--rules", "lkf_tool", says="lkf_tools")
        self.assert_fails(2, "lkf", path, "--parameters", "dog51", says="dog15")
        self.assert_fails(2, "lkf", path, "--parameters", "lmni=3", says="lmin")
        self.assert_fails(2, "lkf", path, "--parameters", "lmin=minus")


class TraceTest(CommandTest):
    def test_foreign_and_missing_traces_are_bad_input(self):
        (self.folder / "a.bin").write_bytes(b"no trace" * 100)
        (self.folder / "empty.bin").write_bytes(b"")
        self.assert_fails(2, "trace-diff", "a.bin", "a.bin", says="a.bin")
        self.assert_fails(2, "trace-diff", "empty.bin", "empty.bin", says="empty.bin")
        self.assert_fails(2, "trace-diff", "absent.bin", "a.bin", says="absent.bin")


if __name__ == "__main__":
    unittest.main()
