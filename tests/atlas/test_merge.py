#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How runs of the atlas' programs are merged: counted by machine, contradictions kept apart, the page in step with the rows."""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks/atlas"))

import merge  # noqa: E402


def row(**other):
    return {"library": "cuFFT", "version": "12.0.0", "block": "Z2Z 997", "varied": "batch", "change": "a batch of 2 against 1", "answer": "same", "elements": 10, "unlike": 0,
            "ulps": 0, "hash": "a", "changed_hash": "a", "machine": "Card", "driver": "13.0", "date": "2026-01-01", "command": "atlas_cuda --only cufft", **other}


def merged(*rows):
    questions = {}
    for one in rows:
        merge.add_run(questions, one)
    return questions


def only(questions):
    (entry,) = questions.values()
    return entry["measured"]


class Merging(unittest.TestCase):
    def test_runs_of_a_machine_are_counted(self):
        measured = only(merged(row(), row(date="2026-02-01"), row(machine="Other")))
        self.assertEqual({machine: one["runs"] for (machine, _), one in measured.items()}, {"Card": 2, "Other": 1})
        self.assertEqual(measured["Card", "13.0"]["date"], "2026-02-01")

    def test_another_driver_is_another_machine(self):
        self.assertEqual(len(only(merged(row(), row(driver="13.1")))), 2)

    def test_contradictions_are_kept_apart(self):
        other = row(answer="other", unlike=5, ulps=3, changed_hash="b")
        for rows in ((row(), other), (other, row()), (row(), other, row())):
            one = only(merged(*rows))["Card", "13.0"]
            self.assertEqual((one["answer"], one["share"], one["ulps"], one["hash"], one["changed_hash"]), (merge.CONTRADICTION, 0.5, 3, "a", ""))

    def test_the_furthest_counts_and_a_nan_most(self):
        self.assertEqual(only(merged(row(ulps=2, unlike=1), row(ulps=7, unlike=4)))["Card", "13.0"]["ulps"], 7)
        one = only(merged(row(ulps=-1, unlike=1), row(ulps=7, unlike=4)))["Card", "13.0"]
        self.assertEqual((one["ulps"], one["share"]), (-1, 0.4))

    def test_what_is_written_is_read(self):
        questions = merged(row(block='a "quoted" | block'), row(machine="Other", hash="c", answer="other", unlike=3, ulps=1e300), row(varied="place", ulps=-1))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "atlas.toml"
            path.write_text(merge.as_toml(questions), encoding="utf-8")
            self.assertEqual(merge.read_data(path), questions)
            tomllib.loads(path.read_text(encoding="utf-8"))

    def test_page_tells_same_other_and_contradicting_rows(self):
        page = merge.page(merged(row(block="A"), row(block="B", answer="other", unlike=5, ulps=3), row(block="C"), row(block="C", answer="other", unlike=1, ulps=2)))
        self.assertIn("| A | B (50 %, 3 ulp) | C (10 %, 2 ulp) |", page)

    def test_page_tells_cards_apart_by_hashes(self):
        page = merge.page(merged(row(block="A"), row(block="A", machine="Other"), row(block="B"), row(block="B", machine="Other", hash="z")))
        self.assertIn("| cuFFT | cards | 1 questions | B (batch) |", page)
        self.assertNotIn("From machine to machine", merge.page(merged(row(), row())))

    def test_page_holds_promises_to_rows(self):
        sums = row(library="CUB", block="DeviceReduce::ReduceByKey float", varied="arrival", change="100 runs")
        self.assertRegex(merge.page(merged(sums)), r"sums by key .* \| same bits \(1 questions\) \| kept \|")
        self.assertRegex(merge.page(merged(sums, dict(sums, answer="other"))), r"sums by key .* \| other bits in all \(1 questions\) \| \*\*not kept\*\* \|")
        scan = row(library="CUB", block="DeviceScan::InclusiveSum float", varied="arrival", change="100 runs", answer="other")
        self.assertRegex(merge.page(merged(scan)), r"running sums .* \| as said \|")
        self.assertNotIn("What documentation says", merge.page(merged(row())))

    def test_strange_files_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.jsonl"
            for text in ("no row\n", json.dumps(row(varied="weather")) + "\n"):
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(SystemExit) as refused:
                    list(merge.read_runs([path]))
                self.assertIn("run.jsonl:1: ", str(refused.exception))
            path.write_text(json.dumps({"not_measured": "NCCL", "why": "one GPU", "machine": "Card"}) + "\n", encoding="utf-8")
            self.assertEqual(list(merge.read_runs([path])), [])


class Stored(unittest.TestCase):
    def test_page_is_in_step(self):
        done = subprocess.run([sys.executable, merge.__file__, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_were_measured_twice(self):
        once = [question for question, entry in merge.read_data(merge.DATA).items() if all(one["runs"] < 2 for one in entry["measured"].values())]
        self.assertEqual(once, [])


if __name__ == "__main__":
    unittest.main()
