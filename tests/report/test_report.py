# SPDX-License-Identifier: Apache-2.0
"""Tests of the accuracy report on made-up study folders (make_study.py); the program is run as a user runs it."""

import concurrent.futures
import copy
import filecmp
import math
import random
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import make_study
from support import ROOT, Page, StudyTest, call, few_choices, run, unrendered
from ulpine_report import choice, drawing, load, render, seal, text

SECTIONS = ["verdict", "control", "untested", "calibration", "overview", "reference", "gates", "maps", "choose", "curves", "statistics", "growth", "digits", "cost", "bitwise", "conservation", "metrics", "provenance", "reproduce", "glossary"]


class FullStudy(unittest.TestCase):
    """Properties of the page of a complete study; made once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_study.write(cls.folder, 32)
        cls.other = cls.folder / "other"
        shutil.copytree(cls.folder, cls.other, ignore=lambda *_: ["other"])
        with concurrent.futures.ThreadPoolExecutor() as both:  # each takes seconds
            again = both.submit(run, cls.other, "--fields", "siu")
            cls.outcome = run(cls.folder)
            cls.again = again.result()
        cls.html = (cls.folder / "report.html").read_text(encoding="utf-8")
        cls.page = Page(cls.html)

    def test_succeeds_silently(self):
        self.assertEqual((self.outcome.returncode, self.outcome.stdout, self.outcome.stderr), (0, "", ""))

    def test_html_is_well_formed(self):
        self.assertTrue(self.html.lstrip().startswith("<!DOCTYPE html>"))
        self.assertEqual(self.page.faults, [])
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))

    def test_nothing_is_loaded_from_outside(self):
        self.assertTrue(self.page.loads)
        for load_from in self.page.loads:
            self.assertTrue(load_from.startswith(("data:image/", "#")), load_from[:80])
        self.assertNotRegex(self.html, r"@import|url\((?!data:)")
        self.assertEqual(self.html.count((ROOT / "analysis/ulpine_report/choice.js").read_text().strip()), 1)
        self.assertEqual(self.page.tags.count("script"), 1)

    def test_every_section_is_there_and_the_verdict_comes_first(self):
        positions = [self.page.ids.index(name) for name in SECTIONS]
        self.assertEqual(positions, sorted(positions))

    def test_a_card_for_each_policy_and_answer(self):
        self.assertEqual([(answer, words.removeprefix("? ").split(" ")[0]) for answer, words in self.page.cards],
                         [("equal", "fp64:"), ("equivalent", "fp32:"), ("equivalent", "mixed:"), ("undecided", "mixed:"), ("different", "tf32:"), ("equivalent", "Control:")])
        for words in ("fp64/atomic gives the same bits as fp64/deterministic", "fp32/deterministic and fp32/atomic may be trusted for this case",
                      "Whether mixed/atomic may be trusted is open: lkf.total_length_relative, no shear in its last record. Would decide: a value for gate lkf.total_length_relative",
                      "tf32/deterministic and tf32/atomic may not be trusted for this case", "The study as a whole: different"):
            self.assertIn(words, self.page.text)

    def test_of_policies_that_keep_fields_in_double_it_says_so(self):
        self.assertIn("Fields stay in double there: mixed computes in float.", self.page.text)
        self.assertEqual(self.page.text.count("Fields stay in double there"), 1, "of fp32 they do not, and nothing else is trusted")

    def test_verdict_does_not_depend_on_colour_alone(self):
        for words in ("fp64: Equal", "fp32: Equivalent", "mixed: Undecided", "tf32: Different"):
            self.assertIn(words, self.page.text)

    def test_eleven_figures_and_three_a_choice_each_with_alternative_text_and_png(self):
        self.assertEqual(len(self.page.images), 11 + 3 * choice.MOST - 2)  # as one of the choices has its map and differences above
        pictures = [image["src"] for image in self.page.images]
        self.assertEqual(len(pictures), len(set(pictures)), "no picture stands twice")
        for image in self.page.images:
            self.assertGreater(len(image["alt"]), 30)
        pictures = sorted((self.folder / "figures").iterdir())
        self.assertEqual([picture.stem for picture in pictures if not picture.stem.startswith("chosen-")], ["cost", "curve-shear-spectrum", "difference-shear", "digits-of-runs", "distributions", "ensemble-growth", "growth", "map-shear", "series", "statistics", "tolerated"])
        for picture in pictures:
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_what_a_number_of_features_owes_to_the_grids_orientation_stands_beside_it(self):
        self.assertIn("changes by 1.00 at least; differs by 2.50 over the orientations of the grid, its least margin.", self.page.text)
        self.assertIn("number of LKFs (1) (over orientations) differs by 2.5", self.page.text)
        self.assertNotIn("total length of LKFs (km) (over orientations)", self.page.text)  # which has none

    def test_statements_beside_the_numbers(self):
        for words in ("total length of LKFs: difference 120 km [104, 136], margin 40 km (0.5 sd)", "The evaluation alone", "step 911: sivol is not finite",
                      "no shear in its last record", "members of the reference, ε = 2^-23", "2 h 30 min", "not reached", "3 of 4", "Override: the limit of sivol.l2_relative", "fp64/deterministic = fp64/atomic", "ice volume (m³)",
                      make_study.ATTRIBUTION, "--device cpu", "--members 8", "--seed 1", "matplotlib 3.", "-ffp-contract=off"):
            self.assertIn(words, self.page.text)

    def test_tables_tell_what_they_are_and_what_their_heads_stand_for(self):
        tables = re.findall(r"<table[^>]*>(.*?)</table>", self.html, re.S)
        self.assertGreater(len(tables), 15)
        for table in tables:
            self.assertRegex(table, r"\A<caption>[^<]{4,}</caption>")
            for head in re.findall(r"<th(?=[ >])[^>]*>", table):
                self.assertRegex(head, ' scope="(col|row|rowgroup)"')

    def test_dark_screens_have_colours_of_their_own_and_figures_their_white(self):
        """Contrast by WCAG 2.2 of every colour of text against the page, at least 4.5 on either."""
        def luminance(colour):
            digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
            parts = [int(digits[place:place + 2], 16) / 255 for place in (0, 2, 4)]
            return sum(weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4) for weight, part in zip((0.2126, 0.7152, 0.0722), parts))

        roots = [dict(re.findall(r"--(\w+): (#\w+)", block)) for block in re.findall(r":root \{([^}]*)\}", self.html)]
        self.assertEqual(len(roots), 2)
        self.assertIn("prefers-color-scheme: dark", self.html)
        self.assertEqual(set(roots[0]), set(roots[1]))
        for colours in roots:
            for name in ("ink", "soft", "link", "good", "bad"):
                for ground in ("page", "warning"):
                    lighter, darker = sorted((luminance(colours[name]), luminance(colours[ground])), reverse=True)
                    self.assertGreaterEqual((lighter + 0.05) / (darker + 0.05), 4.5, (name, ground))
        self.assertRegex(self.html, r"figure img \{[^}]*background: #fff")

    def test_contents_stand_before_the_cards_and_lead_to_every_section(self):
        targets = re.findall(r'<li><a href="#([a-z-]+)">', self.html)
        self.assertLess(self.html.index('<nav aria-label="Contents">'), self.html.index('class="verdicts"'))
        self.assertEqual(sorted(targets), sorted(set(targets)))
        self.assertLessEqual(set(targets), set(self.page.ids))
        self.assertEqual(set(SECTIONS) - {"control", "calibration"}, set(targets))

    def test_page_is_light(self):
        self.assertLess(len(self.html.encode()), 5_000_000)

    def test_same_study_gives_the_same_page(self):
        """Another process draws the same bytes: all figures but for the fields to choose from, and of these each kind for one field; a third writes the same text."""
        def but_for_choices(html):
            found = re.sub(r'<section id="choose">.*?</section>', "", html, count=1, flags=re.S)
            self.assertLess(len(found), len(html))
            return found

        self.assertEqual(self.again.returncode, 0)
        html = (self.other / "report.html").read_text(encoding="utf-8")
        self.assertTrue(but_for_choices(html) == but_for_choices(self.html))  # megabytes, which nobody wants to see
        drawn = {image["src"] for image in self.page.images}
        self.assertFalse([image["alt"] for image in Page(html).images if image["src"] not in drawn])
        names = [picture.name for picture in (self.other / "figures").iterdir()]
        self.assertEqual(len(names), 11 + 3 * 2)
        for name in names:
            self.assertTrue(filecmp.cmp(self.other / "figures" / name, self.folder / "figures" / name, shallow=False), name)
        with unrendered():
            self.assertEqual(call(self.other), (0, "", ""))
        self.assertEqual(Page((self.other / "report.html").read_text(encoding="utf-8")).text, self.page.text)


    def test_page_and_figures_bear_the_mark_of_what_may_be_replaced(self):
        self.assertIn(render.MARK, (self.folder / "report.html").read_bytes()[:4096])
        pictures = list((self.folder / "figures").iterdir())
        self.assertGreater(len(pictures), 3)
        for picture in pictures:
            self.assertIn(drawing.MARK, picture.read_bytes()[:4096], picture.name)


class MissingParts(StudyTest):
    def test_a_reference_that_failed_is_told_first(self):
        words = "failed: nothing can be held against it (step 3: u is NaN)"
        self.write(lambda data: None)
        self.assertNotIn("nothing can be held against it", self.page().text)

        def fail(data):
            next(run for run in data["runs"] if run["id"] == data["reference"])["failed"] = "step 3: u is NaN"

        self.write(fail)
        page = self.page()
        self.assertIn(words, page.text)
        self.assertLess(page.text.index(words), page.text.index("What was not tested"))

    def test_bare_runs_degrade_to_lines(self):
        def strip(data):
            keep = ("schema", "case", "runs", "reference")
            for key in [key for key in data if key not in keep]:
                del data[key]
            data["runs"] = [{key: run[key] for key in ("id", "policy", "assembly", "epsilon", "member")} for run in data["runs"] if run["member"] is None]

        self.write(strip)
        for name in ("case.toml", "manifest.json"):
            (self.folder / name).unlink()
        page = self.page()
        self.assertEqual(page.images, [])
        for words in ("the case sets no gates", "No map:", "No curves", "Means of statistics of an ensemble.", "results.json holds no calibration", "none is stated (verify.tolerated)", "No statistics", "No growth in time", "No run times",
                      "No integrals", "No metrics", "No hashes", "no case.toml", "There is nothing to judge"):
            self.assertIn(words, re.sub(r"The case", "the case", page.text))

    def test_no_runs_at_all(self):
        self.write(lambda data: data.update(runs=[], ensembles=[], gates=[], verdicts=[], bitwise=[], controls=[]))
        self.assertIn("there is nothing to judge", self.page().text)

    def test_one_time_only_has_no_growth(self):
        def cut(data):
            for entry in data["runs"]:
                if entry["series"]:
                    entry["series"] = {"time_s": entry["series"]["time_s"][-1:],
                                       "statistics": {}, "fields": {name: {"l2_relative": values["l2_relative"][-1:]} for name, values in entry["series"]["fields"].items()}}
            for ensemble in data["ensembles"]:
                ensemble["growth"] = None
            for judged in data["verdicts"]:
                judged.update(time_s=[], errors={})

        self.write(cut)
        page = self.page()
        self.assertIn("No growth in time", page.text)
        self.assertEqual([image["alt"].split(" ")[0] for image in page.images[:2]], ["Maps", "Maps"])
        self.assertFalse([image for image in page.images if "against time" in image["alt"] or "growth" in image["alt"]])

    def test_missing_and_broken_output_is_named_and_the_rest_mapped(self):
        self.write()
        (self.folder / "runs/fp32-deterministic/output.nc").unlink()
        (self.folder / "runs/tf32-deterministic/output.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + b"no file" * 99)
        page = self.page()
        self.assertIn("runs/fp32-deterministic/output.nc is not there", page.text)
        self.assertIn("runs/tf32-deterministic/output.nc cannot be read as NetCDF", page.text)
        self.assertTrue(any("for fp64 and mixed" in image["alt"] for image in page.images))

    def test_output_outside_the_study_folder_is_not_read(self):
        def lead_out(data):
            next(entry for entry in data["runs"] if entry["id"] == "fp32/deterministic")["path"] = "../" * 12 + "etc"

        self.write(lead_out)
        self.assertIn("leads out of the study folder", self.page().text)


    def test_a_broken_order_is_told(self):
        def break_order(data):
            data["broken_order"] = [{"closer": "tf32/atomic", "closer_answer": "different", "farther": "fp32/deterministic", "farther_answer": "equivalent"}]

        self.write()
        self.assertNotIn("Order of errors broken", self.page().text)
        self.write(break_order)
        self.assertIn("Order of errors broken: those of tf32/atomic are all no larger than those of fp32/deterministic, "
                      "yet tf32/atomic is different and fp32/deterministic equivalent.", self.page().text)


class Hostile(StudyTest):
    def test_hostile_text_is_shown_and_not_run(self):
        evil = "<script>alert('x')</script>\"onload=\"a()&amp;${}$\\frac{"

        def poison(data):
            data["case"]["name"] = evil
            data["notes"] = [evil]
            data["provenance"]["commit"] = evil
            data["gates"][0]["name"] = evil
            data["gates"][1].update(skipped=evil)
            for entry in data["runs"]:
                if entry["policy"] == "fp32":
                    entry.update(policy=evil, id=entry["id"].replace("fp32", evil))
                if entry["metrics"]:
                    entry["metrics"][evil] = entry["metrics"].pop("siu")
                    entry["series"]["fields"][evil] = entry["series"]["fields"].pop("siu")
            for ensemble in data["ensembles"]:
                ensemble["policy"] = ensemble["policy"].replace("fp32", evil)
                ensemble["epsilon_text"] = evil
            for judged in data["verdicts"]:
                judged.update(configuration=evil, policy=evil, would_decide=evil)
                judged["evidence"][0].update(subject=evil, reason=evil)

        self.write(poison)
        (self.folder / "case.toml").write_text(f"name = '{evil}'", encoding="utf-8")
        page = self.page()
        self.assertLessEqual(page.tags.count("script"), 1)  # its own
        self.assertIn(evil, page.text)

    def test_values_of_any_type_never_crash(self):
        """Random replacement of values by junk: either a page or an InputError of one line."""
        draw = random.Random(1)
        junk = [None, True, -1, 0, 1e308, math.nan, math.inf, "", "x", "<b>", [], {}, [None], [[]], {"mean": "x"}, 10**400]
        base = make_study.results(8)
        base["runs"] = base["runs"][:8] + base["runs"][8:14]

        def spoil(value):
            if draw.random() < 0.012:
                return copy.deepcopy(draw.choice(junk))
            if isinstance(value, dict):
                return {key: spoil(item) for key, item in value.items() if draw.random() > 0.01}
            return [spoil(item) for item in value] if isinstance(value, list) else value

        pages = refused = 0
        for _ in range(60):
            data = {key: spoil(value) for key, value in base.items()}
            data["schema"] = load.SCHEMA
            make_study.write_results(self.folder, data)
            try:
                study = load.load(self.folder)
            except load.InputError as error:
                self.assertNotIn("\n", str(error))
                refused += 1
                continue
            template = render.page(study, [], render.Made([], [], [], None, None, None, None, None, None), [])
            self.assertEqual(Page(template).faults, [])
            pages += 1
        self.assertGreater(pages, 12)
        self.assertGreater(refused, 3)

    def test_figures_survive_junk_numbers(self):
        draw = random.Random(2)
        junk = [None, 0, -1, 1e308, 1e-320, math.nan, math.inf, "x"]

        def spoil(value):
            if isinstance(value, dict):
                return {key: item if key in ("policy", "id", "assembly", "member") else spoil(item) for key, item in value.items()}
            if isinstance(value, list):
                return [spoil(item) for item in value][:draw.choice([len(value), len(value), len(value) - 1])]
            return draw.choice(junk) if isinstance(value, (int, float)) and draw.random() < 0.2 else value

        finish = drawing.finish

        def as_png(*arguments, **_):  # rendered, as faults may show only then, but once
            return finish(*arguments, as_png=True)

        for _ in range(2):
            data = make_study.results(8)
            data["runs"], data["ensembles"] = spoil(data["runs"]), spoil(data["ensembles"])
            data["controls"], data["curves"], data["statistics"] = spoil(data["controls"]), spoil(data["curves"]), spoil(data["statistics"])
            data["figures"] = spoil([*data["figures"], {"kind": "section", "field": "sivol", "index": 2, "axis": "x"}, {"kind": "map", "field": "siu", "level": 3},
                                     {"kind": "series", "statistic": "lkf_count"}])
            make_study.write_results(self.folder, data)
            with mock.patch.object(drawing, "finish", as_png), few_choices():
                page, _ = render.build(load.load(self.folder))
            self.assertEqual(Page(page).faults, [])


class Refusals(StudyTest):
    def refuse(self, code=2, *arguments):
        with unrendered(), few_choices():
            found, out, errors = call(*(arguments or (self.folder,)))
        self.assertEqual((found, out, errors.count("\n")), (code, "", 1), errors)
        return errors

    def test_ends_the_program_with_one_line(self):
        outcome = run(self.folder)
        self.assertEqual((outcome.returncode, outcome.stdout, outcome.stderr.count("\n")), (2, "", 1), outcome.stderr)

    def test_other_schema(self):
        self.write(lambda data: data.update(schema="ulpine.results/2"))
        self.assertIn("ulpine.results/2", self.refuse())
        self.assertFalse((self.folder / "report.html").exists())

    def test_missing_schema(self):
        self.write(lambda data: data.pop("schema"))
        self.assertIn("null", self.refuse())

    def test_malformed_json(self):
        self.write()
        file = self.folder / "results.json"
        file.write_text(file.read_text()[:-40])
        self.assertIn("no valid JSON (line 1", self.refuse())

    def test_binary_deeply_nested_and_foreign_json(self):
        for content in (b"\xff\xfe\x00", b"[" * 100000, b"[]", b"3", b""):
            (self.folder / "results.json").write_bytes(content)
            self.assertIn("results.json", self.refuse())

    def test_no_altered_results_are_believed(self):
        file = self.folder / "results.json"
        make_study.write_results(self.folder, {"schema": load.SCHEMA, "reference": "fp64/deterministic", "runs": []})
        whole = file.read_bytes()
        load.load(self.folder)
        for place in range(len(whole)):
            for altered in (whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:], whole[:place], whole[:place] + b" " + whole[place:]):
                file.write_bytes(altered)
                with self.assertRaises(load.InputError, msg=altered):
                    load.load(self.folder)

    def test_hash_is_xxhash64(self):
        # The published values of the empty text and of "abc"; the others by libxxhash 0.8.1.
        self.assertEqual(seal.xxh64(b""), 0xEF46DB3751D8E999)
        self.assertEqual(seal.xxh64(b"abc"), 0x44BC2CF5AD770999)
        text = bytes(range(101))
        self.assertEqual([seal.xxh64(text[:size]) for size in (4, 31, 32, 101)], [0xFFCED8604453CC1E, 0xC346D2B59B4D8EE1, 0xCBF59C5116FF32B4, 0xE99038495F85381E])

    def test_run_without_policy_is_named(self):
        self.write(lambda data: data["runs"][3].pop("policy"))
        self.assertIn("runs[3].policy", self.refuse())

    def test_no_study(self):
        self.assertIn("results.json: not there", self.refuse())
        self.assertIn("no such folder", self.refuse(2, self.folder / "absent"))

    def test_bad_usage(self):
        self.assertIn("usage", self.refuse(2, "--nonsense"))

    def test_what_others_wrote_is_not_replaced(self):
        page, figures = self.folder / "report.html", self.folder / "figures"
        target, mine = self.folder / "target", b"<!DOCTYPE html>\nmine"
        made = render.MARK.decode(), [mock.Mock(png=b"\x89PNG" + drawing.MARK)]
        made[1][0].name = "map"
        with mock.patch.object(render, "build_folder", lambda *_: made):
            for _ in range(2):
                self.assertEqual(call(self.folder)[0], 0, "its own are replaced")
            for path in (page, figures / "map.png"):
                target.write_bytes(path.read_bytes())
                for plant in (lambda: path.write_bytes(mine), lambda: path.symlink_to(target), path.mkdir):
                    path.unlink()
                    plant()
                    before = path.lstat().st_mode, path.is_file() and path.read_bytes()
                    self.assertIn(f"{path.name}: would be replaced", self.refuse())
                    self.assertEqual((path.lstat().st_mode, path.is_file() and path.read_bytes()), before)
                    if path.is_dir():
                        self.refuse(2, self.folder, "--overwrite")
                        path.rmdir()
                    else:
                        self.assertEqual(call(self.folder, "--overwrite")[0], 0)
                        self.assertFalse(path.is_symlink())
                    self.assertNotEqual(target.read_bytes(), mine)
            shutil.rmtree(figures)
            figures.write_text("mine")
            self.assertIn("figures: is no folder", self.refuse())
            self.assertEqual(figures.read_text(), "mine")

    def test_unwritable_output(self):
        self.write()
        self.assertIn("cannot be written", self.refuse(3, self.folder, "--output", self.folder / "absent" / "report.html"))


class Numbers(unittest.TestCase):
    def test_scientific(self):
        for value, expected in ((0.0, "0"), (0.031, "0.031"), (1.94e-5, "1.9 × 10⁻⁵"), (-2.5e-7, "−2.5 × 10⁻⁷"), (12.34, "12"), (9.99e-3, "0.010"), (123456.0, "123 456"),
                                (None, "–"), (math.nan, "–"), (1e300, "1.0 × 10³⁰⁰")):
            self.assertEqual(text.scientific(value).replace("\u202f", " "), expected)

    def test_texts_of_the_program_have_the_numbers_of_the_page(self):
        for words, expected in (("its error is 2.7e+03 times below 2^-10", "its error is 2 700 times below 2⁻¹⁰"), ("differ by 3.2e-15 in h", "differ by 3.2 × 10⁻¹⁵ in h"),
                                ("commit 12e4 of fe1e-3, 1e+999", "commit 12e4 of fe1e-3, 1e+999"), ("limit 0.01", "limit 0.01")):
            self.assertEqual(text.told(words).replace("\u202f", " "), expected)

    def test_numbers_that_differ_are_written_so(self):
        """No interval is rounded to nothing: the digits of the closest pair, known by hand."""
        for values, digits in (((0.9995, 0.979, 1.0012), 4), ((2.61e-13, 2.5e-13, 2.7e-13), 2), ((2.901e-4, 2.899e-4), 4), ((1.0, 1.0), 2), ((None, 3.0), 2), ((1.0, 1.0 + 1e-12), 8)):
            self.assertEqual(text.apart(values), digits, values)

    def test_time_is_in_a_unit_in_which_it_is_round(self):
        for seconds, expected in ((500.0, "500 s"), (600.0, "10 min"), (90.0, "90 s"), (7200.0, "2 h"), (129600.0, "36 h"), (172800.0, "2 d"), (150.0, "2.5 min"), (1e308, "1.157e+303 d")):
            self.assertEqual(text.model_time(seconds), expected)

    def test_power_percent_duration_memory(self):
        self.assertEqual(text.power("2^-53"), "2⁻⁵³")
        self.assertEqual([text.mean_sd(pair).replace("\u202f", " ") for pair in ((46.23, 1.14), (1.94e-5, 1.2e-6), (5230.0, 42.0), (46.0, 0.0), (46.0, 4.8e-5), (1.5, None),
                                                                             (None, 1.0), (-0.0123, 0.2), (3.21e8, 4.5e6))],
                         ["46.2 ± 1.1", "(1.94 ± 0.12) × 10⁻⁵", "5 230 ± 42", "46 ± 0", "46 ± 4.8 × 10⁻⁵", "1.500", "–", "−0.01 ± 0.20", "(3.210 ± 0.045) × 10⁸"])
        self.assertEqual([text.units(name) for name in ("m s-1", "kg m^-2", "1", "", "m2 s-2", "W m-2 K-1", "K", "log10(Pa)", "(m)2", "(m s-1)2", "kg m-3 m3", "N m-3 m3", "J m-3 m3 s-1", "m m-1", "km m-1", "m3")],
                         ["m s⁻¹", "kg m⁻²", "1", "no units given", "m² s⁻²", "W m⁻² K⁻¹", "K", "log10(Pa)", "m²", "(m s⁻¹)²", "kg", "N", "J s⁻¹", "1", "km m⁻¹", "m³"])
        self.assertEqual([text.percent(x) for x in (0.031, -0.2, 0.0)], ["+3.1 %", "−20.0 %", "±0.0 %"])
        self.assertEqual([text.duration(x) for x in (0.0123, 59.96, 3599.7, 86400)], ["12.3 ms", "60 s", "60 min 0 s", "24 h 0 min"])
        self.assertEqual([text.memory(x) for x in (512, 1536, 1023 * 1024)], ["512 B", "1.5 KiB", "1023 KiB"])

    def test_numbers_are_finite_and_no_truths(self):
        self.assertEqual([load.number(x) for x in (1, 0.5, True, False, "1", None, math.nan, math.inf, 10**400)], [1.0, 0.5] + 7 * [None])

    def test_a_gate_that_was_not_judged_has_not_passed(self):
        for raw, passed in (({"passed": True}, True), ({"passed": True, "skipped": "no shear"}, False), ({"passed": 1}, False), ({}, False)):
            self.assertIs(load.read_gate({"name": "siu.rmse", "run": "fp32/atomic", **raw}, {}).passed, passed, raw)

    def test_a_gate_without_names_of_runs_holds_for_all_and_its_time_is_told(self):
        for raw, told in (({"runs": [], "time": "last"}, ("all", "last")), ({"runs": ["fp32", "cuda"], "time": "6 h"}, ("fp32, cuda", "6 h")), ({"time": 21600}, ("", "6 h"))):
            gate = load.read_gate({"name": "w.rmse", "run": "fp32/atomic", **raw}, {})
            self.assertEqual((gate.runs, gate.time), told)

    def test_epsilon_text_is_recovered_from_the_number(self):
        self.assertEqual([load.power_text(x) for x in (2.0**-23, 1e-3, 0.0)], ["2^-23", "0.001", "0"])


if __name__ == "__main__":
    unittest.main()
