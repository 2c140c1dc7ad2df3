#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables as JSON and as CSV, read by Python's own readers: both have what the text has."""
import csv
import io
import random
import unittest

from support import CASE, CommandTest, SMALL, write_netcdf


class Tables(CommandTest):
    def tables(self, *words, code=0):
        """The text, the rows of the CSV and the JSON."""
        text = self.assert_done(*words, "--csv", code=code)
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
        self.assertTrue(rows, text)
        for row in rows:
            self.assertNotIn(None, row, "a row longer than its head")
            self.assertNotIn(None, row.values(), "a row shorter than its head")
        self.assert_fails(2, *words, "--csv", "--json", says=("--csv", "--json"))
        return self.assert_done(*words, code=code), rows, self.json(*words, "--json", code=code)

    def field(self, name, change=0.0):
        values = [float(k * k % 11) for k in range(48)]
        values[13] += change
        return write_netcdf(self.folder / name, {"y": 6, "x": 8}, {"h": (("y", "x"), values, {"units": "m"}), "a, \"b\"": (("x",), values[:8], {})})

    def test_of_files(self):
        for number, change in enumerate((0.0, 0.5, 0.25)):
            self.field(f"{number}.nc", change)
        text, rows, document = self.tables("compare", "0.nc", "1.nc")
        self.assertEqual([row["variable"] for row in rows], list(document["variables"]))
        self.assertIn('a, "b"', [row["variable"] for row in rows], "a name with a comma and quotes")
        changed = {row["variable"]: row for row in rows}["h"]
        self.assertEqual((float(changed["linf"]), changed["differing"]), (document["variables"]["h"]["linf"], "1"))
        self.assertEqual((changed["worst.index.y"], changed["worst.index.x"]), ("1", "5"))
        self.assertEqual(float(changed["linf"]), 0.5)

        text, rows, document = self.tables("spectrum", "1.nc", "--variable", "h")
        self.assertEqual([float(row["power"]) for row in rows], document["power"])
        self.assertEqual([float(row["wavenumber"]) for row in rows], document["wavenumber"])
        self.assertEqual(len(rows), len([line for line in text.splitlines() if not line.startswith("#")]))

        text, rows, document = self.tables("same", "0.nc", "1.nc", code=4)
        self.assertEqual([(row["variable"], float(row["linf"])) for row in rows if float(row["linf"]) > 0], [("h", 0.5)])

        text, rows, document = self.tables("digits", "--samples-from", "0.nc", "1.nc", "2.nc", "-o", "digits", "--absolute")
        bits = document["fields"][0]["bits"]["significant"]["p50"]
        self.assertEqual([(row["name"], float(row["bits.significant.p50"])) for row in rows], [("h", bits[0])])

    def test_of_a_consistency(self):
        draw = random.Random(5)
        for name, shift in [(f"accepted/m{number:02}.nc", 0) for number in range(30)] + [("new/n0.nc", 9), ("new/n1.nc", 9), ("new/n2.nc", 9)]:
            (self.folder / name).parent.mkdir(exist_ok=True)
            write_netcdf(self.folder / name, {"x": 4}, {variable: (("x",), [shift * (variable == "u") + draw.gauss(5, 1) for _ in range(4)], {"units": "m"}) for variable in "uv"})
        _, rows, document = self.tables("consistency", "--ensemble", "accepted", "--test", "new", "--method", "tolerance,twosample", code=1)
        findings = [(outcome["method"], finding["subject"]) for outcome in document["outcomes"] for finding in outcome["findings"]]
        self.assertEqual([(row["method"], row["subject"]) for row in rows], findings)
        rejected = {finding["subject"] for outcome in document["outcomes"] for finding in outcome["findings"] if finding["rejected"]}
        self.assertEqual({row["subject"] for row in rows if row["rejected"] == "true"}, rejected)
        self.assertTrue(rejected)

    def test_of_bits(self):
        text, rows, document = self.tables("bitwise", CASE, "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "time.substeps=4", "--steps", "2", "--configs", "cpu:1,cpu:2,cpu:1/fp32", code=1)
        self.assertEqual([row["result"] for row in rows], ["reference", "same bits", "different"])
        self.assertEqual([row["configuration"] for row in rows], [entry["configuration"] for entry in document["configurations"]])
        place = document["configurations"][2]["divergence"]
        self.assertIn(f"{place['place']}, stage {place['stage']}, field {place['field']}", text)
        self.assertEqual([row["divergence.stage"] for row in rows], ["", "", place["stage"]])
        self.assertFalse(document["identical"])

        text, rows, document = self.tables("conformance", CASE, "--set", "grid.nx=4", "--set", "grid.ny=4", "--set", "time.substeps=2", "--steps", "2", "--configs", "cpu:1")
        self.assertEqual([row["answer"] for row in rows], ["holds"] * len(document["checks"]))
        self.assertEqual([row["check"] for row in rows], [line[:16].rstrip() for line in text.splitlines()])
        self.assertTrue(document["conforms"])

    def test_of_a_restart(self):
        _, rows, document = self.tables("restart", CASE, *SMALL, "--spinup", "4 min", "--until", "8 min", "--tests", "cpu/fp64/deterministic,cpu/fp32/deterministic", "-o", "r")
        self.assertEqual((document["passed"], [test["same_bits"] for test in document["tests"]]), (True, [True, False]))
        compared = [(test["configuration"], name, values["l2_relative"]) for test in document["tests"] for name, values in test["comparison"]["variables"].items()]
        self.assertEqual([(row["configuration"], row["variable"], float(row["l2_relative"]) if row["l2_relative"] else None) for row in rows], compared)

    def test_of_the_place_where_runs_part(self):
        for policy in ("fp64", "fp32"):
            self.assert_done("run", CASE, *SMALL, "--quiet", "--until", "4 min", "--policy", policy, "--trace", "--checkpoints", "4", "-o", policy)
        text, rows, document = self.tables("trace-diff", "fp64/trace.bin", "fp32/trace.bin", code=1)
        self.assertEqual([(row["kind"], row["stage"], row["field"], int(row["step"])) for row in rows], [tuple(document[key] for key in ("kind", "stage", "field", "step"))])
        self.assertIn(f"stage {document['stage']}, field {document['field']}", text)

        text, rows, document = self.tables("trace-diff", "fp64", "fp32", "--states-only", code=1)
        self.assertEqual((document["kind"], [row["step"] for row in rows]), ("states", [str(document["step"])]))
        self.assertIn(f"the states differ from step {document['step']} on", text)
        _, rows, document = self.tables("trace-diff", "fp64", "fp64", "--states-only")
        self.assertEqual((document["kind"], rows[0]["states_equal"]), ("none", str(document["states_equal"])))


if __name__ == "__main__":
    unittest.main()
