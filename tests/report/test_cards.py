# SPDX-License-Identifier: Apache-2.0
"""The first page: cards, drawings and what was not tested show the verdicts of results.json, and decide nothing."""

import copy
import json
import math
import random
import re
import shlex
import unittest

import make_study
from support import Page, StudyTest, squeeze
from ulpine_report import intervals, judgement, load, pieces, render, text, verdict

NEW = ("rules", "reference_error", "calibration", "missing")  # keys of results.json that older ones have not
NEW_OF_EVIDENCE = ("part", "margin_text", "needed", "time_s", "level", "x")


def item(**keys):
    return judgement.read_evidence(make_study.evidence(keys.pop("kind"), keys.pop("subject", "it"), keys.pop("answer", "equivalent"), **keys))


def numbers(words):
    """The numbers in a cell of a table."""
    powers = re.sub(r"\s×\s10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda match: "e" + match.group(1).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")), words)
    plain = powers.replace("\u202f", "").replace("−", "-")
    return [float(number) for number in re.findall(r"(?<![A-Za-z⁻])-?\d+(?:\.\d+)?(?:e-?\d+)?", re.sub(r"(?<=\d) (?=\d{3}\b)", "", plain))]


def places(markup):
    """Of a drawing: x of the marker, of the interval's ends and of the margins, and how often an arrow stands for an end."""
    shapes = Page(f"<div>{markup}</div>").drawings[0][1]
    paths = [attributes["d"] for tag, attributes in shapes if tag == "path"]
    line = next(attributes["d"] for tag, attributes in shapes if tag == "path" and attributes.get("stroke-width") == "3")
    ends = tuple(map(float, re.fullmatch(r"M([\d.]+) \d+H([\d.]+)", line).groups()))
    margins = [float(re.match(r"M([\d.]+)", attributes["d"])[1]) for tag, attributes in shapes if attributes.get("stroke-width") == "1.6"]
    circles = [float(attributes["cx"]) for tag, attributes in shapes if tag == "circle"]
    corners = [float(re.match(r"M([\d.]+)", path)[1]) for path in paths if re.match(r"M[\d.]+ [\d.]+l", path) and path.count("l") == 3]
    arrows = sum(bool(re.fullmatch(r"M[\d.]+ \d+l-?5 5l-?5 5z", path)) for path in paths)
    return (circles + corners)[0], ends, margins, arrows


class Drawings(unittest.TestCase):
    def test_marker_and_interval_stand_where_their_values_are_between_the_margins(self):
        draw = random.Random(4)
        for _ in range(300):
            margin, value = 10 ** draw.uniform(-9, 9), draw.uniform(-3, 3)
            low, high = value - draw.uniform(0, 0.9), value + draw.uniform(0, 0.9)
            found = item(kind="statistic", part="mean", value=value * margin, interval=[low * margin, high * margin], margin=margin)
            x, ends, (left, right), arrows = places(intervals.draw(found, "it"))
            for place, wanted in ((x, value), (ends[0], low), (ends[1], high)):
                self.assertAlmostEqual((2 * place - left - right) / (right - left), wanted, delta=0.5 / (right - left))  # places are given to a tenth of a pixel
            self.assertEqual(arrows, 0)

    def test_ratios_stand_by_their_logarithm(self):
        for value in (0.5, 0.9, 1.0, 1.3, 2.1):
            x, _, (left, right), _ = places(intervals.draw(item(kind="statistic", part="spread", value=value, interval=[value / 1.1, value * 1.1], margin=1.5), "it"))
            self.assertAlmostEqual((2 * x - left - right) / (right - left), math.log(value) / math.log(1.5), delta=0.01)

    def test_errors_and_gates_stand_by_their_logarithm_below_one_margin(self):
        for kind in ("error", "gate"):
            for value in (0.002, 0.5, 1.0, 8.0):
                found = item(kind=kind, value=value * 0.01, interval=[value * 0.01, value * 0.05], margin=0.01)
                x, (low, high), (margin,), _ = places(intervals.draw(found, "it"))
                self.assertAlmostEqual((x - margin) / (high - low), math.log(value) / math.log(5), delta=0.02)
                self.assertEqual(x <= margin, value <= 1)

    def test_what_lies_beyond_the_axis_has_an_arrow(self):
        for value, interval, arrows in ((9.0, [-9.0, 20.0], 2), (0.0, [-0.5, 20.0], 1), (-8.0, [-9.0, -5.5], 1)):
            found = item(kind="statistic", part="mean", value=value, interval=interval, margin=1.0)
            self.assertEqual(places(intervals.draw(found, "it"))[3], arrows, (value, interval))
        self.assertEqual(places(intervals.draw(item(kind="error", value=1e-9, interval=[1e-9, 0.5], margin=1.0), "it"))[3], 1)

    def test_answers_differ_in_shape_and_in_words(self):
        shapes = set()
        for answer in (*judgement.ANSWERS, None):
            picture = intervals.draw(item(kind="statistic", part="mean", answer=answer, value=0.2, interval=[0.1, 0.3], margin=1.0), "length of things")
            (words, drawn), = Page(str(picture)).drawings
            self.assertEqual(words, f"length of things: 0.20 of the margin, 95 % interval 0.10 to 0.30; the margin is from −1 to 1; {answer or 'no answer'}")
            shapes.add((drawn[-1][0], drawn[-1][1]["fill"] == "#fff"))
        self.assertEqual(shapes, {("circle", False), ("path", False), ("circle", True)})

    def test_of_gates_where_more_is_better_the_inside_is_still_left(self):
        found = item(kind="gate", value=0.5, margin=0.9)
        self.assertAlmostEqual(intervals.scaled(found, 0.5, more_is_better=True), 1.8)
        self.assertAlmostEqual(intervals.scaled(found, -0.5), 0.5 / 0.9)

    def test_odd_numbers_give_a_drawing_or_none(self):
        draw = random.Random(5)
        odd = [None, 0.0, -1.0, 1e308, -1e308, 1e-320, 1.0, 0.3]
        drawn = 0
        for _ in range(2000):
            keys = {name: draw.choice(odd) for name in ("value", "margin", "detectable")}
            found = item(kind=draw.choice(["error", "statistic", "curve", "distribution", "gate", "order", "other"]), part=draw.choice([None, "mean", "spread"]),
                         interval=draw.choice([None, [draw.choice(odd), draw.choice(odd)]]), answer=draw.choice(judgement.ANSWERS), **keys)
            picture = str(intervals.draw(found, "<it> & \"that\""))
            self.assertNotRegex(picture, r"nan|inf\b")
            self.assertEqual(Page(picture).faults, [])
            drawn += bool(picture)
        self.assertGreater(drawn, 500)


class OnThePage(StudyTest):
    """The whole page, without figures, against results.json."""

    def page(self, change=None):
        self.data = make_study.results(8)
        if change:
            change(self.data)
        make_study.write_results(self.folder, self.data)
        page = Page(render.page(load.load(self.folder), [], render.Made([], [], [], None, None, None, None, None, None), []))
        self.assertEqual(page.faults, [])
        return page

    MARKS = {"equal": "= equal", "equivalent": "≈ equivalent", "different": "≠ different", "undecided": "? undecided", None: "○ no difference shown", "silent": "○ not tested"}

    def test_every_piece_of_evidence_has_its_row_with_its_numbers(self):
        page, data = self.page(), self.data
        rows = [row for row in page.rows if len(row) == 9 and row[1] in self.MARKS.values()]
        distinct = {(judged["policy"], judged["answer"], judged["control"], str(piece)) for judged in data["verdicts"] for piece in judged["evidence"] if len(judged["evidence"]) > 1}
        self.assertEqual(len(rows), len(distinct))
        for judged in data["verdicts"]:
            for piece in judged["evidence"] if len(judged["evidence"]) > 1 else ():
                wanted = [piece["value"], piece["interval"], piece["margin"], piece["detectable"], piece["pairs"]]
                self.assertTrue(any(self.shows(row, piece) for row in rows), (judged["configuration"], wanted))

    def shows(self, row, piece):
        def near(words, wanted, digits):
            found = numbers(words)
            return len(found) >= len(wanted) and all(math.isclose(a, b, rel_tol=10.0 ** (1 - digits), abs_tol=1e-12) for a, b in zip(found, wanted))

        mark = self.MARKS["silent" if piece["answer"] is None and piece["value"] is None else piece["answer"]]
        return (row[1] == mark and row[8] == squeeze([text.told(piece["reason"] or "")])
                and near(row[3], [] if piece["value"] is None else [piece["value"]], 3) and near(row[4], piece["interval"] or [], 2)
                and near(row[6], [] if piece["detectable"] is None else [piece["detectable"]], 3)
                and near(row[7], [piece["pairs"]] * bool(piece["pairs"]) + [piece["needed"]] * bool(piece["needed"]), 9)
                and (piece["margin"] is None or piece["part"] == "spread" or near(row[5], [piece["margin"]], 2)))

    def test_a_drawing_for_each_piece_with_a_margin_and_words_for_it(self):
        page = self.page()
        self.assertGreater(len(page.drawings), 60)
        for words, shapes in page.drawings:
            self.assertRegex(words, r".+: .+; .*margin.*; (equal|equivalent|undecided|different|no answer)$")
        self.assertIn("total length of LKFs: 3.0 of the margin, 95 % interval 2.6 to 3.4; the margin is from −1 to 1; different", [words for words, _ in page.drawings])

    def test_cards_say_what_is_detectable_and_how_many_members_decide(self):
        cards = {words.removeprefix("? ").split(":")[0]: words for _, words in self.page().cards}
        self.assertIn("Smallest detectable difference 0.60 of the margin at most (0.30 in number of LKFs) Members needed none more: decided with 8 members", cards["fp32"])
        self.assertIn("Members needed none more", cards["Control"])
        self.assertNotIn("Members needed", cards["fp64"])

    def test_the_control_stands_apart_and_is_in_no_headline(self):
        def cry(data):
            data["verdicts"][-1]["answer"] = "different"

        page = self.page(cry)
        self.assertEqual([answer for answer, words in page.cards if words.startswith("Control")], ["different"])
        self.assertIn("a false alarm. Differences found elsewhere in this study may be false too", page.text)
        self.assertNotIn("control", verdict.headline(load.load(self.folder)))
        self.assertIn(["number of LKFs (1)", "control", "–", "–", "45.8 ± 1.2"], page.rows)

    def test_the_references_own_error_stands_beside_the_runs(self):
        def close(data):
            for run in data["runs"]:
                if run["id"] == "fp32/deterministic":
                    run["series"]["fields"]["sivol"]["l2_relative"][2] = 9e-14  # after 12 h, as the reference's 1e-13

        page = self.page(close)
        heading = page.row("field", "fp64/deterministic itself")
        self.assertEqual(heading[2:], ["fp32/deterministic", "mixed/deterministic", "tf32/deterministic"])
        growth = make_study.growing(4e-3, make_study.HOURS)[2]
        self.assertEqual(page.row("sivol", "13.0"), ["sivol", "13.0", "≤ 13.0", page.row("sivol", "13.0")[3], f"{-math.log10(growth):.1f}"])
        self.assertIn("The error of fp32/deterministic after 12 h is not larger than fp64/deterministic's own against quad/deterministic in sivol.", page.text)

    def test_known_error_rates_stand_beside_the_verdicts(self):
        page = self.page()
        self.assertEqual(page.row("verdict"), ["verdict", "3", "0 % (at most 1.2 %)", "3.3 % (at most 12 %)"])  # of equal shares that of more studies
        self.assertEqual(page.row("statistic mean"), ["statistic mean", "1", "–", "1.7 % (at most 9.0 %)"])
        self.assertEqual(page.row("toy", "verdict"), ["toy", "verdict", "none: other seeds", "24", "30", "0 % (at most 12 %)", "–", "20 %"])
        self.assertNotIn("Known error rates", self.page(lambda data: data.update(calibration=None)).text)

    def test_cards_quote_the_rates_of_the_evidence_that_decided(self):
        def quoted(answer, kinds, rows, members=24):
            """The rates on the card of fp32, of which evidence of `kinds` has `answer` and all else is equivalent."""
            def change(data):
                verdict = next(verdict for verdict in data["verdicts"] if verdict["configuration"] == "fp32/deterministic")
                data["verdicts"] = [verdict]
                verdict["answer"] = answer
                model = next(item for item in verdict["evidence"] if item["kind"] == "statistic" and item["value"] is not None)
                verdict["evidence"] = [dict(model, kind=kind, part=part, answer=answer, pairs=members) for kind, part in kinds]
                data["calibration"] = {"version": "1.2.3 0123456789ab", "date": "2026-01-02", "rows": [
                    {"model": "toy", "evidence": kind, "fault": "", "members": of, "studies": 9, "false_alarms": alarms, "false_alarms_upper": None, "misses": misses, "misses_upper": None, "undecided": 0.0}
                    for kind, of, alarms, misses in rows]}
            (_, words), = self.page(change).cards
            return words.partition("Known error rates ")[2]

        rows = [("statistic mean", 24, 0.01, 0.02), ("statistic mean", 24, 0.03, None), ("statistic mean", 8, 0.5, 0.6), ("curve", 24, 0.04, 0.05), ("verdict", 24, 0.07, 0.08)]
        mean, spread, curve = ("statistic", "mean"), ("statistic", "spread"), ("curve", None)
        self.assertIn("False alarms of what decided, at worst: means of statistics 3.0 % in 2 calibrated cases. Measured with 24 members.", quoted("different", [mean], rows))
        self.assertIn("Misses of what decided, at worst: means of statistics 2.0 % in 1 calibrated case; curves 5.0 % in 1 calibrated case. Measured with 24 members.",
                      quoted("equivalent", [mean, curve], rows))
        self.assertIn("means of statistics 50 % in 1 calibrated case. Measured with 8 members.", quoted("different", [mean], rows, members=8))
        self.assertIn("means of statistics 50 % in 1 calibrated case; curves 4.0 % in 1 calibrated case. Measured with 8 and 24 members, not with 12.", quoted("different", [mean, curve], rows, members=12))
        self.assertIn("spreads of statistics: not measured.", quoted("equivalent", [spread], rows))
        self.assertEqual(quoted("undecided", [mean], rows), "")  # neither a false alarm nor a miss
        self.assertEqual(quoted("different", [("gate", None)], rows), "")  # which has no chance in it

    def test_rates_of_changes_that_were_not_committed_are_told(self):
        words = "built with changes that were not committed"
        self.assertNotIn(words, self.page().text)
        self.assertIn(words, self.page(lambda data: data["calibration"].update(version="0.1.0 0123456789ab-dirty")).text)

    def test_what_was_not_tested_is_told(self):
        text = self.page().text
        self.assertIn("Statistics (ridge_share) at ε = 2⁻¹⁰ , fp32/deterministic, fp32/atomic, mixed/deterministic, mixed/atomic, tf32/deterministic and control: "
                      "the reference's members have no spread in it.", text)
        self.assertIn("Members perturbed by ε = 2⁻⁵³ and 2⁻²³: nothing rests on them.", text)
        self.assertIn("Other cases, longer runs", text)

    def test_runs_that_are_missing_are_told_with_the_command(self):
        page = self.page(lambda data: data.update(missing={"runs": 3, "of": 40, "command": "ulpine ensemble case.toml -o x --resume"}))
        self.assertIn("3 of 40 runs have not been done; this does them: ulpine ensemble case.toml -o x --resume.", page.text)

    def test_rules_are_told_with_their_reasons(self):
        text = self.page().text
        self.assertIn("errors what a perturbation of ε = 2⁻¹⁰ makes, which is tolerated (the uncertainty of observed thickness)", text)
        self.assertIn("total length of LKFs 40 km (less than detectors differ)", text)

    def test_results_without_the_newer_keys_are_shown(self):
        def age(data):
            for key in NEW:
                del data[key]
            data["runs"] = [{key: value for key, value in run.items() if key != "control"} for run in data["runs"] if not run.get("control")]
            data["verdicts"] = [{key: value for key, value in judged.items() if key not in ("control", "time_s", "errors")} for judged in data["verdicts"] if not judged["control"]]
            data["ensembles"] = [{key: value for key, value in ensemble.items() if key != "configuration"} for ensemble in data["ensembles"][:-1]]
            for judged in data["verdicts"]:
                judged["evidence"] = [{key: value for key, value in piece.items() if key not in NEW_OF_EVIDENCE} for piece in judged["evidence"]
                                      if piece["kind"] in ("statistic", "gate") and piece["part"] != "spread" or piece["subject"] == "final state"]

        page = self.page(age)
        self.assertEqual([answer for answer, _ in page.cards], ["equal", "equivalent", "equivalent", "undecided", "different"])
        self.assertIn("Means of statistics ≠ different 1 different, 1 equivalent tf32/deterministic: total length of LKFs: difference 120 km [104, 136], margin 40 km.", page.text)
        self.assertIn("none is stated (verify.tolerated)", page.text)
        self.assertIn("there is no control ensemble", page.text)

    def test_one_assembly_says_why_no_two_runs_are_equal(self):
        def one(data):
            data["runs"] = [run for run in data["runs"] if run["assembly"] == "deterministic"]
            data["verdicts"] = [judged for judged in data["verdicts"] if judged["assembly"] == "deterministic"]
            data["bitwise"] = []

        text = self.page(one).text
        self.assertIn("Each policy was run in one assembly on one device", text)
        self.assertNotIn("Equal bits are expected", text)

    def test_many_statistics_make_a_card_no_longer(self):
        def many(data):
            for judged in data["verdicts"]:
                for name in [f"statistic_{index}" for index in range(20)] if judged["policy"] != "fp64" else []:
                    judged["evidence"] += [dict(piece, subject=name) for piece in make_study.statistic("lkf_count", 1.0, False)]

        few = {words.split(":")[0]: words for _, words in self.page().cards}
        more = {words.split(":")[0]: words for _, words in self.page(many).cards}
        self.assertEqual(few["fp32"].split("All 16")[0].replace("all 2", "all 22"), more["fp32"].split("All 76")[0])


class Words(StudyTest):
    """What is said of the verdicts, which are shown as they stand; without figures."""

    def load(self, change=None):
        data = make_study.results(8)
        if change:
            change(data)
        make_study.write_results(self.folder, data)
        return load.load(self.folder)

    def cards(self, change=None):
        return {(card.policy, card.answer): card for card in verdict.cards(self.load(change))}

    def test_answers_are_those_of_the_results_whatever_the_evidence(self):
        def turn(data):
            for judged, answer in zip(data["verdicts"], ("different", "equal", "undecided", "equivalent", "equal", "undecided", "different")):
                judged["answer"] = answer
            data.update(answer="equal", passed=True)

        study = self.load(turn)
        self.assertEqual([(judged.configuration, judged.answer) for judged in study.verdicts if not judged.control],
                         [("fp64/atomic", "different"), ("fp32/deterministic", "equal"), ("fp32/atomic", "undecided"), ("mixed/deterministic", "equivalent"),
                          ("mixed/atomic", "equal"), ("tf32/deterministic", "undecided"), ("tf32/atomic", "different")])
        self.assertEqual([(card.policy, card.answer) for card in verdict.cards(study)],
                         [("fp64", "different"), ("fp32", "equal"), ("fp32", "undecided"), ("mixed", "equivalent"), ("mixed", "equal"), ("tf32", "undecided"),
                          ("tf32", "different")])
        self.assertEqual(verdict.headline(study), "fp32/deterministic and mixed/atomic have the same bits as fp64/deterministic; mixed/deterministic agrees with it; "
                         "fp32/atomic and tf32/deterministic are undecided; fp64/atomic and tf32/atomic differ. fp32/deterministic is 1.9 times as fast in half the memory.")
        self.assertEqual(study.answer, "equal")

    def test_missing_or_unknown_answers_are_no_verdict(self):
        def blank(data):
            data["verdicts"][1]["answer"] = "fine"
            del data["verdicts"][2]["answer"], data["answer"]

        study = self.load(blank)
        self.assertEqual([judged.answer for judged in study.verdicts[1:3]], [None, None])
        self.assertIn("fp32/deterministic and fp32/atomic have no verdict", {card.policy: card for card in verdict.cards(study)}["fp32"].sentence)
        self.assertIsNone(study.answer)

    def lines(self, card):
        return {line.heading: line for line in card.lines}

    def test_a_line_tells_the_worst_piece_of_its_kind(self):
        def fail(data):
            for gate in next(judged for judged in data["verdicts"] if judged["configuration"] == "fp32/atomic")["evidence"]:
                if gate["subject"] == "sivol.l2_relative":
                    gate.update(value=0.02, answer="different")

        found = self.lines(self.cards(fail)[("fp32", "equivalent")])
        self.assertEqual(found["Gates"].worst, "fp32/atomic: sivol.l2_relative: 0.0200, limit 0.0100")
        self.assertEqual((found["Gates"].answer, found["Gates"].tally), ("different", "1 different, 3 equivalent"))
        self.assertEqual(found["Means of statistics"].worst, "number of LKFs: difference 0.030 [−0.17, 0.23], margin 0.50 (0.5 sd)")
        self.assertEqual(found["Errors against the tolerated perturbation"].worst.split(":")[0], "shear, after 2 d")

    def test_errors_name_their_level_counted_from_one_and_none_of_whole_fields(self):
        study = self.load()
        for level, name in ((None, "h"), (0, "h, level 1"), (7, "h, level 8")):
            self.assertEqual(pieces.subject(study, item(kind="error", subject="h", margin=1.0, level=level)), name)

    def test_of_pieces_with_one_answer_the_farthest_is_worst(self):
        pair = [pieces.Piece(item(kind="statistic", part="mean", subject=name, value=value, interval=[value - 1, value + 1], margin=margin), ["fp32/atomic"])
                for name, value, margin in (("near", 20.0, 100.0), ("far", 0.2, 1.5), ("between", -0.5, 2.0))]
        line, = pieces.lines(self.load(), pair, 1)
        self.assertTrue(line.worst.startswith("far: "), line.worst)

    def test_an_undecided_piece_is_worse_than_a_farther_one_that_is_decided(self):
        pair = [pieces.Piece(item(kind="statistic", part="mean", subject=name, answer=answer, value=value, interval=[value, value], margin=1.0), ["fp32/atomic"])
                for name, answer, value in (("decided", "equivalent", 0.9), ("open", "undecided", 0.1), ("silent", None, 0.95))]
        line, = pieces.lines(self.load(), pair, 1)
        self.assertEqual((line.answer, line.tally), ("undecided", "1 undecided, 1 equivalent, 1 no difference shown"))
        self.assertTrue(line.worst.startswith("open"), line.worst)

    def test_what_only_one_configuration_says_carries_its_name(self):
        found = self.lines(self.cards()[("tf32", "different")])
        self.assertEqual((found["Gates"].worst, found["Gates"].reason), ("tf32/atomic: finished", "step 911: sivol is not finite at cell (17, 4)"))
        self.assertTrue(found["Means of statistics"].worst.startswith("tf32/deterministic: total length of LKFs"))

    def test_gates_not_judged_say_why(self):
        gates = self.lines(self.cards()[("mixed", "undecided")])["Gates"]
        self.assertEqual((gates.answer, gates.worst, gates.reason, gates.tally), ("undecided", "lkf.total_length_relative", "no shear in its last record", "1 undecided, 1 equivalent"))

    def test_order_is_told(self):
        def order(data):
            data["verdicts"][5]["evidence"].append(make_study.evidence("order", "mixed/atomic", "undecided", reason="the errors of mixed/atomic are all no larger"))

        line = self.lines(self.cards(order)[("tf32", "different")])["Order of errors"]
        self.assertEqual((line.worst, line.reason), ("tf32/deterministic: mixed/atomic", "the errors of mixed/atomic are all no larger"))

    def test_members_needed_are_the_most_of_all_undecided_pieces(self):
        def open_ends(data):
            judged = data["verdicts"][1]
            judged.update(answer="undecided", would_decide="31 members")
            for piece, members in zip(judged["evidence"][2:], (24, 31)):
                piece.update(answer="undecided", needed=members)

        self.assertEqual(self.cards(open_ends)[("fp32", "undecided")].needed, "31; there are 8 members")

    def test_the_bluntest_test_gives_what_is_detectable(self):
        found = [pieces.Piece(item(kind="statistic", part="mean", subject=name, value=0.0, margin=margin, detectable=detectable), [])
                 for name, margin, detectable in (("lkf_count", 2.0, 1.0), ("lkf_total_length_km", 40.0, 60.0))]
        self.assertEqual(pieces.detectable(self.load(), found), "1.5 of the margin at most (60 km in total length of LKFs)")
        ratio = [pieces.Piece(item(kind="statistic", part="spread", subject="lkf_count", value=1.0, margin=1.5, detectable=2.25), [])]
        self.assertEqual(pieces.detectable(self.load(), ratio), "2.0 of the margin at most (a ratio of 2.2 in number of LKFs)")
        self.assertIsNone(pieces.detectable(self.load(), []))

    def test_an_answer_without_a_test_says_so(self):
        def untested(data):
            data["verdicts"][1].update(answer="undecided", evidence=[make_study.evidence("statistic", "", None, reason="2 pairs of members, 8 needed")])

        card = self.cards(untested)[("fp32", "undecided")]
        self.assertEqual((card.lines, card.detectable), ([], None))
        self.assertIn("No test could be made: but for gates nothing here could have shown a difference.", card.remarks)
        self.assertEqual(card.needed, "no number of them is known to decide")

    def test_members_without_which_no_test_can_be_made_are_needed(self):
        def untested(data):
            for judged, remedy in zip(data["verdicts"][1:3], ("at least 8 members; at least 12 perturbed members", "a longer run")):
                judged.update(answer="undecided", would_decide=remedy, evidence=[make_study.evidence("statistic", "", None, reason="it has no perturbed members")])

        self.assertEqual(self.cards(untested)[("fp32", "undecided")].needed, "at least 12, for tests to be made")

    def test_silent_pieces_whose_reasons_differ_in_numbers_stand_together(self):
        def silence(data):
            for judged, spread in zip(data["verdicts"][1:4], ("3.2e-15", "1.1e-08", "0.0032")):
                judged["evidence"] = [make_study.evidence("statistic", name, None, "2^-23", 8, reason=f"the reference's members differ by {spread} in h: they are one trajectory")
                                      for name in ("lkf_count", "lkf_total_length_km")]

        study = self.load(silence)
        told = pieces.silences(study, study.verdicts[1:4])
        self.assertEqual(told, [("Statistics (number of LKFs and total length of LKFs) at ε = 2⁻²³", "fp32/deterministic, fp32/atomic and mixed/deterministic",
                                 "the reference's members differ by 3.2\u202f×\u202f10⁻¹⁵ in h: they are one trajectory (and 2 more that differ in numbers)")])

    def test_amplitudes_on_which_nothing_rests_are_those_that_no_piece_names(self):
        def unused(reason, epsilon):
            def silence(data):
                data["verdicts"][1]["evidence"].append(make_study.evidence("statistic", "lkf_count", None, epsilon, 8, reason=reason))

            return [line for line in pieces.absences(self.load(silence)) if line.startswith("Members perturbed")]

        self.assertEqual(unused("no spread", "2^-10"), ["Members perturbed by ε = 2⁻⁵³ and 2⁻²³: nothing rests on them."])
        self.assertEqual(unused("no spread", "2^-23"), ["Members perturbed by ε = 2⁻⁵³: nothing rests on them."])
        self.assertEqual(unused("members at 2^-23, 2^-53 are shown and not judged: the judged amplitude is 2^-10", None), [])

    def test_an_error_at_another_time_is_not_held_against_the_references(self):
        def shift(data):
            data["reference_error"]["time_s"] = [600.0, 1200.0]  # at which no run has an error

        study = self.load(shift)
        self.assertEqual(verdict.fields_within(study, "fp32/deterministic"), [])
        self.assertEqual([errors for _, _, errors in verdict.reference_rows(study, ["fp32/deterministic"])], [[(None, False)]] * 3)

    def test_verdicts_in_any_junk_give_a_page(self):
        draw = random.Random(6)
        junk = [None, True, -1, 1e308, math.nan, "", "x", [], {}, [None], 10**400]

        def spoil(value):
            if draw.random() < 0.03:
                return copy.deepcopy(draw.choice(junk))
            if isinstance(value, dict):
                return {key: spoil(entry) for key, entry in value.items() if draw.random() > 0.02}
            return [spoil(entry) for entry in value] if isinstance(value, list) else value

        base = make_study.results(8)
        for _ in range(30):
            data = dict(base, **{key: spoil(base[key]) for key in ("verdicts", *NEW)})
            make_study.write_results(self.folder, data)
            html = render.page(load.load(self.folder), [], render.Made([], [], [], None, None, None, None, None, None), [])
            self.assertEqual(Page(html).faults, [])
            self.assertNotRegex(html, r">(nan|inf)<")

    def test_commands_come_from_the_results_where_there_is_no_manifest(self):
        study = self.load()
        self.assertEqual(study.plan, {})
        self.assertEqual(shlex.split(render.commands(study)[0].replace("\\\n", "")),
                         shlex.split("ulpine ensemble case.toml -o STUDY --policies fp64,fp32,mixed,tf32 --assemblies deterministic,atomic --device cpu "
                                     "--epsilons '2^-53,2^-23,2^-10' --members 8 --seed 1"))

    def test_commands_give_back_all_that_the_plan_was_asked_for(self):
        study = self.load()
        study.plan = {"devices": ["cpu", "cuda:1"], "policies": ["fp64", "fp32"], "assemblies": ["atomic"], "configurations": [], "reference": "cpu/fp64/atomic",
                      "members_for": ["fp64"], "epsilons": ["2^-10"], "members": 24, "seed": 5, "until_s": 3600.0, "quad_until_s": 0.0, "perturb": ["h"], "control": True}
        self.assertEqual(shlex.split(render.commands(study)[0].replace("\\\n", "")),
                         shlex.split("ulpine ensemble case.toml -o STUDY --policies fp64,fp32 --assemblies atomic --devices cpu,cuda:1 --reference cpu/fp64/atomic "
                                     "--members-for fp64 --epsilons '2^-10' --perturb h --members 24 --seed 5 --quad-until '0 s' --until '3600 s' --control"))
        study.plan.update(configurations=["cpu/fp64/atomic", "cuda:1/fp32/atomic"])
        self.assertIn("--configurations cpu/fp64/atomic,cuda:1/fp32/atomic", render.commands(study)[0])
        self.assertNotIn("--policies", render.commands(study)[0])
        self.assertLessEqual(max(map(len, render.commands(study)[0].splitlines())), 100)  # so that none is cut on a narrow page

    def test_variants_of_a_program_stand_where_policies_do(self):
        text = json.dumps(make_study.results(8))
        for policy, variant in (("fp64", "O2"), ("fp32", "O3"), ("mixed", "fast"), ("tf32", "wrong")):
            text = text.replace(f'"{policy}/deterministic', f'"{variant}').replace(f'"policy": "{policy}"', '"policy": "fp64"')
        data = json.loads(text)
        data["case"]["core"] = "program"
        for kind in ("runs", "ensembles", "verdicts"):
            data[kind] = [dict(raw, assembly="") for raw in data[kind] if "/atomic" not in raw.get("id", raw.get("configuration", ""))]
        make_study.write_results(self.folder, data)
        study = load.load(self.folder)
        self.assertEqual(study.policies, ["O2", "O3", "fast", "wrong"])
        self.assertEqual({verdict.configuration: verdict.policy for verdict in study.verdicts if not verdict.control}, {"O3": "O3", "fast": "fast", "wrong": "wrong"})
        self.assertEqual({ensemble.policy for ensemble in study.ensembles}, {"O2", "O3", "fast", "wrong"})
        self.assertEqual({run.policy for run in study.members if run.id.startswith("fast/")}, {"fast"}, "members are their variant's, though all have one precision")
        self.assertNotIn("--policies", render.commands(study)[0])
        self.assertNotIn("--device", render.commands(study)[0])
        study.plan = {"perturb": ["{amplitude}"], "quad_until_s": 0.0, "configurations": ["O3"], "members": 8, "policies": ["fp64"]}
        self.assertEqual(shlex.split(render.commands(study)[0].replace("\\\n", "")),
                         shlex.split("ulpine ensemble case.toml -o STUDY --configurations O3 --epsilons '2^-53,2^-23,2^-10' --members 8 --seed 1"))

    def test_equivalent_perturbation_is_the_least_that_does_as_much(self):
        study = self.load()
        self.assertIn("ε = 2⁻²³", verdict.equivalent_perturbation(study, "fp32"))  # 3e-6 against spreads of 1e-13, 4.8e-6, 0.039
        self.assertIn("ε = 2⁻¹⁰", verdict.equivalent_perturbation(study, "tf32"))  # 4e-3

    def test_control_without_effect_finds_the_same_statistics(self):
        study = self.load()
        lines = verdict.control_statement(study)
        self.assertEqual(len(lines), 2)
        self.assertIn("fp32 size (6.0 × 10⁻⁸) or mixed size (6.0 × 10⁻⁸), finds the same statistics", lines[0].replace("\u202f", " "))
        self.assertIn("number of LKFs by +1.1 %", lines[1])  # 45.5 against 45

    def test_what_the_evaluation_does_is_relative_to_the_reference(self):
        study = self.load()
        study.controls[0].statistics = {"lkf_count": (54.0, 2.25)}  # against 45
        self.assertIn("number of LKFs by +20.0 % (sd 5.0 %)", verdict.control_statement(study)[1])


if __name__ == "__main__":
    unittest.main()
