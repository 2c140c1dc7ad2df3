#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs, comparisons and studies on several ranks under mpirun; skipped where there is none or the build has no MPI."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import CommandTest, PROGRAM, SOURCE

QUICK = SOURCE / "cases/fdm/supercell_quick.toml"
SMALL = ("--set", "grid.nx=14", "--set", "grid.ny=13", "--set", "grid.nz=8", "--set", "grid.dz=2000.0")
# More ranks than processors, as root too; and mpirun does not wait two seconds for the others where one has ended with an error.
ENVIRONMENT = dict(os.environ, ULPINE_PYTHON="/bin/true", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_odls_base_sigkill_timeout="0")


def study(policies="fp64,fp32", until="2 min"):
    """Of eight runs where there are two policies."""
    return ("ensemble", QUICK, *SMALL, "--policies", policies, "--assemblies", "deterministic", "--members", "3", "--epsilons", "2^-23", "--until", until,
            "--threads", "1", "--quad-until", "0 s")


def has_mpi():
    told = subprocess.run([PROGRAM, "info"], stdout=subprocess.PIPE, text=True, check=True).stdout
    line = next((line for line in told.splitlines() if line.startswith("MPI")), "")
    return shutil.which("mpirun") is not None and "not in this build" not in line


@unittest.skipUnless(has_mpi(), "no mpirun, or a build without MPI")
class RanksTest(CommandTest):
    def on_ranks(self, ranks, *words, code=0, says="", environment=ENVIRONMENT):
        done = subprocess.run(["mpirun", "--quiet", "-n", str(ranks), PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False, cwd=self.folder, env=environment, timeout=240)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(says, done.stderr)
        return done

    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())

    def test_a_run_gives_the_same_bits_and_files_on_any_number_of_ranks(self):
        words = ("run", QUICK, *SMALL, "--steps", "6", "--trace")
        self.assert_done(*words, "-o", "one", "--threads", "1")
        one = self.record("one")
        for ranks in (2, 3):
            folder = f"on-{ranks}"
            self.on_ranks(ranks, *words, "-o", folder)
            record = self.record(folder)
            self.assertEqual(record["hash"], one["hash"])
            self.assertEqual(record["cells"], one["cells"])
            self.assertEqual(record["provenance"]["ranks"], str(ranks))
            self.assertEqual(record["integrals"], one["integrals"])
            self.assert_done("trace-diff", "one/trace.bin", folder + "/trace.bin")
            table = json.loads(self.assert_done("compare", "one/output.nc", folder + "/output.nc", "--json"))["variables"]
            self.assertGreater(len(table), 8)
            for name, metrics in table.items():
                self.assertEqual(metrics["linf"], 0, name)

    def test_a_restart_of_some_ranks_goes_on_on_others(self):
        self.assert_done("run", QUICK, *SMALL, "--steps", "9", "-o", "whole", "--threads", "1")
        self.on_ranks(3, "run", QUICK, *SMALL, "--steps", "3", "-o", "first")
        self.on_ranks(2, "run", QUICK, *SMALL, "--steps", "3", "-o", "second", "--restart", "first/restart.nc")
        self.assert_done("run", QUICK, *SMALL, "--steps", "3", "-o", "third", "--restart", "second/restart.nc", "--threads", "1")
        self.assertEqual(self.record("third")["hash"], self.record("whole")["hash"])

    def test_bitwise_starts_the_ranks_that_it_compares(self):
        done = self.call("bitwise", QUICK, *SMALL, "--configs", "mpi:1,mpi:2,mpi:3,cpu:2", "--steps", "3", env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("same bits"), 3)
        different = self.call("bitwise", QUICK, *SMALL, "--quiet", "--configs", "mpi:2/fp64,mpi:2/fp32", "--steps", "1", env=ENVIRONMENT)
        self.assertEqual((different.returncode, different.stderr), (1, ""))

    def test_every_core_has_the_same_bits_on_two_and_three_ranks(self):
        for case, *more in (("seaice/cyclone_quick", "--set", "grid.nx=20", "--set", "grid.ny=20"), ("les/convective", "--set", "grid.nx=16", "--set", "grid.ny=12"),
                            ("fem/bubble_quick",)):
            done = self.call("bitwise", SOURCE / f"cases/{case}.toml", *more, "--configs", "mpi:1,mpi:2,mpi:3", "--steps", "2", env=ENVIRONMENT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("same bits"), 2, case)

    def test_the_conformance_suite_holds_on_two_and_three_ranks(self):
        for ranks in (2, 3):
            done = self.call("conformance", QUICK, *SMALL, "--quiet", "--configs", f"mpi:1,mpi:{ranks}", "--steps", "2", env=ENVIRONMENT)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def petsc_case(self, name, solver="-ksp_type bcgs -pc_type jacobi", pressure="-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu"):
        """A warm bubble over a hill that PETSc solves; skips where the build has none."""
        text = (SOURCE / "cases/fem/bubble_quick.toml").read_text()
        case = self.folder / name
        case.write_text(text.replace("[output]", f"[solver]\npetsc = '{solver}'\n[pressure]\npetsc = '{pressure}'\n[output]"))
        if "built without" in self.call("cases", "--stages", case).stderr:
            self.skipTest("a build without PETSc")
        return case

    def test_petsc_solves_on_ranks_and_promises_the_same_bits_on_as_many(self):
        case = self.petsc_case("petsc.toml")
        words = ("run", case, "--steps", "3", "--trace")
        self.assert_done(*words, "-o", "one", "--threads", "1")
        for ranks in (2, 3):
            self.on_ranks(ranks, *words, "-o", f"on-{ranks}")
            self.assertNotEqual(self.record(f"on-{ranks}")["hash"], self.record("one")["hash"])
            # Solves to 1e-8 of systems of a condition of 1000, two passes of two in each step, of amplitudes that the start has.
            table = json.loads(self.assert_done("compare", "one/output.nc", f"on-{ranks}/output.nc", "--json"))["variables"]
            for name, size in (("theta", 1), ("u", 3), ("v", 3), ("w", 3)):
                self.assertLess(table[name]["linf"], 3 * 4 * 1000 * 1e-8 * size, name)
        self.on_ranks(3, *words, "-o", "again")
        self.assertEqual(self.record("on-3")["hash"], self.record("again")["hash"])
        self.assert_done("trace-diff", "on-3/trace.bin", "again/trace.bin")
        diverged = self.call("bitwise", case, "--configs", "mpi:2,mpi:3", "--steps", "1", env=ENVIRONMENT)
        self.assertEqual(diverged.returncode, 1, diverged.stderr)
        self.assertRegex(diverged.stdout, r"mpi:3 diverges from mpi:2 at step 1, .*stage fem\.scalar\.solve, field rate, element \d+")
        self.assertIn("fem.scalar.solve promises no more: its guarantee is run_to_run\n", diverged.stdout)

    def test_the_conformance_suite_holds_where_petsc_solves(self):
        case = self.petsc_case("petsc.toml")
        done = self.call("conformance", case, "--set", "mesh.nx=2", "--set", "mesh.ny=1", "--set", "mesh.nz=2",
                         "--set", "start.radius_x=1000.0", "--set", "start.radius_y=1000.0", "--set", "start.radius_z=800.0", "--quiet", "--configs", "mpi:2,mpi:1", "--steps", "2", env=ENVIRONMENT)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_what_petsc_refuses_on_ranks_is_told_once_in_its_words(self):
        for solver, says in (("-pc_type ilu", "Could not locate a solver type for factorization type ILU"), ("-redundant_pc_type lu", "-redundant_pc_type is not used")):
            case = self.petsc_case("petsc.toml", solver=solver)
            done = self.on_ranks(3, "run", case, "--quiet", "--steps", "1", "-o", "r", code=2, says=says)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            line = next(number for number, text in enumerate(case.read_text().splitlines(), 1) if text.startswith("petsc"))
            self.assertIn(f"petsc.toml:{line}: solver.petsc: ", done.stderr)

    def test_groups_of_ranks_solve_by_petsc_each_on_their_own(self):
        case = self.petsc_case("petsc.toml")
        words = ("ensemble", case, "--policies", "fp64", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", "--until", "8 s",
                 "--threads", "1", "--quad-until", "0 s", "--device", "mpi:2")
        self.on_ranks(4, *words, "-o", "s")
        self.assertEqual(list(self.ranks_of_runs("s").values()), 2 * ["2"])
        self.on_ranks(2, "run", case, "--steps", "2", "-o", "alone")
        self.assertIn(self.record("alone")["hash"], self.hashes("s").values())

    def test_what_cannot_be_is_refused_in_a_line(self):
        for words, code, says in (
                (("bitwise", QUICK, *SMALL, "--configs", "mpi:1,mpi:11"), 2, "too few for 11 ranks"),
                (("bitwise", QUICK, "--configs", "mpi:1,mpi:0"), 2, "mpi:0"),
                (("bitwise", SOURCE / "cases/seaice/cyclone_quick.toml", "--set", "output.convergence=true", "--configs", "cpu:1,mpi:2/quad"), 2,
                 "output.convergence"),
                (("bitwise", QUICK, *SMALL, "--configs", "cpu:1,mpi:2/e8m10-sr1"), 2, "at random")):
            done = self.call(*words[:1], "--quiet", *words[1:], "--steps", "1", env=ENVIRONMENT)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)
        self.on_ranks(2, "bitwise", QUICK, *SMALL, "--quiet", "--configs", "mpi:1,mpi:3", code=3, says="mpirun started 2")

    def test_a_grid_that_is_too_small_is_refused_before_ranks_are_started(self):
        """With an mpirun in front of the real one that says that it was called."""
        starter = self.folder / "bin/mpirun"
        starter.parent.mkdir()
        starter.write_text("#!/bin/sh\ntouch started\nexit 9\n")
        starter.chmod(0o755)
        environment = dict(ENVIRONMENT, PATH=f"{starter.parent}:{os.environ['PATH']}")
        mesh = ("--set", "mesh.nx=2", "--set", "mesh.ny=1", "--set", "mesh.nz=2", "--set", "start.radius_x=1000.0", "--set", "start.radius_y=1000.0", "--set", "start.radius_z=800.0")
        for case, more in ((QUICK, SMALL), (SOURCE / "cases/fdm/acoustic_mode.toml", ()), (SOURCE / "cases/les/taylor_green.toml", ("--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "grid.nz=8")),
                           (SOURCE / "cases/fem/bubble_quick.toml", mesh)):
            for words in (("run", "--steps", "1", "-o", "r", "--device", "mpi:61"), ("bitwise", "--steps", "1", "--configs", "mpi:1,mpi:61"),
                          ("ensemble", "-o", "s", "--members", "1", "--device", "mpi:61")):
                done = self.call(words[0], case, "--quiet", *more, *words[1:], env=environment)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("too few for 61 ranks", done.stderr)
                self.assertFalse((self.folder / "started").exists(), words)
        self.assertEqual(self.call("run", QUICK, "--quiet", *SMALL, "--steps", "1", "-o", "r", "--device", "mpi:2", env=environment).returncode, 9)
        self.assertTrue((self.folder / "started").exists())

    def test_threads_of_more_ranks_than_processors_do_not_spin_for_each_other(self):
        """With an mpirun that says how they would wait."""
        starter = self.folder / "bin/mpirun"
        starter.parent.mkdir()
        starter.write_text('#!/bin/sh\necho "they wait ${OMP_WAIT_POLICY:-as usual}" >&2\nexit 9\n')
        starter.chmod(0o755)
        environment = {key: value for key, value in ENVIRONMENT.items() if key != "OMP_WAIT_POLICY"}
        environment["PATH"] = f"{starter.parent}:{environment['PATH']}"
        processors = os.cpu_count()
        many = f"{processors + 1}"
        run = ("run", QUICK, "--quiet", *SMALL, "--steps", "2", "-o", "r", "--device", "mpi:2")
        configurations = ("bitwise", QUICK, "--quiet", *SMALL, "--steps", "2", "--configs")
        for words, more, said in ((run, ("--threads", many), "passive"), ((*run[:-1], f"mpi:2:{many}"), (), "passive"), (configurations, (f"cpu:1,mpi:2:{many}",), "passive"),
                                  (("conformance", *configurations[1:]), (f"cpu:1,mpi:2:{many}",), "passive"),
                                  (("ensemble", QUICK, "--quiet", *SMALL, "--members", "1", "-o", "s", "--device", "mpi:2"), ("--threads", many), "passive"),
                                  *([] if processors < 2 else [(run, ("--threads", "1"), "as usual"), (configurations, ("cpu:1,mpi:2:1",), "as usual")])):
            done = self.call(*words, *more, env=environment)
            self.assertEqual((done.returncode, done.stderr), (9, f"they wait {said}\n"), words)
        done = self.call(*run, "--threads", many, env=dict(environment, OMP_WAIT_POLICY="active"))
        self.assertEqual(done.stderr, "they wait active\n")

    def test_a_rank_that_is_killed_ends_the_run_and_a_restart_goes_on(self):
        running = subprocess.Popen(["mpirun", "-n", "3", PROGRAM, "run", str(QUICK), *SMALL, "--steps", "20000", "--checkpoints", "2", "-o", "k"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder, env=ENVIRONMENT)
        self.addCleanup(running.kill)
        kept = self.folder / "k/checkpoints"
        end = time.monotonic() + 120
        while len(list(kept.glob("step-*.nc"))) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        children = subprocess.run(["pgrep", "-P", str(running.pid)], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        os.kill(int(children[-1]), signal.SIGKILL)
        _, errors = running.communicate(timeout=60)
        self.assertNotEqual(running.returncode, 0)
        self.assertIn("signal 9", errors)
        restart = max(kept.glob("step-*.nc"), key=lambda path: int(path.stem[5:]))
        steps = int(restart.stem[5:])
        self.on_ranks(2, "run", QUICK, *SMALL, "--steps", "2", "-o", "on", "--restart", restart)
        self.assert_done("run", QUICK, *SMALL, "--steps", str(steps + 2), "-o", "whole", "--threads", "1")
        self.assertEqual(self.record("on")["hash"], self.record("whole")["hash"])

    def hashes(self, study):
        return {run["id"]: run["hash"] for run in json.loads((self.folder / study / "results.json").read_text())["runs"]}

    def ranks_of_runs(self, study):
        """How many ranks computed each run, by its folder."""
        return {str(path.parent.relative_to(self.folder / study)): json.loads(path.read_text())["provenance"].get("ranks", "1")
                for path in (self.folder / study).rglob("run.json")}

    def test_a_study_is_shared_by_the_ranks(self):
        self.assert_done(*study(), "-o", "one", code=4)
        done = self.on_ranks(3, *study(), "-o", "three", "--jobs", "1", code=4, environment=dict(ENVIRONMENT, OMP_NUM_THREADS="3"))
        self.assertIn("0 runs done, 8 kept", done.stdout)  # the shares were all of the study
        self.assertEqual(len(self.hashes("one")), 8)
        self.assertEqual(self.hashes("one"), self.hashes("three"))
        results = self.folder / "three/results.json"
        ongoing = results.read_bytes()  # evaluated while the ranks computed
        self.assert_done("report", "three", code=4)
        self.assertEqual(results.read_bytes(), ongoing)
        again = self.on_ranks(2, *study(), "-o", "three", "--resume", code=4)
        self.assertIn("8 kept", again.stdout)

    def test_groups_of_ranks_share_a_study_and_any_others_go_on_with_it(self):
        self.assert_done(*study(), "-o", "one", code=4)
        done = self.on_ranks(4, *study(), "-o", "s", "--device", "mpi:2", code=4)
        self.assertIn("0 runs done, 8 kept", done.stdout)
        self.assertEqual(self.hashes("s"), self.hashes("one"))
        runs = self.ranks_of_runs("s")
        self.assertEqual(list(runs.values()), 8 * ["2"])
        lost = sorted(runs)
        expected = dict(runs)
        # One group of three; one rank.
        for start, ranks, device in ((lambda *words: self.on_ranks(3, *words, code=4).stdout, "3", "mpi:3"),
                                     (lambda *words: self.assert_done(*words, code=4), "1", "cpu")):
            for run in (lost.pop(), lost.pop()):
                (self.folder / "s" / run / "run.json").unlink()
                expected[run] = ranks
            self.assertIn("2 runs done, 6 kept", start(*study(), "-o", "s", "--resume", "--device", device))
            self.assertEqual(self.hashes("s"), self.hashes("one"))
            self.assertEqual(self.ranks_of_runs("s"), expected)

    def test_a_task_of_slurm_starts_the_ranks_of_its_run(self):
        words = ("ensemble", QUICK, *SMALL, "--configurations", "cpu/fp64,mpi:2/fp32", "--members-for", "cpu", "--members", "1", "--epsilons", "2^-23",
                 "--until", "1 min", "--quad-until", "0 s", "-o", "s", "--device", "cpu")
        self.assert_done(*words, "--slurm")
        script = (self.folder / "s/study.sbatch").read_text()
        self.assertIn("#SBATCH --nodes=1\n#SBATCH --ntasks=2\n#SBATCH --cpus-per-task=1\n", script)
        for task, path in enumerate(("", os.environ["PATH"], "")):  # a run on one rank needs no mpirun
            done = subprocess.run([shutil.which("bash"), "s/study.sbatch"], cwd=self.folder, env=dict(ENVIRONMENT, SLURM_ARRAY_TASK_ID=str(task), PATH=path),
                                  check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        runs = self.ranks_of_runs("s")
        self.assertEqual(len(runs), 3)
        self.assertEqual({run for run, ranks in runs.items() if ranks == "2"}, {"runs/mpi-2-fp32-deterministic"})

    def test_a_study_on_groups_that_cannot_be_is_refused_in_a_line(self):
        for ranks, words, says in ((3, (*study(), "--device", "mpi:2"), "mpirun started 3 ranks"), (2, (*study(), "--device", "mpi:3"), "mpirun started 2 ranks"),
                                   (2, (*study("fp64,e8m10-sr1"), "--device", "mpi:2"), "at random")):
            done = self.on_ranks(ranks, *words, "--quiet", "-o", "s", code=2, says=says)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertFalse((self.folder / "s/manifest.json").exists())

    def test_a_rank_of_a_group_that_is_killed_ends_the_study_and_resume_finishes_it(self):
        words = study(until="10 min")
        running = subprocess.Popen(["mpirun", "-n", "4", PROGRAM, *map(str, words), "-o", "k", "--device", "mpi:2"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder, env=ENVIRONMENT)
        self.addCleanup(running.kill)
        end = time.monotonic() + 120
        while not list((self.folder / "k").rglob("run.json")) and time.monotonic() < end:
            time.sleep(0.01)
        children = subprocess.run(["pgrep", "-P", str(running.pid)], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        os.kill(int(children[-1]), signal.SIGKILL)  # one that serves
        _, errors = running.communicate(timeout=60)
        self.assertNotEqual(running.returncode, 0)
        self.assertIn("signal 9", errors)
        self.assertLess(len(self.ranks_of_runs("k")), 8, "stopped too late to test anything")
        self.assert_done(*words, "-o", "k", "--device", "mpi:2", "--resume", code=4, env=ENVIRONMENT)  # which starts two ranks
        self.assertEqual(set(self.ranks_of_runs("k").values()), {"2"})
        self.assert_done(*words, "-o", "one", code=4)
        self.assertEqual(self.hashes("k"), self.hashes("one"))


if __name__ == "__main__":
    unittest.main()
