#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The style checker finds what it is for: each rule broken once in a small tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check.py")
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class StyleCheckTest(unittest.TestCase):
    def check(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("CMakeLists.txt", "quickstart", "run-tests", ".ci/run"):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text("# SPDX-License-Identifier: Apache-2.0\n")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
            done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def assert_found(self, path, text, words):
        code, out = self.check(path, text)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def assert_clean(self, path, text):
        self.assertEqual(self.check(path, text), (0, "clean\n"))

    def test_missing_licence_line_is_found(self):
        self.assert_found("io/a.cpp", "int a;\n", "io/a.cpp:1: no SPDX")

    def test_a_power_of_a_half_is_found_however_it_is_written(self):
        for half in ("0.5", ".5", "0.50f", "T(0.5)", "Real{0.5}", "1.0 / 2", "1. / 2.", "T(1) / T(2)", "Real(1) / 2", "1 / 2.0"):
            with self.subTest(half):
                self.assert_found("verification/a.cpp", LICENCE + f"auto a = std::pow(f(x, y),\n {half});\n", "a.cpp:2: a power of a half")
        self.assert_found("core/les/a.cpp", LICENCE + "auto a = powf(x, 0.5f);\n", "a power of a half")
        for other in ("1.5", "0.25", "T(1) / 3", "2", "-0.5", "n / 2", "0.5 * n"):
            with self.subTest(other):
                self.assert_clean("verification/a.cpp", LICENCE + f"auto a = std::pow(x, {other}), b = f(0.5);\n")

    def test_include_of_a_room_above_is_found(self):
        self.assert_found("verification/a.cpp", LICENCE + '#include "core/model/model.hpp"\n', "not below")
        self.assert_found("io/a.cpp", LICENCE + '#include "verification/a.hpp"\n', "not below")

    def test_include_of_another_core_is_found(self):
        self.assert_found("core/seaice/a.cpp", LICENCE + '#include "core/les/a.hpp"\n', "no other core")
        self.assert_clean("core/seaice/a.cpp", LICENCE + '#include "core/exec/view.hpp"\n#include "core/model/core.hpp"\n')

    def test_include_of_a_core_or_a_part_above_in_a_shared_part_is_found(self):
        for part, header in (("field", "seaice/a.hpp"), ("exec", "field/field.hpp"), ("field", "stage/runner.hpp"), ("stage", "model/core.hpp"),
                             ("mesh", "model/model.hpp")):
            with self.subTest(part):
                self.assert_found(f"core/{part}/a.cpp", LICENCE + f'#include "core/{header}"\n', "none above it")
        self.assert_clean("core/model/a.cpp", LICENCE + '#include "core/stage/runner.hpp"\n#include "core/field/field.hpp"\n')

    def test_third_party_header_out_of_place_is_found(self):
        self.assert_found("cli/run.cpp", LICENCE + "#include <CLI/CLI.hpp>\n", "slow to compile")
        self.assert_found("io/a.hpp", LICENCE + "#include <nlohmann/json.hpp>\n", "slow to compile")
        self.assert_clean("io/a.hpp", LICENCE + "#include <nlohmann/json_fwd.hpp>\n")

    def test_bare_floating_point_in_a_kernel_is_found(self):
        for line in ("auto x = 0.5 * y;", "double x;", "float const x = y;", "x = 1e-3;", "x = 2.f;", "x = .5;"):
            with self.subTest(line):
                self.assert_found("core/seaice/a.hpp", LICENCE + "ULPINE_HD f();\n" + line + "\n", "bare")

    def test_typed_literals_comments_and_strings_of_a_kernel_are_clean(self):
        lines = 'auto x = Real(1) / 6;  // about 0.17, a double\nint i = v1.size() + a3;\nthrow "0.5";\nx = 0.5;  // bare: why\n'
        self.assert_clean("core/seaice/a.hpp", LICENCE + "ULPINE_HD f();\n" + lines)
        self.assert_clean("core/seaice/host_only.hpp", LICENCE + "double x = 0.5;\n")

    def test_the_class_of_a_part_below_its_kernels_is_no_kernel(self):
        part = "class Rain final : public Part {\ndouble x;\n};\n"
        self.assert_clean("core/fdm/parts/a.hpp", LICENCE + "ULPINE_HD f();\n" + part)
        self.assert_found("core/fdm/parts/a.hpp", LICENCE + "ULPINE_HD f();\ndouble y;\n" + part, "bare")

    def test_words_of_one_core_in_a_generic_room_are_found(self):
        for path, line in (("ensembles/a.cpp", 'frame.at("shear");'), ("io/a.hpp", "bool is_lkf_table;"), ("core/model/a.hpp", "// e.g. ice volume"),
                           ("cli/a.cpp", "int lkf();"), ("core/devices.cpp", "int siu;")):
            with self.subTest(path):
                self.assert_found(path, LICENCE + line + "\n", "a word of one core")
        self.assert_found("analysis/a.py", "# SPDX-License-Identifier: Apache-2.0\nsivol = 1\n", "'sivol'")
        self.assert_clean("ensembles/a.cpp", LICENCE + "device slice; // twice, seaice.stress, precise\n")
        for path in ("core/seaice/a.cpp", "verification/a.cpp", "cli/lkf.cpp"):
            self.assert_clean(path, LICENCE + 'char const* name = "shear of ice";\n')

    def test_test_files_and_cases_are_named_one_way(self):
        case = "TEST(Sum, IsExact) {}\n"
        self.assert_found("tests/io/sum_test.cpp", LICENCE + case, "call it test_sum_test.cpp")
        self.assert_found("tests/io/test_sum.cpp", LICENCE + case.replace("IsExact", "is_exact"), "Sum.is_exact")
        self.assert_found("tests/cli/sums.py", "# SPDX-License-Identifier: Apache-2.0\nclass Sums(unittest.TestCase):\n    def test_one(self):\n", "call it test_sums.py")
        self.assert_clean("tests/io/test_sum.cpp", LICENCE + case)


if __name__ == "__main__":
    unittest.main()
