# SPDX-License-Identifier: Apache-2.0
"""Studies of a program's variants: configurations with a plain name, no assembly, and the precision of their numbers as policy."""

import json
import re
import unittest

import make_study
from support import StudyTest, unrendered
from ulpine_report import drawing, load, pieces, render, verdict

NAMES = {"fp64/deterministic": "O2", "fp32/deterministic": "fast", "tf32/deterministic": "gpu"}
NOT_APPLICABLE = ("deterministic", "atomic", "assembl", "polic", "tf32", "fp32", "mixed", "reduced precision")


def of_a_program(data):
    """Makes a study's results those of a program: the same numbers, the configurations of NAMES alone, under other names."""
    def named(words):
        for old, new in NAMES.items():
            words = words.replace(old, new)
        return words

    data["runs"] = [dict(run, ensemble=run["id"].split("/eps")[0]) for run in data["runs"] if run["id"].split("/eps")[0] in (*NAMES, "control")]
    data["ensembles"] = [ensemble for ensemble in data["ensembles"] if ensemble["configuration"] in (*NAMES, "control")]
    data["gates"] = [gate for gate in data["gates"] if gate["run"] in NAMES]
    data["verdicts"] = [judged for judged in data["verdicts"] if judged["configuration"] in (*NAMES, "control")]
    data["controls"] = []
    data["bitwise"] = [dict(group, runs=[run for run in group["runs"] if run in NAMES]) for group in data["bitwise"] if set(group["runs"]) & set(NAMES)]
    data["predictability"], data["notes"], data["reference_error"] = [], [], None
    for gate in data["gates"]:
        gate["runs"] = None
    whole = json.loads(named(json.dumps(data)))
    data.clear()
    data.update(whole)
    for entry in (*data["runs"], *data["ensembles"], *data["verdicts"]):
        entry.update(policy="fp64", assembly="")


class Variants(StudyTest):
    def loaded(self, change=of_a_program):
        data = make_study.results(8)
        change(data)
        make_study.write_results(self.folder, data)
        return load.load(self.folder)

    def test_each_variant_is_a_configuration_of_its_own(self):
        study = self.loaded()
        self.assertTrue(study.variants)
        self.assertEqual(study.policies, ["O2", "fast", "gpu"])
        self.assertEqual([run.id for run in map(study.run_of, study.policies)], ["O2", "fast", "gpu"])
        self.assertEqual(verdict.headline(study), "fast agrees with O2; gpu differs. fast is 1.9 times as fast in half the memory.")
        self.assertEqual([card.policy for card in verdict.cards(study)], ["fast", "gpu"])
        self.assertEqual([(run.policy, run.arithmetic) for run in study.members if not run.control][::24], [("O2", "fp64"), ("fast", "fp64"), ("gpu", "fp64")])
        self.assertEqual({run.policy for run in study.members if run.control}, {"O2"})
        self.assertEqual(len({tuple(map(str, drawing.style(study, name).values())) for name in study.policies}), 3)

    def test_equal_is_what_the_files_hold(self):
        def one_is_equal(data):
            of_a_program(data)
            for judged in data["verdicts"]:
                if judged["configuration"] == "fast":
                    judged["answer"] = "equal"

        study = self.loaded(one_is_equal)
        self.assertIn("fast has the same output as O2; ", verdict.headline(study))
        equal = [judged for judged in study.verdicts if judged.configuration == "fast"]
        self.assertEqual(verdict.sentence(study, "equal", equal), "fast gives the same output as O2, bit for bit.")

    def test_the_page_speaks_of_variants_and_of_nothing_that_they_have_not(self):
        self.write()
        data = json.loads((self.folder / "results.json").read_text())
        of_a_program(data)
        make_study.write_results(self.folder, data)
        (self.folder / "manifest.json").unlink()
        (self.folder / "case.toml").write_text('name = "cyclone"\n')
        page = self.page()
        for words in NOT_APPLICABLE:
            self.assertIsNone(re.search(words, page.text, re.I), re.findall(f".{{60}}{words}.{{60}}", page.text, re.I))
        self.assertIn("Do all variants of cyclone give one answer?", page.text)
        self.assertEqual(page.row("variant")[:4], ["variant", "answer", "speed-up", "memory"])
        self.assertEqual(page.row("fast", "≈ equivalent")[2:4], ["1.89 ×", "50 %"])
        self.assertEqual(page.row("O2", "reference")[2:4], ["–", "100 %"])
        figures = " ".join(image["alt"] for image in page.images)
        self.assertIn("for O2, fast and gpu", figures)
        for words in NOT_APPLICABLE:
            self.assertNotRegex(figures, f"(?i){words}")

    def test_figures_draw_every_variant(self):
        self.write()
        data = json.loads((self.folder / "results.json").read_text())
        of_a_program(data)
        make_study.write_results(self.folder, data)
        with unrendered() as drawn:
            render.build(load.load(self.folder), choosing=False)
            labels = {name: [text.get_text() for text in figure.legends[0].get_texts()] for name, figure in drawn.items() if figure.legends}
            ticks = [label.get_text() for label in drawn["cost"].axes[0].get_yticklabels()]
        self.assertEqual(ticks, ["O2", "fast", "gpu"])
        self.assertEqual(labels["statistics"][:3], ["O2", "fast", "gpu"])
        self.assertEqual(labels["growth"], ["fast", "gpu"])

    def test_no_advice_that_cannot_apply(self):
        study = self.loaded()
        command = render.commands(study)[0]
        self.assertNotRegex(command, "--policies|--assemblies|--device")
        self.assertIn("--members 8", command)
        self.assertNotRegex(" ".join(pieces.absences(study)), "quad|polic")


if __name__ == "__main__":
    unittest.main()
