# SPDX-License-Identifier: Apache-2.0
"""Tests of what the page shows of metrics: all that it knows of one it has from results.json."""

import unittest

from support import StudyTest
from ulpine_report import load, metrics, render

NEW = {"direction": "higher", "unit": "bit", "meaning": "a measure that no program knows", "heading": "NOVEL", "digits": 3, "shown": "pages"}


def add_metric(data, name="novel", value=0.123456, **told):
    """A metric of every field, told as `told` says."""
    data["metrics"][name] = {**NEW, **told}
    for entry in data["runs"]:
        for values in entry["metrics"].values():
            values[name] = value


class Shown(StudyTest):
    def headings(self):
        return [metric.heading for metric in render.used_metrics(load.load(self.folder))]

    def test_a_metric_unknown_to_the_report_has_its_column(self):
        self.write(add_metric)
        page = self.page()
        heading = next(row for row in page.rows if row[:2] == ["run", "field"])
        column = heading.index("NOVEL")
        values = [row[column] for row in page.rows if len(row) == len(heading) and row[1] == "sivol"]
        self.assertTrue(values)
        self.assertEqual(set(values), {"0.123"})
        self.assertIn({"scope": "col", "class": "n", "title": "a measure that no program knows, bit"}, [attributes for tag, attributes in page.elements if tag == "th"])

    def test_columns_stand_in_the_order_of_the_results(self):
        def first(data):
            add_metric(data)
            data["metrics"] = {"novel": data["metrics"].pop("novel"), **data["metrics"]}

        self.write(first)
        self.assertEqual(self.headings()[0], "NOVEL")

    def test_what_is_for_files_alone_has_none(self):
        self.write(lambda data: add_metric(data, shown="files"))
        self.assertNotIn("NOVEL", self.headings())

    def test_results_of_earlier_versions_show_what_they_have_by_name(self):
        self.write(lambda data: data.pop("metrics"))
        self.assertIn("one_minus_r", self.headings())


class Gates(StudyTest):
    def gate_on(self, data, metric, value, limit, passed):
        """All gates on a field are on this metric instead."""
        for gate in data["gates"]:
            if gate["metric"] == "l2_relative":
                gate.update(metric=metric, value=value, limit=limit, passed=passed, skipped=None, reason=None)

    def gate_of(self, metric):
        study = load.load(self.folder)
        return study, next(gate for gate in study.gates if gate.metric == metric)

    def test_direction_comes_from_the_results(self):
        def novel(data, direction):
            add_metric(data, direction=direction)
            self.gate_on(data, "novel", 5.0, 1.0, direction == "higher")

        for direction in ("higher", "lower"):
            with self.subTest(direction):
                self.write(lambda data, direction=direction: novel(data, direction))
                study, gate = self.gate_of("novel")
                self.assertEqual(metrics.more_is_better(study.metrics, gate), direction == "higher")
                self.assertEqual(render.more_is_better(study), ["novel"] if direction == "higher" else [])

    def test_direction_of_earlier_results_is_that_of_the_gate(self):
        """A share of 0.9 that passes where 0.5 is the limit, and one of 0.3 that does not."""
        for value, passed in ((0.9, True), (0.3, False)):
            def earlier(data, value=value, passed=passed):
                data.pop("metrics")
                self.gate_on(data, "fac2", value, 0.5, passed)

            with self.subTest(value):
                self.write(earlier)
                study, gate = self.gate_of("fac2")
                self.assertTrue(metrics.more_is_better(study.metrics, gate))
        self.write(lambda data: (data.pop("metrics"), self.gate_on(data, "linf", 0.3, 0.5, True)))
        study, gate = self.gate_of("linf")
        self.assertFalse(metrics.more_is_better(study.metrics, gate))


if __name__ == "__main__":
    unittest.main()
