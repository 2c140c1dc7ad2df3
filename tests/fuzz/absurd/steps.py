# SPDX-License-Identifier: Apache-2.0
"""Runs that are gone on with, repeated or divided: checkpoints, replay, ranks."""
import os
import shutil

from absurd.trial import SOURCE, Trial, fixture, hashes, set_words

ICE = [str(SOURCE / "cases/seaice/cyclone_quick.toml"), *set_words(grid__nx=8, grid__ny=8, time__substeps=4, output__interval='"4 min"')]
RUN = ["run", *ICE, "--quiet", "--steps", "6"]
MADE = [[*RUN, "--checkpoints", "4", "--trace", "-o", "run"], [*RUN, "--checkpoints", "4", "--policy", "fp32", "-o", "single"], [*RUN, "--set", "seaice.alpha=1200", "--checkpoints", "4", "-o", "other"]]
STEPS = ("0", "2", "4", "6")


OURS = ("output.nc", "output.xdmf", "restart.nc", "run.json", "trace.bin", "field.nc", "checkpoints")


def foreign(folder, r, names):
    """Files of nobody's making where the command writes; the names that are still the command's own."""
    folder.mkdir(exist_ok=True)
    chosen = r.sample(names, r.choice((1, 2)))
    for name in chosen:
        if r.random() < 0.25:
            (folder / name).mkdir()
            (folder / name / "mine.txt").write_text("mine")
        else:
            (folder / name).write_text(r.choice(("mine", "", "{}", "CDF\x01")))
    return tuple(f"{folder.name}/{name}" for name in OURS if name not in chosen)


def mix(folder, r):
    """Files of one run among those of another."""
    kind = r.choice(("swap", "foreign_step", "log", "case", "renamed", "cut", "copy", "extra", "missing", "link"))
    at = folder / "run/checkpoints"
    steps = sorted(path.name for path in at.glob("step-*.nc"))
    a, b = r.sample(steps, 2)
    if kind == "swap":
        (at / a).rename(at / "t")
        (at / b).rename(at / a)
        (at / "t").rename(at / b)
    elif kind == "foreign_step":
        for name in r.sample(steps, 2):
            shutil.copy(folder / r.choice(("single", "other")) / "checkpoints" / name, at / name)
    elif kind == "log":
        shutil.copy(folder / r.choice(("single", "other")) / "checkpoints/hashes.bin", at / "hashes.bin")
    elif kind == "case":
        text = (at / "case.toml").read_text()
        (at / "case.toml").write_text(r.choice((text.replace("time.substeps = 4", "time.substeps = 5"), text.replace("1500.0", "1200.0"), text + "grid.refinement = 2\n", "", text.replace('"120 s"', '"60 s"'),
                                                text.replace("seaice", "les"), (folder / "other/checkpoints/case.toml").read_text())))
    elif kind == "renamed":
        (at / a).rename(at / r.choice(("step-5.nc", "step-007.nc", "step-99999999999999999999.nc", "step--2.nc", "step-2.5.nc", "step-3.nc", "Step-1.nc")))
    elif kind == "cut":
        data = (at / a).read_bytes()
        (at / a).write_bytes(data[:r.randrange(len(data))])
    elif kind == "copy":
        shutil.copy(at / a, at / b)
    elif kind == "extra":
        foreign(at, r, ("notes.txt", "step-1.nc", "step-x.nc", "mine.nc", "hashes.bin.part"))
    elif kind == "missing":
        (at / a).unlink()
    else:
        (at / a).unlink()
        os.symlink(b, at / a)
    return kind


def replayed(folder):
    return hashes(folder / "out")


def replay(random, folder, program):
    fixture("runs", folder, program, MADE)
    if random is None:
        return None
    r, expected, plain = random, "same", None
    step = r.choice(("1", "2", "3", "4", "5", "6"))
    words, what, owned = ["replay", "run", "--step", step, "-o", "out", "--quiet"], [], ("out",)
    plain = list(words)
    for kind in r.sample(("from", "step", "record", "mix", "mix", "out", "out", "folder", "foreign"), r.choice((1, 1, 2))):
        what.append(kind)
        if kind == "from":
            words += ["--from", r.choice(("0", "2", "4", "6", "1", "3", "-1", "7", "1e0", "4294967296", "4294967298", "18446744073709551616", ""))]
        elif kind == "step":
            words[3], expected = r.choice(("0", "-1", "7", "100", "4294967297", "4294967299", "9223372036854775807", "9223372036854775808", "1.5", "1e0", "", "x", "0x1", "+3", "03")), "refused"
            expected = "sense" if words[3] in ("+3", "03") else expected
        elif kind == "record":
            words += ["--record", r.choice(("0", "1", "10", "-1", "4096", "4294967296", "18446744073709551615", "1.5", "", "nan"))]
            expected = "sense"
        elif kind == "mix":
            what[-1] = "mix-" + mix(folder, r)
            if what[-1] in ("mix-log", "mix-case"):
                expected = "sense" if what[-1] == "mix-case" else "refused"
        elif kind == "out":
            place = r.choice(("run", "run/checkpoints", "run/trace.bin", "single", "notes.txt", ".", "/dev/null", "", "notes.txt/x", "other/checkpoints", "run/x", "link"))
            words[5], expected, owned = place, "sense", {"run/x": ("run/x",), ".": ("trace.bin", "field.nc")}.get(place, ())
            if place == "link":
                os.symlink("run", folder / "link")
        elif kind == "folder":
            words[1], expected = r.choice(("none", "run/checkpoints", "notes.txt", ".", "/dev", "", "run/run.json")), "refused"
        elif kind == "foreign":
            owned, expected = foreign(folder / "out", r, ("trace.bin", "field.nc", "notes.md", "run.json")), "sense"
    return Trial(words, expected, "+".join(what), plain, says=(), owned=owned, answer=replayed, sensible=False)


replay.with_program = True


def checkpoints(random, folder, program):
    fixture("runs", folder, program, MADE)
    goal = [*RUN, "-o", "out"]
    if random is None:
        return None
    r, expected, what, owned = random, "same", [], ("out",)
    step = r.choice([path.name for path in sorted((folder / "run/checkpoints").glob("step-*.nc"))])
    number = int(step[5:-3])
    words = ["run", *ICE, "--quiet", "--until", "12 min", "-o", "out", "--restart", f"run/checkpoints/{step}"]
    kind = r.choice(("plain", "mix", "other_keys", "policy", "place", "file", "into", "diff", "diff", "words", "steps", "checkpoints"))
    what = kind
    if number == 6 and kind == "plain":
        expected = "sense"
    if kind == "mix":
        what += "-" + mix(folder, r)
        # A restart that lies under another's name is true all the same: it holds its own time.
    elif kind == "other_keys":
        words += ["--set", r.choice(("seaice.alpha=1400", "grid.nx=9", "time.substeps=5", 'time.step="60 s"', "discretisation.dg=1", "grid.length=256e3", "forcing.cyclone_rate=2e-4", 'output.interval="2 min"', "verify.sivol.l2_relative=1", 'name="x"'))]
        expected = "sense" if "interval" in words[-1] or "verify" in words[-1] or "name" in words[-1] else "refused"
    elif kind == "policy":
        words += r.choice((["--policy", "fp32"], ["--policy", "mixed"], ["--policy", "quad"], ["--assembly", "atomic"], ["--stage", "seaice.stress=fp32"], ["--policy", "e8m10"], ["--device", "mpi:2"], ["--threads", "2"]))
        expected = "same" if "mpi:2" in words or words[-2] == "--threads" else "sense"
    elif kind == "place":
        at = words.index("out")
        words[at] = r.choice(("run", "other", "single", "run/checkpoints", "notes.txt"))
        expected, owned = "sense", {"run": ("run",), "other": ("other",), "single": ("single",)}.get(words[at], ())
    elif kind == "file":
        words[-1], expected = r.choice(("run/output.nc", "run/trace.bin", "run/run.json", "none.nc", "notes.txt", "run", "/dev/zero", "", "run/checkpoints/hashes.bin", "other/checkpoints/step-4.nc", "single/restart.nc")), "refused"
        expected = "sense" if words[-1] == "single/restart.nc" else expected
    elif kind == "into":
        words = [*RUN, "-o", "out", *r.choice(([], ["--checkpoints", "4"], ["--trace"], ["--new"]))]
        owned, expected = foreign(folder / "out", r, ("output.nc", "restart.nc", "run.json", "checkpoints", "trace.bin", "notes.md", "output-1.nc", "output.xdmf")), "sense"
    elif kind == "diff":
        a, b = r.choice((("run", "single"), ("run", "other"), ("run", "run"), ("run", "none"), ("run", "notes.txt"), ("run/trace.bin", "run"), ("run/trace.bin", "run/trace.bin"), ("run", "."), ("single", "other")))
        if r.random() < 0.5:
            what += "-" + mix(folder, r)
        words, expected, owned = ["trace-diff", a, b, "--quiet", *r.choice(([], ["--states-only"]))], "sense", ()
        if (a, b) in (("run", "single"), ("run", "other"), ("single", "other")) and what == "diff":
            expected = "differs"
    elif kind == "words":
        words += r.choice((["--steps", "0"], ["--until", "0 s"], ["--until", "1 s"], ["--checkpoints", "1"], ["--checkpoints", "5000"], ["--checkpoints", "x"], ["--checkpoints", "4294967298"], ["--trap"], ["--new"], ["--until", "1e300 d"], ["--until", "121 s"]))
        expected = "same" if words[-1] in ("--trap", "--new") else "refused"
    elif kind == "steps":
        at = words.index("--until")
        count = r.choice((6 - number, 1, 2)) if number < 6 else 1
        words[at:at + 2] = ["--steps", str(count)]
        expected = "same" if count == 6 - number else "sense"
    elif kind == "checkpoints":
        words += ["--checkpoints", r.choice(("2", "3", "16", "4096"))]
    return Trial(words, expected, what, goal, owned=owned)


checkpoints.with_program = True

CASES = {
    "seaice": ICE,
    "les": [str(SOURCE / "cases/les/convective.toml"), *set_words(grid__nx=8, grid__ny=8, grid__nz=8, output__interval='"1 h"', sponge__from="300.0", start__noise_top="300.0")],
    "fdm": [str(SOURCE / "cases/fdm/supercell_quick.toml"), *set_words(grid__nx=8, grid__ny=8, grid__nz=8, output__interval='"1 h"', grid__dz="2000.0")],
    "fem": [str(SOURCE / "cases/fem/bubble_quick.toml"), *set_words(mesh__nx=4, mesh__ny=4, mesh__nz=4)],
}
DEVICES = ("mpi:1", "mpi:2", "mpi:2", "mpi:3", "mpi:4", "mpi:5", "mpi:1:1", "mpi:2:1", "mpi:2:2", "mpi:0", "mpi:-1", "mpi:", "mpi:x", "mpi:2:0", "mpi:2:4097", "mpi:2:2:2", "mpi:4294967298", "mpi:18446744073709551618", "mpi:12", "mpi:1000", "mpi:99999",
           "mpi:2.0", "mpi:2 ", " mpi:2", "MPI:2", "mpi:02", "mpi:+2", "mpi:0x2", "mpi:2,mpi:3", "cuda:1x2", "cuda:1x0", "cuda:1x1+mpi:2", "cuda:1x", "mpi:2+mpi:2", "mpi", "cpu:2", "cpu:4097", "cpu:0", "cpu:-1", "cpu:1e2", "", "gpu", "cuda:99", "cuda:33")


def ranks(random, folder):
    if random is None:
        return None
    r = random
    core, device = r.choice(list(CASES)), r.choice(DEVICES)
    base = ["run", *CASES[core], "--steps", "1", "--quiet", "-o", "out"]
    extra = r.choice(([], [], [], ["--policy", "fp32"], ["--policy", "mixed"], ["--assembly", "atomic"], ["--policy", "quad"], ["--policy", "e8m10-sr1"], ["--policy", "e8m10"], ["--threads", "1"], ["--threads", "2"], ["--trace"], ["--checkpoints", "2"],
                      *([["--set", f"grid.{axis}={count}"]] for axis in ("nx", "ny") for count in (3, 5, 7) if core in ("fdm", "seaice"))))
    extra = extra if extra and isinstance(extra[0], str) else sum(extra, [])
    expected = "sense" if "--assembly" in extra else "same"
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **r.choice(({}, {}, {}, {"PATH": "/nothing"}))}
    return Trial([*base, *extra, "--device", device], expected, f"{core} {device} {' '.join(extra)} {environment.get('PATH', '')}", base + extra, environment=environment)

