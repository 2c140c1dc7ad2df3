#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The probe's libraries as others link them: what they show and need, and what becomes of a program and its trace."""
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ULPINE_SOURCE_DIR"])
FOLDER = pathlib.Path(os.environ["ULPINE_PROBE_FOLDER"])
SHARED, ARCHIVE = FOLDER / "libulpine_probe.so", FOLDER / "libulpine_probe.a"
CC = shutil.which("cc")
CXX = os.environ.get("CXX", "c++")
FORTRAN = shutil.which("gfortran")
if CC is None or shutil.which("nm") is None:
    print("skipped: no C compiler with its binutils")
    sys.exit(77)

# Kinds of chunks in a trace (io/trace_file.cpp).
RECORD, CHECKSUM, END, PART = 3, 4, 5, 7


def printed(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def symbols(*words):
    """Names in the output of nm."""
    return {line.split()[-1].split("@")[0] for line in printed("nm", *words).splitlines() if line and not line.endswith(":")}


def declared():
    return set(re.findall(r"^(?:extern int|void) (ulpine_\w+)", (SOURCE / "probe/include/ulpine.h").read_text(), re.M))


class Trace:
    """The chunks of a trace as far as they are whole."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        assert self.bytes[:8] == b"ULPTRACE", path
        self.at = 12
        (pairs,) = self.take("<I")
        self.head = dict((self.text(), self.text()) for _ in range(pairs))
        self.text()  # the case
        self.kinds = []
        while self.at < len(self.bytes):
            kind, size = self.take("<BI")
            self.kinds.append(kind)
            self.at += size
        self.cut = self.at != len(self.bytes)

    def take(self, form):
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values

    def text(self):
        (size,) = self.take("<I")
        self.at += size
        return self.bytes[self.at - size:self.at].decode()

    @property
    def records(self):
        return sum(kind in (RECORD, PART) for kind in self.kinds)

    @property
    def whole(self):
        return self.kinds[-1] == END


class Libraries(unittest.TestCase):
    def test_show_what_the_header_declares_and_nothing_else(self):
        self.assertGreater(len(declared()), 20)
        self.assertEqual(symbols("-D", "--defined-only", SHARED), declared())
        self.assertEqual(symbols("-g", "--defined-only", ARCHIVE), declared())

    def test_need_the_c_library_alone(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", printed("readelf", "-d", SHARED))
        self.assertIn("libc.so.6", needed)
        self.assertEqual([name for name in needed if not name.startswith(("libc.so", "ld-linux"))], [])
        libc = symbols("-D", "--defined-only", printed(CC, "-print-file-name=libc.so.6").strip())
        # Of the linker and start-up code of every program; the last are weak and for what only threads and plugins of the C++ library need.
        common = {"_GLOBAL_OFFSET_TABLE_", "__dso_handle", "__tls_get_addr", "atexit", "pthread_atfork", "__cxa_pure_virtual", "__pthread_key_create", "_DYNAMIC"}
        self.assertEqual(symbols("-u", ARCHIVE) - libc - common, set())

    @unittest.skipUnless(os.uname().machine == "x86_64", "instructions of x86-64")
    def test_run_on_every_processor_of_the_kind(self):
        wide = set()
        function = ""
        for line in printed("objdump", "-d", "--no-show-raw-insn", ARCHIVE).splitlines():
            if line.endswith(">:"):
                function = line
            elif re.search(r"%[yz]mm|%k[0-7]|\tv[a-z]|\t(mulx|shlx|shrx|sarx|rorx|andn|bzhi|pdep|pext|lzcnt)\b", line):
                wide.add(function)
        self.assertTrue(wide)
        self.assertEqual([name for name in wide if "avx" not in name], [])


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        cls.home = pathlib.Path(home.name)
        include = f"-I{SOURCE / 'probe/include'}"
        source = SOURCE / "tests/probe/program.c"
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-frounding-math", "-ffp-contract=off"]
        for name, libraries in (("archive", [ARCHIVE]), ("shared", [f"-L{FOLDER}", "-lulpine_probe", f"-Wl,-rpath,{FOLDER}"])):
            subprocess.run([CC, *flags, include, "-o", cls.home / name, source, *libraries, "-lm"], check=True)
        cls.include = include

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.trace = self.folder / "trace.bin"

    def program(self, *words, name="archive", code=0, limit=None, **variables):
        """What a program prints, and what it says on the standard error."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("ULPINE", "OMPI", "PMI", "SLURM")) or key.startswith("ULPINE_MUTANT")}
        begin = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([self.home / name, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False, preexec_fn=begin,
                              env=dict(environment, **variables))
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def traced(self, *words, **options):
        return self.program(*words, **{"ULPINE_TRACE": "trace.bin", **options})

    def test_untold_nothing_is_written(self):
        for name in ("archive", "shared"):
            printed_, said = self.program(name=name)
            self.assertTrue(printed_.endswith("active 0\n"))
            self.assertEqual(said, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_both_libraries_write_the_same_whole_trace_and_leave_the_results(self):
        results = {self.program()[0].split(",")[0]}
        records = []
        for name in ("archive", "shared"):
            printed_, said = self.traced(name=name, SOURCE_DATE_EPOCH="0")
            self.assertTrue(printed_.endswith("active 1\n"))
            self.assertEqual(said, "")
            results.add(printed_.split(",")[0])
            self.assertTrue(Trace(self.trace).whole)
            self.assertEqual(Trace(self.trace).records, 3)
            records.append(self.trace.read_bytes())
        self.assertEqual(len(results), 1)
        self.assertEqual(records[0], records[1])

    def test_the_programs_own_state_stays(self):
        as_it_was = self.program("quiet")
        self.assertIn("rounding 1, exceptions 1, errno 77", as_it_was[0])
        settings = self.folder / "probe.toml"
        settings.write_text('trace = "trace.bin"\n[perturb]\nwhat = "*"\namplitude = 0.0\n[[round]]\nwhat = "*"\nto = "e11m52"\n')
        for name in ("archive", "shared"):
            self.assertEqual(self.traced("quiet", name=name)[0].replace("active 1", "active 0"), as_it_was[0])
        self.program("quiet", ULPINE="probe.toml")
        self.assertTrue(Trace(self.trace).whole)

    def test_a_state_is_changed_where_the_settings_say_so(self):
        (self.folder / "probe.toml").write_text('[perturb]\nwhat = "decay.t"\namplitude = 1.0\n')
        self.assertNotEqual(self.program(ULPINE="probe.toml")[0].split(",")[0], self.program()[0].split(",")[0])

    def test_an_end_by_exit_is_whole_and_one_by_a_signal_is_not(self):
        self.traced("exit", code=3)
        self.assertTrue(Trace(self.trace).whole)
        self.traced("abort", code=-6)
        self.assertFalse(Trace(self.trace).whole)
        self.traced("kill", code=-9)
        trace = Trace(self.trace)
        self.assertFalse(trace.whole)
        self.assertEqual(trace.kinds[-1], CHECKSUM)
        self.assertEqual(trace.records, 3)  # those of more than a twentieth of a second before
        self.traced("close", code=-9)
        trace = Trace(self.trace)
        self.assertTrue(trace.whole)
        self.assertEqual(trace.records, 3)

    def test_an_earlier_trace_does_not_stay_and_other_files_do(self):
        self.traced()
        self.assertTrue(self.trace.exists())
        self.traced("never")
        self.assertFalse(self.trace.exists())
        self.trace.write_text("a poem\n")
        printed_, said = self.traced()
        self.assertTrue(printed_.endswith("active 0\n"))
        self.assertEqual(said, f"ulpine: {self.trace}: is no trace (it would be lost, as a trace is to be written there) choose another name; the probe is silent\n")
        self.assertEqual(self.trace.read_text(), "a poem\n")
        self.trace.unlink()
        self.trace.mkdir()
        self.assertIn("is no ordinary file", self.traced()[1])

    def test_an_error_is_one_line_and_the_program_goes_on(self):
        result = self.program("twice")[0]
        printed_, said = self.traced("twice")
        self.assertEqual(printed_, result)
        self.assertEqual(said, "ulpine: step 3: ulpine_step(3) follows step 3 (steps rise) give it the number of the step; the probe is silent from here on\n")
        self.assertFalse(Trace(self.trace).whole)
        self.assertEqual(Trace(self.trace).records, 3)
        for variables in ({"ULPINE": "none.toml"}, {"ULPINE_EVERY": "0", "ULPINE_TRACE": "trace.bin"}, {"ULPINE_TRACE": "no/folder/trace.bin"}):
            printed_, said = self.program(**variables)
            self.assertTrue(printed_.endswith("active 0\n"))
            self.assertRegex(said, r"^ulpine: [^\n]*; the probe is silent( from here on)?\n$")

    def test_a_full_disk_is_one_line_and_the_program_goes_on(self):
        # SIGXFSZ, which would end the program, has its default action: Python restores it in its children.
        result = self.program("", 40)[0]
        printed_, said = self.traced("", 40, limit=20000)
        self.assertEqual(printed_, result.replace("active 0", "active 1"))
        self.assertRegex(said, r"^ulpine: step 40: [^\n]*trace.bin: trace cannot be written \(File too large\)[^\n]*\n$")
        self.assertFalse(Trace(self.trace).whole)

    def test_a_child_that_was_forked_writes_nothing(self):
        self.traced("fork")
        trace = Trace(self.trace)
        self.assertTrue(trace.whole)
        self.assertEqual(trace.records, 4)
        self.assertEqual(trace.kinds.count(END), 1)

    def test_files_lie_where_the_program_began(self):
        self.traced("elsewhere")
        self.assertTrue(Trace(self.trace).whole)

    def test_files_have_the_rank_in_their_names(self):
        self.traced(OMPI_COMM_WORLD_RANK="2", OMPI_COMM_WORLD_SIZE="4", PMIX_NAMESPACE="88")
        head = Trace(self.folder / "trace.2-of-4.bin").head
        self.assertEqual((head["rank"], head["ranks"], head["run"]), ("2", "4", "88"))
        self.traced("ranks")
        self.assertEqual(Trace(self.folder / "trace.1-of-3.bin").head["rank"], "1")
        self.traced("ranks", ULPINE_TRACE="r{rank}.bin")
        self.assertTrue(Trace(self.folder / "r1.bin").whole)
        said = self.traced("twice", OMPI_COMM_WORLD_RANK="2", OMPI_COMM_WORLD_SIZE="4")[1]
        self.assertTrue(said.startswith("ulpine: rank 2: step 3: "), said)

    def test_a_comparison_ends_the_program_at_the_first_difference(self):
        self.traced("", 4, ULPINE_TRACE="ref.bin")
        printed_, said = self.traced("", 4, ULPINE_COMPARE="ref.bin")
        self.assertTrue(printed_)
        self.assertTrue(Trace(self.trace).whole)
        printed_, said = self.traced("differs", ULPINE_COMPARE="ref.bin", code=1)
        self.assertEqual(printed_, "")
        self.assertIn("step 4, stage decay, field t", said)
        trace = Trace(self.trace)
        self.assertTrue(trace.whole)
        self.assertEqual(trace.records, 4)

    def test_programs_of_other_languages_are_linked_with_the_archive(self):
        (self.home / "model.cpp").write_text(
            '#include <fstream>\n#include <iostream>\n#include <stdexcept>\n#include "ulpine.h"\n'
            'int main() { try { ulpine_step(1); ulpine_stage("a"); std::ofstream{"own.txt"} << 1.5; throw std::runtime_error("own"); }\n'
            '  catch (std::exception const& error) { std::cout << error.what() << "\\n"; } }\n')
        tried = [("cpp", [CXX, self.include, self.home / "model.cpp"], [])]
        tried.append(("cpp_static_library", tried[0][1] + ["-static-libstdc++"], []))
        tried.append(("cpp_static", tried[0][1] + ["-static", "-Wl,--eh-frame-hdr"], []))
        if FORTRAN:
            (self.home / "model.f90").write_text("program model\n  use ulpine\n  call ulpine_step(1_8)\n  call ulpine_stage('a')\n  print '(a)', 'own'\nend program\n")
            tried.append(("fortran", [FORTRAN, f"-J{self.home}", SOURCE / "probe/fortran/ulpine.f90", self.home / "model.f90"], ["-lpthread"]))
        for name, command, libraries in tried:
            subprocess.run([*command, "-o", self.home / name, ARCHIVE, *libraries], check=True)
            self.assertEqual(self.traced(name=name), ("own\n", ""))
            self.assertTrue(Trace(self.trace).whole, name)
        # Without a table of its functions no exception of the probe could be caught: it must not throw there.
        subprocess.run([*tried[0][1], "-static", "-o", self.home / "bare", ARCHIVE], check=True)
        printed_, said = self.traced(name="bare")
        self.assertEqual(printed_, "own\n")
        self.assertRegex(said, r"^(ulpine: this program is linked with -static [^\n]*; the probe is silent\n)?$")


if __name__ == "__main__":
    unittest.main()
