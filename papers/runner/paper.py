# SPDX-License-Identifier: Apache-2.0
"""What a paper's TOML file says: programs to run, how to read numbers from what they print, and the paper's tables and figures.

A file has tables `run.NAME` and a list `result`; docs/how-to/papers.md describes both. Numbers of the paper are in a CSV file beside it.
"""
import csv
import dataclasses
import pathlib
import re
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parents[1]
SOURCE = FOLDER.parent
NAMES = ("fluidity", "arps", "cfd-guide", "palm", "nextsim")
SIDES = ("kept_cpu", "ours_cpu", "kept_gpu", "ours_gpu")
OVER = " / "  # between two places in a row: the first number over the second
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class PaperError(Exception):
    """Something in a paper's files that is no description of a paper."""


@dataclasses.dataclass
class Run:
    """A call of a program: on the host (`device` cpu), on a GPU (cuda), or on both where there is a GPU (any). `gib` is the memory it takes, `seconds` the time on two cores.
    One that is made `without_gpu` alone is long, and has a counterpart on a GPU."""
    name: str
    program: str
    arguments: list
    device: str
    seconds: float
    gib: float
    numbers: list
    accepted: list
    in_quick: bool
    gpus: int = 1
    without_gpu: bool = False
    modules: tuple = ()

    def targets(self):
        """What the build calls the program and the modules that it opens."""
        return {"ulpine_program" if self.program == "ulpine" else self.program, *self.modules}


@dataclasses.dataclass
class Row:
    """A line of a table: where its numbers come from ("RUN:NUMBER", or one of these over another), by side, and the paper's own by device."""
    name: str
    sides: dict
    paper: dict
    source: str = ""
    x: float | None = None


@dataclasses.dataclass
class Result:
    """A numbered table or figure. `count` is the elements or cells of the paper's own size, to which times an element are multiplied."""
    number: str
    title: str
    unit: str
    text: str
    differ: str
    rows: list
    count: float | None = None
    higher: bool = False
    compare: bool = True
    chart: str = "bars"
    x: str = ""
    not_reproduced: str = ""

    def is_time(self):
        return self.unit in SECONDS


@dataclasses.dataclass
class Paper:
    name: str
    title: str
    authors: str
    source: str
    address: str
    about: str
    cpu: str
    gpu: str
    card: str
    picture: str
    kept: str  # what columns of the paper's algorithm are called
    ours: str  # and those of Ulpine's way
    has_numbers: bool
    runs: dict
    results: list


def filled(value, values):
    """`value` with {name} of `values` filled in, in texts, lists and tables; other braces stay."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda match: str(values.get(match[1], match[0])), value)
    if isinstance(value, list):
        return [filled(each, values) for each in value]
    if isinstance(value, dict):
        return {filled(key, values): filled(each, values) for key, each in value.items()}
    return value


def repeated(table):
    """The table once for each of its `each`, with these values filled in; itself where it has none."""
    if "each" not in table:
        return [(table, {})]
    rest = {key: value for key, value in table.items() if key != "each"}
    return [(filled(rest, values), values) for values in table["each"]]


def runs_of(name, table, quick):
    for one, values in repeated({**table, "name": name}):
        mode = one.get("quick" if quick else "full", one.get("full", {}))
        in_quick = values.get("quick", "quick" in one)
        settings = {**{key: value for key, value in values.items() if key not in ("quick", "name")}, **mode}
        one = filled(one, settings)
        yield Run(gpus=int(one.get("gpus", 1)), without_gpu=settings.get("without_gpu", False), modules=tuple(one.get("modules", ())), name=one["name"], program=one["program"], arguments=[str(word) for word in one.get("arguments", [])], device=one.get("device", "cpu"),
                  seconds=float(settings.get("seconds", one.get("seconds", 10))), gib=float(settings.get("gib", one.get("gib", 0.5))),
                  numbers=one.get("numbers", []), accepted=one.get("accepted", [0]), in_quick=bool(in_quick))


def number_of_paper(text):
    """A number, or the least and most of a range A..B."""
    low, dots, high = text.partition("..")
    return (float(low), float(high)) if dots else float(text)


def numbers_of_paper(path):
    """The paper's own numbers: {(result, row): {"cpu" or "gpu": (value or range, source)}}."""
    found = {}
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(each for each in file if not each.startswith("#")):
            if line["device"] not in ("cpu", "gpu") or not line["source"]:
                raise PaperError(f"{path.name}: a number has a device, cpu or gpu, and a source ({line})")
            found.setdefault((line["result"], line["row"]), {})[line["device"]] = (number_of_paper(line["value"]), line["source"])
    return found


def result_of(table, numbers):
    rows = []
    for written in table.get("row", []):
        for one, _ in repeated(written):
            own = numbers.pop((table["number"], one["name"]), {})
            rows.append(Row(one["name"], {side: one[side] for side in SIDES if side in one}, {device: value for device, (value, _) in own.items()},
                            "; ".join(sorted({source for _, source in own.values()})), float(one["x"]) if "x" in one else None))
    return Result(number=table["number"], title=table["title"], unit=table.get("unit", ""), text=table.get("text", ""), differ=table.get("differ", ""), rows=rows,
                  count=table.get("count"), higher=table.get("higher", False), compare=table.get("compare", True), chart=table.get("chart", "bars"),
                  x=table.get("x", ""), not_reproduced=table.get("not_reproduced", ""))


def load(name, quick, folder=FOLDER):
    """The paper of that name, with the sizes of --quick or those of the paper. Runs of common.toml belong to every paper."""
    try:
        table = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        common = folder / "common.toml"
        shared = tomllib.loads(common.read_text(encoding="utf-8")) if common.exists() else {}
        runs = {run.name: run for key, each in {**shared.get("run", {}), **table.get("run", {})}.items() for run in runs_of(key, each, quick)}
        numbers = numbers_of_paper(folder / f"{name}.csv")
        has_numbers = bool(numbers)
        results = [result_of(each, numbers) for each in table["result"]]
    except (OSError, tomllib.TOMLDecodeError, KeyError, ValueError) as error:
        raise PaperError(f"{name}: {error!r}") from error
    if numbers:
        raise PaperError(f"{name}.csv: no row has the number of {sorted(numbers)[0]}")
    for result in results:
        for row in result.rows:
            for side, place in row.sides.items():
                named = [runs.get(each.partition(":")[0]) for each in place.split(OVER)]
                if None in named or len(named) > 2 or (all(run.device != "any" for run in named) and any(run.device == "cuda" for run in named) != side.endswith("gpu")):
                    raise PaperError(f"{name}: {result.number}, {row.name}: {side} names no run of its device ({place})")
    return Paper(**{key: table.get(key, "") for key in ("title", "authors", "source", "address", "about", "cpu", "gpu", "card", "picture")},
                 kept=table.get("kept", "the paper's algorithm"), ours=table.get("ours", "Ulpine"), has_numbers=has_numbers, name=name, runs=runs, results=results)
