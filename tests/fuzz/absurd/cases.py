# SPDX-License-Identifier: Apache-2.0
"""Cases of the four cores: a key or three with a value that a user may type, mean otherwise or invent."""
import tomllib

from absurd.trial import SOURCE, Trial, call, set_words

SMALL = {
    "seaice": ("seaice/cyclone_quick.toml", {"grid.nx": 8, "grid.ny": 8, "time.substeps": 4, "output.interval": "120 s"}),
    "les": ("les/convective.toml", {"grid.nx": 8, "grid.ny": 8, "grid.nz": 12, "output.interval": "20 s"}),
    "fdm": ("fdm/supercell_quick.toml", {"grid.nx": 8, "grid.ny": 8, "grid.nz": 10, "output.interval": "12 s"}),
    "fem": ("fem/bubble_quick.toml", {"mesh.nx": 4, "mesh.ny": 4, "mesh.nz": 4, "output.interval": "4 s"}),
}
# Keys that a resolved case leaves out where they are not given.
OPTIONAL = {
    "seaice": ["forcing.wind_u", "forcing.wind_v", "forcing.ocean_u", "initial.height", "initial.concentration", "initial.file", "grid.mesh", "grid.west", "grid.rotation_z", "forcing.wind_file", "lkf.rules"],
    "les": ["time.step", "grid.stretch_factor", "grid.stretch_from", "grid.thickest", "force.mean_u", "air.latitude", "ground.theta", "ground.humidity", "buildings.kind", "profile.humidity.kg_per_kg", "profile.wind.u",
            "start.seed", "buildings.file", "force.acceleration_x", "start.disturbance", "pressure.buildings"],
    "fdm": ["base.file", "mountain.height", "grid.dy", "base.theta0", "air.coriolis", "output.surface", "grid.stretch_factor", "start.noise", "rain.threshold"],
    "fem": ["mesh.file", "mesh.refinement", "mesh.seed", "start.file", "boundary.open", "air.humid", "air.humidity", "upwind.scheme", "mesh.stretch", "mesh.grading", "mesh.unit", "time.iterations", "solver.petsc"],
}
# Numbers of cells: sizes that take minutes and mean what they say are none of this.
SIZES = ("0", "-1", "1", "2", "3", "5", "8.5", "8.0", "-8", "16385", "65536", "2147483648", "4294967304", "9223372036854775807", "1e300", "nan", "true", '"8"', "[8]")
# Keys that say the same as others, of the small cases: (keys, keys of the plain form, beginnings of keys that neither has).
EQUAL = {
    "seaice": [({"forcing.wind": '"uniform"'}, {"forcing.wind": '"calm"'}, "forcing.cyclone"), ({"forcing.ocean": '"uniform"'}, {"forcing.ocean": '"still"'}, "forcing.ocean_speed"), ({"grid.length": "512e3", "grid.length_y": "512e3"}, {}),
               ({"forcing.cyclone_angle": "72.0", "seaice.coriolis": "1.46e-4"}, {}), ({"grid.refinement": "1", "seaice.assembly": '"gather"'}, {}), ({"evaluate.lkf.use": "true"}, {})],
    "les": [({"grid.nx": "4", "grid.ny": "4", "grid.nz": "6", "grid.refinement": "2", "grid.dx": "320.0", "grid.dy": "320.0", "grid.dz": "100.0"}, {}), ({"start.disturbance": "0.0", "start.disturb_until": '"1 h"'}, {}),
            ({"grid.stretch_factor": "1.1", "grid.stretch_from": "1e5"}, {}), ({"closure.kind": '"constant"', "closure.viscosity": "0.0"}, {"closure.kind": '"none"'}), ({"ranks.overlap": "false"}, {}),
            ({"profile.wind.heights": "[0.0, 100.0]", "profile.wind.u": "[0.0]", "profile.wind.v": "[0.0, 0.0]"}, {}), ({"force.acceleration_x": "0.0"}, {}), ({"sponge.rate": "0.0"}, {"sponge.from": "1e6"})],
    "fdm": [({"ranks.overlap": "false"}, {}), ({"grid.dy": "2000.0"}, {}), ({"sound.longest_step": '"3.999 s"'}, {}), ({"sponge.rate": "0.0"}, {"sponge.from": "1e6"})],
    "fem": [({"mesh.nx": "2", "mesh.ny": "2", "mesh.nz": "2", "mesh.refinement": "2"}, {}), ({"start.amplitude": "0.0"}, {"start.amplitude": "-0.0"}), ({"mountain.height": "0.0"}, {"mountain.height": "0.0", "mountain.radius": "500.0"}),
            ({"boundary.fixed": '["outflow", "inflow"]'}, {}), ({"boundary.fixed": '["inflow", "outflow", "inflow"]'}, {})],
}
NUMBERS = ("0", "-0.0", "1", "-1", "2", "3", "7", "1e-3", "0.1", "0.5", "0.99", "1.01", "10", "100", "1000", "1e5", "1e6", "1e9", "1e12", "1e18", "1e30", "1e100", "1e300", "1.7e308", "1e-9", "1e-30", "1e-300", "5e-324",
           "1e400", "inf", "-inf", "nan", "-5", "-1e3", "-1e30", "255", "256", "4096", "16384", "16385", "65536", "16777216", "16777217", "2147483647", "2147483648", "4294967295", "4294967296", "4294967304",
           "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "0x10", "0o17", "0b1", "1_000", "1.", ".5", "+3", "1d5", "1,5", "true", "false")
TEXTS = ("", " ", "0 s", "1 s", "-1 s", "1e-9 s", "1e-300 s", "0.1 s", "1 min", "1 h", "1000 d", "1e7 d", "1e300 d", "1e308 d", "nan s", "inf s", "1 parsec", "1s", "1 S", " 1 s ", "1 s 1 s", "120", "1e5 s", "7 s", "0.3 s", "1 month",
         "none", "None", "auto", "true", "file", "uniform", "constant", "exact", "\\u0000", "\\n", "é", "x" * 400, "../../etc", "/dev/zero", "/dev/full", ".", "~", "$HOME", "${x}", "%s", "<b>", "2^-10", "2^60", "1 sd", "-1 sd")
OTHERS = ("[]", "[1]", "[[1]]", "{}", "{ a = 1 }", "1979-05-27", "07:32:00", "[1, 2, 3]", '["a"]', "[nan, 1, 2]", "[1e300, 1e300, 1e300]", "[0.0, 0.0, 0.0]", "[0, -1]")
TIME = {"s": 1, "min": 60, "h": 3600, "d": 86400}
RESOLVED = {}


def flat(table, before=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else repr(value)


def resolved(core, program, folder):
    """All keys of the core's small case, defaults included, as the program itself writes them."""
    if core not in RESOLVED:
        case, small = SMALL[core]
        words = ["run", SOURCE / "cases" / case, "-o", "keys", "--steps", "1", "--quiet", "--checkpoints", "2"]
        done = call(program, words + set_words(**{key: toml(value) for key, value in small.items()}), folder)
        if done.code:
            raise RuntimeError(done.errors)
        RESOLVED[core] = dict(flat(tomllib.loads((folder / "keys/checkpoints/case.toml").read_text())))
    return dict(RESOLVED[core])


def other_spelling(value, r):
    """The same value as another text of TOML, or nothing."""
    if isinstance(value, bool) or isinstance(value, list):
        return None
    if isinstance(value, int):
        return r.choice((f"+{value}", hex(value), bin(value), f"0o{value:o}")) if value >= 0 else None
    if isinstance(value, float):
        return r.choice((f"{value:.17e}", f"+{value!r}" if value >= 0 else repr(value), repr(value)))
    number, _, unit = value.partition(" ")
    if unit in TIME:
        seconds = float(number) * TIME[unit]
        return r.choice((f'"{seconds:g} s"', f'"{seconds!r} s"', f'"{seconds:e} s"', f'"{seconds / 60!r} min"' if seconds % 60 == 0 else f'"{seconds!r} s"'))
    return "'" + value + "'" if "'" not in value else None


def text_of(keys, r):
    """A case file of these keys in one of the forms that TOML has."""
    order = list(keys)
    if r:
        r.shuffle(order)
    form = r.choice(("dotted", "tables", "inline", "crlf", "bom", "comments")) if r else "dotted"
    if form == "tables":
        rooms = {}
        for key in order:
            rooms.setdefault(key.rpartition(".")[0], []).append(key.rpartition(".")[2] + " = " + keys[key])
        names = sorted(rooms, key=lambda name: (name != "", r.random()))
        return "".join((f"[{name}]\n" if name else "") + "\n".join(rooms[name]) + "\n" for name in names)
    lines = [f"{key} = {keys[key]}" for key in order]
    if form == "comments":
        lines = [line + "  # a comment" for line in lines]
    end = "\r\n" if form == "crlf" else "\n"
    return ("\ufeff" if form == "bom" else "") + end.join(lines) + end


def hostile_value(key, value, r):
    if key.rpartition(".")[2] in ("nx", "ny", "nz", "refinement"):
        return r.choice(SIZES)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        pick = r.random()
        if pick < 0.3:
            factor = r.choice((0.5, 2, 10, 0.1, 1000, 1e-3, -1, 3600, 273.15, 180))
            return repr(type(value)(value * factor) if isinstance(value, float) or float(value * factor).is_integer() else value * factor)
        return r.choice(NUMBERS) if pick < 0.9 else r.choice((toml(r.choice(TEXTS).replace("\\", "")), r.choice(OTHERS)))
    if isinstance(value, str):
        pick = r.random()
        if pick < 0.3 and value.partition(" ")[2] in TIME:
            return '"' + r.choice(NUMBERS) + " " + r.choice(tuple(TIME)) + '"'
        return '"' + r.choice(TEXTS) + '"' if pick < 0.85 else r.choice(NUMBERS + OTHERS)
    if isinstance(value, list):
        return r.choice(OTHERS) if r.random() < 0.4 or not value else toml(value[:-1]) if r.random() < 0.3 else "[" + ", ".join(r.choice(NUMBERS) if r.random() < 0.5 else toml(one) for one in value) + "]"
    return r.choice(("0", "1", '"true"', "true", "false", "[]", "2", '""'))


def maker(core):
    def make(random, folder, program):
        keys = {key: toml(value) for key, value in resolved(core, program, folder).items()}
        names = [key for key in keys if not key.startswith(("verify.", "evaluate.", "figure.", "core", "description"))]
        words = ["run", "case.toml", "-o", "out", "--steps", "1", "--quiet"]
        (folder / "plain.toml").write_text(text_of(keys, None))
        plain = ["run", "plain.toml", *words[2:]]
        if random is None:
            return None
        r, expected, what, sets, plain_files = random, "same", [], [], {}
        values = resolved(core, program, folder)
        if r.random() < 0.15:
            for key in r.sample(names, r.choice((1, 3, len(names)))):
                spelling = other_spelling(values[key], r)
                if spelling:
                    keys[key] = spelling
            what.append("spelling")
        elif r.random() < 0.1:
            one, other, *without = r.choice(EQUAL[core])
            keys = {key: value for key, value in keys.items() if not key.startswith(tuple(without))}
            plain_files = {"plain.toml": text_of({**keys, **other}, None)}
            keys |= one
            expected = "near"
            what.append(" ".join(f"{key}={value}" for key, value in one.items()))
        else:
            expected = "sense"
            for key in r.sample(names + OPTIONAL[core], r.choice((1, 1, 1, 2, 3))):
                value = hostile_value(key, values.get(key, r.choice((1.0, 1, "x"))), r)
                what.append(f"{key}={value[:40]}")
                if r.random() < 0.3:
                    sets += ["--set", f"{key}={value}"]
                else:
                    keys[key] = value
            if r.random() < 0.1:
                words = [word for word in words if word not in ("--steps", "1")] + ["--until", r.choice(("1 min", "0 s", "-1 s", "1e-9 s", "1e300 d", "2 min", "x", "", "60"))]
            elif r.random() < 0.15:
                words += r.choice((["--policy", r.choice(("fp32", "mixed", "bf16", "fp16", "tf32", "e5m2", "e2m1", "e11m52", "fp8", "e99m1", "quad", ""))], ["--trap"], ["--threads", r.choice(("1", "0", "-1", "4097", "2", "1e3"))],
                                   ["--checkpoints", r.choice(("2", "0", "1", "4097", "-1", "2.5"))], ["--trace"], ["--steps", r.choice(("0", "-1", "2", "1e2", "9223372036854775808", "1.5"))]))
        (folder / "case.toml").write_text(text_of(keys, r), encoding="utf-8")
        keys_said = tuple(one.partition("=")[0].rpartition(".")[2] for one in what) + ("case.toml", "--", "policy")
        return Trial(words + sets, expected, " ".join(what), plain, says=keys_said if expected == "sense" else (), owned=("out", "keys"), plain_files=plain_files)
    make.with_program = True
    return make
