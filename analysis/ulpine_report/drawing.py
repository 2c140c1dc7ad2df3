# SPDX-License-Identifier: Apache-2.0
"""What the figures share. Colours are Okabe and Ito's, always together with a marker and a line style, so that no reading needs colour."""

import base64
import io
import math
import os
import pickle
import re
import textwrap
import traceback
from dataclasses import dataclass
from typing import Callable

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, ScalarFormatter
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from .policies import POLICIES
from .text import SUPERSCRIPTS, power, scientific


STYLES = {name: (policy.colour, policy.marker, policy.line) for name, policy in POLICIES.items()}
OTHER_STYLES = [("#56B4E9", "X", (0, (4, 3))), ("#999999", "*", (0, (2, 2))), ("#E69F00", "<", (0, (9, 3)))]
MARK = b"Software\0Ulpine"  # in the first bytes of every figure's PNG: what may be replaced
MISSING = "#b9bcc2"
MINOR_DECADES = 5  # of a logarithmic axis, beyond which its minor ticks are a blur
GREY = "#6b7280"

plt.rcParams.update({
    "font.size": 10, "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e3e5e9", "grid.linewidth": 0.7, "axes.axisbelow": True,
    "axes.edgecolor": "#4b5563", "legend.frameon": False, "legend.handlelength": 3.2, "lines.linewidth": 1.8, "lines.markersize": 5,
    "svg.fonttype": "path", "svg.hashsalt": "ulpine", "figure.dpi": 120, "text.parse_math": False, "axes.unicode_minus": True,
})


class Apart:
    """What make() gives, from a process of its own while this one goes on. As many work as there are processors."""

    working = []

    def __init__(self, make):
        if len(self.working) >= len(os.sched_getaffinity(0)):
            self.working[0].wait()
        self.memory = os.memfd_create("figure")
        try:
            self.process = os.fork()
        except OSError:  # no more processes are to be had
            self.made = make()
            os.close(self.memory)
            return
        if self.process == 0:
            status = 1
            try:
                with open(self.memory, "wb") as file:
                    pickle.dump(make(), file)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        self.made = None
        self.working.append(self)

    def wait(self):
        if self.made is None:
            _, status = os.waitpid(self.process, 0)
            self.working.remove(self)
            if status != 0:
                raise RuntimeError("a figure was not drawn")
            with open(self.memory, "rb") as file:
                file.seek(0)
                self.made = pickle.load(file)
        return self.made


@dataclass
class Figure:
    """A figure of the page, while its pictures are made: pictures() waits for them."""

    name: str
    title: str
    alt: str
    caption: str
    pictures: Callable  # -> source, png
    inches: float = 9.6  # its width

    @property
    def source(self):
        """A data URI."""
        return self.pictures()[0]

    @property
    def png(self):
        """The same picture for talks."""
        return self.pictures()[1]


def finish(figure, name, title, alt, caption, as_png=False, modest=False):
    """Renders and closes a matplotlib figure. The page's picture is one of lines, or PNG, or modest: in 128 colours, a quarter of the size."""
    apart = Apart(lambda: render(figure, as_png, modest))
    plt.close(figure)
    return Figure(name, title, alt, caption, apart.wait, figure.get_figwidth())


def render(figure, as_png, modest):
    """(data URI, PNG)."""
    # The canvases themselves, as savefig() draws everything once more before.
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    png = io.BytesIO()
    # Nothing shines through, so that the colours alone make a file of the same size in half of the time.
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    named = PngInfo()
    named.add_text(*MARK.decode().split("\0"))
    picture.save(png, format="png", compress_level=3, dpi=(figure.dpi, figure.dpi), pnginfo=named)
    if modest:
        small = io.BytesIO()
        picture.quantize(128).save(small, format="png", optimize=True)
        kind, data = "image/png", small.getvalue()
    elif as_png:
        kind, data = "image/png", png.getvalue()
    else:
        figure.set_layout_engine("none")  # laid out once; the SVG keeps it
        svg = io.BytesIO()
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Creator": None})
        kind, data = "image/svg+xml", svg.getvalue()
    return f"data:{kind};base64,{base64.b64encode(data).decode()}", png.getvalue()


def style(study, policy):
    others = OTHER_STYLES
    if study.variants:  # whose names mean nothing here: the reference's as of fp64, which comes first
        known, others = {}, [*STYLES.values(), *OTHER_STYLES]
    else:
        known = STYLES
    unknown = [name for name in study.policies if name not in known]
    colour, marker, line = known.get(policy) or others[unknown.index(policy) % len(others)]
    return {"color": colour, "marker": marker, "linestyle": line}


def short(name):
    """A label that leaves room for the figure."""
    return name if len(name) <= 28 else name[:27] + "…"


def lines(label, width):
    """A label of an axis in as many lines as it takes, so that none is cut; its units, last and in brackets, stay together."""
    name, bracket, unit = label.rpartition(" (")
    whole = name + bracket + unit.replace(" ", "\u00a0") if bracket else label
    return "\n".join(textwrap.wrap(whole, width, break_long_words=False)[:4]).replace("\u00a0", " ")


def slug(name):
    """A name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "unnamed"


def drawable(values):
    """Where a value, or which of an array, can be drawn: finite and no overflow of a run that went wrong."""
    return np.isfinite(values) & (np.abs(values) < 1e60)


def drawn_or_none(value):
    return value if value is not None and drawable(value) else None


def line_style(study, policy):
    return {key: value for key, value in style(study, policy).items() if key != "marker"}


def title(axes, words):
    """A title of finished axes, right above them where no power of ten at the end of the y axis comes below it: to find out matplotlib looks at all ticks at every layout."""
    formatter, power_at_end = axes.yaxis.get_major_formatter(), ""
    if isinstance(formatter, ScalarFormatter):
        formatter.set_locs(axes.yaxis.get_majorticklocs())
        power_at_end = formatter.get_offset()
    axes.set_title(words, y=None if power_at_end else 1.0)


def marks(length):
    """About a dozen markers on a line, so that it is known without colour."""
    return max(1, length // 12)


def logarithmic(axis):
    """A logarithmic x or y axis (`axes.xaxis`, `axes.yaxis`) labelled 10⁻³; 1, 2 and 5 where it spans little."""
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    narrow = 0 < low < high < 30 * low
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: scientific(value, 1) if narrow else tick_text(value)))
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=MINOR_DECADES + 2))
    axis.set_minor_formatter(NullFormatter())
    axis.set_tick_params(which="minor", label1On=False)  # which would be measured, though empty


class PowerFormatter(ScalarFormatter):
    """Matplotlib's, but writes × 10¹⁵ instead of 1e15."""

    def get_offset(self):
        offset = super().get_offset().replace("\N{MINUS SIGN}", "-")
        return f"×\u202f10{str(int(offset[2:])).translate(SUPERSCRIPTS)}" if re.fullmatch(r"1e[+-]?\d+", offset) else offset


def plain_ticks(axis):
    """A linear x or y axis without an offset added to its labels; a power of ten at its end for very large and small values."""
    formatter = PowerFormatter(useOffset=False)
    formatter.set_powerlimits((-3, 5))
    axis.set_major_formatter(formatter)


def legend_above(figure, handles, names, height, columns=6):
    """One legend for the figure, in a strip of its own above the axes, at most `columns` names in a row; `height` of the figure in inches."""
    figure.legend(handles, names, loc="upper left", ncol=max(min(len(names), columns), 1), columnspacing=1.6, fontsize=9.5)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (0.14 + 0.2 * -(-len(names) // columns)) / height))


def positive(values):
    """Which values a logarithmic axis can show."""
    return drawable(values) & (values > 1e-60)


def tick_text(value):
    return f"{'−' if value < 0 else ''}{power(f'10^{round(math.log10(abs(value)))}')}"


def grid_of(count):
    columns = count if count <= 3 else 2 if count == 4 else 3
    return -(-count // columns), columns


def time_axis(seconds):
    last = np.nanmax(seconds)
    return next((length, unit) for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60), ("s", 0)) if last >= 2 * length or not length)
