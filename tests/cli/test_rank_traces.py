#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces and recorded fields of programs of others: of several ranks, of runs that were stopped, listed and exported."""
import csv
import io
import json
import os
import stat
import unittest

import trace_files
from support import CASE, PROGRAM, SMALL, CommandTest

try:
    import netCDF4
except ModuleNotFoundError:
    netCDF4 = None

STEPS = 3
SHAPE = (2, 3, 4)  # slowest first
SIZE = 24


def bits(step, element):
    return (step * 1000003 + element * 7919) * 0x9e3779b97f4a7c15 & trace_files.MASK


def write_trace(path, rank=0, ranks=1, run="", owns=lambda element: True, changed=(), steps=STEPS, skips=(), whole=True, indices="fortran"):
    """A stage with a field in parts, and one with a scalar of every rank. changed: (step, element) with other bits."""
    trace = trace_files.Trace(path, rank, ranks, run)
    trace.describe("t", type="float64", shape=",".join(map(str, SHAPE)), indices=indices, unit="K")
    trace.describe("dt", type="float64", shape="", indices=indices)
    for step in range(1, steps + 1):
        if step not in skips:
            blocks = [bits(step, e) + ((step, e) in changed) & trace_files.MASK if owns(e) else 0 for e in range(SIZE)]
            trace.record((("step", step), ("sub", -1)), "flow", "t", blocks, missing=sum(not owns(e) for e in range(SIZE)))
        trace.record((("step", step),), "clock, main", "dt", [bits(step, 99)], replicated=ranks > 1)
    trace.write(whole)


def write_call(path, value, facts=(), **attributes):
    """One step of a stage that calls a library, as `attributes` tell."""
    trace = trace_files.Trace(path, facts=facts)
    trace.describe_stage("model.fft", **attributes)
    trace.record((("step", 1),), "model.fft", "p", [value])
    trace.write()


class RankTest(CommandTest):
    def test_what_the_atlas_knows_of_a_difference_is_told(self):
        told = {"blocks": "FFTW complex double 384"}
        write_call(self.folder / "a.bin", 1, **told, alignment="64")
        write_call(self.folder / "b.bin", 2, **told, alignment="8")
        lines = self.assert_done("trace-diff", "a.bin", "b.bin", code=1).splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("stage model.fft, field p: ", lines[0])
        self.assertTrue(lines[1].startswith("known of FFTW 3.3.10: complex double 384 had other bits, up to "), lines[1])
        self.assertIn("(both arrays moved by 8 bytes from a multiple of 64; ", lines[1])
        self.assertIn("; here alignment went from 64 to 8, which may be why: see whether the bits agree without that change, ", lines[1])
        notes = json.loads(self.assert_done("trace-diff", "a.bin", "b.bin", "--json", code=1))["notes"]
        self.assertEqual(notes, lines[1:])

    def test_a_fault_is_not_explained_by_the_atlas(self):
        told = {"blocks": "FFTW complex double 384"}
        write_call(self.folder / "a.bin", 1, **told, alignment="64", batch="1")
        for number, (facts, attributes) in enumerate((((), {**told, "alignment": "64", "batch": "1"}),  # nothing has changed
                                                      ((), {**told, "alignment": "64", "batch": "16"}),  # what keeps the bits
                                                      ((), {**told, "alignment": "32", "batch": "1"}),
                                                      ((), {**told, "alignment": "8", "batch": "16"}),  # two changes
                                                      ((), {**told, "alignment": "8", "batch": "1", "dt": "10"}),
                                                      ((), {"alignment": "8", "batch": "1"}),  # another stage
                                                      ((("flags", "-ffast-math"),), {**told, "alignment": "8", "batch": "1"}))):
            write_call(self.folder / "b.bin", 2, facts, **attributes)
            with self.subTest(number):
                self.assertEqual(len(self.assert_done("trace-diff", "a.bin", "b.bin", code=1).splitlines()), 1)

    def write_ranks(self, ranks=4, **options):
        for rank in range(ranks):
            write_trace(self.folder / f"mpi.{rank}-of-{ranks}.bin", rank, ranks, "launch", lambda e, rank=rank: e % ranks == rank, **options)

    def test_one_rank_is_compared_with_several(self):
        write_trace(self.folder / "serial.bin")
        for ranks in (2, 3, 4):
            self.write_ranks(ranks)
            for name in (f"mpi.0-of-{ranks}.bin", f"mpi.{ranks - 1}-of-{ranks}.bin"):
                for pair in (("serial.bin", name), (name, "serial.bin"), (name, name)):
                    self.assertEqual(self.assert_done("trace-diff", *pair), "no difference in 6 records\n")
        self.assert_done("trace-diff", "mpi.0-of-2.bin", "mpi.0-of-3.bin")
        self.assert_fails(2, "trace-diff", "serial.bin", "mpi.bin", says=("mpi.bin: ", "launches of 2 and of 4 ranks"))

    def test_the_name_without_a_rank_will_do(self):
        self.write_ranks(4)
        write_trace(self.folder / "serial.bin")
        self.assertEqual(self.assert_done("trace-diff", "mpi.bin", "serial.bin"), "no difference in 6 records\n")

    def test_a_folder_without_checkpoints_stands_for_its_trace(self):
        for name, ranks in (("a", 1), ("b", 2)):
            (self.folder / name).mkdir()
            for rank in range(ranks):
                file = "trace.bin" if ranks == 1 else f"trace.{rank}-of-{ranks}.bin"
                write_trace(self.folder / name / file, rank, ranks, owns=lambda e, rank=rank, ranks=ranks: e % ranks == rank)
        for pair in (("a", "b"), ("b", "a/trace.bin")):
            self.assertEqual(self.assert_done("trace-diff", *pair), "no difference in 6 records\n")
        (self.folder / "c").mkdir()
        self.assert_fails(2, "trace-diff", "a/trace.bin", "c", says=("c: is a folder",))

    def test_a_difference_has_the_indices_of_the_model(self):
        write_trace(self.folder / "a.bin")
        # Element 17 = 1 + 4 (1 + 3 1): t(2, 2, 2) of Fortran's t(4, 3, 2), t[1][1][1] of C's t[2][3][4].
        write_trace(self.folder / "b.bin", changed={(2, 17)})
        told = self.assert_done("trace-diff", "a.bin", "b.bin", code=1)
        self.assertEqual(told, "step 2, sub -1, stage flow, field t: element 17 differs, (i, j, k) = (2, 2, 2) (1 of 24 blocks differ, 24 elements "
                               "in all); 2 records before it are equal\n")
        write_trace(self.folder / "c.bin", indices="c")
        self.assertIn("element 17 differs, [1, 1, 1] (", self.assert_done("trace-diff", "c.bin", "b.bin", code=1))
        self.write_ranks(3)
        self.assertEqual(self.assert_done("trace-diff", "mpi.bin", "b.bin", code=1), told)

    def test_json_has_the_same(self):
        write_trace(self.folder / "a.bin")
        write_trace(self.folder / "b.bin", changed={(2, 17), (2, 20)})
        found = self.json("trace-diff", "a.bin", "b.bin", "--json", code=1)
        self.assertEqual(found, {"kind": "values", "records_equal": 2, "step": 2, "loops": [{"loop": "sub", "index": -1}], "stage": "flow", "field": "t",
                                 "first": 17, "last": 17, "first_indices": [2, 2, 2], "last_indices": [2, 2, 2], "indices": "fortran",
                                 "blocks_differing": 2, "blocks": 24, "elements": [24, 24], "notes": []})
        self.assertEqual(self.json("trace-diff", "a.bin", "a.bin", "--json"), {"kind": "none", "records_equal": 6, "notes": []})
        self.assert_fails(2, "trace-diff", ".", ".", "--partial", says="--partial: has no effect")

    def test_missing_parts_are_told_with_their_ranks(self):
        write_trace(self.folder / "serial.bin")
        self.write_ranks(4)
        write_trace(self.folder / "mpi.2-of-4.bin", 2, 4, "launch", lambda e: e % 4 == 2, skips={2})
        told = self.assert_done("trace-diff", "serial.bin", "mpi.bin", code=1)
        self.assertTrue(told.startswith("step 2, sub -1, stage flow, field t: in the second run 6 of 24 elements are missing (rank 2 tells nothing of it); "
                                        "2 records before it are equal\n"), told)
        (self.folder / "mpi.3-of-4.bin").unlink()
        told = self.assert_done("trace-diff", "serial.bin", "mpi.bin", code=1)
        self.assertIn("(rank 3 tells nothing of it)", told)
        self.assertTrue(told.endswith("mpi.bin has no trace of rank 3 of 4\n"), told)
        self.assertEqual(self.json("trace-diff", "serial.bin", "mpi.bin", "--json", code=1)["kind"], "parts")

    def test_files_of_two_launches_are_refused(self):
        self.write_ranks(3)
        write_trace(self.folder / "mpi.1-of-3.bin", 1, 3, "another")
        self.assert_fails(2, "trace-diff", "mpi.bin", "mpi.bin", says=("mpi.1-of-3.bin: ", "another launch"))

    def test_stopped_runs_are_compared_as_far_as_they_go(self):
        write_trace(self.folder / "a.bin")
        write_trace(self.folder / "b.bin", steps=2, whole=False)
        self.assert_fails(2, "trace-diff", "a.bin", "b.bin", says=("b.bin: ", "trace cut short after 4 records"))
        told = self.assert_done("trace-diff", "a.bin", "b.bin", "--partial")
        self.assertEqual(told, "no difference in 4 records\nb.bin ends with step 2, stage clock, main, field dt, its record 4 (its run was stopped, or "
                               "is at work)\n")
        (self.folder / "c.bin").write_bytes((self.folder / "b.bin").read_bytes()[:-3])
        self.assertIn("c.bin has no record", self.assert_done("trace-diff", "a.bin", "c.bin", "--partial"))
        write_trace(self.folder / "b.bin", steps=2, changed={(1, 3)}, whole=False)
        self.assertIn("element 3 differs", self.assert_done("trace-diff", "a.bin", "b.bin", "--partial", code=1))
        write_trace(self.folder / "short.bin", steps=2)
        self.assertIn("only the first run has this record", self.assert_done("trace-diff", "a.bin", "short.bin", "--partial", code=1))


class ListTest(CommandTest):
    def test_a_trace_is_listed(self):
        write_trace(self.folder / "a.bin")
        lines = self.assert_done("trace", "a.bin").splitlines()
        self.assertEqual(lines[0], "6 records, steps 1 to 3; loops: step, sub")
        self.assertIn("flow         3        1 to 3  t", lines)
        self.assertIn("t      float64  4 x 3 x 2  K     3        1 to 3", lines)
        self.assertIn("dt     float64  scalar           3        1 to 3", lines)
        self.assert_fails(2, "trace", "nothing.bin", says=("nothing.bin: ", "no such trace"))
        write_trace(self.folder / "cut.bin", whole=False)
        self.assert_fails(2, "trace", "cut.bin", says="cut short")
        self.assertIn("cut.bin ends with step 3", self.assert_done("trace", "cut.bin", "--partial"))

    def test_records_become_a_table(self):
        for rank in range(2):
            write_trace(self.folder / f"mpi.{rank}-of-2.bin", rank, 2, owns=lambda e, rank=rank: e % 2 == rank)
        self.assert_done("trace", "mpi.bin", "--csv", "records.csv")
        table = list(csv.DictReader(io.StringIO((self.folder / "records.csv").read_text())))
        self.assertEqual([(row["step"], row["loops"], row["stage"], row["field"], row["elements"], row["missing"]) for row in table[:2]],
                         [("1", "sub -1", "flow", "t", "24", "0"), ("1", "", "clock, main", "dt", "1", "0")])
        self.assertEqual(int(table[2]["hash"], 16), sum(bits(2, e) for e in range(SIZE)) & trace_files.MASK)
        self.assert_done("trace", "mpi.bin", "--csv", "records.csv")
        (self.folder / "mine.csv").write_text("a,b\n")
        self.assert_fails(2, "trace", "mpi.bin", "--csv", "mine.csv", says="mine.csv")
        self.assertEqual((self.folder / "mine.csv").read_text(), "a,b\n")
        self.assert_done("trace", "mpi.bin", "--csv", "mine.csv", "--overwrite")
        self.assert_fails(2, "trace", "mpi.bin", "--csv", "mpi.1-of-2.bin", "--overwrite", says="mpi.1-of-2.bin")
        self.assert_fails(2, "trace", "mpi.bin", "--values", "values.nc", says="--values: has no effect")

    def write_fields(self, path, whole=True):
        fields = trace_files.Fields(path)
        for step in (2, 5):
            for first in (0, 1):  # two parts along the slowest axis
                values = [step * 100.0 + 12 * first + e for e in range(12)]
                fields.part((("step", step), ("sub", 1)), "flow", "t", "float64", "d", ((1, first, 2), (3, 0, 3), (4, 0, 4)), values, 60.0 * step, "K", True)
            fields.part((("step", step),), "flow", "n", "int32", "i", ((1, 2, 3),), [-step], 60.0 * step)
            fields.part((("step", step),), "flow", "z", "complex64", "d", ((2, 0, 2), (2, 0, 2)), [1, 2, 3, 4], 60.0 * step)
        fields.write(whole)

    def test_recorded_fields_are_listed(self):
        self.write_fields(self.folder / "fields.bin")
        lines = self.assert_done("trace", "fields.bin").splitlines()
        self.assertEqual(lines[1].split(), ["flow", "t_sub_1", "float64", "4", "x", "3", "x", "2", "K", "2", "from", "2", "to", "5"])
        self.write_fields(self.folder / "cut.bin", whole=False)
        self.assert_fails(2, "trace", "cut.bin", says=("cut.bin: ", "--partial"))
        self.assert_done("trace", "cut.bin", "--partial")
        self.assert_fails(2, "trace", "fields.bin", "--csv", "a.csv", says="--csv: has no effect")

    @unittest.skipUnless(netCDF4, "no netCDF4")
    def test_recorded_fields_become_netcdf(self):
        self.write_fields(self.folder / "fields.bin")
        self.assert_done("trace", "fields.bin", "--values", "values.nc")
        with netCDF4.Dataset(self.folder / "values.nc") as data:
            self.assertEqual(list(data["time"][:]), [120.0, 300.0])
            self.assertEqual(list(data["step"][:]), [2, 5])
            field = data["flow_t_sub_1"]
            self.assertEqual((field.shape, field.units), ((2, *SHAPE), "K"))
            self.assertEqual(field[1].ravel().tolist(), [500.0 + e for e in range(24)])
            self.assertEqual(data["flow_n"][1].tolist(), [None, None, -5])
            self.assertEqual((data["flow_z_re"][0].tolist(), data["flow_z_im"][0].tolist()), ([1, 3], [2, 4]))
        self.assert_done("trace", "fields.bin", "--values", "values.nc")
        (self.folder / "mine.nc").write_text("mine")
        self.assert_fails(2, "trace", "fields.bin", "--values", "mine.nc", says="mine.nc")


class ProbedProgramsTest(CommandTest):
    def program(self, name, *lines):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return f"{name}=./{name}"

    def test_programs_of_others_are_compared_by_their_traces(self):
        write_trace(self.folder / "a.bin")
        write_trace(self.folder / "b.bin", changed={(2, 17)})
        for rank in range(2):
            write_trace(self.folder / f"m.{rank}-of-2.bin", rank, 2, owns=lambda e, rank=rank: e % 2 == rank)
        one, two = self.program("one", 'cp a.bin "$ULPINE_TRACE"'), self.program("two", 'cp b.bin "$ULPINE_TRACE"')
        ranks = self.program("ranks", 'for i in 0 1; do cp m.$i-of-2.bin "${ULPINE_TRACE%.bin}.$i-of-2.bin"; done')
        text = self.assert_done("bitwise", "--programs", f"{one},{two},{ranks}", code=1)
        self.assertEqual(text.splitlines()[:4], ["program  bits  records  ranks", "one         1        6      1", "two         2        6      1",
                                                 "ranks       1        6      2"])
        self.assertIn("two (bits 2) against one (bits 1): step 2, sub -1, stage flow, field t: element 17 differs", text)
        self.assert_done("bitwise", "--programs", f"{one},{ranks}")

    def test_bad_programs_are_told_in_a_line(self):
        write_trace(self.folder / "a.bin")
        one, silent = self.program("one", 'cp a.bin "$ULPINE_TRACE"'), self.program("silent", "true")
        fails = self.program("fails", "echo out of ice >&2", "exit 7")
        self.assert_fails(2, "bitwise", "--programs", f"{one},{silent}", says="silent left no trace")
        self.assert_fails(1, "bitwise", "--programs", f"{one},{fails}", says=("fails: ended with exit code 7", "out of ice"))
        killed = self.program("killed", "kill -SEGV $$")
        self.assert_fails(1, "bitwise", "--programs", f"{one},{killed}", says=("killed: was ended by signal 11", "ulimit -s unlimited"))
        self.assert_fails(2, "bitwise", "--programs", one, says="at least two")
        self.assert_fails(2, "bitwise", says="CASE is missing")
        self.assert_fails(2, "bitwise", "--programs", f"{one},{silent}", "--steps", 3, says=("--steps: has no effect", "CASE"))
        self.assert_fails(2, "bitwise", CASE, *SMALL[2:], "--programs", f"ours={PROGRAM},{silent}", "--steps", 2,
                          says=("silent ended well without running the case", "leave CASE out"))


if __name__ == "__main__":
    os.environ.pop("ULPINE_TRACE", None)
    unittest.main()
