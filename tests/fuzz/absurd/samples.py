# SPDX-License-Identifier: Apache-2.0
"""Files of other models for `digits --samples-from` and `consistency`: samples and members that do not belong together."""
import json
import os
import shutil

import numpy as np
from netCDF4 import Dataset

from absurd.trial import Trial

FIELDS = {"T": (280.0, "K", 0.5), "u": (5.0, "m s-1", 1.0)}


class File:
    """One run of another model: two fields at three times on 6 x 5 points."""

    def __init__(self, number, spread):
        random = np.random.default_rng(number)
        self.base = np.random.default_rng(999)
        self.values = {}
        for name, (mean, _, amplitude) in FIELDS.items():
            smooth = mean + amplitude * self.base.standard_normal((3, 6, 5))
            self.values[name] = np.float64(np.round(smooth * 2**20)) / 2**20 + spread * amplitude * np.round(random.standard_normal((3, 6, 5)) * 2**20) / 2**20
        self.times, self.lat, self.lon = np.arange(3.0), np.linspace(-50, 50, 6), np.linspace(0, 288, 5)
        self.units = {name: unit for name, (_, unit, _) in FIELDS.items()}
        self.unit_of_time, self.calendar = "hours since 2010-01-01", None
        self.axes, self.type, self.format, self.pack, self.fill, self.names = ["time", "lat", "lon"], "f8", "NETCDF4", {}, None, {}
        self.attributes = {name: {} for name in FIELDS}

    def write(self, path):
        with Dataset(path, "w", format=self.format) as file:
            sizes = {"time": self.times, "lat": self.lat, "lon": self.lon}
            of = {"time": {"units": self.unit_of_time, **({"calendar": self.calendar} if self.calendar else {})}, "lat": {"units": "degrees_north"}, "lon": {"units": "degrees_east"}}
            for axis in self.axes:
                file.createDimension(axis, len(sizes[axis]))
                variable = file.createVariable(axis, "f8", (axis,))
                variable.setncatts(of[axis])
                variable[:] = sizes[axis]
            for name, values in self.values.items():
                variable = file.createVariable(self.names.get(name, name), self.type, self.axes, fill_value=self.fill)
                variable.set_auto_maskandscale(False)
                variable.setncatts({**({"units": self.units[name]} if self.units[name] else {}), **self.attributes[name], **self.pack})
                stored = (values - self.pack.get("add_offset", 0.0)) / self.pack.get("scale_factor", 1.0) if self.pack else values
                variable[...] = np.transpose(stored, [("time", "lat", "lon").index(axis) for axis in self.axes])


# What makes one file no fellow of the others, or is only another form: (expected, name, alter(file, r)).
def _units(file, r):
    name = r.choice(list(FIELDS))
    file.units[name] = r.choice(("degC", "cm s-1", "Pa", "K s-1", "knots", "1", "%", "degF"))


def _values_in_other_units(file, r):
    file.values["T"], file.units["T"] = file.values["T"] - 273.15, "degC"


def _order(file, r):
    r.shuffle(file.axes)
    if file.axes == ["time", "lat", "lon"]:
        file.axes = ["lat", "time", "lon"]


def _north_first(file, r):
    file.lat = file.lat[::-1]
    if r.random() < 0.5:
        file.values = {name: values[:, ::-1] for name, values in file.values.items()}


def _elsewhere(file, r):
    axis = r.choice(("lat", "lon"))
    setattr(file, axis, getattr(file, axis) + r.choice((0.5, 5.0, 100.0)) if axis == "lon" else file.lat * r.choice((0.9, 0.5)))


def _another_grid(file, r):
    file.values = {name: values[..., :-1] for name, values in file.values.items()}
    file.lon = file.lon[:-1]


def _another_date(file, r):
    file.unit_of_time = r.choice(("hours since 2011-01-01", "days since 2010-01-01", "seconds since 2010-01-01", "hours since 2010-01-01 00:30:00"))


def _other_times(file, r):
    file.times = r.choice((file.times + 0.5, file.times[::-1].copy(), np.array([0.0, 0, 1]), file.times * np.nan, file.times * 1e30, np.array([0.0, np.inf, 1])))


def _calendar(file, r):
    file.calendar, file.times = r.choice(("360_day", "noleap", "julian")), file.times + 24 * 59


def _name(file, r):
    file.names = {"T": r.choice(("t", "TT", "temperature", "theta"))}


def _swapped(file, r):
    file.values["T"], file.values["u"] = file.values["u"], file.values["T"]


def _undeclared(file, r):
    file.values["T"][r.randrange(3), r.randrange(6), r.randrange(5)] = r.choice((1e30, 9.96921e36, np.nan, np.inf, -1e300, 1e20))


def _declared(file, r):
    file.fill = 1e20
    file.values["T"][:, r.randrange(6), r.randrange(5)] = 1e20


def _standard(file, r):
    file.attributes["T"] = {"standard_name": r.choice(("air_temperature", "sea_surface_temperature", "dew_point_temperature"))}


def _methods(file, r):
    file.attributes["T"] = {"cell_methods": r.choice(("time: mean", "time: point", "time: maximum"))}


def _type(file, r):
    file.type = r.choice(("f4", "i2", "i4"))


def _pack(file, r):
    file.type, file.pack = "i4", {"scale_factor": 2.0**-20, "add_offset": 0.0}


def _format(file, r):
    file.format = r.choice(("NETCDF3_CLASSIC", "NETCDF4_CLASSIC", "NETCDF3_64BIT_OFFSET"))


def _constant(file, r):
    file.values["T"] = np.full_like(file.values["T"], r.choice((0.0, 280.0, 1e300)))


MISFITS = (("refused", _units), ("refused", _values_in_other_units), ("sense", _order), ("refused", _north_first), ("refused", _elsewhere), ("refused", _another_grid), ("sense", _another_date), ("sense", _other_times),
           ("sense", _calendar), ("sense", _name), ("sense", _swapped), ("sense", _undeclared), ("sense", _declared), ("sense", _standard), ("sense", _methods), ("sense", _type), ("sense", _pack), ("same", _format), ("sense", _constant))


def write_runs(folder, count, spread, odd=None, r=None):
    """Runs r0.nc, r1.nc, ... of which one may be altered."""
    folder.mkdir(exist_ok=True)
    place = r.randrange(count) if odd else -1
    for number in range(count):
        file = File(number, spread)
        if number == place:
            odd(file, r)
        file.write(folder / f"r{number}.nc")
    return place


def digits_answer(folder):
    """Bits of every field at every time, of finite values alone."""
    found = json.loads((folder / "out/digits.json").read_text(), parse_constant=lambda word: 1 / 0)
    fields = found["fields"]
    of = fields.items() if isinstance(fields, dict) else ((field["name"], field) for field in fields)
    return {name: np.array([np.nan if bits is None else bits for bits in field["bits"]["significant"]["norm"]], dtype=float) for name, field in of}


def bits_make_sense(folder):
    for name, bits in digits_answer(folder).items():
        if (bits[np.isfinite(bits)] > 60).any() or (bits[np.isfinite(bits)] < -1100).any():
            return f"{name} has {bits} bits"
    return ""


DIGITS_WORDS = (["--mantissa", "0"], ["--mantissa", "-1"], ["--mantissa", "4096"], ["--probability", "1"], ["--probability", "0"], ["--probability", "nan"], ["--confidence", "1.5"], ["--confidence", "-0.5"],
                ["--scale", "T=0"], ["--scale", "T=-1"], ["--scale", "T=nan"], ["--scale", "T=inf"], ["--scale", "x=1"], ["--scale", "T"], ["--scale", "T=1", "--scale", "T=2"], ["--scale", "T=1e-320"],
                ["--variables", "x"], ["--variables", ""], ["--variables", "T,T"], ["--variables", "lat"], ["--samples", "3"], ["--seed", "2"], ["--arithmetic", "e8m23-sr"], ["--resume"], ["--jobs", "2"], ["--threads", "0"],
                ["--nearest", "runs/r0.nc"], ["--wider", "runs/r0.nc"], ["--wider", "runs"], ["--nearest", "none.nc"], ["--relative", "--scale", "T=1"], ["--until", "1 h"], ["--stages", "all"], ["--nearest", "runs/r0.nc", "--wider", "runs/r0.nc"])


def digits(random, folder):
    names = [f"runs/r{k}.nc" for k in range(5)]
    plain = ["digits", "--samples-from", *names, "-o", "out", "--quiet"]
    if random is None:
        write_runs(folder / "runs", 5, 1e-6)
        return None
    r, expected = random, "same"
    kind = r.choice(("order", "twice", "misfit", "misfit", "misfit", "words", "words", "link", "place", "all_alter", "other"))
    what, extra, odd = kind, [], None
    if kind == "misfit":
        expected, odd = r.choice(MISFITS)
        what = "misfit" + odd.__name__
        expected = "near" if expected == "same" else expected
    write_runs(folder / "runs", 5, 1e-6, odd, r)
    if kind == "order":
        r.shuffle(names)
        expected = "near"
    elif kind in ("twice", "link"):
        name = r.choice(names)
        if kind == "twice":
            names.append(r.choice((name, "./" + name, "runs/../" + name, str(folder / name))))
        else:
            (r.choice((os.symlink, os.link, shutil.copy)))(str(folder / name), str(folder / "runs/more.nc"))
            names.append("runs/more.nc")
        expected = "refused"
    elif kind == "words":
        extra, expected = r.choice(DIGITS_WORDS), "refused"
        what = " ".join(extra)
        if extra in (["--variables", "T,T"], ["--variables", "lat"], ["--nearest", "runs/r0.nc"], ["--wider", "runs/r0.nc"], ["--mantissa", "4096"], ["--scale", "T=1e-320"], ["--jobs", "2"], ["--variables", ""]):
            expected = "sense"
    elif kind == "place":
        names, expected = r.choice(((["runs"], "sense"), (names[:1], "refused"), ([], "refused"), (names[:2], "sense"), (["runs/*.nc"], "refused"), (["/dev/zero", *names], "refused"), (["notes.txt", *names], "refused"),
                                    ([*names, "none.nc"], "refused"), ([*names, ""], "refused")))
    elif kind == "all_alter":
        alter = r.choice((_order, _north_first, _format, _pack, _type))
        what += alter.__name__
        state = r.getstate()
        for number in range(5):
            r.setstate(state)
            file = File(number, 1e-6)
            alter(file, r)
            file.write(folder / "runs" / f"r{number}.nc")
        expected = "sense"
    elif kind == "other":
        r.choice((lambda: (folder / "out").mkdir(), lambda: (folder / "out").write_text("a file"), lambda: ((folder / "out").mkdir(), (folder / "out/digits.json").write_text("mine"))))()
        expected = "sense"
    words = ["digits", "--samples-from", *names, *extra, "-o", "out", "--quiet"]
    return Trial(words, expected, what, plain, answer=digits_answer, tolerance=1e-6, also=bits_make_sense)


CONSISTENCY_WORDS = (["--method", "x"], ["--method", ""], ["--method", "all,all"], ["--times", "first"], ["--weights", "T"], ["--weights", "x"], ["--weights", "none"], ["--weights", "ens/r0.nc:T"], ["--weights", "/dev/zero"],
                     ["--epsilon", "2^-7"], ["--parameter", "rate=0"], ["--parameter", "rate=1.5"], ["--parameter", "rate=nan"], ["--parameter", "pca.sigma=-1"], ["--parameter", "x.y=1"], ["--parameter", "twosample.test=x"],
                     ["--parameter", "rate=0.01", "--parameter", "rate=0.02"], ["--parameter", "fieldwise.points=0"], ["--parameter", "fieldwise.points=1e18"], ["--seed", "-1"], ["--seed", "1e3"], ["--variables", "x"],
                     ["--variables", "T,T"], ["--variables", ""], ["--truth", "ens"], ["--control", "new"], ["--unperturbed", "new/r0.nc"], ["--unperturbed", "ens"], ["--control", "ens"], ["--levels"],
                     ["--parameter", "twosample.margin=0"], ["--parameter", "twosample.margin=-1"], ["--parameter", "tolerance.factor=inf"], ["--write-summary", "ens/r1.nc"], ["--write-summary", "notes.txt"],
                     ["--write-summary", "new/r0.nc"], ["--write-summary", "ens"], ["--write-summary", "/dev/null"], ["--write-summary", "none/summary.nc"], ["--write-summary", "ens/summary.nc"])


def consistency_answer(folder):
    found = json.loads((folder / "out/consistency.json").read_text(), parse_constant=lambda word: 1 / 0)
    return [found["answer"], [[outcome["method"], outcome["answer"]] for outcome in found["outcomes"]]]


def consistency(random, folder):
    words = ["consistency", "--ensemble", "ens", "--test", "new", "-o", "out", "--quiet", "--method", "pca,tolerance,twosample"]
    if random is None:
        write_runs(folder / "ens", 9, 1e-2)
        shift = folder / "new"
        shift.mkdir()
        for number in range(3):
            File(100 + number, 1e-2).write(shift / f"r{number}.nc")
        return None
    r, expected, odd, extra = random, "same", None, []
    kind = what = r.choice(("misfit_member", "misfit_member", "misfit_test", "misfit_test", "words", "words", "words", "order", "same_files", "summary", "place", "far"))
    if kind.startswith("misfit"):
        expected, odd = r.choice(MISFITS)
        what = kind + odd.__name__
    write_runs(folder / "ens", 9, 1e-2, odd if kind == "misfit_member" else None, r)
    (folder / "new").mkdir()
    place = r.randrange(3) if kind == "misfit_test" else -1
    for number in range(3):
        file = File(100 + number, 1e-2)
        if number == place:
            odd(file, r)
        if kind == "far":
            file.values = {name: values + r.choice((3.0, 1e6, 1e300)) for name, values in file.values.items()}
        file.write(folder / "new" / f"r{number}.nc")
    owned = ("out",)
    if kind == "far":
        expected = "differs"
    elif kind == "words":
        extra, expected = r.choice(CONSISTENCY_WORDS), "sense"
        what = " ".join(extra)
        if extra == ["--write-summary", "ens/summary.nc"]:
            owned = ("out", "ens/summary.nc")
    elif kind == "order":
        names = [f"new/r{k}.nc" for k in range(3)]
        r.shuffle(names)
        words = [*words[:4], *names, *words[5:]]
    elif kind == "same_files":
        # New runs that are members, or stand twice, are no new runs.
        names = r.choice((["ens/r0.nc", "ens/r1.nc", "ens/r2.nc"], ["new/r0.nc"] * 3, ["new/r0.nc", "./new/r0.nc", "new/r1.nc"], ["ens"], ["new/r0.nc", "new/r1.nc", "ens/r4.nc"]))
        words, expected = [*words[:4], *names, *words[5:]], "refused"
    elif kind == "place":
        at, name = r.choice((2, 4)), r.choice(("none", "notes.txt", "/dev/zero", "", ".", "new/r0.nc", "/dev/null", "ens/r0.nc", "out"))
        words = [*words[:at], name, *words[at + 1:]]
        expected = "sense"
    before = []
    if kind == "summary":
        before = [["consistency", "--ensemble", "ens", "--write-summary", "s.nc", "--quiet"]]
        words = [*words[:2], "s.nc", *words[3:]]
    plain = ["consistency", "--ensemble", "ens", "--test", "new", "-o", "out", "--quiet", "--method", "pca,tolerance,twosample"]
    return Trial(words + extra, expected, what, plain, before=before, owned=owned, answer=consistency_answer, sensible=False)
