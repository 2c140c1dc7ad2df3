# SPDX-License-Identifier: Apache-2.0
"""A page of each paper, one of all numbered results, and their numbers as CSV and JSON. Pages follow from the runs alone: the same runs give the same bytes."""
import csv
import html
import io
import json
import os
import re

from . import chart, machine, numbers, table
from .chart import short, words_of
from .paper import NAMES, SIDES, SOURCE

HEADINGS = {"ratio_cpu": "CPU: times as fast", "ratio_gpu": "GPU: times as fast",
            "paper_cpu_over_ours": "times as fast as the paper's CPU", "paper_gpu_over_ours": "times as fast as the paper's GPU"}
MORE = {"ratio_cpu": "CPU: ratio", "ratio_gpu": "GPU: ratio",
        "paper_cpu_over_ours": "Ulpine over the paper's CPU", "paper_gpu_over_ours": "Ulpine over the paper's GPU"}
STATES = (("reproduced", "are reproduced in kind"), ("differs", "differ from the paper"), ("made here", "are made here with no number of the paper at hand"), ("in part", "in part"), ("not run", "wait for a machine that can run them"), ("not reproduced", "are not reproduced"))
NOT_AT_HAND = "not at hand"
STYLE = "thead th.n { white-space: normal; min-width: 6em; max-width: 9em; } tbody th.name { min-width: 13em; } figure .interval { width: 100%; max-width: 900px; height: auto; }"


def escape(words):
    return html.escape(str(words), quote=False)


def prose(words):
    """A paragraph's words, with code between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def bandwidths(paper, store):
    """(sentence, ratio of this machine's card to the paper's); the ratio is None where one of them is not known."""
    known = machine.cards()
    theirs = known.get(paper.card)
    ours = known.get(machine.card_of(store.machine.gpu, known)) if store.machine.gpu else None
    told = [f"the paper's card, {theirs[0]}, moves {theirs[1] / 1e12:.3g} TB/s by its datasheet" if theirs else "the bandwidth of the paper's card is not at hand"]
    if ours:
        told.append(f"this machine's, {ours[0]}, {ours[1] / 1e12:.3g} TB/s")
    elif store.machine.gpu:
        told.append(f"no datasheet of this machine's card, {store.machine.gpu}, is in devices/")
    else:
        told.append("this machine has no GPU")
    return "; ".join(told), (ours[1] / theirs[1] if theirs and ours else None)


def hardware(paper, result, made, store):
    """How much of the ratios to the paper the memories account for, in a sentence; empty for a result that is no time."""
    numbered = any("paper_gpu" in line.values or "ours_gpu" in line.values for line in made.lines)
    if not result.is_time() or not numbered and not made.range_of("paper_cpu_over_ours"):
        return ""
    sentence, ratio = bandwidths(paper, store)
    against = made.range_of("paper_gpu_over_ours")
    if ratio and against:
        return (f"Ulpine on this card is {between(against)} times as fast as the paper on its own. The memories account for a factor of {short(ratio)} of that ({sentence}), "
                f"the algorithm and the code for {between([each / ratio for each in against])}.")
    told = sentence[0].upper() + sentence[1:]
    if made.range_of("paper_cpu_over_ours"):
        told += f". The paper's CPU is {paper.cpu}, this machine's {store.machine.processor}: one core each, not the same core"
    return told + "."


def between(pair):
    low, high = (short(each) for each in pair)
    return low if low == high else f"{low} to {high}"


def cell(line, side):
    if side in line.values:
        return f'<td class="n">{short(line.values[side])}</td>'
    if side in line.ranges:
        return f'<td class="n">{between(line.ranges[side])}</td>'
    if side.startswith("paper"):
        return f'<td class="n"><span class="absent">{NOT_AT_HAND}</span></td>'
    return f'<td class="n"><span class="absent">{escape(line.missing.get(side, "–"))}</span></td>'


def shown_sides(paper, made):
    """Columns of the table: also one for the paper where it has numbers elsewhere."""
    sides = made.sides()
    return sides if not paper.has_numbers or any(side.startswith("paper") for side in sides) else ["paper_gpu", *sides]


def written_table(paper, result, made):
    sides = shown_sides(paper, made)
    ratios = [name for name in table.RATIOS if any(name in line.ratios for line in made.lines)]
    one = sum(side.startswith("paper") for side in sides) == 1
    words = MORE if result.higher or not result.is_time() else HEADINGS
    heads = [f'<th class="n" scope="col">{escape("the paper" if side.startswith("paper") and not result.is_time() and one or side not in made.sides() else words_of(paper)[side])}</th>' for side in sides]
    heads += [f'<th class="n" scope="col">{escape(words[name])}</th>' for name in ratios]
    rows, empty = [], []
    for line in made.lines:
        cells = [cell(line, side) for side in sides] + [f'<td class="n">{short(line.ratios[name]) if name in line.ratios else ""}</td>' for name in ratios]
        (rows if line.has_number() else empty).append(f'<tr><th scope="row" class="name">{escape(line.name)}</th>{"".join(cells)}</tr>')
    head = f'<caption>{escape(result.number)}</caption><thead><tr><th scope="col">{escape(result.x)}</th>{"".join(heads)}</tr></thead>'
    unit = f"<p class=\"caption\">Numbers in {escape(result.unit)}.</p>" if result.unit else ""
    written = f'{unit}<div class="scroll"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>' if rows else ""
    if empty:
        left = f'<div class="scroll"><table>{head}<tbody>{"".join(empty)}</tbody></table></div>'
        written += f"<details><summary>{len(empty)} rows without a number here, and why</summary>{left}</details>"
    return written


def section(paper, result, made, store, outcomes):
    parts = [f'<section id="{anchor(result)}"><h2>{escape(result.number)}: {escape(result.title)}</h2>', f'<p class="scope"><strong>{escape(made.state)}</strong></p>']
    parts.append(f"<p>{prose(result.text)}</p>")
    if made.lines:
        parts.append(written_table(paper, result, made))
        picture = chart.draw(paper, result, made)
        if picture:
            parts.append(f'<figure><div class="scroll">{picture}</div></figure>')
    told = [part for part in (result.differ, hardware(paper, result, made, store)) if part]
    if told:
        parts.append(f'<p><strong>Where they differ.</strong> {escape(" ".join(told))}</p>')
    if made.reasons:
        parts.append(f'<p class="scope"><strong>Missing:</strong> {escape("; ".join(made.reasons))}.</p>')
    sources = list(dict.fromkeys(line.source for line in made.lines if line.source))
    if sources:
        parts.append(f'<p class="scope">The paper\'s numbers: {escape("; ".join(sources))}.</p>')
    elif made.lines and paper.has_numbers:
        parts.append('<p class="scope">The paper\'s numbers of this one are not at hand.</p>')
    if made.used:
        calls = []
        for name in made.used:
            record = outcomes[paper.name, name].record()
            calls.append(f'{" ".join(record["command"])}\n    {record["machine"]}, {record["commit"]}, {record["began"]}, {record["seconds"]:.1f} s')
        parts.append(f'<details><summary>How it was measured</summary><pre>{escape(chr(10).join(calls))}</pre></details>')
    return "".join(parts) + "</section>"


def anchor(result):
    return "".join(letter if letter.isalnum() else "-" for letter in result.number.lower())


def ratio_words(result, made):
    """The ratios of a result in a few words for the table of all."""
    words = {"ratio_cpu": "CPU, here", "ratio_gpu": "GPU, here", "paper_cpu_over_ours": "the paper's CPU", "paper_gpu_over_ours": "the paper's GPU"}
    return "; ".join(f"{words[name]}: {between(made.range_of(name))}" for name in table.RATIOS if made.range_of(name))


def list_of_results(pairs, file=""):
    rows = []
    for result, made in pairs:
        reasons = "; ".join(made.reasons)
        rows.append(f'<tr><th scope="row" class="name"><a href="{file}#{anchor(result)}">{escape(result.number)}</a></th><td class="wide">{escape(result.title)}</td>'
                    f'<td>{escape(made.state)}</td><td class="wide">{escape(ratio_words(result, made))}</td><td class="wide">{escape(reasons)}</td></tr>')
    return ('<div class="scroll"><table><caption>Numbered results</caption><thead><tr><th scope="col">number</th><th scope="col">what</th><th scope="col">state</th>'
            f'<th scope="col">Ulpine, times as fast</th><th scope="col">what is missing</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>')


def document(title, eyebrow, body):
    style = (SOURCE / "analysis/ulpine_report/report.css").read_text(encoding="utf-8") + STYLE
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title><style>{style}</style></head><body><header><p class=\"eyebrow\">{escape(eyebrow)}</p><h1>{escape(title)}</h1></header>"
            f"<main>{body}</main><footer><p>Written by papers/run of Ulpine. Times of kernels are the least of several runs on a host and medians on a GPU, those of whole steps as the programs say; a loaded machine shows in them.</p></footer></body></html>\n")


def reading(paper, store, outcomes):
    """What one thread of this host reads of memory, by the run of common.toml; empty where it was not made."""
    run = paper.runs.get("bandwidth_host")
    outcome = outcomes.get((paper.name, "bandwidth_host"))
    found = numbers.read(run, outcome.folder).get("read") if run and outcome and outcome.folder else None
    return f"; one thread of its host reads {short(found[0])} GB/s" if found else ""


def facts(store):
    mode = "small sizes (--quick): times an element are multiplied to the paper's own size where the table says so" if store.quick else "the paper's sizes where they fit"
    gpu = store.machine.gpu or "none: columns of a GPU are not run yet on a card"
    return (f'<dl class="facts"><dt>this machine</dt><dd>{escape(store.machine.name("cpu"))}</dd><dt>its GPU</dt><dd>{escape(gpu)}</dd>'
            f"<dt>programs</dt><dd>{escape(store.commit)}</dd><dt>sizes</dt><dd>{escape(mode)}</dd></dl>")


def page_of(paper, pairs, store, outcomes):
    link = f'<a href="{html.escape(paper.address)}">{escape(paper.address)}</a>' if paper.address else ""
    body = [f'<p class="headline">{escape(paper.authors)}: {escape(paper.source)}. {link}</p><p>{escape(paper.about)}</p>', facts(store),
            f'<dl class="facts"><dt>the paper\'s CPU</dt><dd>{escape(paper.cpu or NOT_AT_HAND)}</dd><dt>the paper\'s GPU</dt><dd>{escape(paper.gpu or NOT_AT_HAND)}</dd>'
            f"<dt>memories</dt><dd>{escape(bandwidths(paper, store)[0] + reading(paper, store, outcomes))}</dd></dl>"]
    told = "is that algorithm, kept in Ulpine's benchmarks and run on this machine; <em>Ulpine</em> is what a model uses" if paper.ours == "Ulpine" else f"is beside <em>{escape(paper.ours)}</em>"
    body.append(f"<p>A column <em>{escape(paper.kept)}</em> {told}. A ratio is how many times as fast the latter is. An empty place says why it is empty.</p>")
    body.append(list_of_results(pairs))
    body += [section(paper, result, made, store, outcomes) for result, made in pairs]
    return document(paper.title, "The papers, again", "".join(body))


def index_of(everything, store):
    body = [facts(store), "<p>Every numbered result of the five papers: whether it was made again on this machine, and how much faster Ulpine's way is.</p>"]
    states = [made.state for _, pairs in everything for _, made in pairs]
    counts = [(sum(state.startswith(begin) for state in states), words) for begin, words in STATES]
    body.append(f'<p class="headline">Of {len(states)} numbered results {"; ".join(f"{count} {words}" for count, words in counts)}.</p>')
    for paper, pairs in everything:
        body.append(f'<h2><a href="{paper.name}.html">{escape(paper.title)}</a></h2><p>{escape(paper.authors)}: {escape(paper.source)}.</p>' + list_of_results(pairs, f"{paper.name}.html"))
    return document("The papers, again", "All numbered results", "".join(body))


def rows_of(paper, pairs):
    for result, made in pairs:
        for line in made.lines or [None]:
            row = {"paper": paper.name, "result": result.number, "title": result.title, "state": made.state, "unit": result.unit, "row": line.name if line else ""}
            for side in ("paper_cpu", "paper_gpu", *SIDES):
                row[side] = line.values.get(side, "..".join(map(str, line.ranges[side])) if side in line.ranges else None) if line else None
            for name in table.RATIOS:
                row[name] = line.ratios.get(name) if line else None
            row["missing"] = "; ".join(f"{side}: {why}" for side, why in line.missing.items()) if line else "; ".join(made.reasons)
            row["source"] = line.source if line else ""
            yield row


def csv_of(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def json_of(everything, store, outcomes):
    papers = []
    for paper, pairs in everything:
        made_of = [{"number": result.number, "title": result.title, "unit": result.unit, "state": made.state, "missing": made.reasons,
                    "rows": [row for row in rows_of(paper, [(result, made)]) if row["row"]]} for result, made in pairs]
        calls = [outcomes[paper.name, name].record() for name in paper.runs if outcomes[paper.name, name].folder]
        papers.append({"name": paper.name, "title": paper.title, "results": made_of, "runs": calls})
    told = {"schema": "ulpine.papers/1", "machine": store.machine.name("cuda") if store.machine.gpu else store.machine.name("cpu"), "programs": store.commit, "quick": store.quick, "papers": papers}
    return json.dumps(told, indent=1) + "\n"


def essence_of(everything, store):
    """All numbered results as a table in Markdown, for a page of results: a line each."""
    words = [f"{store.machine.name('any')}, {store.commit}, {'small sizes (--quick)' if store.quick else 'sizes of the papers'}.", ""]
    for paper, pairs in everything:
        words += [f"## {paper.title}", "", f"{paper.authors}: {paper.source}.", "", "| number | what | state | Ulpine, times as fast | missing |", "| --- | --- | --- | --- | --- |"]
        words += ["| " + " | ".join((result.number, result.title, made.state, ratio_words(result, made), "; ".join(made.reasons))) + " |" for result, made in pairs]
        words.append("")
    return "\n".join(words)


def picture_of(paper, pairs):
    """The chart of the result that the paper's file chooses, as a file of its own on white; empty where it has none."""
    drawn = next((chart.draw(paper, result, made) for result, made in pairs if result.number == paper.picture), "")
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="background:#fff;color:#1b1f26;font-family:sans-serif" ', 1).replace('font-family="inherit"', "")


def replace(path, text):
    """Writes the file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def write(papers, outcomes, store, folder):
    """Writes all files, and gives the paths of the pages."""
    measured, everything, written = {}, [], []
    for paper in papers:
        pairs = [(result, table.make(paper, result, outcomes, measured, store.no_gpu())) for result in paper.results]
        everything.append((paper, pairs))
        replace(folder / f"{paper.name}.html", page_of(paper, pairs, store, outcomes))
        replace(folder / f"{paper.name}.csv", csv_of(list(rows_of(paper, pairs))))
        replace(folder / f"{paper.name}.json", json_of([(paper, pairs)], store, outcomes))
        if picture := picture_of(paper, pairs):
            replace(folder / f"{paper.name}.svg", picture)
        written.append(folder / f"{paper.name}.html")
    if len(papers) == len(NAMES):
        rows = [row for paper, pairs in everything for row in rows_of(paper, pairs)]
        replace(folder / "index.html", index_of(everything, store))
        replace(folder / "papers.csv", csv_of(rows))
        replace(folder / "papers.md", essence_of(everything, store))
        replace(folder / "papers.json", json_of(everything, store, outcomes))
        written.append(folder / "index.html")
    return written
