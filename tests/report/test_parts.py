# SPDX-License-Identifier: Apache-2.0
"""Tests of what a page shows beside results.json: digits, the search over stages, times on other cards, a comparison of two studies."""

import copy
import json
import math
import random
import unittest

import numpy as np
from support import Page, StudyTest, call, few_choices, unrendered
from ulpine_report import digits, load, parts, seal, sensitivity

TIMES = [0, 21600, 86400]


def shares(*medians):
    return {"p05": [bits - 4 for bits in medians], "p50": list(medians), "p95": [bits + 3 for bits in medians], "min": [bits - 9 for bits in medians], "norm": [bits - 1 for bits in medians]}


def digits_file():
    """digits.json by hand: two fields at three times, and a stage."""
    return {"schema": "ulpine.digits/1", "case": "wave", "provenance": {"version": "0.1.0", "created": "2026-01-02T03:04:05Z"}, "arithmetic": "fp64 rounded at random", "samples": 30, "seed": 7,
            "confidence": 0.95, "probability": 0.99, "reference": "fp64/deterministic", "notes": ["equal in all samples: mask"],
            "fields": [{"name": "height", "units": "m", "times_s": TIMES, "scale": [1, 1, 1], "bits": {"significant": shares(52, 40, 33.25), "contributing": shares(53, 44, 36), "general": shares(51, 39, 32)},
                        "quad": dict(shares(52, 41, 34.5), baseline_within=[1, 0.97, None], samples_within=[1, 1, None]), "not_normal_share": [0, 0.01, 0.025], "note": "land is left out"},
                       {"name": "speed", "units": "m s-1", "times_s": TIMES, "scale": [1, 1, 1], "bits": {"significant": shares(50, 30, 20)}, "quad": None, "not_normal_share": [0, 0, 0], "note": ""}],
            "stages": [{"name": "wave.still", "field": None, "bits": None}, {"name": "wave.step", "field": "speed", "bits": {"significant": {"p05": 30, "p50": 35.5, "p95": 38, "min": 27, "norm": 34}}}]}


def alone(precision, ratio, answer, problem=None):
    return {"precision": precision, "cost": 0.9, "ratio": ratio, "answer": answer, "worst": {"field": "speed", "time_s": 7200.0}, "problem": problem}


def search_file():
    """search.json by hand: two stages in two precisions."""
    tried = [{"assignment": {"wave.step": "fp32"}, "cost": 0.6, "ratio": 0.4, "answer": "equivalent", "wall_s": 1.0}, {"assignment": {"wave.step": "bf16"}, "cost": 0.4, "ratio": 7.0, "answer": "different", "wall_s": 1.0}]
    return {"schema": "ulpine.search/1", "case": {"core": "toy", "name": "wave"}, "provenance": {"version": "0.1.0"}, "reference": "fp64/deterministic", "precisions": ["fp32", "bf16"],
            "cost_model": "bytes that each stage moves",
            "stages": [{"name": "wave.step", "cost_share": 0.75, "alone": [alone("fp32", 0.4, "equivalent"), alone("bf16", 7.0, "different")]},
                       {"name": "wave.filter", "cost_share": 0.25, "alone": [alone("fp32", 0.001, "equivalent"), alone("bf16", None, "different", "speed is not finite")]}],
            "tolerated": "2^-10", "within": 0.25, "members": 24, "until_s": 3600.0, "refused": [{"stage": "wave.start", "reason": "it has one precision"}], "notes": ["one study was undecided"],
            "confirmations": [{"tried": 1, "study": "confirm", "answer": "undecided"}, {"tried": 0, "study": "confirm-2", "answer": "equivalent"}],
            "tried": tried, "frontier": [1, 0], "whole_policies": [{"policy": "mixed", "cost": 0.7, "ratio": 0.2, "answer": "equivalent"}],
            "chosen": {"assignment": {"wave.step": "fp32", "wave.filter": "fp64"}, "cost": 0.6, "ratio": 0.4, "answer": "undecided", "verdict_study": "confirm-2", "verdict": "equivalent"},
            "spent": {"runs": 12, "wall_s": 90.0, "study_runs": 49, "study_wall_s": 600.0}}


def cards_file():
    """cards.json by hand: two cards, on one of which arithmetic binds."""
    def step(policy, seconds, *waits):
        return {"policy": policy, "seconds": seconds, "waits": [{"for": what, "share": share} for what, share in waits]}
    return {"schema": "ulpine.cards/1", "case": {"core": "toy", "name": "wave"},
            "cards": [{"card": "fast", "name": "Fast card", "efficiencies": "efficiencies measured on it", "not_counted": [],
                       "policies": [step("fp64", 0.002, ("memory", 1.0)), step("fp32", 0.0011, ("memory", 0.9), ("latency", 0.1), ("FP64", 0.001))]},
                      {"card": "starved", "name": "Starved card", "efficiencies": "efficiencies measured on fast, as none are of this card", "not_counted": ["integer"],
                       "policies": [step("fp64", 0.04, ("FP64", 0.75), ("memory", 0.25)), step("fp32", 0.0005, ("memory", 1.0))]}]}


def comparison_file():
    """comparison.json by hand: one answer worse, one run with other bits."""
    return {"schema": "ulpine.comparison/1", "last": {"case": {"name": "wave"}, "created": "2026-01-02T03:04:05Z", "version": "0.1.0", "commit": "aaaa", "reference": "fp64/deterministic", "answer": "equivalent"},
            "this": {"case": {"name": "wave"}, "created": "2026-01-09T03:04:05Z", "version": "0.1.0", "commit": "bbbb", "reference": "fp64/deterministic", "answer": "different"},
            "yardstick": "control at 2^-10", "worse": ["tf32/deterministic: was equivalent, is different"], "passed": False, "notes": ["the seed was 1 and is 2"],
            "hashes": [{"run": "fp32/atomic", "last": "00aa", "this": "00bb", "same": False}, {"run": "fp32/deterministic", "last": "1", "this": "1", "same": True}],
            "answers": [{"configuration": "tf32/deterministic", "last": "equivalent", "this": "different", "control": False, "worse": True},
                        {"configuration": "fp32/atomic", "last": "undecided", "this": "equivalent", "control": False, "worse": False}],
            "gates": [{"name": "height.l2_relative", "run": "fp32/atomic", "limit": 0.01, "last": 0.001, "this": 0.02, "was": "passed", "is": "failed", "worse": True}],
            "metrics": [{"configuration": "fp32/atomic", "field": "height", "metric": "l2_relative", "last": 1e-3, "this": 1e-3, "ratio": 1.0, "spread": None},
                        {"configuration": "fp32/atomic", "field": "height", "metric": "nmse", "last": 1e-3, "this": 2e-4, "ratio": 0.2, "spread": None},
                        {"configuration": "tf32/deterministic", "field": "height", "metric": "l2_relative", "last": 1e-3, "this": 3e-3, "ratio": 3.0, "spread": {"mean": 2e-2, "sd": 1e-3}},
                        {"configuration": "tf32/deterministic", "field": "height", "metric": "linf", "last": 0.0, "this": 3e-3, "ratio": None, "spread": None}],
            "statistics": [{"configuration": "tf32/deterministic", "statistic": "energy", "last": 10.0, "this": 12.5, "difference": 2.5, "sd": 0.5}],
            "wall_s": [{"run": "fp32/atomic", "last_s": 10.0, "this_s": 20.0, "ratio": 2.0}], "provenance": [{"key": "compiler", "last": "GNU 12", "this": "GNU 13"}],
            "only": {"last": ["run bf16/atomic"], "this": []}}


class PartTest(StudyTest):
    def put(self, name, data):
        (self.folder / name).write_text(seal.sealed(json.dumps(data)), encoding="utf-8")

    def shown(self, *arguments):
        """The page of a folder or file, its figures not rendered, with two fields to choose from, and what they draw."""
        with unrendered() as drawn, few_choices():
            self.assertEqual(call(*(arguments or [self.folder])), (0, "", ""))
            self.drawn = {name: [line for axis in figure.axes for line in axis.get_lines()] for name, figure in drawn.items()}
            self.axes = {name: [axis.get_ylabel() for axis in figure.axes for axis in (axis, *axis.child_axes)] for name, figure in drawn.items()}
        page = Page(next(self.folder.glob("*.html")).read_text(encoding="utf-8"))
        self.assertEqual(page.faults, [])
        return page


class Digits(PartTest):
    def test_a_folder_without_a_study_gets_a_page(self):
        self.put("digits.json", digits_file())
        page = self.shown()
        self.assertIn("stochastic", page.ids)
        self.assertEqual(page.row("height", "1 d"), ["height", "1 d", "29.2", "33.2", "36.2", "24.2", "32.2", "36.0", "2.5 %", "34.5", "97 %"])
        self.assertEqual(page.row("speed", "1 d")[-4:], ["–", "0 %", "–", "–"])
        self.assertEqual(page.row("wave.step"), ["wave.step", "speed", "30.0", "35.5", "38.0", "27.0", "34.0", "–"])
        for words in ("30 samples of fp64 rounded at random, seed 7, confidence 0.95 and probability 0.99", "fewest significant digits at the end: speed, 6.0 decimal (20.0 bits)", "height: land is left out", "equal in all samples: mask"):
            self.assertIn(words, page.text)

    def test_the_medians_are_drawn_with_decimal_digits_on_the_right(self):
        self.put("digits.json", digits_file())
        self.shown()
        lines = [list(line.get_ydata()) for line in self.drawn["digits"]]
        for medians in ([52, 40, 33.25], [53, 44, 36], [52, 41, 34.5], [50, 30, 20]):
            self.assertIn(medians, lines)
        self.assertIn("decimal digits", self.axes["digits"])

    def test_odd_numbers_do_no_harm(self):
        data = digits_file()
        data["fields"][0]["bits"]["significant"]["p50"] = [52, None, "x"]
        data["fields"][0]["quad"] = {"p50": [1]}
        data["fields"].append({"name": "empty", "times_s": TIMES, "bits": {"significant": {"p50": [1, 2]}}})
        data["fields"].append({"name": "once", "times_s": [0], "bits": {"significant": {"p50": [12]}}})
        self.put("digits.json", data)
        page = self.shown()
        self.assertEqual(page.row("once")[3], "12.0")
        self.assertIn("digits.json: empty: no digits that fit its times", page.text)

    def test_no_fields_are_refused(self):
        self.put("digits.json", dict(digits_file(), fields=None))
        code, _, said = call(self.folder)
        self.assertEqual(code, 2)
        self.assertIn("digits.json: fields: not a list", said)

    def test_of_a_study_are_bits_of_its_errors(self):
        self.write()
        self.put("digits.json", digits_file())
        page = self.shown()
        for name in ("digits", "stochastic"):
            self.assertIn(name, page.ids)
        study = load.load(self.folder)
        run = study.run_of("tf32")
        expected = [-math.log2(error) for error in run.errors["sivol"]]
        self.assertTrue(any(np.allclose(line.get_ydata(), expected, rtol=1e-14) for line in self.drawn["digits-of-runs"] if len(line.get_ydata()) == len(expected)))

    def test_a_run_without_error_has_no_line(self):
        self.assertIsNone(digits.bits_of(np.array([0.0, 1.0]), np.zeros(2)))
        seconds, bits = digits.bits_of(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.25, math.nan]))
        self.assertEqual((list(seconds), list(bits)), ([1.0], [2.0]))


class Sensitivity(PartTest):
    def test_stages_and_assignment_are_tables(self):
        self.put("search.json", search_file())
        page = self.shown()
        self.assertEqual(page.row("wave.step", "bf16"), ["wave.step", "bf16", "0.900", "7.0", "◆ different", "speed after 2 h"])
        self.assertEqual(page.row("wave.filter", "bf16")[3:], ["–", "◆ different", "speed is not finite"])
        self.assertEqual(page.row("wave.step", "fp32", "0.900")[-2], "● equivalent")
        self.assertEqual([row for row in page.rows if len(row) == 4][1:], [["wave.step", "fp32", "75 %", "0.40"], ["wave.filter", "fp64", "25 %", "–"]])
        self.assertEqual(page.row("0.400"), ["0.400", "7.0", "◆ different", "–", "wave.step bf16"])
        for words in ("Chosen: 1 stage of 2 in less precision at 0.60 of the reference's cost; verdict equivalent", "12 runs, 90 s; 49 runs of studies, 10 min 0 s", "bytes that each stage moves",
                      "Runs until 1 h; errors in parts of those of a perturbation of 2⁻¹⁰ (24 members), or a statistic's shift in parts of its margin where that is larger; accepted up to 0.25.", "wave.start: it has one precision", "one study was undecided"):
            self.assertIn(words, page.text)

    def test_what_was_chosen_stands_beside_whole_policies_with_its_studys_verdict(self):
        self.put("search.json", search_file())
        page = self.shown()
        rows = [row for row in page.rows if row[0] in ("chosen", "mixed")]
        self.assertEqual(rows, [["chosen", "0.600", "0.40", "● equivalent by the study confirm-2", "–"], ["mixed", "0.700", "0.20", "● equivalent", "–"]])

    def test_without_a_study_only_errors_are_claimed(self):
        data = search_file()
        del data["chosen"]["verdict"]
        self.put("search.json", data)
        page = self.shown()
        self.assertIn("at 0.60 of the reference's cost; undecided by errors alone, no study confirms it.", page.text)
        self.assertEqual(page.row("chosen")[3], "○ undecided")

    def test_the_reference_as_the_choice_is_told(self):
        self.put("search.json", dict(search_file(), chosen={"assignment": {"wave.step": "fp64"}, "cost": 1.0, "ratio": 0.0, "answer": "equal"}))
        self.assertIn("Nothing cheaper than the reference was accepted: of 2 stages none goes lower", self.shown().text)

    def test_the_frontier_runs_by_cost_between_the_limits(self):
        self.put("search.json", search_file())
        self.shown()
        lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in self.drawn["frontier"]]
        for line in (([0.4, 0.6], [7.0, 0.4]), ([0, 1], [1, 1]), ([0, 1], [0.25, 0.25]), ([0.6], [0.4]), ([0.7], [0.2])):
            self.assertIn(line, lines)
        crosses = [list(line.get_xdata()) for line in self.drawn["frontier"] if line.get_marker() == "x"]
        self.assertEqual(crosses, [[0.4]], "the assignment that its study did not confirm")

    def test_what_cannot_be_drawn_is_counted(self):
        data = search_file()
        data["tried"] += [{"assignment": {}, "cost": 1, "ratio": 0, "answer": "equal"}, {"assignment": {}, "cost": 0.3, "ratio": None, "answer": "different"}]
        data["whole_policies"].append({"policy": "tf32", "cost": 0.4, "ratio": None, "answer": "different"})
        self.assertEqual(sensitivity.left_out(sensitivity.read(data, "x")), " Not drawn: 1 without any error, 1 without a ratio, as runs that failed and tf32 whole.")
        self.assertEqual(sensitivity.left_out(sensitivity.read(search_file(), "x")), "")

    def test_labels_leave_out_what_all_stages_share(self):
        found = sensitivity.read(search_file(), "x")
        self.assertEqual(sensitivity.labels(found, found.stages), ["step  75 %", "filter  25 %"])
        found.stages[1].name = "tide.filter"
        self.assertEqual(sensitivity.labels(found, found.stages), ["wave.step  75 %", "tide.filter  25 %"])

    def test_assignments_are_read_in_any_form(self):
        for raw in ({"a": "fp32", "b": "fp64"}, ["a=fp32", "b=fp64"], "a=fp32,b=fp64"):
            self.assertEqual(sensitivity.assignment(raw), {"a": "fp32", "b": "fp64"})
        self.assertEqual(sensitivity.assignment(None), {})

    def test_a_frontier_of_what_was_not_tried_is_told(self):
        self.put("search.json", dict(search_file(), frontier=[0, 9, -1]))
        self.assertIn("search.json: 2 points of the frontier: no such trial", self.shown().text)

    def test_a_search_that_found_nothing_has_a_page(self):
        self.put("search.json", dict(search_file(), chosen=None, tried=[], frontier=[], whole_policies=[], stages=[]))
        self.assertIn("0 stages tried; no assignment was chosen", self.shown().text)


class OnCards(PartTest):
    def test_each_policy_on_each_card_has_a_row_marked_as_predicted(self):
        self.put("cards.json", cards_file())
        page = self.shown()
        self.assertIn("on-cards", page.ids)
        self.assertEqual(page.row("Fast card", "fp64"), ["Fast card", "fp64", "2 ms", "1.000", "memory 100 %"])
        self.assertEqual(page.row("", "fp32", "1.1 ms")[2:], ["1.1 ms", "0.550", "memory 90 %, latency 10 %"])
        self.assertEqual(page.row("Starved card", "fp64")[2:], ["40 ms", "1.000", "FP64 75 %, memory 25 %"])
        self.assertEqual(page.row("", "fp32", "500 µs")[3], "0.013")
        for words in ("Predicted, not measured", "Predicted: a step in fp32 takes 1/80 of fp64's time on Starved card.", "Starved card: efficiencies measured on fast, as none are of this card; without instructions for integer"):
            self.assertIn(words, page.text)

    def test_it_stands_on_the_page_of_a_study(self):
        self.write()
        self.put("cards.json", cards_file())
        self.assertIn("on-cards", self.shown().ids)

    def test_no_times_are_refused(self):
        for cards in (None, [], [{"name": "Fast card"}], [{"name": "Fast card", "policies": [{"policy": "fp64", "seconds": None}]}]):
            self.put("cards.json", dict(cards_file(), cards=cards))
            code, _, said = call(self.folder)
            self.assertEqual(code, 2)
            self.assertIn("cards.json: cards: none with times", said)


class Files(PartTest):
    def test_altered_files_are_refused(self):
        for name, data in (("digits.json", digits_file()), ("search.json", search_file())):
            path = self.folder / name
            self.put(name, data)
            path.write_bytes(path.read_bytes().replace(b"0.1.0", b"0.1.1"))
            code, _, said = call(self.folder)
            path.unlink()
            self.assertEqual(code, 2, name)
            self.assertIn("was altered", said)
            self.assertEqual(said.count("\n"), 1)

    def test_beside_a_study_an_altered_file_is_a_note(self):
        self.write()
        (self.folder / "search.json").write_text("{}", encoding="utf-8")
        page = self.shown()
        self.assertIn("search.json: was altered", page.text)
        self.assertNotIn("sensitivity", page.ids)

    def test_another_schema_is_refused(self):
        self.put("digits.json", dict(digits_file(), schema="ulpine.digits/9"))
        self.assertIn("this report reads ulpine.digits/1", call(self.folder)[2])

    def test_markup_in_files_is_text(self):
        evil = "<script>alert('x')</script>\"onload=\"a()&amp;"
        data, search = digits_file(), search_file()
        data["fields"][0]["name"] = data["arithmetic"] = data["fields"][0]["note"] = data["case"] = evil
        search["stages"][0]["name"] = search["cost_model"] = search["whole_policies"][0]["policy"] = evil
        self.put("digits.json", data)
        self.put("search.json", search)
        page = self.shown()
        self.assertNotIn("script", page.tags)
        self.assertIn("<script>alert", page.text)

    def test_values_of_any_type_give_a_page_or_one_line(self):
        draw = random.Random(5)
        junk = [None, True, "", "text", -1, 1e308, math.pi, [], {}, [None], [[1]], {"p50": None}]

        def spoil(value):
            if draw.random() < 0.03:
                return copy.deepcopy(draw.choice(junk))
            if isinstance(value, dict):
                return {key: spoil(item) for key, item in value.items()}
            return [spoil(item) for item in value] if isinstance(value, list) else value

        pages = 0
        with unrendered():
            for name, make in (("digits.json", digits_file), ("search.json", search_file), ("cards.json", cards_file), ("comparison.json", comparison_file)):
                for _ in range(12):
                    data = {**{key: spoil(item) for key, item in make().items()}, "schema": make()["schema"]}
                    self.put(name, data)
                    code, _, said = call(self.folder / name if name == "comparison.json" else self.folder)
                    self.assertIn(code, (0, 2), data)
                    self.assertEqual(said.count("\n"), code // 2)
                    pages += code == 0
                (self.folder / name).unlink()
        self.assertGreater(pages, 15)


class Comparison(PartTest):
    def test_what_got_worse_comes_first(self):
        self.put("comparison.json", comparison_file())
        page = self.shown(self.folder / "comparison.json")
        self.assertIn("Got worse: tf32/deterministic: was equivalent, is different. 1 final state of 2 has other bits.", page.text)
        self.assertEqual(page.row("fp32/atomic", "00aa"), ["fp32/atomic", "00aa", "00bb"])
        self.assertEqual(page.row("tf32/deterministic", "● equivalent"), ["tf32/deterministic", "● equivalent", "◆ different", "✘ worse"])
        self.assertEqual(page.row("fp32/atomic", "○ undecided")[-1], "✔ better")
        self.assertEqual(page.row("height.l2_relative")[-2:], ["passed", "✘ failed"])
        self.assertEqual(page.row("energy"), ["energy", "tf32/deterministic", "10.0000", "12.5000", "2.50", "0.500"])
        self.assertEqual(page.row("fp32/atomic", "10 s"), ["fp32/atomic", "10 s", "20 s", "2.00"])
        self.assertEqual(page.row("compiler"), ["compiler", "GNU 12", "GNU 13"])
        for words in ("the seed was 1 and is 2", "run bf16/atomic", "control at 2^-10"):
            self.assertIn(words, page.text)

    def test_the_largest_change_of_an_error_comes_first(self):
        rows = [row[:3] for row in self.metrics_shown()]
        self.assertEqual(rows, [["tf32/deterministic", "height", "linf"], ["fp32/atomic", "height", "nmse"], ["tf32/deterministic", "height", "l2_relative"], ["fp32/atomic", "height", "l2_relative"]])

    def metrics_shown(self):
        self.put("comparison.json", comparison_file())
        return [row for row in self.shown(self.folder / "comparison.json").rows if len(row) == 7 and row[1] == "height"]

    def test_nothing_worse_is_said(self):
        self.put("comparison.json", dict(comparison_file(), worse=[], passed=True, hashes=[]))
        text = self.shown(self.folder / "comparison.json").text
        self.assertIn("No answer got worse and no gate failed that passed before. Final states were not compared.", text)

    def test_what_cannot_be_compared_is_said_first(self):
        self.put("comparison.json", dict(comparison_file(), incomparable=["the end was 3600 s and is 21600 s"], worse=[], passed=True, hashes=[], metrics=[], statistics=[]))
        page = self.shown(self.folder / "comparison.json")
        self.assertIn("The two studies cannot be compared: the end was 3600 s and is 21600 s.", page.text)
        self.assertNotIn("No answer got worse", page.text)
        self.assertEqual(page.text.count("Not compared."), 2)  # times are still there
        self.assertEqual(page.row("tf32/deterministic", "● equivalent")[-1], "of different runs")
        self.assertEqual(page.row("height.l2_relative")[-1], "failed")

    def test_what_is_no_comparison_is_refused(self):
        self.put("comparison.json", digits_file())
        self.assertIn("this report reads ulpine.comparison/1", call(self.folder / "comparison.json")[2])


def consistency_file(**changes):
    """What `ulpine consistency` writes of two runs against five, with a figure of which two points of four are zero."""
    lines = [{"kind": "test", "label": "new runs", "x": [1, 2, 3, 4], "y": [2.0, 0.5, 0.0, 0.0]}, {"kind": "limit", "label": "limit", "x": [1, 4], "y": [6.5, 6.5]}]
    figure = {"name": "tolerance_ratios", "title": "Difference of new runs", "x_label": "check, worst first", "y_label": "ratio", "x_scale": "linear", "y_scale": "log", "x_names": [], "lines": lines}
    outcome = {"method": "tolerance", "answer": "consistent", "statement": "0 of 4 checks beyond 6.5 times, worst 1.2e-05", "needed": None, "needed_of": "", "nominal_rate": 0.0025, "parameters": {},
               "findings": [{"subject": "u", "value": 3.1e-9, "limit": 6.5, "p": None, "adjusted_p": None, "rejected": False, "note": ""}], "figures": [figure]}
    return {"schema": "ulpine.consistency/1", "provenance": {"version": "0.2.0", "commit": "0123abcd", "host_cpu": "a processor"}, "ensemble": "cpu", "tests": ["new/a.nc", "new/b.nc"],
            "answer": "consistent", "statement": "no method found a difference", "notes": [], "outcomes": [outcome], **changes}


class Consistency(PartTest):
    def test_the_first_screen_has_names_icon_and_provenance(self):
        self.put("consistency.json", consistency_file())
        page = self.shown()
        begin = page.text[:page.text.index("false alarms allowed")]
        for words in ("Consistency of new/a.nc and new/b.nc with the ensemble cpu", "Consistent: no method found a difference.", "Made by Ulpine 0.2.0 (0123abcd), a processor"):
            self.assertIn(words, begin)
        self.assertIn(("svg", "icon"), [(tag, attributes.get("class")) for tag, attributes in page.elements[:40]])
        self.assertEqual(page.row("u", "no")[2:4], ["3.10 × 10⁻⁹", "6.50"])
        self.assertIn("worst 1.2 × 10⁻⁵", page.text)

    def test_the_line_says_why_it_ends(self):
        self.put("consistency.json", consistency_file())
        self.assertIn("2 points of 4 are zero, which a logarithmic axis cannot show: there the line ends.", self.shown().text)

    def test_many_names_are_counted_and_files_without_names_have_a_title(self):
        self.put("consistency.json", consistency_file(tests=[f"n{index}.nc" for index in range(9)]))
        self.assertIn("Consistency of n0.nc, n1.nc and 7 more with the ensemble cpu", self.shown().text)
        earlier = consistency_file()
        del earlier["tests"], earlier["ensemble"]
        self.put("consistency.json", earlier)
        self.assertIn("Consistency with an ensemble", self.shown().text)

    def test_figures_are_no_larger_than_their_letters_need(self):
        self.put("consistency.json", consistency_file())
        self.assertEqual([attributes["style"] for tag, attributes in self.shown().elements if tag == "img"], ["max-width: 838px"])


class Table(unittest.TestCase):
    def test_readers_have_a_schema_and_a_section(self):
        for file, module in parts.READERS:
            self.assertTrue(file.endswith(".json"))
            self.assertTrue(module.SCHEMA.startswith("ulpine."))


if __name__ == "__main__":
    unittest.main()
