#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judgement of hostile inputs, held to programs that do what none may do."""
import pathlib
import random
import stat
import tempfile
import tomllib
import unittest

try:
    import hostile
    from absurd import cases, studies, surfaces, trial, winds
except ImportError as missing:
    raise SystemExit(77) from missing

PROGRAM = """#!/usr/bin/python3
import os, pathlib, signal, sys, time
import numpy as np
def output(value):
    from netCDF4 import Dataset
    os.makedirs("out", exist_ok=True)
    with Dataset("out/output.nc", "w") as file:
        file.createDimension("time", 1)
        file.createDimension("x", 2)
        file.createVariable("u", "f8", ("time", "x"))[:] = [[1.0, value]]
    pathlib.Path("out/run.json").write_text('{{"hash": "%s"}}' % value)
def refuse(*lines):
    print(*lines, sep="\\n", file=sys.stderr)
    sys.exit(2)
{body}
"""
REFUSAL = "ulpine: input.txt: is no input (nothing follows from it) bring one in"


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(surfaces.SURFACES.pop, "planted", None)

    def judged(self, body, **asked):
        program = self.folder / "program"
        program.write_text(PROGRAM.format(body=body))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

        def make(generator, folder):
            (folder / "input.txt").write_text("plain" if generator is None else "hostile")
            return trial.Trial(["run", "input.txt"], **{"says": ("input.txt",), "plain": ["run", "input.txt"], **asked})

        surfaces.SURFACES["planted"] = make
        hostile.PLAIN.clear()
        return hostile.attempt(str(program), "planted", 1, 0, self.folder)[0]

    def limited(self, limit, crowding):
        """The limit in seconds, on a machine where so many threads want each processor."""
        self.addCleanup(setattr, trial.call, "__defaults__", trial.call.__defaults__)
        self.addCleanup(setattr, trial, "crowding", trial.crowding)
        trial.call.__defaults__, trial.crowding = (limit, None), lambda: crowding

    def test_what_is_right_is_called_so(self):
        self.assertEqual(self.judged("output(2.0)", expected="same"), "right")
        self.assertEqual(self.judged(f"refuse({REFUSAL!r})", expected="refused"), "refused")
        self.assertEqual(self.judged("output(2.0); print('ulpine: it blew up', file=sys.stderr); sys.exit(1)"), "told")

    def test_a_program_that_does_not_end_is_noticed(self):
        self.limited(0.5, 1.0)
        self.assertEqual(self.judged("time.sleep(60)"), "hang")

    def test_a_program_that_shares_its_processor_has_more_time(self):
        self.limited(0.5, 600.0)
        self.assertEqual(self.judged("time.sleep(2); output(2.0)"), "right")

    def test_a_program_that_breaks_down_is_noticed(self):
        for body in ("os.kill(os.getpid(), signal.SIGSEGV)", "os.abort()", "sys.exit(77)", "raise ValueError", "refuse('ulpine: internal error: input.txt')"):
            self.assertEqual(self.judged(body), "crash", body)

    def test_a_file_that_is_changed_removed_or_left_is_noticed(self):
        for body in ("pathlib.Path('notes.txt').write_text('')", "pathlib.Path('input.txt').unlink()", "pathlib.Path('input.txt').rename('other.txt')", "pathlib.Path('stray.nc').write_text('')"):
            self.assertEqual(self.judged(body + f"; refuse({REFUSAL!r})"), "lost", body)

    def test_a_refusal_that_does_not_help_is_noticed(self):
        for lines in (("ulpine: input.txt: no", "and more"), ("error: input.txt",), ("ulpine: it is wrong",), ("ulpine: input.txt \x1b[31m is red",), ("ulpine: input.txt " + "x" * 5000,), ()):
            self.assertEqual(self.judged(f"refuse(*{lines!r})" if lines else "sys.exit(2)"), "unclear", lines)

    def test_nonsense_with_exit_code_0_is_noticed(self):
        for value in ("float('nan')", "float('inf')", "4.5e10", "-501.0"):
            self.assertEqual(self.judged(f"output({value})"), "nonsense", value)
        self.assertEqual(self.judged("output(2.0)", expected="refused"), "nonsense")
        self.assertEqual(self.judged("output(2.0)", expected="differs"), "nonsense")

    def test_another_answer_than_the_plain_input_has_is_noticed(self):
        body = "output(2.0 if pathlib.Path('input.txt').read_text() == 'plain' else 2.5)"
        self.assertEqual(self.judged(body, expected="same"), "nonsense")
        self.assertEqual(self.judged(body, expected="near"), "nonsense")
        self.assertEqual(self.judged(body, expected="near", tolerance=1.0), "right")

    def test_a_valid_input_that_is_refused_is_noticed(self):
        body = f"output(2.0) if pathlib.Path('input.txt').read_text() == 'plain' else refuse({REFUSAL!r})"
        self.assertEqual(self.judged(body, expected="taken"), "rejected")
        self.assertEqual(self.judged(body, expected="same"), "refused")

    def test_inputs_follow_from_seed_surface_and_index(self):
        for surface in ("meshes", "rasters", "soundings", "winds"):
            made = []
            for name in ("a", "b"):
                folder = trial.fresh(self.folder / name / surface)
                surfaces.SURFACES[surface](random.Random(f"3 {surface} 7"), folder)
                made.append({path.name for path in folder.iterdir()})
                made.append(surfaces.SURFACES[surface](random.Random(f"3 {surface} 7"), folder).what)
            self.assertEqual(made[:2], made[2:])

    def test_axes_of_one_place_have_no_order_that_could_be_changed(self):
        for number in range(50):
            wind = winds.Wind()
            winds.one_place_only(wind, random.Random(number))
            before = {axis: list(values) for axis, values in wind.coordinates.items()}
            winds.coordinates_out_of_order(wind, random.Random(number))
            self.assertNotEqual(before, {axis: list(values) for axis, values in wind.coordinates.items()})

    def test_a_stage_file_and_its_words_say_the_same(self):
        """Of every input whose answer is to be that of words; the program is not asked, as what a search has found is planted."""
        place = self.folder / "fixtures/search/found"
        place.mkdir(parents=True)
        names = ("seaice.advect.cell", "seaice.limit", "seaice.strain", "seaice.stress", "seaice.velocity")
        studies.write_stages(place / "stages.toml", {"case_hash": '"0123456789abcdef"'}, [f"{name}=fp32" for name in names])
        kinds = set()
        for number in range(300):
            folder = trial.fresh(self.folder / "stages")
            made = studies.stages(random.Random(number), folder, "/bin/false")
            if made.expected != "same" or made.words[-1] != "stages.toml":
                continue
            kinds |= set(made.what.split("+"))
            told = tomllib.loads((folder / "stages.toml").read_text())
            words = [made.plain[at + 1] for at, word in enumerate(made.plain) if word == "--stage"]
            self.assertEqual(sorted(told["stages"]), sorted(words), made.what)
            self.assertLessEqual({word.split("=")[1] for word in words}, {"fp32"}, made.what)
        self.assertLessEqual({"subset", "spelling", "order"}, kinds)

    def test_every_surface_of_the_program_has_inputs(self):
        wanted = {*(f"case-{core}" for core in cases.SMALL), "meshes", "rasters", "soundings", "winds", "stages", "search", "digits", "consistency", "against", "replay", "checkpoints", "ranks"}
        self.assertEqual(wanted, set(surfaces.SURFACES))


if __name__ == "__main__":
    unittest.main()
