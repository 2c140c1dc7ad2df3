#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cards: times that are predicted for a case's stages, efficiencies fitted to a run's, and bad requests."""
import json
import pathlib
import re
import tomllib
import unittest

from support import CommandTest, PROGRAM, SOURCE

WAVE = SOURCE / "cases/fdm/acoustic_mode.toml"
EDDIES = SOURCE / "cases/les/validity_pressure.toml"
# A card without limits but one: each of its stages waits for memory, or for FP64.
FIGURES = {"memory.bandwidth": 1e18, "memory.size": 1e12, "rates.fp64": 1e18, "rates.fp32": 1e18, "rates.special": 1e18, "rates.integer": 1e18, "chip.multiprocessors": 1}

# What stages reach of the card that loops were measured on.
FITTED = (SOURCE / "devices/efficiency/h200.toml").read_text(encoding="utf-8")

MODULES = {path.stem for path in pathlib.Path(PROGRAM).resolve().parents[1].glob("lib*/**/ulpine/modules/*.so")}
needs_counts = unittest.skipIf("fdm_counted" not in MODULES, "the part that counts is not built (cmake --build BUILD --target ulpine_fdm_counted)")


class CardsTest(CommandTest):
    def call(self, *words, **options):
        """By the program itself: parts that count lie beside it, and not beside that of the tests' server."""
        return super().call(*words, **{"cwd": self.folder, **options})

    def card(self, name, **limits):
        """A card's file in the folder; limits by key with _ for the dot."""
        figures = {**FIGURES, **{key.replace("_", ".", 1): value for key, value in limits.items()}}
        lines = [f'{key} = {{ value = {value}, source = "nobody" }}' for key, value in figures.items()]
        path = self.folder / f"{name}.toml"
        path.write_text("\n".join([f'name = "The {name}"', *lines, '[sources.nobody]', 'title = "Nothing"', 'year = 2026', 'address = "https://example.org"']), encoding="utf-8")
        return path

    def predicted(self, case, card, *words):
        return self.json("cases", "--stages", case, "--on", card, "--json", *words)

    @needs_counts
    def test_stages_and_policies_have_predicted_times(self):
        for case in (WAVE, EDDIES) if "les_counted" in MODULES else (WAVE,):
            with self.subTest(case.name):
                stages, policies = self.assert_done("cases", "--stages", case, "--on", "b300").split("\n\n")
                heading, *rows, foot = stages.splitlines()
                self.assertEqual(heading.split(), ["stage", "launches", "time", "share", "waits", "for"])
                shares = [float(re.search(r" ([0-9.]+) %", row).group(1)) for row in rows]
                self.assertAlmostEqual(sum(shares), 100, delta=0.05 * len(rows))
                self.assertRegex(foot, rf"fp64, {case.name} on NVIDIA B300 \(HGX\), predicted: [0-9.]+ (us|ms) a step; ")
                heading, *rows = policies.splitlines()
                self.assertEqual(heading.split(), ["policy", "step", "of", "fp64's", "waits", "for"])
                self.assertEqual([row.split()[0] for row in rows], ["fp64", "fp32", "mixed", "df32", "mixed32"])
                self.assertEqual(rows[0].split()[3], "1.000")

    @needs_counts
    def test_time_that_waits_for_memory_is_bytes_over_bandwidth(self):
        found = self.predicted(WAVE, self.card("slow_memory", memory_bandwidth=1e3))
        self.assertTrue(found["predicted"])
        self.assertEqual({stage["waits_for"] for stage in found["step"]["stages"]}, {"memory"})
        cells = int(re.search(r"over (\d+) cells", self.assert_done("cases", "--stages", WAVE)).group(1))
        bytes_of = {row.split()[0]: float(row.split()[3]) for row in self.assert_done("cases", "--stages", WAVE).splitlines()[1:-1]}
        for stage in found["step"]["stages"]:
            self.assertAlmostEqual(stage["seconds"] * 1e3 / (stage["launches"] * bytes_of[stage["name"]] * cells), 1, delta=1e-3, msg=stage["name"])
        for stage, load in zip(found["step"]["stages"], found["loads"], strict=True):
            self.assertEqual(load["name"], stage["name"])
            self.assertAlmostEqual(load["bytes"] / (stage["seconds"] * 1e3), 1, delta=1e-12)
        self.assertAlmostEqual(found["policies"]["fp32"]["seconds"] / found["policies"]["fp64"]["seconds"], 0.5, delta=0.02)

    @needs_counts
    def test_a_policy_without_doubles_does_not_wait_for_their_units(self):
        starved = self.predicted(WAVE, self.card("starved", rates_fp64=1.0))
        self.assertEqual({stage["waits_for"] for stage in starved["step"]["stages"] if stage["seconds"] > 1}, {"FP64"})
        for stage, load in zip(starved["step"]["stages"], starved["loads"], strict=True):  # half an instruction a second
            if stage["waits_for"] == "FP64":
                self.assertAlmostEqual(load["instructions"]["FP64"] / stage["seconds"], 0.5, delta=1e-12)
        mixed = self.predicted(WAVE, self.folder / "starved.toml", "--policy", "mixed")
        self.assertLess(mixed["step"]["seconds"], starved["step"]["seconds"])
        self.assertEqual(mixed["step"], starved["policies"]["mixed"])
        faster = self.predicted(WAVE, self.card("faster", rates_fp64=2.0))
        self.assertAlmostEqual(faster["step"]["seconds"] / starved["step"]["seconds"], 0.5, delta=1e-6)

    @unittest.skipIf("fem_counted" not in MODULES, "the part that counts is not built (cmake --build BUILD --target ulpine_fem_counted)")
    def test_loops_of_many_kernels_are_named(self):
        bubble, unmeasured = SOURCE / "cases/fem/bubble_quick.toml", self.card("unmeasured")
        self.assertRegex(self.predicted(bubble, unmeasured)["efficiencies"], r"; loops of many kernels .*: .*fem\.pressure")
        self.assertNotIn("loops", self.predicted(WAVE, unmeasured)["efficiencies"])

    @unittest.skipIf("fem_counted" not in MODULES, "the part that counts is not built (cmake --build BUILD --target ulpine_fem_counted)")
    @unittest.skipIf("kernel_latency" not in FITTED, "no loop was fitted to on that card")
    def test_loops_have_the_measured_latency_of_their_kernels(self):
        found = self.predicted(SOURCE / "cases/fem/bubble_quick.toml", "h200")
        self.assertNotIn("loops", found["efficiencies"])
        pressure = next(stage for stage in found["step"]["stages"] if stage["name"] == "fem.pressure")
        self.assertEqual(pressure["waits_for"], "latency")
        latency = float(re.search(r"^kernel_latency = ([0-9.e-]+)", FITTED, re.M).group(1))
        self.assertGreater(pressure["seconds"], 16 * pressure["launches"] * latency)

    @needs_counts
    def test_times_follow_from_what_stages_ask_for(self):
        """By the formula of docs/reference/cards.md, with the numbers of the files."""
        reached = tomllib.loads(FITTED)
        card = tomllib.loads((SOURCE / "devices/h200.toml").read_text(encoding="utf-8"))
        clock, multiprocessors = (card["chip"][key]["value"] for key in ("clock", "multiprocessors"))
        rate = {key: card["rates"][key]["value"] for key in ("fp64", "fp32", "special", "integer")}
        rates = (rate["fp64"] / 2, rate["fp32"] / 2, rate["special"], rate["integer"])
        for case in (WAVE, EDDIES) if "les_counted" in MODULES else (WAVE,):
            found = self.predicted(case, "h200")
            for load, stage in zip(found["loads"], found["step"]["stages"]):
                instructions = list(load["instructions"].values())
                issued = sum(instructions) + reached.get("overhead", 0) * load["operations"]
                memory = load["moved_bytes"] / (card["memory"]["bandwidth"]["value"] * reached["memory"])
                arithmetic = max(issued / (128 * multiprocessors * clock), *(each / of_pipe for each, of_pipe in zip(instructions, rates)))
                of_a_thread = load["kernels"] / load["points"] if load["points"] else 0
                thread = of_a_thread * max(load["numbers"] * reached.get("number_latency", 0), issued * reached.get("instruction_latency", 0))
                seconds = max(memory + arithmetic, thread) + stage["launches"] * reached["latency"]
                if load["kernels"] <= 16 * stage["launches"]:
                    self.assertAlmostEqual(stage["seconds"] / seconds, 1, places=9, msg=stage["name"])

    @needs_counts
    def test_rates_that_nobody_tells_are_named(self):
        text = self.assert_done("cases", "--stages", WAVE, "--on", "mi300x")
        self.assertIn("no source tells this card's rate of ", text)
        self.assertIn("integer", self.predicted(WAVE, "mi300x")["not_counted"])

    @needs_counts
    def test_fitted_efficiencies_are_those_of_a_runs_stages(self):
        self.assert_done("run", WAVE, "--steps", "3", "-o", "run")
        card = self.card("here", memory_bandwidth=1e11, rates_fp64=1e11, rates_fp32=1e11)
        heading, *judged, written = self.assert_done("cases", "--fit", f"{WAVE}=run/run.json", "--on", card, "-o", "here_efficiency.toml").splitlines()
        self.assertEqual(heading.split(), ["stage", "run", "measured", "predicted", "error", "waits", "for"])
        self.assertEqual(written, "here_efficiency.toml")
        text = (self.folder / "here_efficiency.toml").read_text(encoding="utf-8")
        self.assertEqual(text, self.assert_done("cases", "--fit", f"{WAVE}=run/run.json", "--on", card))
        self.assert_done("cases", "--fit", f"{WAVE}=run/run.json", "--on", card, "-o", "here_efficiency.toml")
        self.assert_fails(2, "cases", "--fit", f"{WAVE}=run/run.json", "--on", card, "-o", card, says=("here.toml", "efficiencies of a card"))
        self.assertTrue(text.startswith("# SPDX-License-Identifier: Apache-2.0\n"))
        self.assertIn('card = "here"', text)
        self.assertIn('runs = ["fdm/acoustic_mode, fp64, cpu"]', text)
        values = dict(re.findall(r"^(\w+) = ([0-9.e+-]+)", text, re.M))
        self.assertGreater(float(values["memory"]), 0)
        self.assertEqual(int(values["judged"]), len(judged))
        self.assertTrue(all(row.split()[1] == "acoustic_mode/fp64" for row in judged), judged)
        stages = len(self.predicted(WAVE, card)["step"]["stages"])
        self.assertEqual(int(values["fitted"]) + int(values["judged"]), stages)

    @needs_counts
    def test_runs_of_other_cases_are_refused(self):
        self.assert_done("run", WAVE, "--steps", "1", "-o", "run")
        (self.folder / "other.toml").write_text(f'extends = "{WAVE}"\n[grid]\nnx = 8\n', encoding="utf-8")
        self.assert_fails(2, "cases", "--fit", "other.toml=run/run.json", "--on", "h100", says=("run.json", "another case"))
        self.assert_fails(2, "cases", "--fit", "run/run.json", "--on", "h100", says=("--fit", "CASE.toml=run.json"))

    @needs_counts
    @unittest.skipUnless("fdm_emulated" in MODULES, "the part that runs stages in formats is not built (cmake --build BUILD --target ulpine_fdm_emulated)")
    def test_a_search_takes_predicted_times_as_costs(self):
        words = ("search", WAVE, "--set", "verify.tolerated=2^-10", "--precisions", "fp32", "--policies", "fp32", "--stages", "fdm.sound.solve,fdm.sound.u", "--members", "3", "--confirm", "0", "--until", "2 s", "--jobs", "1", "-o", "s")
        starved = self.card("starved", rates_fp64=1.0)
        self.assertIn(self.call(*words, "--on", starved).returncode, (0, 4))
        found = json.loads((self.folder / "s/search.json").read_text(encoding="utf-8"))
        self.assertRegex(found["cost_model"], "^predicted seconds of stages in fp32, fp64 on The starved, ")
        predicted = {stage["name"]: stage["seconds"] for stage in self.predicted(WAVE, starved)["step"]["stages"]}
        shares = {stage["name"]: stage["cost_share"] for stage in found["stages"]}
        solve, other = "fdm.sound.solve", "fdm.sound.u"
        self.assertAlmostEqual(shares[solve] / shares[other] / (predicted[solve] / predicted[other]), 1, delta=0.05)

    @needs_counts
    def test_a_report_keeps_the_predictions_of_cards(self):
        self.assertIn(self.call("ensemble", WAVE, "-o", "s", "--members", "2", "--policies", "fp64,fp32", "--quad-until", "0 s", "--until", "2 s").returncode, (0, 4))
        self.assertFalse((self.folder / "s/cards.json").exists())
        self.assertIn(self.call("report", "s", "--on", f"b300,{self.card('starved', rates_fp64=1.0)}").returncode, (0, 4))
        cards = json.loads((self.folder / "s/cards.json").read_text(encoding="utf-8"))["cards"]
        self.assertEqual([card["card"] for card in cards], ["b300", "starved"])
        predicted = self.predicted(self.folder / "s/case.toml", "b300", "--steps", "3")
        for step in cards[0]["policies"]:
            self.assertAlmostEqual(step["seconds"] / predicted["policies"][step["policy"]]["seconds"], 1, places=12)
            self.assertAlmostEqual(sum(wait["share"] for wait in step["waits"]), 1)
        self.assertEqual(cards[1]["policies"][0]["waits"][0]["for"], "FP64")
        (self.folder / "s/cards.json").write_text("{}", encoding="utf-8")
        self.assert_fails(2, "report", "s", "--on", "b300", says="cards.json")

    def test_unknown_cards_and_policies_are_refused(self):
        self.assert_fails(2, "cases", "--stages", WAVE, "--on", "b30", says=("unknown card 'b30'", "known are a100_40gb, a100_80gb, b200, b300", "did you mean"))
        self.assert_fails(2, "cases", "--stages", WAVE, "--on", "none.toml", says="none.toml")
        self.assert_fails(2, "cases", "--stages", WAVE, "--on", "b300", "--policy", "tf32", says=("policy 'tf32'", "fp64, fp32, mixed, df32, mixed32"))
        self.assert_fails(2, "cases", "--stages", "fdm", "--on", "b300", says="fdm")
        self.assert_fails(2, "search", WAVE, "-o", "s", "--on", "b30", says="unknown card 'b30'")

    def test_options_without_effect_are_refused(self):
        self.assert_fails(2, "cases", "--on", "b300", says=("--on", "--stages CASE.toml"))
        self.assert_fails(2, "cases", "--stages", WAVE, "--policy", "fp32", says=("--policy", "--on CARD"))
        self.assert_fails(2, "cases", "--stages", WAVE, "--json", says=("--json", "--on CARD"))
        self.assert_fails(2, "cases", "--fit", f"{WAVE}=run.json", says=("--fit", "--on CARD"))
        self.assert_fails(2, "cases", "--stages", WAVE, "--on", "b300", "-o", "x", says=("--output", "--fit"))

    def test_the_cards_that_there_are_are_told(self):
        told = re.search(r"^cards +(.+)$", self.assert_done("info"), re.M).group(1).split()
        shipped = sorted(path.stem for path in SOURCE.glob("devices/*.toml") if path.stem != "operation_costs")
        self.assertEqual(told, shipped)


if __name__ == "__main__":
    unittest.main()
