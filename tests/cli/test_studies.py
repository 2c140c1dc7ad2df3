#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ensemble and report: what they write, resuming after Ctrl-C and kill -9, gates, and bad requests."""
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from support import CASE, CommandTest, INTERRUPT, KILL, PROGRAM, SMALL, TERMINATE

HAS_GPU = any(pathlib.Path("/dev").glob("nvidia[0-9]*"))
UNDECIDED = 4  # two members are too few for a test
STUDY = ("--jobs", "2", "--policies", "fp64,fp32", "--members-for", "deterministic", "--epsilons", "2^-23", "--members", "2", "--until", "4 min", "--quad-until", "0 s")


def without_times(text):
    return re.sub(r'"(wall_s|created)": [^,\n]*', "", text)


class StudyTest(CommandTest):
    def ensemble(self, *words):
        return ("ensemble", CASE, *SMALL, "-o", "s", *words)

    def results(self):
        return json.loads((self.folder / "s/results.json").read_text())

    def wait_for_runs(self, process, count):
        """Until `count` runs of the study are finished."""
        for _ in range(2000):
            if len(list((self.folder / "s").rglob("run.json"))) >= count:
                return
            self.assertIsNone(process.poll(), "the study ended before it could be stopped")
            time.sleep(0.01)
        self.fail("no run was finished")

    def test_study_writes_what_the_contract_names(self):
        text = self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED)
        results = self.results()
        self.assertEqual(results["schema"], "ulpine.results/1")
        self.assertEqual(results["reference"], "fp64/deterministic")
        ids = {run["id"] for run in results["runs"]}
        self.assertLessEqual({"fp64/deterministic", "fp64/atomic", "fp32/deterministic", "fp32/atomic"}, ids)
        self.assertEqual(len(ids), 8)
        verdicts = {verdict["configuration"]: verdict["answer"] for verdict in results["verdicts"]}
        self.assertEqual(verdicts.keys(), {"fp64/atomic", "fp32/deterministic", "fp32/atomic"})
        self.assertEqual(verdicts["fp32/deterministic"], "undecided")
        self.assertEqual((results["answer"], results["passed"]), ("undecided", False))
        self.assertEqual(text.splitlines()[-1], "what would decide: " + results["would_decide"])
        self.assertIn("fp64/atomic, fp32/atomic: at least 8 members at the tolerated perturbation 2^-10; fp32/deterministic: ", results["would_decide"])
        for name in ("manifest.json", "case.toml", "summary.md"):
            self.assertTrue((self.folder / "s" / name).is_file(), name)
        xml.etree.ElementTree.parse(self.folder / "s/junit.xml")

    def test_results_are_those_of_a_report_to_the_bit(self):
        """Runs are evaluated while others compute; a report evaluates the files."""
        written = ("results.json", "junit.xml", "summary.md")
        words = ("--jobs", "1", *STUDY[2:], "--control")
        self.assertEqual(self.call(*self.ensemble(*words), env=dict(os.environ, ULPINE_PYTHON="/bin/true", OMP_NUM_THREADS="3")).returncode, UNDECIDED)
        ongoing = [(self.folder / "s" / name).read_bytes() for name in written]
        self.assert_done("report", "s", code=UNDECIDED)
        self.assertEqual([(self.folder / "s" / name).read_bytes() for name in written], ongoing)

    def test_sea_ice_is_judged_by_statistics_without_a_detector(self):
        robust = ["shear_mean", "shear_median", "shear_q90", "shear_q99", "kinetic_energy", "shear_slope"]
        self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED)
        results = self.results()
        self.assertEqual([statistic["name"] for statistic in results["statistics"]], robust)
        for run in results["runs"]:
            found = run["statistics"]
            self.assertTrue(0 < found["shear_median"] <= found["shear_q90"] <= found["shear_q99"], run["id"])
            self.assertLessEqual(found["shear_mean"], found["shear_q99"])
            self.assertGreater(found["kinetic_energy"], 0)
            self.assertTrue(math.isfinite(found["shear_slope"]))
        # The core's features are what the case leaves out. The energies of the components add up but for the rounding of
        # some 81 squares and sums.
        changes = ["evaluate.lkf.use=true"]
        for component in ("siu", "siv"):
            changes += [f'evaluate.of_{component}.{key}={value}' for key, value in (("kind", '"power"'), ("field", f'"{component}"'), ("factor", "0.5"))]
        self.assert_done("ensemble", CASE, *SMALL, "-o", "t", *(word for change in changes for word in ("--set", change)), *STUDY, code=UNDECIDED)
        results = json.loads((self.folder / "t/results.json").read_text())
        self.assertEqual([statistic["name"] for statistic in results["statistics"]],
                         ["lkf_count", "lkf_total_length_km", *robust, "of_siu", "of_siv"])
        for run in results["runs"]:
            found = run["statistics"]
            self.assertAlmostEqual(found["kinetic_energy"], found["of_siu"] + found["of_siv"], delta=200 * 2.2e-16 * found["kinetic_energy"])

    def test_report_is_a_page_of_its_own(self):
        self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED, env=dict(os.environ))
        page = self.folder / "s/report.html"
        if not page.is_file():
            self.skipTest("no report.html: the Python modules of the report are missing")
        text = page.read_text()
        self.assertIn("</html>", text)
        self.assertNotIn('src="http', text)
        self.assertIn("<script", text)  # that chooses fields
        self.assertEqual(self.call("report", "s", "--no-fields", env=dict(os.environ)).returncode, UNDECIDED)
        self.assertNotIn("<script", page.read_text())

    def test_missing_python_modules_are_one_line_and_leave_the_results(self):
        bare = self.folder / "bare-python"  # a Python that sees no installed module
        bare.write_text('#!/bin/sh\nexec /usr/bin/python3 -S -E "$@"\n')
        bare.chmod(0o755)
        environment = dict(os.environ, ULPINE_PYTHON=str(bare))
        done = self.call(*self.ensemble(*STUDY, "--quiet"), env=environment)
        self.assertEqual(done.returncode, UNDECIDED, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("python3-xarray", done.stderr)
        self.assertEqual(self.results()["answer"], "undecided")
        self.assert_fails(3, "report", "s", env=environment, says=("report.html", "python3-xarray"))
        environment["ULPINE_PYTHON"] = "/nonexistent/python"
        self.assert_fails(3, "report", "s", env=environment, says="apt-get install python3-xarray")

    def test_failing_gate_is_exit_code_one_for_ensemble_and_report(self):
        words = (*self.ensemble(*STUDY), "--set", "verify.siu.l2_relative=1e-30")
        done = self.call(*words, "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse(self.results()["passed"])
        self.assert_done("report", "s", code=1)
        junit = xml.etree.ElementTree.parse(self.folder / "s/junit.xml")
        self.assertTrue(list(junit.iter("failure")))

    def test_failed_run_is_exit_code_one_for_ensemble_share_and_report(self):
        # A thickness of 1e308 m, the sum of two of which is beyond double, blows up; all else of the study is fine.
        words = self.ensemble("--jobs", "1", "--policies", "fp64", "--assemblies", "deterministic", "--epsilons", "2^-23,1e308",
                              "--members", "1", "--until", "4 min", "--quad-until", "0 s")
        text = self.assert_done(*words, code=1)
        self.assertIn("2 runs done, 0 kept from before, 1 failed", text)
        self.assertEqual([run["id"] for run in self.results()["runs"] if run["failed"]], ["fp64/deterministic/eps=1e308/m00"])
        self.assert_done("report", "s", code=1)
        (self.folder / "s").rename(self.folder / "whole")
        self.assert_done(*words, "--slurm")
        # The shares of one run each: only that of the failed run says so.
        self.assertEqual([self.call(*words, "--resume", "--only", f"{share}/3").returncode for share in range(3)], [0, 0, 1])
        self.assert_done("report", "s", code=1)

    def test_amplitudes_that_judge_nothing_are_told_before_the_runs(self):
        words = ("--policies", "fp64,bf16", "--assemblies", "deterministic", "--members", "1", "--until", "4 min", "--quad-until", "0 s")
        for epsilons, lines in (("2^-10", []), ("2^-10,2^-7,1", ["amplitude 2^-7, 1 is above the tolerated 2^-10: 4 of 8 runs are shown and judge nothing"]),
                                ("2^-23,2^-11", ["no members at the tolerated 2^-10: what is outside at 2^-11 stays undecided"]),
                                ("2^-9", ["amplitude 2^-9 is above the tolerated 2^-10: 2 of 4 runs are shown and judge nothing",
                                          "no members at the tolerated 2^-10: nothing can be judged by members"])):
            with self.subTest(epsilons):
                text = self.assert_done(*self.ensemble(*words, "--epsilons", epsilons), code=UNDECIDED)
                before = text.splitlines()[:next(i for i, line in enumerate(text.splitlines()) if "runs done" in line)]
                self.assertEqual([line for line in before if "tolerated" in line], lines)
                shutil.rmtree(self.folder / "s")
        # The name of a policy says less than it keeps.
        self.assert_done(*self.ensemble(*words, "--epsilons", "2^-10"), code=UNDECIDED)
        self.assertIn("- bf16: fields stay in double; computation is in float, operands of products alone are rounded to bfloat16\n", (self.folder / "s/summary.md").read_text())

    def test_every_output_shows_the_verdicts_of_the_results(self):
        """Equal bits in a study of one policy; a study with enough members to decide: one answer in all places."""
        for words, code in ((("--policies", "fp64,fp32", "--epsilons", "2^-7", "--members", "8"), None),
                            (("--policies", "fp64", "--epsilons", "2^-7", "--members", "1", "--assemblies", "deterministic"), 0)):
            with self.subTest(words):
                done = self.call("ensemble", CASE, *SMALL, "-o", f"s{len(words)}", "--jobs", "2", "--until", "4 min", *words)
                folder = self.folder / f"s{len(words)}"
                results = json.loads((folder / "results.json").read_text())
                answer = results["answer"]
                self.assertEqual(done.returncode, {"equal": 0, "equivalent": 0, "different": 1, "undecided": 4}[answer], done.stdout)
                if code is not None:
                    self.assertEqual(done.returncode, code)
                self.assertEqual(results["passed"], done.returncode == 0)
                self.assertIn(f"\n**{answer}**: ", (folder / "summary.md").read_text())
                suites = {suite.get("name"): suite for suite in xml.etree.ElementTree.parse(folder / "junit.xml").getroot()}
                for verdict in results["verdicts"]:
                    self.assertIn(f"{verdict['configuration']}: {verdict['answer']}\n", done.stdout)
                    self.assertIn(f"| {verdict['configuration']} | **{verdict['answer']}** |", (folder / "summary.md").read_text())
                    case = next(case for case in suites[verdict["configuration"]] if case.get("name") == "verdict")
                    self.assertEqual([child.tag for child in case], {"different": ["failure"], "undecided": ["skipped"]}.get(verdict["answer"], []))

    def test_study_on_several_devices_is_planned_by_device_and_node(self):
        words = ("--policies", "quad,fp64", "--assemblies", "deterministic", "--epsilons", "2^-7", "--members", "1", "--until", "4 min",
                 "--devices", "cpu,cuda", "--reference", "cpu/quad/deterministic", "--members-for", "fp64")
        text = self.assert_done(*self.ensemble(*words, "--slurm"))
        self.assertIn("afterany:$array:$gpu_array", text)
        runs = json.loads((self.folder / "s/manifest.json").read_text())["runs"]
        self.assertEqual(list(runs), ["cpu/quad/deterministic", "cpu/fp64/deterministic", "cuda/fp64/deterministic",
                                      "cpu/fp64/deterministic/eps=2^-7/m00", "cuda/fp64/deterministic/eps=2^-7/m00"])
        self.assertIn("--array=0-1,3\n", (self.folder / "s/study.sbatch").read_text())
        self.assertIn("--array=2,4\n", (self.folder / "s/study-gpu.sbatch").read_text())
        # What needs no GPU is done without one.
        for index in (0, 1, 3):
            self.assert_done(*self.ensemble(*words, "--resume", "--only", f"{index}/5"))
        if not HAS_GPU:
            self.assert_fails(3, *self.ensemble(*words, "--resume", "--only", "2/5"), says="--device cpu")
            self.assert_fails(3, *self.ensemble(*words, "--resume"), says="--device cpu")
            text = self.assert_done("report", "s", code=UNDECIDED)
            self.assertIn("2 of 5 runs have not been done", text.splitlines()[-1])
            self.assertIn("--devices cpu,cuda --reference cpu/quad/deterministic --members-for fp64", text.splitlines()[-1])

    def test_control_is_an_ensemble_of_the_reference_with_other_noise(self):
        words = ("--policies", "fp32", "--assemblies", "deterministic", "--reference", "fp64", "--epsilons", "2^-7", "--members", "2",
                 "--until", "4 min", "--quad-until", "0 s", "--control")
        self.assert_fails(2, *self.ensemble(*words, "--members-for", "fp32"), says="control ensemble")
        text = self.assert_done(*self.ensemble(*words), code=UNDECIDED)
        self.assertIn("8 runs done", text)
        results = self.results()
        self.assertEqual([(ensemble["configuration"], ensemble["policy"]) for ensemble in results["ensembles"]],
                         [("fp32/deterministic", "fp32"), ("fp64/deterministic", "fp64"), ("control", "fp64")])
        runs = {run["id"]: run for run in results["runs"]}
        self.assertEqual([name for name, run in runs.items() if run["control"]], ["control/eps=2^-7/m00", "control/eps=2^-7/m01"])
        hashes = {run["hash"] for name, run in runs.items() if "eps" in name and "fp32" not in name}
        self.assertEqual(len(hashes), 4)
        # A lost run is told with the command that does it, which asks for the control ensemble too.
        (self.folder / "s/members/control/eps-2p-7/m01/run.json").unlink()
        text = self.assert_done("report", "s", code=UNDECIDED)
        self.assertIn(" --control ", text.splitlines()[-1])

    def test_quad_shows_the_error_of_fp64_itself(self):
        text = self.assert_done(*self.ensemble("--configurations", "fp64/deterministic,fp32/deterministic", "--reference", "quad", "--members-for", "fp32",
                                               "--epsilons", "2^-7", "--members", "1", "--until", "4 min"), code=UNDECIDED)
        self.assertIn("fp64/deterministic: undecided\n", text)
        results = self.results()
        self.assertEqual(results["reference"], "quad/deterministic")
        error = {run["id"]: run["metrics"]["siu"]["l2_relative"] for run in results["runs"] if run["member"] is None}
        self.assertEqual(error["quad/deterministic"], 0)
        # Both wrong by some roundings of their own: 2^-53 and 2^-24.
        self.assertTrue(1e-17 < error["fp64/deterministic"] < 1e-13, error)
        self.assertTrue(1e-9 < error["fp32/deterministic"] < 1e-4, error)
        self.assertEqual([ensemble["configuration"] for ensemble in results["ensembles"]], ["fp32/deterministic"])

    def test_the_reference_has_an_error_of_its_own(self):
        words = self.ensemble("--policies", "fp64,fp32", "--assemblies", "deterministic", "--epsilons", "2^-7", "--members", "1", "--until", "4 min")
        text = self.assert_done(*words, code=UNDECIDED)
        self.assertIn("5 runs done", text)
        results = self.results()
        self.assertEqual(len(results["runs"]), 4)
        error = results["reference_error"]
        self.assertEqual(error["configuration"], "quad/deterministic")
        self.assertEqual(error["time_s"][0], 0)
        self.assertTrue(1e-17 < error["fields"]["siu"]["l2_relative"][-1] < 1e-13, error)
        # It stays as it was planned, unless another is asked for.
        self.assertIn("5 kept", self.assert_done(*words, "--resume", code=UNDECIDED))
        self.assert_fails(2, *words, "--resume", "--quad-until", "0 s", says="--quad-until was")
        self.assert_fails(2, *("t" if word == "s" else word for word in words), "--quad-until", "1 s", says="--quad-until")
        (self.folder / "s/runs/quad-deterministic/run.json").unlink()
        self.assertIn("1 of 5 runs have not been done", self.assert_done("report", "s", code=UNDECIDED).splitlines()[-1])

    def test_second_call_without_resume_is_refused_and_with_it_keeps_everything(self):
        self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED)
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "s").rglob("run.json")}
        self.assert_fails(2, *self.ensemble(*STUDY), says="--resume")
        text = self.assert_done(*self.ensemble(*STUDY, "--resume"), code=UNDECIDED)
        self.assertIn("0 runs done, 8 kept", text)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in (self.folder / "s").rglob("run.json")})

    def test_resuming_another_study_is_refused(self):
        self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED)
        self.assert_fails(2, *self.ensemble(*STUDY, "--resume", "--seed", "7"), says="seed")
        self.assert_fails(2, *self.ensemble(*STUDY, "--resume", "--set", "time.substeps=5"))

    def test_interrupted_study_resumes_to_the_same_bits(self):
        self.assert_done("ensemble", CASE, *SMALL, "-o", "whole", *STUDY, code=UNDECIDED)
        whole = {run["id"]: run["hash"] for run in json.loads((self.folder / "whole/results.json").read_text())["runs"]}
        for number, code in ((INTERRUPT, 130), (TERMINATE, 143), (KILL, -KILL)):
            with self.subTest(number):
                # Sub-steps do not change between the calls; they only make the study long enough to be stopped.
                process = self.start(*self.ensemble(*STUDY), "--quiet")
                self.wait_for_runs(process, 1)
                self.assertEqual(self.stop(process, number)[0], code)
                finished = len(list((self.folder / "s").rglob("run.json")))
                self.assertLess(finished, 8, "stopped too late to test anything")
                self.assert_done(*self.ensemble(*STUDY, "--resume"), code=UNDECIDED)
                self.assertEqual({run["id"]: run["hash"] for run in self.results()["runs"]}, whole)
                self.assert_done("report", "s", code=UNDECIDED)
                (self.folder / "s").rename(self.folder / f"done{number}")

    def test_stopped_study_is_undecided_and_told_how_to_be_completed(self):
        study = ("ensemble", CASE, *SMALL, "--set", "verify.siu.l2_relative=0.5", "-o", "my study", *STUDY)
        self.assert_done(*study, code=UNDECIDED)
        whole = {run["id"]: run["hash"] for run in json.loads((self.folder / "my study/results.json").read_text())["runs"]}
        for run in ("runs/fp32-atomic", "members/fp64-deterministic/eps-2p-23/m00"):
            (self.folder / "my study" / run / "run.json").unlink()
        # Tolerances may be edited between the calls.
        edited = self.folder / "my study/case.toml"
        self.assertIn("verify.siu.l2_relative = 0.5", edited.read_text())
        edited.write_text(edited.read_text().replace("verify.siu.l2_relative = 0.5", "verify.siu.l2_relative = 0.75"))
        text = self.assert_done("report", "my study", code=UNDECIDED)
        last = text.splitlines()[-1]
        self.assertTrue(last.startswith("what would decide: 2 of 8 runs have not been done, which `ulpine ensemble "), last)
        results = json.loads((self.folder / "my study/results.json").read_text())
        self.assertEqual((results["missing"]["runs"], results["missing"]["of"], len(results["runs"])), (2, 8, 6))
        self.assertFalse(list(xml.etree.ElementTree.parse(self.folder / "my study/junit.xml").iter("failure")))
        command = re.search("`ulpine (.*)`", last).group(1)
        done = subprocess.run(["sh", "-c", f"{shlex.quote(PROGRAM)} {command}"], cwd=self.folder, env=dict(os.environ, ULPINE_PYTHON="/bin/true"),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, UNDECIDED, done.stderr)
        self.assertIn("2 runs done, 6 kept", done.stdout)
        results = json.loads((self.folder / "my study/results.json").read_text())
        self.assertIsNone(results["missing"])
        self.assertEqual({run["id"]: run["hash"] for run in results["runs"]}, whole)

    def test_interrupted_study_says_in_one_line_how_to_go_on(self):
        process = self.start(*self.ensemble(*STUDY), "--quiet")
        self.wait_for_runs(process, 1)
        code, errors = self.stop(process, INTERRUPT)
        self.assertEqual(code, 130)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn("--resume", errors)

    def test_shares_make_up_the_study(self):
        text = self.assert_done(*self.ensemble(*STUDY, "--slurm"))
        self.assertIn("sbatch", text)
        script = (self.folder / "s/study.sbatch").read_text()
        self.assertNotIn("--slurm", script)
        self.assertNotIn("ensemble ensemble", script)
        for index in range(3):
            self.assert_done(*self.ensemble(*STUDY, "--resume", "--only", f"{index}/3"))
        self.assert_done("report", "s", code=UNDECIDED)
        self.assertEqual(len(self.results()["runs"]), 8)

    def refused_in_use(self, *words):
        self.assert_fails(3, *words, says=("in use", "by process", "on host", "since"))

    def test_folder_in_use_is_refused_to_others_and_the_first_is_not_harmed(self):
        self.assert_done("ensemble", CASE, *SMALL, "-o", "whole", *STUDY, code=UNDECIDED)
        whole = {run["id"]: run["hash"] for run in json.loads((self.folder / "whole/results.json").read_text())["runs"]}
        process = self.start(*self.ensemble(*STUDY), "--quiet")
        self.wait_for_runs(process, 1)
        process.send_signal(signal.SIGSTOP)  # however long the others take
        self.refused_in_use(*self.ensemble(*STUDY, "--resume"))
        self.refused_in_use(*self.ensemble(*STUDY))
        self.refused_in_use(*self.ensemble(*STUDY, "--slurm", "--resume"))
        self.refused_in_use(*self.ensemble(*STUDY, "--resume", "--only", "0/2"))
        self.refused_in_use("report", "s")
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, errors), (UNDECIDED, ""))
        self.assertEqual({run["id"]: run["hash"] for run in self.results()["runs"]}, whole)
        self.assert_done("report", "s", code=UNDECIDED)

    def test_run_and_restart_into_a_folder_in_use_are_refused(self):
        run = ("run", CASE, *SMALL, "--until", "12 h", "-o", "r")
        process = self.start(*run, "--set", "time.substeps=400", "--quiet")
        self.wait_for(self.folder / "r/output.nc")
        process.send_signal(signal.SIGSTOP)
        self.refused_in_use(*run)
        self.refused_in_use("restart", CASE, *SMALL, "--spinup", "2 min", "--until", "4 min", "-o", "r")
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.stop(process, KILL)[0], -KILL)
        (self.folder / "r/restart.nc.ulpine-4711.part").write_text("of a killed process")
        self.assert_done("run", CASE, *SMALL, "--until", "4 min", "-o", "r")
        self.assertEqual(list((self.folder / "r").glob("*.part")), [])

    def test_shares_work_side_by_side_in_one_folder(self):
        self.assert_done(*self.ensemble(*STUDY, "--slurm"))
        shares = [self.start(*self.ensemble(*STUDY, "--resume", "--only", f"{index}/4", "--quiet")) for index in range(4)]
        for process in shares:
            _, errors = process.communicate(timeout=120)
            self.assertEqual((process.returncode, errors), (0, ""))
        self.assert_done("report", "s", code=UNDECIDED)
        self.assertEqual(len([run for run in self.results()["runs"] if run["hash"]]), 8)

    def test_interrupt_while_planning_or_comparing_is_no_error(self):
        many = ("--members", "20000", "--policies", "fp64,fp32", "--members-for", "deterministic", "--until", "4 min", "--jobs", "2", "--quiet")
        process = self.start("ensemble", CASE, *SMALL, "-o", "many", *many)
        self.wait_for(self.folder / "many")
        code, errors = self.stop(process, INTERRUPT)
        self.assertEqual((code, len(errors.splitlines())), (130, 1), errors)
        self.assertIn("--resume", errors)
        self.assert_done(*self.ensemble(*STUDY), code=UNDECIDED)
        before = (self.folder / "s/results.json").read_text()
        begin = time.monotonic()
        self.assert_done("report", "s", "--quiet", "--threads", "1", code=UNDECIDED, stdout=subprocess.PIPE)  # with its start
        whole = time.monotonic() - begin
        interrupted = 0
        for attempt in range(96):  # until one hits, as the moments are those of a busy machine
            if attempt >= 12 and interrupted > 0:
                break
            process = self.start("report", "s", "--quiet", "--threads", "1")
            time.sleep(whole * (attempt * 5 % 12 + attempt // 12 / 8) / 12)
            code, errors = self.stop(process, TERMINATE)
            # -TERMINATE: before the program could ask for signals.
            self.assertIn(code, (UNDECIDED, 143, -TERMINATE), errors)
            if code == 143:
                interrupted += 1
                self.assertEqual(len(errors.splitlines()), 1, errors)
                self.assertIn("ulpine report s", errors)
        self.assertGreaterEqual(interrupted, 1, "the signals must hit a report at work")
        self.assert_done("report", "s", code=UNDECIDED)
        self.assertEqual(without_times((self.folder / "s/results.json").read_text()), without_times(before))

    def test_bad_requests_are_refused(self):
        for words, says in ((("--policies", "fp64,fp46"), "fp46"), (("--assemblies", "atomik"), "atomic"),
                            (("--epsilons", "tiny"), "tiny"), (("--epsilons", "0"), "0"), (("--epsilons", "-1"), "-1"),
                            (("--policies", "fp64,fp64"), "fp64"), (("--only", "3/2"), "3/2"), (("--only", "x"), "x"),
                            (("--perturb", "sivoll"), "sivol"), (("--until", "soon"), "--until"),
                            (("--device", "gpu"), "gpu"), (("--set", "verify.siu.l2_relativ=1"), "l2_relative"),
                            (("--devices", "cpu,gpu"), "gpu"), (("--devices", "cpu,cpu"), "twice"), (("--devices", "cpu", "--device", "cpu"), "--devices"),
                            (("--configurations", "fp64/atomik"), "atomic"), (("--configurations", "fp64,cpu/fp64/deterministic"), "twice"),
                            (("--configurations", "fp64", "--policies", "fp64"), "--configurations"),
                            (("--configurations", "fp64", "--assemblies", "atomic"), "--configurations"),
                            (("--configurations", "fp64", "--devices", "cpu,cuda"), "--configurations"),
                            (("--configurations", "cuda/quad/deterministic"), "quad"), (("--configurations", "fp64/seaice.none=fp32"), "seaice.none"),
                            (("--reference", "fp65"), "fp64"), (("--reference", "cuda/quad"), "quad"),
                            (("--members-for", "bf16"), "fp64/deterministic"), (("--members-for", "cuda"), "fp64/deterministic")):
            with self.subTest(words):
                self.assert_fails(2, *self.ensemble(*words), says=says)

    def test_two_studies_are_compared(self):
        self.assert_done(*self.ensemble(*STUDY, "--quiet"), code=UNDECIDED)
        shutil.copytree(self.folder / "s", self.folder / "last")
        self.assertIn("nothing got worse", self.assert_done("report", "s", "--against", "last/results.json"))
        comparison = json.loads((self.folder / "s/comparison.json").read_text())
        self.assertEqual((comparison["schema"], comparison["passed"]), ("ulpine.comparison/1", True))
        self.assertTrue(all(entry["same"] for entry in comparison["hashes"]))
        self.assertEqual(len(comparison["hashes"]), 8)
        # Stricter gates: what passed fails now; runs do not depend on them, so that their bits are still compared.
        self.assert_done("ensemble", CASE, *SMALL, "-o", "strict", *STUDY, "--quiet", "--set", "verify.sivol.l2_relative=1e-30", code=1)
        text = self.assert_done("report", "strict", "--against", "last", "-o", "out/week.html", code=1)
        self.assertIn("gate sivol.l2_relative of fp32/deterministic: was passed, is failed", text)
        self.assertTrue(all(entry["same"] for entry in json.loads((self.folder / "out/week.json").read_text())["hashes"]))
        if (self.folder / "s/report.html").exists():
            self.assertIn("Got worse", (self.folder / "out/week.html").read_text())
        self.assertIn("nothing got worse", self.assert_done("report", "last", "--against", "strict", "-o", "back"))
        self.assert_fails(2, "report", "s", "--against", "nowhere", says="nowhere")
        self.assert_fails(2, "report", "s", "-o", "x.html", says="--against")
        (self.folder / "last/results.json").write_text((self.folder / "last/results.json").read_text().replace("fp32/atomic", "fp32/atomiC"))
        self.assert_fails(2, "report", "s", "--against", "last", says="results.json")

    def test_report_of_what_is_no_study_is_refused(self):
        self.assert_fails(2, "report", "absent", says="absent")
        (self.folder / "empty").mkdir()
        self.assert_fails(2, "report", "empty", says="empty")
        (self.folder / "broken").mkdir()
        (self.folder / "broken/manifest.json").write_text("{")
        self.assert_fails(2, "report", "broken", says="manifest.json")


if __name__ == "__main__":
    unittest.main()
