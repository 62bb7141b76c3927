"""Curves from measured CSV files, drawn by gnuplot as SVG for light and dark pages.

A curve shows a `column`, or with `share_of: NUMBER` that number divided by it: how near a time is to a bound.
"""

import re
import subprocess
from xml.sax.saxutils import escape

from pages.measured_numbers import read_table, select

WIDTH, HEIGHT = 760, 400
FONTS = (
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', "
    "'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
)
# As in the timelines: (on a light page, on a dark one).
PAGE = ("#ffffff", "#0d1117")
TEXT = ("#1f2328", "#e6edf3")
GRID = ("#d1d9e0", "#3d444d")
SERIES = (("#0969da", "#58a6ff"), ("#bc4c00", "#f0883e"), ("#1a7f37", "#3fb950"), ("#8250df", "#bc8cff"))
# Gnuplot's filled circle, square, triangle and diamond: colours are not all that tells curves apart.
POINTS = (7, 5, 9, 13)


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _data_block(index, chapter, series, x):
    rows = select(read_table(chapter / series["file"]), series.get("where"))
    for column in (x, series["column"]):
        if column not in rows[0]:
            raise ValueError(f"{series['file']}: expected a column {column}, found {', '.join(rows[0])}")
    share_of = series.get("share_of")
    values = [row[series["column"]] if share_of is None else share_of / float(row[series["column"]]) for row in rows]
    lines = "\n".join(f"{row[x]} {value}" for row, value in zip(rows, values))
    return f"$series{index} << END\n{lines}\nEND"


def _axis(name, axis, language):
    commands = [f"set {name}label {_quoted(axis['label'][language])}"]
    if axis.get("log"):
        commands.append(f"set logscale {name} {axis['log']}")
    if "ticks" in axis:
        commands.append(f"set {name}tics ({', '.join(str(tick) for tick in axis['ticks'])})")
    if "range" in axis:
        commands.append(f"set {name}range [{':'.join(str(end) for end in axis['range'])}]")
    return commands


def script(chapter, plot, language):
    """What gnuplot is told. Throws ValueError for a column or rows that are not there."""
    commands = [
        f"set terminal svg size {WIDTH},{HEIGHT} noenhanced font 'FONTS,14' background {_quoted(PAGE[0])}",
        f"set title {_quoted(plot['title'][language])} textcolor rgb {_quoted(TEXT[0])}",
        f"set border 3 linecolor rgb {_quoted(TEXT[0])}",
        "set tics nomirror",
        f"set grid ytics linecolor rgb {_quoted(GRID[0])} linetype 1",
        f"set key {plot.get('key', 'bottom right')}",
        *_axis("x", plot["x"], language),
        *_axis("y", plot["y"], language),
    ]
    curves = []
    for index, series in enumerate(plot["series"]):
        commands.append(_data_block(index, chapter, series, plot["x"]["column"]))
        curves.append(
            f"$series{index} using 1:2 with linespoints linewidth 2 pointtype {POINTS[index]} pointsize 0.6 "
            f"linecolor rgb {_quoted(SERIES[index][0])} title {_quoted(series['label'][language])}"
        )
    return "\n".join([*commands, "plot " + ", ".join(curves)]) + "\n"


def _one_spelling(svg):
    """Colours as #rrggbb: gnuplot writes them in several ways."""
    svg = re.sub(r"rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)", lambda rgb: "#%02x%02x%02x" % tuple(map(int, rgb.groups())), svg)
    svg = re.sub(r"#[0-9A-F]{6}", lambda colour: colour[0].lower(), svg)
    return svg.replace('"black"', f'"{TEXT[0]}"')


def _style():
    rules = [
        f"[{attribute}='{light}'] {{ {attribute}: {dark}; }}"
        for light, dark in (PAGE, TEXT, GRID, *SERIES)
        for attribute in ("fill", "stroke", "color")
    ]
    lines = "\n    ".join(rules)
    dark_page = f"@media (prefers-color-scheme: dark) {{\n    {lines}\n  }}"
    return f"<style>\n  text {{ font-family: {FONTS}; }}\n  {dark_page}\n</style>"


def for_light_and_dark(svg, title):
    """Gnuplot's SVG with colours of its own for dark pages, and a title for those who do not see it."""
    svg = _one_spelling(svg)
    ours = f"<title>{escape(title)}</title>\n{_style()}"
    svg = re.sub(r"<title>.*?</title>\s*<desc>.*?</desc>", ours, svg, flags=re.DOTALL)
    svg = svg.replace('font-family="FONTS"', "")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def render(chapter, plot, language):
    """The plot as SVG text. Throws ValueError for data that are not there, RuntimeError when gnuplot fails."""
    if len(plot["series"]) > len(SERIES):
        raise ValueError(f"expected at most {len(SERIES)} curves in one plot, found {len(plot['series'])}")
    result = subprocess.run(
        ["gnuplot"],
        input=script(chapter, plot, language),
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if result.returncode != 0 or "</svg>" not in result.stdout:
        raise RuntimeError(f"gnuplot could not draw “{plot['title'][language]}”: {result.stderr.strip()}")
    return for_light_and_dark(result.stdout, plot["title"][language])
