# SPDX-License-Identifier: Apache-2.0
"""A small chaotic program in many variants, for the tests of cases that name a program: Lorenz' model of 1996 with 12 values."""
import inspect
import os
import pathlib
import stat
import sys

import support
from support import CommandTest

# It says on standard output which surroundings it has. What it does wrong is its value `mode`.
MODEL = """
import math
import os
import pathlib
import random
import signal
import struct
import sys
import time

with open("settings.txt") as file:
    settings = dict(line.split("=", 1) for line in file.read().splitlines() if "=" in line)
mode = settings["mode"]
end, amplitude, forcing = (float(settings[name]) for name in ("end", "amplitude", "forcing"))
print("threads", os.environ.get("OMP_NUM_THREADS"), "flavour", os.environ.get("FLAVOUR"), "words", sys.argv[1:], flush=True)
if mode == "exit3":
    print("cannot go on", file=sys.stderr)
    sys.exit(3)
if mode == "signal":
    os.kill(os.getpid(), signal.SIGSEGV)
if mode == "hang":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(1000)
if mode == "chatter":
    line = b"x" * (1 << 20)
    for _ in range(1100):
        os.write(1, line)
if mode == "messages":
    os.write(2, b"x" * (1 << 25))
random.seed(int(settings["seed"]))
size, step = 12, 1 / 20
state = [8 + math.fmod(0.37 * i * i, 1) for i in range(size)]
state = [value * (1 + amplitude * (2 * random.random() - 1)) for value in state]
if settings.get("start"):
    data = pathlib.Path(settings["start"]).read_bytes()
    state = list(struct.unpack(f">{size}d", data[-8 * size:]))


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def slope(x):
    if mode == "reordered":
        return [forcing + (x[(i + 1) % size] * x[i - 1] - x[i - 2] * x[i - 1] - x[i]) for i in range(size)]
    return [(x[(i + 1) % size] - x[i - 2]) * x[i - 1] - x[i] + forcing for i in range(size)]


def add(x, factor, k):
    return [a + factor * b for a, b in zip(x, k)]


times, records = [], []
for number in range(round(end / step) + 1):
    if number % 10 == 0:
        times.append(number * step)
        records += state
    k1 = slope(state)
    k2 = slope(add(state, step / 2, k1))
    k3 = slope(add(state, step / 2, k2))
    k4 = slope(add(state, step, k3))
    state = [x + step / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
    if mode == "single":
        state = [single(value) for value in state]
wrong_values = {"nan": math.nan, "infinity": math.inf, "beyond": 1e4}
if mode in wrong_values:
    records[-3] = wrong_values[mode]
if mode == "times":
    times = [time + 0.25 for time in times[:-1]] + [times[-1] + 0.5]
if mode in ("summed_times", "late"):  # by 5e-4 of the interval between outputs, and by a hundredth of it
    times = [time + {"summed_times": 5e-4, "late": 1e-2}[mode] * 10 * step * number / len(times) for number, time in enumerate(times)]
if mode == "another_start":
    times = [time + 0.1 for time in times]
if mode == "shorter":
    times, records = times[:-1], records[:-size]
axes = {"time": len(times), "x": size}
if mode == "shape":
    axes["x"], records = 6, records[::2]
variables = {"time": (("time",), times, {"units": "seconds since 2000-01-01 00:00:00"}),
             "X": (("time", "x"), records, {"units": "m s-1", "long_name": "wind"})}
if mode == "name":
    variables["Y"] = variables.pop("X")
if mode == "nothing":
    print("ended well")
    sys.exit()
write_netcdf("state.nc", axes, variables)
if mode == "once":
    write_netcdf("once.nc", {"time": 1, "x": size}, {"time": (("time",), times[:1], {"units": "seconds since 2000-01-01 00:00:00"}),
                                                     "Y": (("time", "x"), state, {"units": "1"})})
if mode == "half":
    os.truncate("state.nc", os.path.getsize("state.nc") // 2)
if mode == "garbage":
    pathlib.Path("state.nc").write_text("no NetCDF file")
if mode != "unfinished":
    pathlib.Path("finished").touch()
if mode == "complaint":
    print("WARNING: CFL exceeded", file=sys.stderr)
if mode != "silent":
    print("ended well")
"""
SETTINGS = "end={end_s}\nseed={seed}\namplitude={amplitude}\nforcing={forcing}\nmode={mode}\n"
# Rounding errors have grown a hundred thousand times at its end, and are yet far below the noise of members.
CASE = """core = "program"
name = "wind"
time.end = "6 s"
[program]
fill = ["settings.txt"]
output = ["state.nc"]
success = ["ended well"]
success_files = ["finished"]
failure = ["CFL exceeded"]
limits.X = [-50, 50]
timeout = "60 s"
values.forcing = 8
values.mode = "plain"
noise.kind = "fill"
[program.variants]
plain = "wind"
"""


def modes(*names):
    """Lines of variants of the model, each called as its mode."""
    return "".join(f"{name}.program = \"wind\"\n{name}.values.mode = \"{name}\"\n" for name in names)


def write_script(path, text):
    """A program in Python, which can write NetCDF files."""
    writing = "\n".join(inspect.getsource(function) for function in
                        (support._padded, support._name, support._attributes, support.write_netcdf))  # pylint: disable=protected-access
    path.write_text(f"#!{sys.executable} -SE\nimport pathlib\nimport struct\n{writing}\n{text}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class ProgramTest(CommandTest):
    """A folder `model` with the program, its settings and a case."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        self.model.mkdir()
        write_script(self.model / "wind", MODEL)
        (self.model / "settings.txt").write_text(SETTINGS, encoding="utf-8")
        self.case()

    def case(self, variants="", text=CASE, name="case.toml"):
        path = self.model / name
        path.write_text(text + variants, encoding="utf-8")
        return path

    def study(self, *words, code=0, **options):
        """The results of a study without members, but for those of `words`."""
        self.assert_done("ensemble", self.model / "case.toml", "-o", "study", "--quiet", *words, code=code, **options)
        return self.results()

    def results(self, study="study"):
        return support.json.loads((self.folder / study / "results.json").read_text(encoding="utf-8"))

    def answers(self, results):
        return {verdict["configuration"]: verdict["answer"] for verdict in results["verdicts"]}

    def record(self, path):
        return support.json.loads((self.folder / path / "run.json").read_text(encoding="utf-8"))

    @staticmethod
    def bits(folder):
        """Content of all files below a folder by path."""
        return {path.relative_to(folder): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


ENVIRONMENT = dict(os.environ, ULPINE_PYTHON="/bin/true")
