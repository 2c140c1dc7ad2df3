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

    def test_runs_of_programs_that_ask_otherwise_are_not_mixed(self):
        with self.assertRaises(SystemExit):
            merged(row(), row(elements=60))
        self.assertEqual(len(only(merged(row(), row(elements=60, machine="Other")))), 2)

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
            self.assertEqual(tomllib.loads(path.read_text(encoding="utf-8"))["runs"], [])
            path.write_text(merge.as_toml(merged(row(block="a\x7fb")), {"two", "one"}), encoding="utf-8")
            self.assertEqual(merge.read_data(path), merged(row(block="a\x7fb")))
            self.assertEqual(merge.read_merged(path), ["one", "two"])

    def test_page_tells_same_other_and_contradicting_rows(self):
        page = merge.page(merged(row(block="A"), row(block="B", answer="other", unlike=5, ulps=3), row(block="C"), row(block="C", answer="other", unlike=1, ulps=2)))
        self.assertIn("| same bits | other bits | not the same in two runs |", page)
        self.assertIn("| A (10) | B (50 % of 10, 3 ulp) | C (10 % of 10, 2 ulp) |", page)

    def test_page_tells_answers_that_machines_do_not_share(self):
        other = row(block="B", machine="Other", answer="other", unlike=5, ulps=3, changed_hash="b")
        page = merge.page(merged(row(block="A"), row(block="B"), other))
        self.assertIn("| same bits | other bits | other on some machines | not the same in two runs |", page)
        self.assertIn("| A (10) | - | B (50 % of 10, 3 ulp, on Other with driver 13.0) | - |", page)
        page = merge.page(merged(row(block="A"), row(block="B"), other, dict(other, answer="same", unlike=0)))
        self.assertIn("| A (10) | - | B (50 % of 10, 3 ulp) |", page)
        self.assertNotIn("other on some machines", page)

    def test_page_keeps_versions_apart(self):
        page = merge.page(merged(row(block="A"), row(block="B", version="12.1.0")))
        self.assertRegex(page, r"Version 12\.0\.0, on Card\.\n\n.*\n.*\n.*\| A \(10\) \| - \| - \|\n\nVersion 12\.1\.0, on Card\.\n\n.*\n.*\n.*\| B \(10\) ")
        sums = row(library="CUB", version="3.0.1", block="DeviceReduce::ReduceByKey float", varied="arrival", change="100 runs")
        lines = merge.promises(merged(sums, dict(sums, version="3.1.0", answer="other")))
        self.assertEqual([line.rsplit("| ", 1)[1] for line in lines], ["kept |", "**not kept** |"])

    def test_distances_of_single_words_are_not_told(self):
        nan = row(library="CUDA", block="fmax(+0, -0)", varied="device", change=merge.OF_WORDS, answer="other", elements=1, unlike=1, ulps=9.2e18)
        self.assertIn("fmax(+0, -0) (100 % of 1)", merge.page(merged(nan)))

    def test_page_tells_cards_apart_by_hashes(self):
        page = merge.page(merged(row(block="A"), row(block="A", machine="Other"), row(block="B"), row(block="B", machine="Other", hash="z")))
        self.assertIn("| cuFFT 12.0.0 | cards | 1 questions | B (batch) |", page)
        self.assertNotIn("From machine to machine", merge.page(merged(row(), row())))
        self.assertNotIn("From machine to machine", merge.page(merged(row(), row(driver="13.1"))))

    def test_page_holds_promises_to_rows(self):
        sums = row(library="CUB", block="DeviceReduce::ReduceByKey float", varied="arrival", change="100 runs")
        self.assertRegex(merge.page(merged(sums)), r"sums by key .* \| same bits \(1 questions\) \| kept \|")
        self.assertRegex(merge.page(merged(sums, dict(sums, answer="other"))), r"sums by key .* \| other bits in all \(1 questions\) \| \*\*not kept\*\* \|")
        scan = row(library="CUB", block="DeviceScan::InclusiveSum float", varied="arrival", change="100 runs", answer="other")
        self.assertRegex(merge.page(merged(scan)), r"running sums .* \| as said \|")
        self.assertNotIn("What documentation says", merge.page(merged(row())))

    def refused(self, *texts, merged_before=()):
        """What merge.py says of files that it refuses."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"run{number}.jsonl" for number in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_bytes(text)
            with self.assertRaises(SystemExit) as refused:
                merge.read_runs(paths, merged_before)
            return str(refused.exception)

    def test_strange_files_are_refused(self):
        lines = [b"no row", b"[]", b"3", b"null", b"{}", b"[" * 100000]
        for key in row():
            lines += [json.dumps({name: value for name, value in row().items() if name != key}).encode(), json.dumps(row(**{key: None})).encode(), json.dumps(row(**{key: []})).encode()]
        strange = [{"varied": "weather"}, {"answer": "maybe"}, {"unlike": 11}, {"unlike": 5}, {"answer": "other"}, {"answer": "other", "unlike": 5}, {"ulps": float("inf")}, {"ulps": -2}, {"ulps": True},
                   {"answer": "other", "changed_hash": "b"}, {"changed_hash": "b"}, {"ulps": 2}, {"elements": 0}, {"unlike": -1}, {"block": "a\nb"}, {"block": "\x7f"}, {"block": "\ud800"}, {"block": ""},
                   {"date": "today"}, {"run": 3}]
        for line in lines + [json.dumps(row(**other)).encode() for other in strange]:
            with self.subTest(line[:200]):
                good = json.dumps(row(block="good")).encode()
                self.assertIn("run0.jsonl:2: ", self.refused(good + b"\n" + line + b"\n"))
        self.assertIn("run0.jsonl: ", self.refused(b"\xff\n"))
        self.assertIn("run0.jsonl: is empty", self.refused(b""))
        with self.assertRaises(SystemExit):
            merge.read_runs([pathlib.Path("/nowhere/run.jsonl")])

    def test_what_was_not_measured_has_no_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.jsonl"
            path.write_text(json.dumps({"not_measured": "NCCL", "why": "one GPU", "machine": "Card"}) + "\n", encoding="utf-8")
            self.assertEqual(merge.read_runs([path]), [])
            path.write_text(json.dumps(row()) + "\n" + json.dumps(row(block="B", answer="other", unlike=1, changed_hash="b", driver="")), encoding="utf-8")
            self.assertEqual([one["block"] for one in merge.read_runs([path])], ["Z2Z 997", "B"])

    def test_no_run_counts_twice(self):
        for one in (row(), row(run="abc")):
            line = json.dumps(one).encode() + b"\n"
            self.assertIn("run1.jsonl: has run ", self.refused(line, line))
            self.assertIn("run0.jsonl:2: asks again", self.refused(line + line))
        self.assertIn("counted already", self.refused(json.dumps(row(run="abc")).encode(), merged_before=["abc"]))

    def test_files_are_written_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            data, nowhere = pathlib.Path(folder) / "atlas.toml", pathlib.Path(folder) / "nowhere/bits.md"
            data.write_text("before", encoding="utf-8")
            with self.assertRaises(SystemExit):
                merge.write(((data, "after"), (nowhere, "page")))
            self.assertEqual((data.read_text(encoding="utf-8"), list(data.parent.iterdir())), ("before", [data]))
            merge.write(((data, "after"),))
            self.assertEqual((data.read_text(encoding="utf-8"), list(data.parent.iterdir())), ("after", [data]))


class Stored(unittest.TestCase):
    def test_a_call_without_rows_is_refused(self):
        done = subprocess.run([sys.executable, merge.__file__, "--anew", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr[:18]), (1, "merge.py: no rows "))

    def test_page_is_in_step(self):
        done = subprocess.run([sys.executable, merge.__file__, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_were_measured_twice(self):
        once = [question for question, entry in merge.read_data(merge.DATA).items() if all(one["runs"] < 2 for one in entry["measured"].values())]
        self.assertEqual(once, [])


if __name__ == "__main__":
    unittest.main()
