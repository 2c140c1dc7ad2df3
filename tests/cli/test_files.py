#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare, lkf, spectrum and trace-diff on files of their own and on broken ones."""
import json
import math
import unittest

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


class SpectrumTest(CommandTest):
    def test_power_of_a_cosine_lies_in_its_ring(self):
        n, k = 16, 3
        wave = [math.cos(2 * math.pi * k * i / n) for _ in range(n) for i in range(n)]
        path = write_field(self.folder / "wave.nc", "h", wave, n, n, "m", spacing=500.0)
        answer = self.json("spectrum", path, "--variable", "h", "--json")
        # Two modes of (n*n/2)^2/(n*n) each (Parseval with the pysteps normalisation).
        self.assertAlmostEqual(answer["power"][k] * answer["modes"][k], n * n / 2, delta=1e-9)
        self.assertLess(max(p for i, p in enumerate(answer["power"]) if i != k), 1e-20)
        self.assertAlmostEqual(answer["wavenumber"][k], k / (n * 500.0), delta=1e-18)

    def test_bad_requests_are_bad_input(self):
        path = write_field(self.folder / "a.nc", "h", [1.0, 2.0, 3.0, 4.0], 2, 2)
        self.assert_fails(2, "spectrum", path, "--variable", "hh")
        self.assert_fails(2, "spectrum", path, "--variable", "h", "--variant", "pystep", says="pysteps")
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

    def test_bad_requests_are_bad_input(self):
        path = write_field(self.folder / "a.nc", "shear", [1.0, 2.0, 3.0, 4.0], 2, 2, "s-1")
        metres = write_field(self.folder / "m.nc", "h", [1.0, 2.0, 3.0, 4.0], 2, 2, "m")
        self.assert_fails(2, "lkf", "absent.nc", says="absent.nc")
        self.assert_fails(2, "lkf", metres, "--variable", "h", says="units")
        self.assert_fails(2, "lkf", metres, says="shear")
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
