# SPDX-License-Identifier: Apache-2.0
"""Tests of the fields that a reader can choose, of their spectra, and of the distributions of statistics."""

import unittest
from unittest import mock

import make_study
import make_toy_study
import matplotlib.pyplot as plt
import numpy as np
from support import Page, StudyTest, call, unrendered
from ulpine_report import choice, distributions, fields, load
from ulpine_report.rings import radial_spectrum


class Choosing(StudyTest):
    def chosen(self, page):
        return [attributes["id"] for tag, attributes in page.elements if tag == "details" and attributes.get("class") == "choice"]

    def test_each_option_opens_a_block_of_its_own(self):
        self.write()
        with unrendered():
            self.assertEqual(call(self.folder), (0, "", ""))
        page = Page((self.folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(page.faults, [])
        options = [attributes["value"] for tag, attributes in page.elements if tag == "option"]
        self.assertEqual(sorted(options), sorted(self.chosen(page)))
        self.assertEqual(len(options), choice.MOST)
        self.assertEqual(page.tags.count("select"), 1)
        self.assertEqual(page.tags.count("script"), 1)
        self.assertIn("for", next(attributes for tag, attributes in page.elements if tag == "label"))
        self.assertIn("Left out, to keep the page small", page.text)

    def test_fields_are_chosen_by_name(self):
        self.write()
        with unrendered():
            self.assertEqual(call(self.folder, "--fields", "siu,sivol")[0], 0)
        drawn = {picture.stem for picture in (self.folder / "figures").iterdir()}
        page = Page((self.folder / "report.html").read_text(encoding="utf-8"))
        summaries = [words for words in page.text.split("siu, after 2 d")]
        self.assertGreater(len(summaries), 1)
        self.assertEqual(len(self.chosen(page)), 4)  # two fields at two times
        self.assertLessEqual({"chosen-map-siu", "chosen-difference-siu", "chosen-distribution-siu", "chosen-map-siu-first", "chosen-distribution-sivol-first"}, drawn)
        self.assertNotIn("chosen-map-siv", drawn)

    def test_none_are_drawn_where_none_are_wanted(self):
        self.write()
        with unrendered() as drawn:
            self.assertEqual(call(self.folder, "--no-fields")[0], 0)
        page = Page((self.folder / "report.html").read_text(encoding="utf-8"))
        self.assertNotIn("script", page.tags)
        self.assertFalse([name for name in drawn if name.startswith("chosen")])

    def test_a_field_that_is_nowhere_is_refused_with_those_that_are(self):
        self.write()
        code, _, said = call(self.folder, "--fields", "speed")
        self.assertEqual((code, said.count("\n")), (2, 1))
        self.assertIn("no field speed", said)
        self.assertIn("siconc", said)

    def test_the_page_stays_within_its_limit(self):
        self.write()
        with mock.patch.object(choice, "BUDGET", 1):
            study = load.load(self.folder)
            with unrendered():
                made = choice.choices(study)
        self.assertEqual(len(made.found), 1)
        self.assertGreater(len(made.left_out), 5)

    def test_meshes_levels_and_missing_values_can_be_chosen(self):
        make_toy_study.write(self.folder)
        with unrendered():
            made = choice.choices(load.load(self.folder))
        drawn = {figure.name for item in made.found for figure in item.figures}
        self.assertIn("chosen-distribution-tracer", drawn)
        self.assertEqual({item.field for item in made.found}, {"tracer", "w"})
        self.assertIn("level 11 of 20", " ".join(item.label for item in made.found))
        self.assertLessEqual({"chosen-map-w-level-1", "chosen-map-w-level-11", "chosen-map-w-level-20"}, drawn)

    def test_labels_of_differences_do_not_cover_each_other(self):
        self.write()
        study = load.load(self.folder)
        random = np.random.default_rng(4)
        for decades in (0.3, 1, 2, 5, 8, 14):
            with self.subTest(decades):
                canvas, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
                signs = random.choice([-1, 1], 2000)
                choice.draw_differences(study, axes[2], {"fp32": signs * 10.0 ** random.uniform(-decades, 0, 2000)}, "1")
                canvas.canvas.draw()
                boxes = sorted((label.get_window_extent() for label in axes[2].get_xticklabels() if label.get_text()), key=lambda box: box.x0)
                self.assertGreaterEqual(len(boxes), 3)
                for left, right in zip(boxes, boxes[1:]):
                    self.assertLess(left.x1, right.x0)
                plt.close(canvas)

    def test_first_and_last_time_are_drawn_as_they_are(self):
        self.write()
        study = load.load(self.folder)
        with fields.outputs(study) as (files, _):
            last, first = (fields.read_field(study, files, "sivol", "map", load.Request("map", "sivol", None, None, None, None, at_first)) for at_first in (False, True))
        made = make_study.base_fields(16)
        self.assertTrue(np.array_equal(first.values["tf32"][made["mask"] > 0], made["sivol"][made["mask"] > 0]))
        self.assertFalse(np.array_equal(last.values["tf32"][made["mask"] > 0], made["sivol"][made["mask"] > 0]))
        self.assertTrue(np.isnan(first.values["tf32"][made["mask"] == 0]).all())
        self.assertEqual((first.time_s, last.time_s), (0.0, 172800.0))


class Spectrum(unittest.TestCase):
    """Against `ulpine spectrum FILE --variable h --json`, version 0.1.0, of h[j][i] = (7 j j + 3 i j + 5 i) mod 11."""

    def check(self, ny, nx, dy, dx, wavenumber, power):
        j, i = np.mgrid[0:ny, 0:nx]
        found = radial_spectrum(((7 * j * j + 3 * i * j + 5 * i) % 11).astype(float), dy, dx)
        np.testing.assert_allclose(found[0], wavenumber, rtol=1e-14)
        np.testing.assert_allclose(found[1], power, rtol=1e-12)

    def test_of_an_even_square(self):
        self.check(6, 6, 1.0, 1.0, [0.0, 0.16666666666666666, 0.3333333333333333, 0.5], [1002.7777777777778, 5.208333333333333, 7.282407407407408, 3.0])

    def test_of_sides_that_differ(self):
        self.check(5, 8, 2.0, 2.0, [0.0, 0.0625, 0.125, 0.1875, 0.25], [1060.9, 6.602579998799055, 6.1218366068729555, 11.571389783229247, 10.567046988315512])

    def test_of_spacings_that_differ(self):
        self.check(4, 6, 3.0, 2.0, [0.0, 0.08333333333333333, 0.16666666666666666], [640.6666666666666, 5.40625, 5.166666666666667])

    def test_of_the_coarser_axis(self):
        self.check(6, 8, 3.0, 2.0, [0.0, 0.0625, 0.125], [1323.0, 1.4529607849344999, 10.380436055215602])

    def test_of_odd_sides(self):
        self.check(5, 5, 1.0, 1.0, [0.0, 0.2], [750.76, 6.488997800587692])

    def test_of_missing_values_is_that_of_their_mean(self):
        field = np.arange(36.0).reshape(6, 6)
        field[2, 3] = np.nan
        filled = field.copy()
        filled[2, 3] = np.nanmean(field)
        np.testing.assert_array_equal(radial_spectrum(field)[1], radial_spectrum(filled)[1])

    def test_of_nothing_is_none(self):
        self.assertIsNone(radial_spectrum(np.full((4, 4), np.nan)))
        self.assertIsNone(radial_spectrum(np.array([[1.0, np.inf], [0.0, 1.0]])))


class Members(StudyTest):
    def test_every_member_is_a_point_beside_mean_and_reference(self):
        data = self.write()
        study = load.load(self.folder)
        with unrendered() as drawn:
            distributions.figures(study)
            axis = drawn["distributions"].axes[0]
            points = [sorted(line.get_ydata()) for line in axis.get_lines()]
        chosen = distributions.amplitude(study)
        expected = sorted(run["statistics"]["lkf_count"] for run in data["runs"] if run["policy"] == "tf32" and run["member"] is not None and run["epsilon"] == make_study.EPSILONS[chosen] and not run.get("control"))
        self.assertEqual(len(expected), make_study.MEMBERS)
        self.assertIn(expected, points)
        self.assertIn([data["runs"][0]["statistics"]["lkf_count"]] * 2, points)

    def test_the_control_has_its_own_members(self):
        data = self.write()
        study = load.load(self.folder)
        values = distributions.members_of(study, "control", make_study.TOLERATED, "lkf_count")
        self.assertEqual(sorted(values), sorted(run["statistics"]["lkf_count"] for run in data["runs"] if run.get("control")))

    def test_the_distance_is_that_of_the_verdicts(self):
        def change(data):
            next(item for verdict in data["verdicts"] if verdict["configuration"] == "tf32/deterministic" for item in verdict["evidence"] if item["kind"] == "distribution" and item["subject"] == "lkf_count")["value"] = 0.625
        self.write(change)
        self.assertEqual(distributions.distance(load.load(self.folder), "tf32/deterministic", "lkf_count"), 0.625)
        self.assertIsNone(distributions.distance(load.load(self.folder), "fp64/deterministic", "lkf_count"))


if __name__ == "__main__":
    unittest.main()
