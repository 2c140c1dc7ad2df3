# SPDX-License-Identifier: Apache-2.0
"""Soundings in their three text formats, for finite differences."""
import math

from absurd.trial import SOURCE, Trial, set_words

SETS = set_words(grid__nx=6, grid__ny=6, grid__nz=8, grid__dz="1000.0", sponge__from="7000.0", output__interval='"1 h"')
PRESSURES = list(range(100000, 9999, -5000))


def levels():
    """Pressure (Pa), theta (K), relative humidity, u, v: stable air, from the ground up."""
    return [[p, 300 + 0.001 * (100000 - p) + (0.002 * (30000 - p) if p < 30000 else 0), 0.5, 5 + (100000 - p) / 10000, 2.0] for p in PRESSURES]


def text_of(value, r):
    """A number in one of the ways of Fortran and others."""
    if isinstance(value, str):
        return value
    plain = f"{value:.10g}"
    if r is None or not math.isfinite(value):
        return plain
    form = r.choice(("plain", "plus", "d", "point", "wide", "e"))
    if form == "plus" and value >= 0:
        return "+" + plain
    if form == "d":
        return f"{value:.9e}".replace("e", r.choice("dD"))
    if form == "e":
        return f"{value:.9E}"
    if form == "point" and plain.startswith("0."):
        return plain[1:]
    if form == "point" and "." not in plain and "e" not in plain:
        return plain + "."
    return " " * r.randrange(3) + plain if form == "wide" else plain


class Text:
    """How the lines are written."""

    def __init__(self):
        self.end, self.numbers, self.comments, self.twice, self.tabs, self.first = "\n", None, [], -1, False, ""

    def alter(self, r):
        kind = r.choice(("numbers", "ends", "comment", "twice", "tabs", "blank_end", "nothing"))
        if kind == "numbers":
            self.numbers = r
        elif kind == "ends":
            self.end = r.choice(("\r\n", "\r", " \n"))
        elif kind == "comment":
            self.comments = [r.choice(("# a comment", "! another", "#", "!!"))]
        elif kind == "twice":
            self.twice = r.randrange(3, 9)
        elif kind == "tabs":
            self.tabs = True
        return kind

    def write(self, path, head, rows):
        lines = ["  ".join(text_of(value, self.numbers) for value in row) for row in rows]
        if self.twice >= 0 and self.twice < len(lines):
            lines.insert(self.twice, lines[self.twice])
        if self.tabs:
            lines = ["\t".join(line.split()) for line in lines]
        path.write_bytes((self.end.join(head + lines + self.comments) + self.end).encode())


SND_SAME = ("up", "text", "names", "zero_ground", "case", "kind_text")
SND_ABSURD = ("celsius", "count_small", "count_large", "hpa", "per_cent", "kelvin_of_t", "fill", "order", "twice_other", "negative_q", "humid", "wind", "columns_swapped", "missing_column",
              "short", "height_of_ground", "nan", "count_text", "names_none", "words", "g_per_kg", "feet", "flat", "few", "one_pressure", "unit_wind")


def snd(r, folder):
    rows, expected, what = levels()[::-1], "same", []
    names = ["pressure", "potential temperature", "relative humidity", "uv"]
    ground, count, text, labels = [0, 100000], None, Text(), "labels"
    if r:
        for kind in r.sample(SND_SAME, r.choice((1, 1, 2))):
            what.append(kind)
            if kind == "up":
                rows = rows[::-1]
            elif kind == "text":
                what[-1] = "text-" + text.alter(r)
            elif kind == "names":
                names = ["press", "pot", "relative", "uv"] if r.random() < 0.5 else ["pressure (Pa)", "potential temp", "relative hum", "uv"]
            elif kind == "zero_ground":
                ground = [r.choice((0, 0.0, "0.0", "0.")), r.choice((100000, "1.0e5", "1d5"))]
            elif kind == "case":
                names = [name.upper() if r.random() < 0.5 else name.capitalize() for name in names]
            else:
                labels = r.choice(("", "'zsnd' 'thsnd'", "1 2 3 4 5", "# none"))
        if r.random() < 0.6:
            kind = r.choice(SND_ABSURD)
            what.append(kind)
            expected = "refused"
            some = r.randrange(len(rows))
            if kind == "celsius":
                rows = [[p, t - 273.15, *rest] for p, t, *rest in rows]
            elif kind == "count_small":
                count = len(rows) - r.choice((1, 2, 3, 10))
            elif kind == "count_large":
                count = len(rows) + r.choice((1, 3, 1000))
            elif kind == "hpa":
                rows = [[p * r.choice((0.01,)), *rest] for p, *rest in rows]
                ground = [0, r.choice((1000, 100000))]
            elif kind == "per_cent":
                rows = [[p, t, h * 100, *rest] for p, t, h, *rest in rows]
            elif kind == "kelvin_of_t":
                rows = [[p, t * (p / 1e5) ** 0.286, *rest] for p, t, *rest in rows]
            elif kind == "fill":
                column = r.randrange(5)
                rows[some][column] = r.choice((-999, -9999, -99.9, 1e30, 99999, 9999, -1e30, 1e20, 999))
                expected = "sense" if abs(rows[some][column]) == 999 and column > 2 else "refused"
            elif kind == "order":
                other = (some + 5) % len(rows)
                rows[some], rows[other] = rows[other], rows[some]
            elif kind == "twice_other":
                rows.insert(some, [rows[some][0], rows[some][1] + r.choice((-20, 20, 0.5)), *rows[some][2:]])
            elif kind == "negative_q":
                rows[some][2] = r.choice((-0.5, -1, -1e-3, -100))
            elif kind == "humid":
                rows[some][2] = r.choice((1.6, 5, 50, 1e6))
            elif kind == "wind":
                rows[some][r.choice((3, 4))] = r.choice((400, -600, 1e4, 1e300))
            elif kind == "columns_swapped":
                names = ["pressure", "relative humidity", "potential temperature", "uv"]
            elif kind == "missing_column":
                names = r.choice((["pressure", "potential temperature", "uv"], ["pressure"] * 4, ["pressure", "uv", "uv", "uv"]))
            elif kind == "short":
                rows[some] = rows[some][:r.choice((1, 2, 3, 4))]
            elif kind == "height_of_ground":
                ground = [r.choice((1e6, -5000, math.nan, math.inf, 1e300)), 100000]
            elif kind == "nan":
                rows[some][r.randrange(5)] = r.choice((math.nan, math.inf, -math.inf))
            elif kind == "count_text":
                count = r.choice(("", "many", "1.5e1", "-19", "0", "1", "19 20", "4294967315", "18446744073709551635", "19.5", "1e30"))
            elif kind == "names_none":
                names = r.choice((["pressure", "temperature in F", "relative humidity", "uv"], ["altitude", "potential temperature", "relative humidity", "uv"], ["pressure", "theta_e", "relative humidity", "uv"],
                                  ["pressure", "potential temperature", "cloud water", "uv"]))
            elif kind == "words":
                rows[some][r.randrange(5)] = r.choice(("x", "1,5", "--", "***", "0x10", "1e", "'5'"))
            elif kind == "g_per_kg":
                names[2], rows = "mixing ratio", [[p, t, r.choice((14.0, 8.0)) * p / 1e5, *rest] for p, t, h, *rest in rows]
            elif kind == "feet":
                names[0], rows, ground = "height", [[(1 - i / 19) * 60000, t, h * 0.2, *rest] for i, (p, t, h, *rest) in enumerate(rows)], [0, 100000]
                rows[-1][0], expected = 0, "sense"
            elif kind == "flat":
                rows = [[p, 300.0 if r else t, *rest] for p, t, *rest in rows]
                expected = "sense"
            elif kind == "few":
                rows = rows[-2:]
            elif kind == "one_pressure":
                rows = [[100000.0, *rest] for p, *rest in rows]
            else:
                names[3], expected = r.choice(("direction", "knots")), "sense"
    head = ["a", "b", "c", "d", "e", " ".join(f"'{name}'" for name in names), f"{ground[0]} {ground[1]}", str(len(rows) if count is None else count), " " + labels]
    text.write(folder / "air.snd", head, rows)
    return "air.snd", expected, "snd:" + "+".join(what)


ABSURD = ("celsius", "kg_per_kg", "km", "pa", "fill", "order", "twice_other", "negative_q", "humid", "wind", "short", "long", "nan", "feet", "temperature", "few", "words", "ground", "unstable", "low", "dense")


def input_sounding(r, folder):
    rows = [[500.0 * k, 300 + 2.0 * k, max(14 - 1.4 * k, 0.0), 5 + 0.5 * k, 2.0] for k in range(1, 40)]
    first, expected, what, text = [1000.0, 300.0, 14.0], "same", [], Text()
    if r:
        what.append("text-" + text.alter(r))
        if r.random() < 0.6:
            kind = r.choice(ABSURD)
            what.append(kind)
            expected, some = "refused", r.randrange(len(rows))
            if kind == "celsius":
                rows, first[1] = [[z, t - 273.15, *rest] for z, t, *rest in rows], 26.85
            elif kind == "kg_per_kg":
                rows, first[2] = [[z, t, q / 1000, *rest] for z, t, q, *rest in rows], 0.014
            elif kind == "km":
                rows = [[z / 1000, *rest] for z, *rest in rows]
            elif kind == "pa":
                first[0] = r.choice((100000.0, 100.0, 1.0, 0.0, -1000.0, 29.92, 750.06, 1e30))
            elif kind == "fill":
                rows[some][r.choice((0, 1, 2))] = r.choice((-999.0, -9999.0, 1e30, 99999.0, -99.0))
            elif kind == "order":
                other = (some + 7) % len(rows)
                rows[some], rows[other] = rows[other], rows[some]
            elif kind == "twice_other":
                rows.insert(some, [rows[some][0], rows[some][1] + 5, *rows[some][2:]])
            elif kind == "negative_q":
                rows[some][2] = r.choice((-0.1, -5, -1e-9))
                expected = "sense" if rows[some][2] == -1e-9 else "refused"
            elif kind == "humid":
                rows[some][2] = r.choice((70.0, 500.0, 1e5))
            elif kind == "wind":
                rows[some][r.choice((3, 4))] = r.choice((400.0, -999.0, -9999.0, 1e30, 1000.0))
            elif kind == "short":
                rows[some] = rows[some][:r.choice((1, 2, 3, 4))]
            elif kind == "long":
                rows[some] = rows[some] + [1.0] * r.choice((1, 3))
            elif kind == "nan":
                rows[some][r.randrange(5)] = r.choice((math.nan, math.inf, -math.inf))
            elif kind == "feet":
                rows, expected = [[z / 0.3048, *rest] for z, *rest in rows], "sense"
            elif kind == "temperature":
                rows = [[z, 300 - 6.5e-3 * min(z, 11000), q * 0.3, *rest] for z, t, q, *rest in rows]
            elif kind == "few":
                rows = rows[:r.choice((0, 1, 2, 5))]
            elif kind == "words":
                rows[some][r.randrange(5)] = r.choice(("x", "1,5", "--", "***", "M"))
            elif kind == "ground":
                first[r.choice((1, 2))] = r.choice((-999.0, 1e30, 0.0, 5000.0, -5.0))
                expected = "sense" if first[2] == 0.0 else "refused"
            elif kind == "unstable":
                rows[some][1] = rows[some][1] - r.choice((50, 150, 290))
            elif kind == "low":
                rows = [[z - r.choice((1000, 5000)), *rest] for z, *rest in rows]
            else:
                rows, expected = [[z * 1e-3 + 500 * (k > 37) * 100, *rest] for k, (z, *rest) in enumerate(rows)], "sense"
    text.write(folder / "air.txt", [], [first, *rows])
    return "air.txt", expected, "input:" + "+".join(what)


UNITS = ("  hPa    m     C      C       deg   knot", "PRES   HGHT   TEMP   DWPT   DRCT   SKNT")
TABLE_ABSURD = ("kelvin", "fahrenheit", "pa", "dew", "fill", "direction", "speed", "order", "height_off", "units_row", "columns", "missing_all", "feet", "nan", "two", "words", "negative", "m_s")


def table(r, folder):
    rows, z, before = [], 0.0, None
    for p in range(1000, 90, -50):
        t = max(26.0 - 0.07 * (1000 - p), -55.0)
        if before:
            z += 287.0 / 9.8 * (t + before[1] + 546.3) / 2 * math.log(before[0] / p)
        rows.append([float(p), float(round(z)), t, t - 6.0, 180.0 + (1000 - p) / 10, 10.0 + (1000 - p) / 20])
        before = (p, t)
    names, units, expected, what, end = UNITS[1], UNITS[0], "same", [], "\n"
    extra = []
    if r:
        kind = r.choice(("ends", "down", "comment", "plain", "columns_more", "title"))
        what.append(kind)
        if kind == "ends":
            end = r.choice(("\r\n", "\r"))
        elif kind == "down":
            rows = rows[::-1]
        elif kind == "comment":
            extra = ["# made by hand"]
        elif kind == "title":
            extra = ["12345 NOWHERE Observations at 00Z 01 Jan 2010"]
        if r.random() < 0.65:
            kind = r.choice(TABLE_ABSURD)
            what.append(kind)
            expected, some = "refused", r.randrange(len(rows))
            if kind == "kelvin":
                rows = [[*row[:2], row[2] + 273.15, row[3] + 273.15, *row[4:]] for row in rows]
            elif kind == "fahrenheit":
                rows = [[*row[:2], row[2] * 1.8 + 32, row[3] * 1.8 + 32, *row[4:]] for row in rows]
            elif kind == "pa":
                rows = [[row[0] * r.choice((100,)), *row[1:]] for row in rows]
            elif kind == "dew":
                rows[some][3] = rows[some][2] + r.choice((0.5, 5, 100))
            elif kind == "fill":
                rows[some][r.randrange(6)] = r.choice((9999.0, 99999.0, 1e30, -32768.0, 999.9))
            elif kind == "direction":
                rows[some][4] = r.choice((400.0, 720.0, -90.0, 1e6))
            elif kind == "speed":
                rows[some][5] = r.choice((-10.0, 2000.0, 1e9))
            elif kind == "order":
                other = (some + 5) % len(rows)
                rows[some], rows[other] = rows[other], rows[some]
            elif kind == "height_off":
                rows[some][1] += r.choice((3000.0, -3000.0, 1e6))
            elif kind == "units_row":
                units = units.replace(*r.choice((("hPa", "kPa"), ("hPa", "psi"), (" C ", " K "), (" m ", " ft"), ("knot", "m/s "), ("deg", "rad"), ("knot", "furl"), ("  C", "  F"))))
            elif kind == "columns":
                names = names.replace(*r.choice((("PRES", "PRSS"), ("HGHT", "HEIG"), ("TEMP   DWPT", "DWPT   TEMP"), ("SKNT", "TEMP"), ("DRCT   SKNT", "SKNT   DRCT"), ("TEMP", "THTA"))))
                expected = "sense" if "HEIG" in names else "refused"
            elif kind == "missing_all":
                column = r.choice((0, 2, 3))
                rows = [[*row[:column], -9999.0, *row[column + 1:]] for row in rows]
                expected = "sense" if column == 3 else "refused"
            elif kind == "feet":
                rows = [[row[0], row[1] / 0.3048, *row[2:]] for row in rows]
            elif kind == "nan":
                rows[some][r.randrange(6)] = r.choice((math.nan, math.inf, -math.inf))
            elif kind == "two":
                extra = [*extra, "-" * 42, names, units, "-" * 42] + ["".join(f"{value:9.1f}" for value in row) for row in rows]
            elif kind == "words":
                rows[some][r.randrange(6)] = r.choice(("x", "1,5", "M", "***"))
                expected = "sense"
            elif kind == "negative":
                rows[some][0] = r.choice((-500.0, 0.0, 1e-300))
            else:
                names, units, expected = names.replace("SKNT", "SPED"), units.replace("knot", " m/s"), "sense"
    write = lambda value: f"{value:>9}" if isinstance(value, str) else f"{value:9.1f}"  # noqa: E731
    line = "-" * 42
    lines = [*extra, line, "".join(f"{word:>9}" for word in names.split()), "".join(f"{word:>9}" for word in units.split()), line, *["".join(write(value) for value in row) for row in rows]]
    (folder / "air.tbl").write_bytes((end.join(lines) + end).encode())
    return "air.tbl", expected, "table:" + "+".join(what)


FORMS = {"snd": snd, "txt": input_sounding, "tbl": table}


def make(random, folder):
    for name, case in (("storm.toml", "sounding_storm.toml"), ("supercell.toml", "supercell.toml")):
        (folder / name).write_text((SOURCE / "cases/fdm" / case).read_text())
    words = lambda name: ["run", "storm.toml", "-o", "out", "--steps", "1", "--quiet", *SETS, "--set", f'base.file="{name}"']  # noqa: E731
    if random is None:
        for form in FORMS.values():
            form(None, folder)
        return None
    name, expected, what = random.choice(list(FORMS.values()))(random, folder)
    return Trial(words(name), expected, what, words(name), says=("air.", "base.file"))
