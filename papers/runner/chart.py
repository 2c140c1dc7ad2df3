# SPDX-License-Identifier: Apache-2.0
"""Charts of a result as SVG texts: bars, and lines over sizes, on logarithmic axes."""
import html
import math

COLOURS = {"paper_cpu": "#9aa3af", "paper_gpu": "#4b5563", "kept_cpu": "#e69f00", "ours_cpu": "#0072b2", "kept_gpu": "#d55e00", "ours_gpu": "#009e73"}
WIDTH, LEFT, RIGHT = 900, 320, 90


def words_of(paper):
    """What the columns are called."""
    return {"paper_cpu": "the paper, CPU", "paper_gpu": "the paper, GPU", "kept_cpu": f"here, CPU: {paper.kept}", "ours_cpu": f"here, CPU: {paper.ours}",
            "kept_gpu": f"here, GPU: {paper.kept}", "ours_gpu": f"here, GPU: {paper.ours}"}


def short(value):
    """Three significant digits, without needless noughts."""
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        return f"{value:.2e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    digits = max(0, 2 - math.floor(math.log10(float(f"{abs(value):.2e}"))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text and digits > 2 else text


def decades(values):
    """Powers of ten below and above all values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, high if high > low else low + 1


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="currentColor">{html.escape(words)}</text>'


def wrap(parts, width, height, label):
    return (f'<svg viewBox="0 0 {width} {height:.0f}" width="{width}" role="img" aria-label="{html.escape(label, quote=True)}" class="interval" '
            f'font-family="inherit">{"".join(parts)}</svg>')


def legend(sides, words, y):
    parts, x = [], 10.0
    for side in sides:
        parts.append(f'<rect x="{x:.1f}" y="{y - 10}" width="12" height="12" fill="{COLOURS[side]}"/>' + text(x + 17, y, words[side]))
        x += 40 + 6.6 * len(words[side])
        if x > WIDTH - 180:
            x, y = 10.0, y + 18
    return parts, y + 14


def bars(result, made, words):
    """A bar for each positive number of each line; empty where there are none."""
    lines = [(line, [(side, line.values[side]) for side in made.sides() if line.values.get(side, 0) > 0]) for line in made.lines]
    values = [value for _, pairs in lines for _, value in pairs]
    sides = [side for side in made.sides() if any(side == each for _, pairs in lines for each, _ in pairs)]
    if len(values) < 2:
        return ""
    low, high = decades(values)
    scale = (WIDTH - LEFT - RIGHT) / (high - low)
    parts, top = legend(sides, words, 16)
    y = top + 12
    for line, pairs in lines:
        if not pairs:
            continue
        parts.append(text(LEFT - 10, y + 6.5 * len(pairs) + 4, line.name if len(line.name) < 52 else line.name[:50] + "…", "end"))
        for side, value in pairs:
            width = max(2.0, (math.log10(value) - low) * scale)
            parts.append(f'<rect x="{LEFT}" y="{y:.1f}" width="{width:.1f}" height="11" fill="{COLOURS[side]}"/>' + text(LEFT + width + 5, y + 10, short(value), size=11))
            y += 13
        y += 9
    for decade in range(low, high + 1):
        x = LEFT + (decade - low) * scale
        parts.insert(0, f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity="0.15"/>')
        parts.append(text(x, y + 14, short(10.0**decade), "middle", 11))
    parts.append(text(LEFT, y + 32, result.unit + " (logarithmic)" if result.unit else "logarithmic", size=11))
    return wrap(parts, WIDTH, y + 40, f"{result.number}: bars of the numbers in the table")


def lines_over_x(result, made, words):
    """A line a side over the rows' x."""
    series = {side: [(line.x, line.values[side]) for line in made.lines if line.x and line.values.get(side, 0) > 0] for side in made.sides()}
    series = {side: points for side, points in series.items() if points}
    values = [value for points in series.values() for _, value in points]
    across = [x for points in series.values() for x, _ in points]
    if len(values) < 2 or min(across) == max(across):
        return bars(result, made, words)
    height, left, bottom = 380, 90, 60
    low, high = decades(values)
    first, last = math.log10(min(across)), math.log10(max(across))
    parts, top = legend(series, words, 16)

    def place(x, value):
        return (left + (math.log10(x) - first) / (last - first) * (WIDTH - left - 40), height - bottom - (math.log10(value) - low) / (high - low) * (height - bottom - top - 10))

    for decade in range(low, high + 1):
        _, y = place(min(across), 10.0**decade)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{WIDTH - 40}" y2="{y:.1f}" stroke="currentColor" stroke-opacity="0.15"/>' + text(left - 8, y + 4, short(10.0**decade), "end", 11))
    for x in sorted(set(across)):
        at, _ = place(x, 10.0**low)
        parts.append(text(at, height - bottom + 18, short(x), "middle", 11))
    for side, points in series.items():
        placed = [place(x, value) for x, value in sorted(points)]
        parts.append(f'<polyline fill="none" stroke="{COLOURS[side]}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[side]}"/>' for x, y in placed]
    parts.append(text(left, height - 12, f"{result.x or 'size'}; upwards {result.unit or 'the number'}, both logarithmic", size=11))
    return wrap(parts, WIDTH, height, f"{result.number}: the table's numbers over {result.x or 'size'}")


def draw(paper, result, made):
    words = words_of(paper)
    return "" if result.chart == "none" else lines_over_x(result, made, words) if result.chart == "lines" else bars(result, made, words)
