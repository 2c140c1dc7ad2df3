# SPDX-License-Identifier: Apache-2.0
"""What is asked of studies: stage files, searches, and reports against an earlier study."""
import os
import shutil
import tomllib

from absurd.trial import SOURCE, Trial, fixture, set_words

ICE = [str(SOURCE / "cases/seaice/cyclone_quick.toml"), *set_words(grid__nx=8, grid__ny=8, time__substeps=4, output__interval='"4 min"')]
SEARCH = ["search", *ICE, "--until", "4 min", "--members", "3", "--precisions", "fp32", "--confirm", "0", "--jobs", "1", "--quiet", "-o"]
STUDY = ["ensemble", *ICE, "--until", "4 min", "--members", "1", "--policies", "fp64,fp32", "--assemblies", "deterministic", "--epsilons", "2^-10", "--quad-until", "0 s", "--quiet", "-o"]
HEAD = {"case": '"cyclone_quick"', "policy": '"fp64"', "until_s": "240"}
POLICIES = ("fp32", "fp64", "mixed", "tf32", "bf16", "fp16", "e8m23", "e5m10", "e8m7", "e2m1", "e11m52", "quad", "e1m1", "e12m10", "e8m53", "fp8", "", " fp32", "FP32", "e8m10-sr1", "e8m10-rz", "e8m10-sr-1", "e8m10-sr99999999999999999999",
            "e08m10", "fp32=fp32", "e8m10-sr1-sr2")
NAMES = ("seaice.nothing", "", "seaice", "*", "seaice.stress.x", "Seaice.stress", "fdm.sound.u", "seaice.stress ", "seaice.*", "../x", "seaice.advect", "é")

EMPTY = ("", "# nothing\n", 'policy = "fp64"\n', "stages = []\n")  # stage files that give no stage a policy


def write_stages(path, head, stages):
    path.write_text("".join(f"{key} = {value}\n" for key, value in head.items()) + "stages = [\n" + "".join(f'  "{one}",\n' for one in stages) + "]\n")


def write_in_a_line(path, head, stages, comment):
    """A stage file as nobody's search writes it: in one line, in other quotes, with comments."""
    path.write_text("".join(f"{key} = {value}{comment}\n" for key, value in head.items()) + "stages = [" + ",".join(f"'{one}'" for one in stages) + "]\n")


def stages(random, folder, program):
    fixture("search", folder, program, [SEARCH + ["found"]])
    found = tomllib.loads((folder / "found/stages.toml").read_text())
    head = {**HEAD, "case_hash": f'"{found["case_hash"]}"'}
    assigned = dict(one.split("=") for one in found["stages"])
    run = ["run", *ICE, "-o", "out", "--steps", "2", "--quiet"]
    if random is None:
        return None
    r, expected, what = random, "same", []
    plain = None
    stages_of = lambda: [f"{stage}={policy}" for stage, policy in assigned.items()]  # noqa: E731
    extra, text, spelling = [], None, "basic"
    for kind in r.sample(("policy", "name", "twice", "head", "order", "none", "file", "words", "base", "key", "type", "other_case", "subset", "spelling"), r.choice((1, 1, 2))):
        what.append(kind)
        if kind == "policy":
            expected = "sense"
            for stage in r.sample(sorted(assigned), min(len(assigned), r.choice((1, 3)))):
                assigned[stage] = r.choice(POLICIES)
        elif kind == "name":
            expected = "refused"
            assigned[r.choice(NAMES)] = "fp32"
        elif kind == "twice":
            expected, stage = "refused", r.choice(sorted(assigned) or NAMES)
            extra_stage = f"{stage}={r.choice(('fp32', 'e5m10'))}"
            plain_stages = stages_of
            stages_of = lambda plain_stages=plain_stages, extra_stage=extra_stage: [*plain_stages(), extra_stage]  # noqa: E731
        elif kind == "head":
            key, value = r.choice((("case_hash", '"0000000000000000"'), ("case_hash", '""'), ("case_hash", "5"), ("case", '"other"'), ("until_s", "-1"), ("until_s", "nan"), ("until_s", "0"), ("until_s", "1e300"), ("until_s", '"240"'),
                                   ("policy", '"fp32"'), ("policy", '""'), ("policy", '"quad"'), ("policy", '"e8m23"'), ("until_s", "1e-300"), ("until_s", "inf")))
            head[key], expected = value, "sense" if key in ("case", "policy") or value in ('"0000000000000000"', '""', "1e300", "1e-300", "inf") else "refused"
        elif kind == "order":
            items = list(assigned.items())
            r.shuffle(items)
            assigned = dict(items)
        elif kind == "none":
            assigned, expected = {}, "sense"
        elif kind == "subset":
            assigned = {stage: policy for stage, policy in assigned.items() if r.random() < 0.5}
            expected = "as_words" if expected == "same" else expected
        elif kind == "file":
            extra, expected = [r.choice((".", "none.toml", "/dev/zero", "notes.txt", "found/search.json", "found/tried.json", "", "found"))], "refused"
        elif kind == "words":
            extra, expected = ["stages.toml", *r.choice((["--policy", "fp32"], ["--assembly", "atomic"], ["--stage", "seaice.stress=e5m10"], ["--stage", "seaice.stress=fp32", "--stage", "seaice.stress=fp64"], ["--policy", "quad"],
                                                         ["--device", "mpi:2"], ["--stages-from", "stages.toml"]))], "sense"
        elif kind == "base":
            head["policy"], expected = r.choice(('"e8m10"', '"mixed"', '"bf16"')), "sense"
        elif kind == "key":
            head[r.choice(("cases", "Policy", "stage", "core"))], expected = '"x"', "refused"
        elif kind == "type":
            text = r.choice((*EMPTY, "stages = 5\n", "stages = {}\n", 'stages = ["a"]\n', "stages = [1]\n", "stages = [[]]\n", "stages = []\nstages = []\n", "\x00", "stages = [\n"))
        elif kind == "other_case":
            run, expected = ["run", str(SOURCE / "cases/les/convective.toml"), *set_words(grid__nx=8, grid__ny=8, grid__nz=12), "-o", "out", "--steps", "1", "--quiet"], "refused"
        elif kind == "spelling":
            spelling = r.choice(("basic", "comment", "line"))
    # One of these may undo the other: it leaves out the stage that stood twice.
    if any(set(pair) <= set(what) for pair in (("twice", "subset"), ("none", "other_case"), ("name", "subset"), ("other_case", "subset"))):
        expected = "sense"
    if "type" in what:  # the file is that text, whatever else was chosen
        expected = "sense" if text in EMPTY else "refused"
    if text is not None:
        (folder / "stages.toml").write_text(text)
    elif spelling == "basic":
        write_stages(folder / "stages.toml", head, stages_of())
    else:
        write_in_a_line(folder / "stages.toml", head, stages_of(), "  # c" if spelling == "comment" else "")
    if expected in ("same", "as_words"):
        # What a stage file says may be said in words.
        plain = [*run, *[word for stage, policy in sorted(assigned.items()) for word in ("--stage", f"{stage}={policy}")]]
        expected = "same"
    words = [*run, "--stages-from", *(extra or ["stages.toml"])]
    return Trial(words, expected, "+".join(what), plain, says=("stages", "seaice.", "folder", "no stage", "--stage", "found", "notes", "none.toml", "/dev", "policy", "--"))


stages.with_program = True

SEARCH_WORDS = (["--precisions", "fp64"], ["--precisions", "quad"], ["--precisions", ""], ["--precisions", "e1m1"], ["--precisions", "fp32,fp32"], ["--precisions", "e8m23-sr1"], ["--precisions", "e2m1"], ["--precisions", "e8m10-rz"],
                ["--policies", "fp64"], ["--policies", "mixed,mixed"], ["--policies", "x"], ["--policies", "bf16"], ["--stages", "seaice.stress"], ["--stages", "x"], ["--stages", ""], ["--stages", "seaice.stress,seaice.stress"],
                ["--within", "0"], ["--within", "-1"], ["--within", "nan"], ["--within", "1e300"], ["--within", "inf"], ["--within", "1e-300"], ["--within", "1/3"], ["--members", "0"], ["--members", "1"], ["--members", "-3"],
                ["--members", "1e9"], ["--members", "2147483648"], ["--members", "4294967299"], ["--confirm", "-1"], ["--confirm", "2147483648"], ["--seed", "-1"], ["--seed", "18446744073709551616"], ["--runs", "0"], ["--runs", "1"],
                ["--runs", "-1"], ["--runs", "2"], ["--time", "0 s"], ["--time", "-1 s"], ["--time", "1e-9 s"], ["--time", "1e300 d"], ["--time", "nan s"], ["--time", "5"], ["--jobs", "0"], ["--jobs", "1e3"], ["--jobs", "4"],
                ["--threads", "0"], ["--threads", "4097"], ["--until", "0 s"], ["--until", "-4 min"], ["--until", "1 s"], ["--until", "nan"], ["--until", "1e300 d"], ["--until", "3 min"], ["--costs", "fp64=none.json"],
                ["--costs", "fp32=run.json"], ["--costs", "fp64=notes.txt,fp32=notes.txt"], ["--costs", "fp64=/dev/zero"], ["--costs", ""], ["--costs", "fp64"], ["--resume"], ["--set", "verify.tolerated=2^-10"],
                ["--set", 'verify.tolerated="0"'], ["--set", 'verify.tolerated="2^1000"'], ["--set", 'verify.tolerated="-1"'], ["--set", 'verify.tolerated="2^-1074"'], ["--set", 'time.step="240 s"'], ["--set", "grid.nx=2"],
                ["--set", 'seaice.alpha=1e-300'], ["--set", 'forcing.wind="calm"'], ["--set", 'initial.source="uniform"'], ["--set", "verify.statistics.margin=0"], ["--set", 'verify.statistics.margin="0 sd"'],
                ["--set", 'verify.statistics.margin="nan sd"'], ["--set", 'verify.curves.margin="-1 sd"'], ["--set", "verify.sivol.l2_relative=0"], ["--set", "verify.sivol.l2_relative=-1"], ["--set", "verify.sivol.l2_relative=nan"])


SEARCH_VALID = (["--precisions", "fp32,e8m7"], ["--precisions", "e5m10"], ["--policies", "mixed"], ["--stages", "seaice.stress,seaice.strain"], ["--within", "1"], ["--within", "1e-3"], ["--members", "2"], ["--members", "4"],
                ["--seed", "7"], ["--runs", "2"], ["--time", "1 h"], ["--jobs", "2"], ["--until", "8 min"], ["--set", "seaice.alpha=700"], ["--set", 'forcing.wind="calm"'], ["--set", 'verify.tolerated="2^-7"'])


def search(random, folder):
    if random is None:
        return None
    r = random
    chosen = r.sample(SEARCH_WORDS if r.random() < 0.7 else SEARCH_VALID, r.choice((1, 1, 2)))
    extra = [word for words in chosen for word in words]
    what = " ".join(extra)
    place = r.choice((*[None] * 8, "foreign", "file", "results", "link", "notes"))
    out, owned = "out", ("out",)
    if place == "foreign":
        (folder / "out").mkdir()
        ours = ["tried.json", "search.json", "stages.toml", "search.txt", "report.html", "reference", "figures", "tried", "confirm", "case.toml"]
        name = r.choice(ours + ["output.nc"])
        (folder / "out" / name).write_text("mine")
        what, owned = f"{what} beside a foreign {name}", tuple(f"out/{one}" for one in ours if one != name)
    elif place == "file":
        (folder / "out").write_text("mine")
        owned = ()
    elif place == "link":
        (folder / "there").mkdir()
        os.symlink("there", folder / "out")
        owned = ("out", "there")
    elif place == "notes":
        out, owned = r.choice(("notes.txt", "notes.txt/x", "/dev/null", "/proc/x", "")), ()
    elif place == "results":
        (folder / "out").mkdir()
        (folder / "out/notes.md").write_text("mine")
    words = ["search", *ICE, "--until", "4 min", "--members", "3", "--precisions", "fp32", "--confirm", "0", "--jobs", "1", "--runs", "3", "--quiet"]
    for option, *value in chosen:
        if option in words and option != "--set":
            at = words.index(option)
            words[at:at + 1 + len(value)] = []
    return Trial(words + extra + ["-o", out], "sense", what, owned=owned, sensible=False)


def against(random, folder, program):
    fixture("two-studies", folder, program, [STUDY + ["now"], [*STUDY[:-1], "--seed", "2", "-o", "last"], SEARCH + ["found"]])
    if random is None:
        return None
    r, expected, owned = random, "sense", ("page",)
    last = r.choice((*["last"] * 9, "last/results.json", "now", "now/results.json", "found", "found/search.json", "notes.txt", "none", "", "/dev/zero", "/dev/null", "last/case.toml", "last/manifest.json", "last/runs", ".", "pipe", "last/junit.xml",
                     "last/report.html", "copy", "renamed"))
    out = r.choice((None, *["page"] * 5, "page/x.html", "page.html", "now/report.html", "now/results.html", "last/results.html", "last", "now/manifest.html", "now/case.html", "notes.txt", "notes.html", "last/report.html", "now", "found", "found/search.html", "/dev/null",
                    "", "page/", "now/runs", "now/runs/x.html", "deep/er/page.html", "link.html", "mine", "mine/report.html", "last/junit.html"))
    what = f"{last} -o {out}"
    if last == "pipe":
        os.mkfifo(folder / "pipe")
    elif last == "copy":
        shutil.copytree(folder / "last", folder / "copy")
        name = r.choice(("results.json", "manifest.json", "case.toml"))
        text = (folder / "copy" / name).read_text()
        (folder / "copy" / name).write_text(r.choice((text[:len(text) // 2], text.replace("fp32", "fp16"), "{}", "[]", "null", text.replace('"schema"', '"scheme"'), text + text)))
    elif last == "renamed":
        (folder / "renamed").mkdir()
        shutil.copy(folder / "last/manifest.json", folder / "renamed/results.json")
    (folder / "mine").mkdir()
    for name in ("comparison.json", "report.html"):
        (folder / "mine" / name).write_text("mine")
    if out == "link.html":
        os.symlink("notes.txt", folder / "link.html")
    (folder / "notes.html").write_text("mine")
    (folder / "comparison.json").write_text("mine") if r.random() < 0.3 else None
    words = ["report", "now", "--against", last, "--quiet", *(["-o", out] if out is not None else [])]
    # A comparison is a page and, under the same name, its JSON; pages of its own it may replace, what others wrote it may not.
    if out in (None, "now", "last", "found", "now/runs"):
        owned += tuple(f"{out or 'now'}/{name}" for name in ("comparison.json", "comparison.html", "report.html", "figures"))
    elif out.endswith(".html"):
        json_beside = out.removesuffix(".html") + ".json"
        owned += ("deep", *([] if (folder / json_beside).exists() else [json_beside]), *([] if (folder / out).exists() else [out]))
    return Trial(words, expected, what, owned=owned, sensible=False)


against.with_program = True
