#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that fail, each in its way, and cases of programs that cannot be used: one line, nothing lost, and never a good verdict."""
import json
import unittest
from xml.etree import ElementTree

from program_cases import CASE, MODEL, modes, ProgramTest, write_script
from support import limit

SHORT = ("--until", "1 s")
# What is said of a run by its mode.
FAILURES = {
    "exit3": "the program ended with exit code 3: cannot go on",
    "signal": "the program was ended by signal 11 (Segmentation fault)",
    "messages": "the program wrote more than 16777216 bytes of messages and was ended",
    "nan": "the output is invalid: X (9) is NaN at 1 s",
    "infinity": "the output is invalid: X (9) is infinite at 1 s",
    "beyond": "the output is invalid: X (9) = 10000 m s-1 is outside -50 to 50 at 1 s",
    "nothing": "the program left no file finished (program.success_files), though its exit code is 0",
    "half": "state.nc: not a whole NetCDF file",
    "garbage": "state.nc: cannot be opened as NetCDF",
    "unfinished": "the program left no file finished (program.success_files), though its exit code is 0",
    "complaint": "the program said 'CFL exceeded' (program.failure), though its exit code is 0",
    "silent": "the program never said 'ended well' (program.success), though its exit code is 0",
    "name": "program.limits: no output has a variable 'X'",
}
# Runs that end well, and cannot be compared with the reference; what is said of them.
UNLIKE = {"another_start": "its output begins 0.1 s later than the reference's", "times": "its output begins 0.25 s later than the reference's", "late": "lacks times or fields of the reference", "shorter": "lacks times or fields of the reference", "shape": "sizes differ"}


class FailureTest(ProgramTest):
    def test_each_failure_of_a_run_is_one_line_and_recorded(self):
        self.case(modes(*FAILURES))
        for mode, says in FAILURES.items():
            line = self.assert_fails(1, "run", self.model / "case.toml", "-o", mode, "--variant", mode, *SHORT, says=(says, f"{mode}/program/stdout.log"))
            self.assertLess(len(line), 600)
            record = self.record(mode)
            self.assertIn(says, record["failed"])
            self.assertTrue((self.folder / mode / "program/settings.txt").exists(), "what the program left can be looked at")

    def test_hanging_programs_are_ended(self):
        self.case(modes("hang"), CASE.replace("60 s", "0.5 s"))
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", "--variant", "hang", says="the program took longer than 0.5 s and was ended (program.timeout)")

    def test_endless_standard_output_is_ended_on_disk_and_by_the_clock(self):
        self.case(modes("chatter"), CASE.replace("60 s", "1000 s"))
        # A limit that stands in for that of a disk: the program is told so, and ends.
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", "--variant", "chatter", preexec_fn=limit(FSIZE=1 << 24), says="the program ")
        self.assertLessEqual((self.folder / "r/program/stdout.log").stat().st_size, 1 << 24)

    def test_texts_are_found_wherever_they_are_said(self):
        write_script(self.model / "wind", "import os\nos.write(2, b'y' * 1000000 + b'\\n')\nos.write(2, b'early CFL exceeded\\n' + b'z' * 1000000)\n" + MODEL)
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", *SHORT, says="the program said 'CFL exceeded'")
        # Across the pieces in which the log is read.
        self.case(text=CASE.replace("values.mode = \"plain\"", "values.mode = \"silent\""))
        for before in ((1 << 20) - 10, (1 << 20) - 4, 1 << 20):
            write_script(self.model / "wind", f"import sys\nsys.stdout.write('x' * {before} + 'ended well')\n" + MODEL)
            self.assert_done("run", self.model / "case.toml", "-o", "r", *SHORT)
            self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", *SHORT, "--set", "program.success=['ended wells']", says="never said")

    def test_messages_that_are_no_text_are_recorded(self):
        write_script(self.model / "wind", "import os, sys\nos.write(2, b'\\x1b[31mGr\\xf6\\xdfe \\x00 <&> \\xff\\n')\nsys.exit(3)\n")
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", *SHORT, says="exit code 3: ?[31mGr??e ? <&> ?")
        self.assertIn("<&>", self.record("r")["failed"])
        self.case(modes("other"))
        self.study(*SHORT, "--members", "0", code=1)
        ElementTree.parse(self.folder / "study/junit.xml")

    def test_failures_in_a_study_lose_nothing_and_never_look_good(self):
        self.case(modes("copy", *FAILURES, *UNLIKE))
        results = self.study(*SHORT, "--members", "2", "--epsilons", "2^-10", code=1)
        answers = self.answers(results)
        self.assertEqual(answers.pop("copy"), "equal")
        self.assertEqual(answers, dict.fromkeys((*FAILURES, *UNLIKE), "different"))
        self.assertFalse(results["passed"])
        reasons = {verdict["configuration"]: json.dumps(verdict["evidence"]) for verdict in results["verdicts"]}
        for mode, says in {**FAILURES, **UNLIKE}.items():
            self.assertIn(says, reasons[mode])
        summary = (self.folder / "study/summary.md").read_text()
        failed = {case.get("classname") for case in ElementTree.parse(self.folder / "study/junit.xml").iter("testcase") if case.find("failure") is not None}
        self.assertIn(f"1 equal, {len(FAILURES) + len(UNLIKE)} different", summary)
        self.assertTrue({*FAILURES, *UNLIKE} <= failed, failed)
        self.assertNotIn("copy", failed)
        self.assertNotIn("plain", failed)
        # What was finished stays, and failed runs are tried again.
        said = self.assert_done("ensemble", self.model / "case.toml", "-o", "study", *SHORT, "--members", "2", "--epsilons", "2^-10", "--resume", code=1)
        self.assertIn(f"{3 * (2 + len(UNLIKE))} kept", said)

    def test_a_failed_reference_leaves_nothing_to_judge_by(self):
        self.case(modes("copy"), CASE.replace("values.mode = \"plain\"", "values.mode = \"exit3\""))
        results = self.study(*SHORT, "--members", "0", code=1)
        self.assertNotIn("equivalent", self.answers(results).values())
        self.assertNotIn("equal", self.answers(results).values())
        self.case(modes("copy", "nan"), CASE.replace("values.mode = \"plain\"", "values.mode = \"nan\""))
        self.assert_done("ensemble", self.model / "case.toml", "-q", "-o", "other", *SHORT, "--members", "0", code=1)
        self.assertNotIn("equivalent", self.answers(self.results("other")).values())
        self.assertNotIn("equal", self.answers(self.results("other")).values())

    def test_writing_through_a_link_is_a_failure(self):
        (self.model / "table.dat").write_text("input\n")
        write_script(self.model / "wind", MODEL + "open('table.dat', 'a').write('changed\\n')\n")
        self.case(text=CASE.replace("fill =", "place = [\"table.dat\"]\nfill ="))
        self.assert_fails(1, "run", self.model / "case.toml", "-o", "r", *SHORT, says=("the program wrote to ", "table.dat, which all runs share (program.place)"))
        self.case(text=CASE.replace("fill =", "copy = [\"table.dat\"]\nfill ="))
        self.assert_done("run", self.model / "case.toml", "-o", "r", *SHORT)

    def test_programs_that_cannot_be_started(self):
        self.assert_done("run", self.model / "case.toml", "-o", "r", *SHORT)
        before = self.bits(self.folder / "r")
        (self.model / "wind").chmod(0o644)
        self.assert_fails(2, "run", self.model / "case.toml", "-o", "r", *SHORT, says=("program.variants.plain", "is no executable file"))
        self.case("absent.run = [\"program-that-is-nowhere\"]\nread.run = [\"python3\", \"{program}\"]\nread.program = \"wind\"\n", CASE.replace("plain = \"wind\"\n", ""))
        self.assertEqual(self.bits(self.folder / "r"), before)
        self.assert_fails(3, "run", self.model / "case.toml", "-o", "new", *SHORT, "--variant", "absent", says=("program-that-is-nowhere", "No such file or directory"))
        self.assert_done("run", self.model / "case.toml", "-o", "r", *SHORT, "--variant", "read")

    def test_broken_interpreters_and_binaries_are_told(self):
        for content in (b"#!/absent/interpreter\n", b"\x7fELF" + b"\0" * 100):
            (self.model / "wind").write_bytes(content)
            line = self.call("run", self.model / "case.toml", "-o", "r", *SHORT, "-q")
            self.assertIn(line.returncode, (1, 3), line.stderr)
            self.assertEqual(len(line.stderr.splitlines()), 1, line.stderr)


class FolderTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.words = ("run", self.model / "case.toml", "-o", "r", *SHORT)

    def test_foreign_files_in_the_way_are_refused_and_stay(self):
        for name in ("program/data", "program", "output.nc", "run.json"):
            path = self.folder / name.replace("/", "_") / name
            path.parent.mkdir(parents=True)
            path.write_text("mine")
            folder = name.replace("/", "_")
            self.assert_fails(2, *self.words[:3], folder, *SHORT)
            self.assertEqual(path.read_text(), "mine")
            self.assertEqual([path], [found for found in (self.folder / folder).rglob("*") if found.is_file() and found.name != ".ulpine.lock"])
        (self.folder / "there").mkdir()
        (self.folder / "linked").mkdir()
        (self.folder / "there/.ulpine-program").touch()
        (self.folder / "linked/program").symlink_to("../there")
        self.assert_fails(2, *self.words[:3], "linked", *SHORT, says="program")
        self.assertTrue((self.folder / "there/.ulpine-program").exists())

    def test_the_folder_of_the_case_can_be_that_of_the_run(self):
        self.assert_done(*self.words[:3], self.model, *SHORT)
        self.assertTrue((self.model / "program/state.nc").exists())
        self.assertEqual((self.model / "settings.txt").read_text()[:4], "end=")
        (self.folder / "other").mkdir()
        (self.model / "wind").rename(self.folder / "other/program")
        (self.model / "settings.txt").rename(self.folder / "other/settings.txt")
        (self.folder / "other/case.toml").write_text(CASE.replace("plain = \"wind\"", "plain = \"program\""))
        self.assert_fails(2, "run", self.folder / "other/case.toml", "-o", "other", *SHORT, says="program")
        self.assertTrue((self.folder / "other/program").is_file())

    def test_a_run_that_cannot_start_leaves_the_earlier_one_as_it_was(self):
        self.assert_done(*self.words)
        before = self.bits(self.folder / "r")
        (self.model / "start.nc").write_text("no NetCDF file")
        for code, more in ((2, ("--variant", "none")), (2, ("--set", "program.fill=['absent']")), (2, ("--set", "program.fil=[]")), (2, ("--set", "program.run=['{absent}']")),
                           (2, ("--set", "program.variants.plain='absent'")), (2, ("--set", "program.timeout='0 s'")), (2, ("--set", "program.place=['settings.txt']"))):
            self.assert_fails(code, *self.words, *more)
            self.assertEqual(self.bits(self.folder / "r"), before, more)
        self.assertEqual([path.name for path in (self.folder / "r").iterdir() if ".part" in path.name], [])

    def test_a_run_is_not_put_over_one_of_a_study_nor_over_a_model_run(self):
        self.study(*SHORT, "--members", "0")
        before = self.bits(self.folder / "study")
        self.assert_fails(2, *self.words[:3], "study/runs/plain", *SHORT)
        after = self.bits(self.folder / "study")
        self.assertEqual({path: bits for path, bits in after.items() if path.name != ".ulpine.lock"}, {path: bits for path, bits in before.items() if path.name != ".ulpine.lock"})

    def test_a_study_that_was_killed_goes_on(self):
        self.case(text=CASE.replace("time.end = \"6 s\"", "time.end = \"40 s\""))
        words = ("ensemble", self.model / "case.toml", "-o", "study", "--members", "5", "--epsilons", "2^-10")
        whole = self.start(*words[:3], "whole", *words[4:])
        whole.communicate(timeout=120)
        process = self.start(*words)
        self.wait_for(self.folder / "study/runs/plain/program/settings.txt")
        process.kill()
        process.communicate(timeout=120)
        self.assert_done(*words, "--resume")
        for path in (self.folder / "whole").rglob("run.json"):
            other = self.folder / "study" / path.relative_to(self.folder / "whole")
            self.assertEqual(json.loads(other.read_text())["hash"], json.loads(path.read_text())["hash"])
        self.assertEqual(list((self.folder / "study").rglob("*.part")), [])


class KeyTest(ProgramTest):
    def refuse(self, says, *words, text=CASE, variants=""):
        self.case(variants, text)
        line = self.assert_fails(2, "run", self.model / "case.toml", "-o", "new", *SHORT, *words, says=says)
        self.assertFalse((self.folder / "new").exists())
        return line

    def test_unknown_keys_and_names_are_told_with_the_nearest(self):
        self.refuse(("program.fil", "program.fill"), text=CASE.replace("fill =", "fil ="))
        self.refuse(("program.variants.a.progam", "program"), variants="a.progam = \"wind\"\n")
        self.refuse(("program.variants.a.values", "x-y"), variants="a.program = \"wind\"\na.values.x-y = 1\n")
        self.refuse(("program.values.seed", "taken"), text=CASE.replace("values.forcing", "values.seed = 1\nvalues.forcing"))
        self.refuse(("{forcin}", "forcing"), variants="a.program = \"wind\"\na.run = [\"{program}\", \"{forcin}\"]\n")
        self.refuse(("FLAVOUR", "NAME=VALUE"), variants="a.program = \"wind\"\na.environment = [\"FLAVOUR\"]\n")
        self.refuse(("program.noise.kind", "fill"), text=CASE.replace("\"fill\"", "\"fil\""))
        self.refuse("program.variants.a b", variants="\"a b\" = \"wind\"\n")
        self.refuse("program.variants.control", variants="control = \"wind\"\n")
        self.refuse("program.variants", text=CASE.replace("plain = \"wind\"", ""))
        self.refuse(("program.variants.a", "no such file"), variants="a = \"wnd\"\n")
        self.refuse(("program.variants.a.precision", "fp32"), variants="a.program = \"wind\"\na.precision = \"fp33\"\n")
        self.refuse(("program.limits.X", "swap"), text=CASE.replace("[-50, 50]", "[50, -50]"))
        self.refuse(("program.folder", "no absolute path"), "--set", "program.folder='model'")
        self.refuse("has no program", variants="a.values.mode = \"plain\"\n")

    def test_files_that_cannot_be_placed(self):
        for key in ("place", "copy", "fill"):
            self.refuse((f"program.{key}", "no file matches absent*"), "--set", f"program.{key}=['absent*']")
        (self.model / "more").mkdir()
        (self.model / "more/settings.txt").write_text("{seed} {amplitude}")
        self.refuse(("program.fill", "two files are called settings.txt"), "--set", "program.copy=['more/*']")
        (self.model / "more/settings.txt").unlink()
        for name in ("stdout.log", "stderr.log", "ulpine-probe.toml"):
            (self.model / "more" / name).write_text("mine")
            self.refuse((name, "runs write a file of that name"), "--set", "program.place=['more/*']")
            self.assertEqual((self.model / "more" / name).read_text(), "mine")
            (self.model / "more" / name).unlink()
        (self.model / "state.nc").write_text("mine")
        self.refuse(("state.nc", "program.output names"), "--set", "program.place=['*.nc']")
        (self.model / "plain.txt").write_text("{absent} {}")
        self.refuse(("plain.txt", "names no value"), "--set", "program.fill=['settings.txt', 'plain.txt']")

    def test_files_outside_of_the_folder_are_no_output(self):
        for key in ("output", "success_files"):
            for name in ("/tmp/state.nc", "../state.nc", "a/../../state.nc", ""):
                self.refuse((f"program.{key}", "below the run's folder"), "--set", f"program.{key}=['{name}']")

    def test_noise_that_reaches_no_program_is_told(self):
        for name in ("seed", "amplitude"):
            settings = (self.model / "settings.txt").read_text()
            (self.model / "settings.txt").write_text(settings.replace("{" + name + "}", "1"))
            self.refuse(("program.noise.kind", "{" + name + "}"))
            (self.model / "settings.txt").write_text(settings)

    def test_an_end_that_reaches_no_program_is_told(self):
        self.case()
        (self.model / "settings.txt").write_text((self.model / "settings.txt").read_text().replace("{end_s}", "2"))
        self.assert_fails(2, "run", self.model / "case.toml", "-o", "r", *SHORT, says=("--until", "{end_s}"))
        self.assert_fails(2, "ensemble", self.model / "case.toml", "-o", "r", says=("time.end", "{end_s}"))
        # An end of the program's own is that of its output.
        self.case(text=CASE.replace("time.end = \"6 s\"\n", ""))
        self.assert_done("run", self.model / "case.toml", "-o", "r")
        self.assertEqual(self.record("r")["end_s"], 2)
        self.assert_done("ensemble", self.model / "case.toml", "-q", "-o", "study", "--members", "2", "--epsilons", "2^-10")
        (self.model / "settings.txt").write_text((self.model / "settings.txt").read_text().replace("end=2", "end={end_min}"))
        self.assert_fails(2, "run", self.model / "case.toml", "-o", "new", says=("time.end", "is missing"))
        self.assert_done("run", self.model / "case.toml", "-o", "new", "--until", "3 s")
        self.assertIn("end=0.05\n", (self.folder / "new/program/settings.txt").read_text())

    def test_commands_that_need_a_model_say_so(self):
        for words in (("trace",), ("restart",)):
            done = self.call(words[0], self.model / "case.toml", "-o", "new", "-q")
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("program.variants.", self.assert_done("cases", "--keys", "program"))
        self.assertIn("{program}", self.assert_done("cases", "--keys", "program", "program.run"))


if __name__ == "__main__":
    unittest.main()
