# SPDX-License-Identifier: Apache-2.0
"""What the report claims to be gained: measured numbers of what agrees, and none of formats that a device emulates."""

import copy
import unittest

import make_study
from support import StudyTest
from ulpine_report import gain, load, render, verdict


class Gained(StudyTest):
    @classmethod
    def setUpClass(cls):
        cls.base = make_study.results(8)
        kept = ("fp64/deterministic", "fp32/deterministic", "tf32/deterministic")
        cls.base["runs"] = [run for run in cls.base["runs"] if run["id"] in kept]
        cls.base["verdicts"] = [judged for judged in cls.base["verdicts"] if judged["configuration"] in kept]

    def study(self, **changes):
        """A study of fp64, fp32 and tf32 in deterministic assembly; changes by policy: (wall_s, memory_bytes, device, answer, arithmetic)."""
        data = copy.deepcopy(self.base)
        for entry in (*data["runs"], *data["verdicts"]):
            wall, memory, device, answer, arithmetic = changes.get(entry["policy"], (30.0, 4000, "cpu", "equivalent", entry["policy"]))
            if "evidence" in entry:
                entry["answer"] = answer
            else:
                entry.update(wall_s=wall, memory_bytes=memory, device=device)
            entry["policy"] = arithmetic
        make_study.write_results(self.folder, data)
        return load.load(self.folder)

    def said(self, wall, memory, device="cpu", answer="equivalent", policy="fp32", arithmetic=None):
        return gain.sentence(self.study(**{policy: (wall, memory, device, answer, arithmetic or policy), **({} if policy == "tf32" else {"tf32": (90.0, 4000, "cpu", "different", "tf32")})}))

    def test_is_said_of_what_agrees_alone(self):
        self.assertEqual(self.said(15.0, 2000), "fp32 is 2.0 times as fast in half the memory.")
        self.assertEqual(self.said(15.0, 2000, answer="undecided"), "")
        self.assertEqual(self.said(15.0, 2000, answer="equal"), "fp32 is 2.0 times as fast in half the memory.")

    def test_only_what_was_measured_counts(self):
        self.assertEqual(self.said(15.0, None), "fp32 is 2.0 times as fast.")
        self.assertEqual(self.said(None, 2000), "fp32 needs half the memory.")
        self.assertEqual(self.said(None, None), "")
        self.assertEqual(self.said(0.0, 4000), "")

    def test_nothing_is_gained_where_nothing_is(self):
        self.assertEqual(self.said(31.0, 4000), "None that agrees was faster than the reference.")
        self.assertEqual(self.said(29.5, 4000), "None that agrees was faster than the reference.")  # within what single measurements differ by
        self.assertEqual(self.said(31.0, 2600).replace("\u202f", " "), "fp32 needs 65 % of the memory; none that agrees was faster than the reference.")

    def test_no_time_of_a_format_that_the_device_emulates(self):
        for policy, device, emulated in (("tf32", "cpu", True), ("bf16", "mpi:3", True), ("fp16", None, True), ("tf32", "cuda:0", False), ("e8m7", "cpu", True), ("e8m23-sr7", "cpu", True),
                                         ("quad", "cpu", True), ("fp32", "cpu", False), ("mixed", "cpu", False), ("O2", "cpu", False)):
            with self.subTest(policy=policy, device=device):
                study = self.study(fp32=(15.0, 2000, device, "equivalent", policy), tf32=(90.0, 4000, "cpu", "different", "other"))
                self.assertEqual(gain.sentence(study), f"{policy} needs half the memory." if emulated else f"{policy} is 2.0 times as fast in half the memory.")
                self.assertEqual(f"{policy} is emulated on" in gain.measured(study), emulated)
                row = next(row for row in render.costs(study) if row["run"].policy == policy)
                self.assertEqual((row["emulated"], row["speed_up"]), (emulated, None if emulated else 2.0))

    def test_of_runs_that_time_cannot_tell_apart_the_smallest(self):
        self.assertEqual(gain.sentence(self.study(fp32=(15.0, 2000, "cpu", "equivalent", "fp32"), tf32=(14.6, 4000, "cuda", "equivalent", "tf32"))), "fp32 is 2.0 times as fast in half the memory.")
        self.assertEqual(gain.sentence(self.study(fp32=(15.0, 2000, "cpu", "equivalent", "fp32"), tf32=(10.0, 4000, "cuda", "equivalent", "tf32"))), "tf32 is 3.0 times as fast.")

    def test_the_answer_comes_first(self):
        self.assertEqual(verdict.headline(self.study(fp32=(15.0, 2000, "cpu", "equivalent", "fp32"))),
                         "All 2 configurations agree with fp64/deterministic within what the case tolerates. fp32 is 2.0 times as fast in half the memory.")
        self.assertEqual(verdict.headline(self.study(fp32=(15.0, 2000, "cpu", "different", "fp32"))), "tf32 agrees with fp64/deterministic; fp32 differs.")
        self.assertEqual(verdict.headline(self.study(fp32=(30.0, 4000, "cpu", "equal", "fp32"), tf32=(30.0, 4000, "cpu", "equal", "tf32"))),
                         "All 2 configurations have the same bits as fp64/deterministic. None that agrees was faster than the reference.")


class Runs(StudyTest):
    def test_every_run_of_the_study_is_accounted_for(self):
        self.write()
        study = load.load(self.folder)
        compared = len(study.runs) + len(study.members)
        self.assertEqual(render.run_words(study), f"1 of {compared} runs that are compared failed: 8 unperturbed, {compared - 8} members of ensembles.")
        study.run_states = {"done": compared, "failed": 1}
        self.assertTrue(render.run_words(study).endswith(" 1 more run was done in quad/deterministic, which tells the reference's own error."))
        study.run_states["planned"] = 3
        self.assertTrue(render.run_words(study).endswith(" Not done: 3 planned."))


if __name__ == "__main__":
    unittest.main()
