#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""search: what it writes, that what it finds runs as found, resuming, and bad requests."""
import json
import os
import pathlib
import unittest

from support import CASE, CommandTest, INTERRUPT, SMALL, SOURCE

TINY = (*SMALL, "--jobs", "2", "--until", "20 min", "--members", "8")


def without_times(found):
    """All of search.json but seal and what the clock says."""
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in ("wall_s", "created", "seal", "spent")}
    return [without_times(value) for value in found] if isinstance(found, list) else found


class SearchTest(CommandTest):
    def search(self, folder, *words, code=0):
        self.assert_done("search", CASE, *TINY, "-o", folder, *words, code=code)
        return json.loads((self.folder / folder / "search.json").read_text())

    def test_what_is_chosen_is_on_the_frontier_and_confirmed_and_runs_as_found(self):
        found = self.search("s", "--precisions", "fp32,e8m7")
        self.assertEqual(found["schema"], "ulpine.search/1")
        self.assertTrue(found["complete"])
        shares = [stage["cost_share"] for stage in found["stages"]]
        self.assertAlmostEqual(sum(shares), 1)
        self.assertTrue(all(len(stage["alone"]) == 2 for stage in found["stages"]))
        base = found["tried"][0]
        self.assertEqual((base["assignment"], base["ratio"], base["answer"]), ({}, 0, "equal"))
        self.assertAlmostEqual(base["cost"], 1, places=12)

        widths = {"fp32": 1 / 2, "e8m7": 1 / 4}
        for tried in found["tried"]:
            cost = sum(stage["cost_share"] * widths.get(tried["assignment"].get(stage["name"]), 1) for stage in found["stages"])
            self.assertAlmostEqual(tried["cost"], cost)
        front = [found["tried"][place] for place in found["frontier"]]
        self.assertEqual([(one["cost"], -one["ratio"]) for one in front], sorted((one["cost"], -one["ratio"]) for one in front))
        for tried in found["tried"]:
            self.assertFalse(tried["ratio"] is not None and any(
                tried["cost"] < one["cost"] and tried["ratio"] <= one["ratio"] for one in front))

        chosen = found["chosen"]
        self.assertIn(chosen["verdict"], ("equal", "equivalent"))
        self.assertLessEqual(chosen["ratio"], 1 / 3)
        whole = {policy["policy"]: policy for policy in found["whole_policies"]}
        self.assertAlmostEqual(whole["fp32"]["cost"], 0.5)
        self.assertLess(0.5, whole["mixed"]["cost"])
        self.assertLess(whole["mixed"]["cost"], 1)
        self.assertLessEqual(chosen["cost"], whole["mixed"]["cost"])
        study = json.loads((self.folder / "s" / chosen["verdict_study"] / "results.json").read_text())
        configuration = "fp64/deterministic" + "".join(f"/{stage}={name}" for stage, name in sorted(chosen["assignment"].items()))
        answers = {verdict["configuration"]: verdict["answer"] for verdict in study["verdicts"]}
        self.assertEqual(answers, {configuration: chosen["verdict"]})
        self.assertFalse((self.folder / "s/tried").exists() and any((self.folder / "s/tried").iterdir()), "what tried runs wrote goes")

        # The ratio is the worst of the study's evidence on the unperturbed run: errors, and statistics in parts of their margins.
        verdict, = study["verdicts"]
        at_end = {run["id"]: run["statistics"] for run in study["runs"]}
        ratios = [evidence["value"] for evidence in verdict["evidence"] if evidence["kind"] == "error"]
        shifts = [abs(at_end[configuration][evidence["subject"]] - at_end["fp64/deterministic"][evidence["subject"]]) / evidence["margin"]
                  for evidence in verdict["evidence"] if evidence["kind"] == "statistic" and evidence["part"] == "mean"]
        self.assertGreater(len(shifts), 3)
        self.assertAlmostEqual(chosen["ratio"], max(ratios + shifts), delta=1e-9 * chosen["ratio"])
        self.assertEqual(found["until_s"], 1200)
        self.assertEqual(found["spent"]["study_runs"], 9 * (1 + len(found["confirmations"])), "eight members and the unperturbed run, the reference's once")
        self.assertGreater(found["spent"]["study_wall_s"], 0)

        # The saved policy is that of the options, to the bit, and that of the study.
        options = [word for stage, name in chosen["assignment"].items() for word in ("--stage", f"{stage}={name}")]
        for folder, words in (("file", ("--stages-from", "s/stages.toml")), ("options", options)):
            self.assert_done("run", CASE, *SMALL, "--until", "20 min", "-o", folder, *words)
        hashes = {json.loads((self.folder / folder / "run.json").read_text())["hash"] for folder in ("file", "options")}
        hashes |= {run["hash"] for run in study["runs"] if run["id"] == configuration}
        self.assertEqual(len(hashes), 1)

    def test_an_interrupted_search_goes_on_to_the_same_result(self):
        words = ("--precisions", "fp32,e8m7", "--stages", "seaice.stress,seaice.strain,seaice.velocity,seaice.limit")
        undisturbed = self.search("a", *words)
        process = self.start("search", CASE, *TINY, "-o", "b", *words)
        self.wait_for(self.folder / "b/tried.json")
        code, errors = self.stop(process, INTERRUPT)
        if code != 0:  # it was not yet at its end
            self.assertEqual(code, 130)
            self.assertIn("--resume", errors)
        resumed = self.search("b", *words, "--resume")
        self.assertEqual(without_times(undisturbed), without_times(resumed))
        self.assertEqual(resumed, self.search("b", *words, "--resume"), "nothing was left to do")
        self.assert_fails(2, "search", CASE, *TINY, "-o", "b", *words, says=("--resume", "b/reference"))
        self.assert_fails(2, "search", CASE, *TINY, "-o", "b", *words, "--resume", "--seed", "2", says="b")

    def test_what_was_cut_short_goes_on_and_may_choose_otherwise(self):
        words = ("--precisions", "fp32", "--stages", "seaice.stress,seaice.strain")
        first = self.search("s", *words, "--runs", "2")
        self.assertEqual(len(first["tried"]), 2)
        whole = self.search("s", *words, "--resume")
        self.assertLess(whole["chosen"]["cost"], first["chosen"]["cost"])
        self.assertEqual((first["chosen"]["verdict_study"], whole["chosen"]["verdict_study"]), ("confirm", "confirm-2"))
        self.assertEqual([one["study"] for one in whole["confirmations"]], ["confirm-2"])
        again = self.search("s", *words, "--resume", "--runs", "2")
        self.assertEqual(again["chosen"], first["chosen"])

    def test_a_budget_ends_it_with_the_best_so_far(self):
        found = self.search("s", "--precisions", "fp32", "--runs", "3", "--confirm", "0")
        self.assertEqual(len(found["tried"]), 3)
        self.assertFalse(found["complete"])
        self.assertTrue(any("cut short" in note for note in found["notes"]))
        self.assertIsNone(found["chosen"]["verdict_study"])

    def test_it_makes_a_page_of_what_it_found(self):
        done = self.call("search", CASE, *TINY, "-o", "s", "--precisions", "fp32", "--stages", "seaice.stress", "--confirm", "0", env=dict(os.environ))
        if "no report.html" in done.stderr:
            self.skipTest("no report.html: the Python modules of the report are missing")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("s/report.html", done.stdout)
        self.assertIn("seaice.stress", (self.folder / "s/report.html").read_text(encoding="utf-8"))

    def test_a_run_that_fails_is_told_with_its_reason(self):
        # A number of e2m1 is 6 at most.
        found = self.search("s", "--precisions", "e2m1", "--stages", "seaice.strength", "--policies", "fp32")
        alone, = next(stage for stage in found["stages"] if stage["name"] == "seaice.strength")["alone"]
        self.assertEqual((alone["ratio"], alone["answer"]), (None, "different"))
        self.assertIn("is NaN", alone["problem"])
        self.assertIsNone(found["tried"][0]["problem"])
        self.assertRegex((self.folder / "s/search.txt").read_text(), r"(?m)^seaice.strength .* failed$")
        self.assertEqual(found["chosen"]["assignment"], {})

    def test_a_solver_that_does_not_converge_is_a_run_that_fails(self):
        case = SOURCE / "cases/fem/bubble_quick.toml"
        self.assert_done("search", case, "--threads", "1", "--jobs", "2", "--until", "60 s", "--members", "3", "--policies", "mixed", "--precisions", "e8m7", "--stages", "fem.pressure", "--set", "pressure.iterations=18", "-o", "s")
        alone, = next(stage for stage in json.loads((self.folder / "s/search.json").read_text())["stages"] if stage["name"] == "fem.pressure")["alone"]
        self.assertIn("was not solved", alone["problem"])

    def test_where_nothing_is_chosen_no_stages_are_left(self):
        (self.folder / "s").mkdir()
        (self.folder / "s/stages.toml").write_text("# Stages in a precision of their own: `ulpine run CASE --stages-from` this file.\nstages = []\n")
        # Statistics of three members are not judged.
        self.assert_done("search", CASE, *SMALL, "--jobs", "2", "--until", "20 min", "-o", "s", "--precisions", "fp32", "--stages", "seaice.stress,seaice.strain", "--members", "3", "--confirm", "1", code=4)
        found = json.loads((self.folder / "s/search.json").read_text())
        self.assertIsNone(found["chosen"])
        self.assertEqual([one["answer"] for one in found["confirmations"]], ["undecided"])
        self.assertFalse((self.folder / "s/stages.toml").exists())

    def test_measured_seconds_stand_for_bytes(self):
        for policy in ("fp64", "fp32"):
            self.assert_done("run", CASE, *SMALL, "--until", "20 min", "--policy", policy, "-o", policy, "--trace")
        costs = ("--costs", "fp64=fp64/run.json,fp32=fp32/run.json")
        found = self.search("s", "--precisions", "fp32", "--policies", "fp32", "--confirm", "0", *costs)
        seconds = {policy: {stage["name"]: stage["seconds"] for stage in json.loads((self.folder / policy / "run.json").read_text())["stages"]}
                   for policy in ("fp64", "fp32")}
        names = [stage["name"] for stage in found["stages"]]
        total = sum(seconds["fp64"][name] for name in names)
        self.assertAlmostEqual(found["whole_policies"][0]["cost"], sum(seconds["fp32"][name] for name in names) / total)
        for stage in found["stages"]:
            self.assertAlmostEqual(stage["cost_share"], seconds["fp64"][stage["name"]] / total)

    def test_bad_requests_are_refused_in_a_line(self):
        small = (*SMALL, "-o", "s")
        self.assert_fails(2, "search", CASE, *small, "--precisions", "fp23", says=("fp23", "fp32"))
        self.assert_fails(2, "search", CASE, *small, "--precisions", "fp32,fp32", says="twice")
        self.assert_fails(2, "search", CASE, *small, "--precisions", "fp64", says="fp64")
        self.assert_fails(2, "search", CASE, *small, "--stages", "seaice.stres", says=("seaice.stres", "did you mean 'seaice.stress'"))
        self.assert_fails(2, "search", CASE, *small, "--within", "2", says="--within")
        self.assert_fails(2, "search", CASE, *small, "--costs", "fp64", says=("--costs", "run.json"))
        self.assert_fails(2, "search", CASE, *small, "--costs", "fp64=none.json", says="none.json")
        self.assert_fails(2, "search", CASE, *small, "--policies", "fp23", says="fp23")

    def test_a_file_of_stages_is_for_its_case_and_policy(self):
        path = self.folder / "stages.toml"
        path.write_text('case = "x"\ncase_hash = "0123456789abcdef"\nstages = ["seaice.stress=fp32"]\n')
        done = self.call("run", CASE, *SMALL, "--until", "4 min", "-o", "r", "--stages-from", path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?m)^ulpine: .*stages.toml: was found for another case \(x, ")
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "--policy", "fp32", "--stages-from", path, says=("stages.toml", "--policy fp64"))
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "--stage", "seaice.stress=e8m7", "--stages-from", path, says="seaice.stress")
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "--stages-from", "none.toml", says="none.toml")
        path.write_text('stages = ["seaice.stres=fp32"]\n')
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "--stages-from", path, says=("stages.toml: no stage 'seaice.stres'", "did you mean 'seaice.stress'"))
        self.assert_fails(2, "ensemble", CASE, *SMALL, "-o", "s", "--stages-from", path, says=("stages.toml: no stage 'seaice.stres'",))
        for text in ('case = "x"\ncase_hash = "0123456789abcdef"\nstages = []\n', "stages = []\n", "# nothing\n"):
            path.write_text(text)
            self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "-q", "--stages-from", path, says=("stages.toml: stages: names none", "another case"))
        path.write_text('policy = "fp64"\nstages = [32]\n')
        self.assert_fails(2, "run", CASE, *SMALL, "-o", "r", "--stages-from", path, says="stages.toml:2")

    def test_a_file_of_stages_of_shorter_runs_is_told(self):
        (self.folder / "stages.toml").write_text('until_s = 240\nstages = ["seaice.stress=fp32"]\n')
        for until, told in (("--until=4 min", False), ("--until=6 min", True), ("--steps=3", False)):
            done = self.call("run", CASE, *SMALL, until, "-o", "r", "--stages-from", "stages.toml")
            self.assertEqual(done.returncode, 0)
            self.assertEqual("found in runs of 240 s" in done.stderr, told, until)
            self.assertEqual("(not of 360 s)" in done.stderr, told, until)

    def test_a_study_takes_the_stages_as_one_more_configuration(self):
        path = self.folder / "stages.toml"
        path.write_text('stages = ["seaice.stress=fp32"]\n')
        self.assert_done("ensemble", CASE, *SMALL, "-o", "s", "--jobs", "2", "--until", "4 min", "--policies", "fp64,mixed", "--assemblies", "deterministic",
                         "--epsilons", "2^-10", "--members", "3", "--members-for", "fp64", "--quad-until", "0 s", "--stages-from", path)
        verdicts = [verdict["configuration"] for verdict in json.loads((self.folder / "s/results.json").read_text())["verdicts"]]
        self.assertEqual(verdicts, ["mixed/deterministic", "fp64/deterministic/seaice.stress=fp32"])


if __name__ == "__main__":
    unittest.main()
