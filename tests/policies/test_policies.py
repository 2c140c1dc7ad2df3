# SPDX-License-Identifier: Apache-2.0
"""A policy is a row of precision/policies.list: in a scratch copy of the source some are added, and the files that it took are counted.

What follows from a row is looked for where it must be: in the names that the command knows, the sources that are compiled, code that
computes in it, and the report's styles."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ULPINE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = ("cmake", "precision", "io", "core", "verification", "ensembles", "cli", "cases", "analysis", "examples")
OLD_FORMAT = "fp8 | Fp8Products | double | float | float | Fp8E4m3 | everywhere | #123456 h 7,1 | products of operands rounded to FP8 E4M3\n"
NEW_FORMAT = "even | EvenProducts | double | float | float | Even | everywhere | #654321 H - | products of operands rounded to 6 bits\n"
EVEN = """
/// Six bits in all exponents of float, for this test.
inline constexpr FloatFormat even_format{.precision = 6, .emin = -126, .emax = 127};
struct Even : Emulated<even_format> {
  static constexpr char const* name = "even";
};

}  // namespace ulpine
"""
PROGRAM = """
#include <iostream>
#include <memory>
#include "core/poisson/phases.hpp"
#include "precision/format_name.hpp"
#include "precision/policy.hpp"
#include "precision/policy_roundoff.hpp"
using namespace ulpine;
int main() {
  for (auto const* name = policy_names(); *name != nullptr; ++name) {
    auto const format = format_of_policy(*name);
    std::cout << *name << ' ' << unit_roundoff(*name) << ' ' << (format && format->multiplicand ? format->multiplicand->precision : 0) << '\\n';
  }
  auto const made = with_policy(DevicePolicies{}, "POLICY", []<class P>() {
    return make_poisson_phases<typename P::Compute, typename P::Multiplicand>(Host{}, PoissonGrid{4, 4, 1, 1, 1, {1}, {1, 1}}, PoissonMethod::portable) != nullptr;
  });
  std::cout << "made " << made << '\\n';
}
"""


class Policies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name, "source")
        self.copy.mkdir()
        for name in FOLDERS:
            shutil.copytree(SOURCE / name, self.copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(SOURCE / name, self.copy)
        (self.copy / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts/ulpine-completion.bash", self.copy / "scripts")
        self.changed = set()

    def change(self, name, old, new):
        path = self.copy / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(new.join(text.rsplit(old, 1)))
        self.changed.add(name)

    def add_row(self, row):
        self.change("precision/policies.list", "quad ", row + "quad ")

    def ran(self, *words, **options):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def configured(self):
        build = self.copy / "build"
        self.ran("cmake", "-G", "Ninja", "-S", self.copy, "-B", build, "-DULPINE_CUDA=OFF", "-DULPINE_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
        return build

    def judge(self, policy, kind, files, precision):
        self.assertEqual(len(self.changed), files)
        build = self.configured()
        targets = set(self.ran("ninja", "-C", build, "-t", "targets", "all").split())
        for core in ("fdm", "fem"):
            self.assertIn(f"ulpine_{core}_{policy}:", targets)
        # The smallest unit of a core, and a program that computes in the policy.
        unit = f"core/fem/CMakeFiles/ulpine_fem_{policy}_objects.dir/__/__/generated/core/fem/policy_{policy}.cpp.o"
        (self.copy / "examples/policies").mkdir()
        (self.copy / "examples/policies/main.cpp").write_text(PROGRAM.replace("POLICY", policy))
        with (self.copy / "CMakeLists.txt").open("a") as listing:
            listing.write("add_executable(policies examples/policies/main.cpp)\nulpine_compile_options(policies)\ntarget_link_libraries(policies PRIVATE ulpine::poisson)\n")
        self.ran("cmake", build)
        self.ran("cmake", "--build", build, "--target", "policies", unit, "-j", "2")
        lines = dict(line.split(" ", 1) for line in self.ran(build / "bin/policies").splitlines())
        self.assertEqual(list(lines), ["fp64", "fp32", "mixed", "tf32", "bf16", "fp16", policy, "quad", "made"])
        self.assertEqual(lines["made"], "1")
        roundoff, bits = lines[policy].split()
        self.assertEqual((float(roundoff), int(bits)), (2.0 ** -precision, precision), kind)
        self.assertEqual(lines["tf32"].split()[1], "11")
        styles = self.ran("/usr/bin/python3", "-B", "-c", "from ulpine_report.drawing import STYLES; print(*STYLES, sep=' '); print(STYLES['" + policy + "'])", cwd=self.copy / "analysis")
        self.assertEqual(styles.split("\n")[0].split(), list(lines)[:-1])
        return styles.split("\n")[1]

    def test_a_policy_of_formats_that_there_are_takes_one_file(self):
        self.add_row(OLD_FORMAT)
        self.assertEqual(self.judge("fp8", "of a format that there is", 1, 4), "('#123456', 'h', (0, (7.0, 1.0)))")

    def test_a_policy_of_a_format_of_its_own_takes_two_files(self):
        self.add_row(NEW_FORMAT)
        self.change("precision/formats.hpp", "\n}  // namespace ulpine\n", EVEN)
        self.assertEqual(self.judge("even", "of a new format", 2, 6), "('#654321', 'H', '-')")

    def test_rows_that_cannot_be_meant_are_refused(self):
        for row, why in (("half | Half | double\n", "3 columns"),
                         (OLD_FORMAT.replace("everywhere", "nowhere"), "it is everywhere or host"),
                         (OLD_FORMAT.replace("fp8 ", "fp8-e4m3 "), "small letters, digits and _"),
                         (OLD_FORMAT.replace("fp8 ", "tf32 "), "two policies are named tf32")):
            path = self.copy / "precision/policies.list"
            before = path.read_text()
            self.add_row(row)
            done = subprocess.run(["cmake", "-G", "Ninja", "-S", self.copy, "-B", self.copy / "build", "-DULPINE_CUDA=OFF"], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, " ".join(done.stderr.split()))
            path.write_text(before)


if __name__ == "__main__":
    unittest.main()
