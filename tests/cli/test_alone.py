#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration's answer alone is its answer among others, to the word: studies of the four cores, each with several
configurations and then with each of them alone. ULPINE_STUDIES says how many (4; 30 take minutes)."""
import itertools
import json
import os
import random
import shutil
import unittest

from support import CommandTest, SOURCE

STUDIES = int(os.environ.get("ULPINE_STUDIES", "4"))
# Shipped cases cut down so that a run takes a fraction of a second, the amplitude that each tolerates, and an end.
CASES = [("les/convective", ("grid.nx=8", "grid.ny=8", "grid.nz=12", "output.interval='40 s'"), "2^-7", "120 s"),
         ("seaice/cyclone_quick", ("grid.nx=8", "grid.ny=8", "time.substeps=4", "output.interval='4 min'"), "2^-10", "12 min"),
         ("fem/bubble_quick", ("output.interval='8 s'",), "2^-7", "24 s"),
         ("fdm/warm_bubble", ("grid.nx=24", "grid.nz=12", "grid.dx=800.0", "grid.dz=800.0", "output.interval='10 s'"), "2^-10", "30 s")]
REFERENCE = "fp64/deterministic"


def folder_of(configuration):
    return configuration.replace("/", "-")


class Alone(CommandTest):
    def study(self, folder, case, configurations, words):
        """The results of a study of the reference and these configurations."""
        done = self.call("ensemble", SOURCE / f"cases/{case}.toml", "-o", folder, "--quiet", "--jobs", "1", "--threads", "1", "--quad-until", "0 s",
                         "--configurations", ",".join((REFERENCE, *configurations)), *words, timeout=1200)
        self.assertIn(done.returncode, (0, 1, 4), done.stderr)
        return json.loads((self.folder / folder / "results.json").read_text())

    def said_of(self, results, configuration):
        """All that they say of it: its verdict and its gates."""
        return ([verdict for verdict in results["verdicts"] if verdict["configuration"] == configuration],
                [gate for gate in results["gates"] if gate["run"] == configuration])

    def take_runs(self, source, target, configurations):
        """The runs that a study of these alone has in common with a larger one, which need not be done again."""
        (self.folder / target).mkdir()
        shutil.copy(self.folder / source / "case.toml", self.folder / target)
        for part, configuration in itertools.product(("runs", "members"), (*configurations, "control")):
            runs = self.folder / source / part / folder_of(configuration)
            if runs.is_dir():
                shutil.copytree(runs, self.folder / target / part / folder_of(configuration), copy_function=os.link)

    def test_answers_are_those_of_each_configuration_alone(self):
        for number in range(STUDIES):
            draw = random.Random(number)
            case, keys, tolerated, until = CASES[number % len(CASES)]
            # The first is of policies that once took each other's answers over; the others are drawn.
            policies = ["fp32", "tf32", "bf16"] if number == 0 else draw.sample(("fp32", "mixed", "tf32", "bf16"), draw.choice((2, 3)))
            configurations = [f"{policy}/deterministic" for policy in policies]
            # Of one of them or of the reference the other order of sums.
            configurations.append(f"{draw.choice(['fp64', *policies])}/atomic")
            words = [word for key in keys for word in ("--set", key)]
            words += ["--epsilons", tolerated, "--members", draw.choice(("3", "8", "9")), "--seed", str(number + 1), "--until", until]
            words += draw.choice(([], ["--control"]))
            with self.subTest(study=number, case=case, configurations=configurations):
                among = self.study(f"among{number}", case, configurations, words)
                self.assertEqual([verdict["configuration"] for verdict in among["verdicts"] if not verdict["control"]], configurations)
                for configuration in configurations:
                    folder = f"alone{number}-{folder_of(configuration)}"
                    self.take_runs(f"among{number}", folder, (REFERENCE, configuration))
                    alone = self.study(folder, case, [configuration], [*words, "--resume"])
                    self.assertEqual(self.said_of(alone, configuration), self.said_of(among, configuration))
                    self.assertEqual(self.said_of(alone, "control"), self.said_of(among, "control"))


if __name__ == "__main__":
    unittest.main()
