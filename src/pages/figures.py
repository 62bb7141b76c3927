"""Pictures: drawn from data in both languages, for light and dark pages, and not older than their data.

`chapters/NN_name/figures/figures.yaml` says what each picture `NAME.svg` (and `NAME.zh-CN.svg`) is drawn from, one of

- `trace: FILE`: a recorded trace, drawn by the project's own timeline;
- `program: FILE`: the timeline of a CUDA file on the simulated device; `solution: LAB`: of a reference solution;
- `plot:`: curves from measured CSV files, drawn by gnuplot (plots.py).

Files are relative to the chapter. Each picture holds a fingerprint of its definition and data, by which the check
tells that it is old; when it was written does not matter.
"""

import hashlib
import itertools
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from pages import plots
from pages.page import TRANSLATION, Finding

LANGUAGES = {"en": "", "zh": TRANSLATION}
FINGERPRINT = re.compile(r"<!-- drawn from (?P<data>[^;]*); content (?P<value>[0-9a-f]+) -->")
KINDS = ("trace", "program", "solution", "plot")


@dataclass(frozen=True)
class Figure:
    """One picture of a chapter, in every language."""

    root: Path
    chapter: Path  # relative to root
    name: str
    definition: dict

    def svg(self, language):
        return self.chapter / "figures" / f"{self.name}{LANGUAGES[language]}.svg"

    @property
    def data(self):
        """The files it is drawn from, relative to the chapter."""
        kind = next(iter(self.definition))
        if kind == "solution":
            return [f"../../solutions/{self.chapter.name}/lab.cu"]
        if kind == "plot":
            return sorted({series["file"] for series in self.definition["plot"]["series"]})
        return [self.definition[kind]]

    def fingerprint(self):
        """Of the definition and of every file. Throws OSError when a file is not there."""
        digest = hashlib.sha256(json.dumps(self.definition, sort_keys=True).encode())
        for file in self.data:
            digest.update((self.root / self.chapter / file).read_bytes())
        return digest.hexdigest()[:16]

    def origin(self):
        return f"<!-- drawn from {', '.join(self.data)}; content {self.fingerprint()} -->"


def find_figures(root):
    """(figures, findings): every figure that a figures.yaml defines, and what is wrong in these files."""
    figures, findings = [], []
    for file in sorted((Path(root) / "chapters").glob("*/figures/figures.yaml")):
        chapter = file.parent.parent.relative_to(root)
        definitions = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        for name, definition in definitions.items():
            if isinstance(definition, dict) and len(definition) == 1 and next(iter(definition)) in KINDS:
                figures.append(Figure(Path(root), chapter, name, definition))
            else:
                message = f"expected {name} to have one of {', '.join(KINDS)}, found {definition}"
                findings.append(Finding(file.relative_to(root), 0, message))
    return figures, findings


def check(pages, root):
    figures, findings = find_figures(root)
    drawn = set()
    for figure in figures:
        for language in LANGUAGES:
            drawn.add(figure.svg(language))
            findings += _check_picture(figure, figure.svg(language))
    for path in sorted(Path(root).glob("chapters/*/figures/*.svg")):
        path = path.relative_to(root)
        if path not in drawn:
            findings.append(Finding(path, 0, "expected this picture in figures.yaml beside it, found none"))
    return findings


def _check_picture(figure, svg):
    try:
        expected = figure.fingerprint()
    except OSError as error:
        return [Finding(svg, 0, f"expected the data {error.filename}, found none")]
    if not (figure.root / svg).is_file():
        return [Finding(svg, 0, "expected this picture, found none: run `./course pages --draw`")]
    match = FINGERPRINT.search((figure.root / svg).read_text(encoding="utf-8"))
    if match is None:
        message = "expected a picture with the fingerprint of its data, found none: run `./course pages --draw`"
        return [Finding(svg, 0, message)]
    if match["value"] != expected:
        return [Finding(svg, 0, "this picture is older than its data: run `./course pages --draw`")]
    return []


def _course(figure, arguments, language):
    """Runs the compiled `course`; throws RuntimeError with what it said."""
    program = os.environ.get("COURSE_PROGRAM", str(figure.root / "build/src/course/course"))
    environment = os.environ | {"COURSE_LANG": language, "COURSE_ROOT": str(figure.root)}
    result = subprocess.run(
        [program, *arguments], cwd=figure.root, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        said = result.stderr.strip() or result.stdout.strip()
        raise RuntimeError(f"{figure.svg(language)} could not be drawn: {said}")


def render(figure, language):
    """The picture as SVG text."""
    kind, value = next(iter(figure.definition.items()))
    if kind == "plot":
        return _with_origin(plots.render(figure.root / figure.chapter, value, language), figure)
    targets = {
        "trace": [str(figure.chapter / str(value))],
        "program": [str(figure.chapter / str(value)), "--device", "sim"],
        "solution": [str(value), "--solution", "--device", "sim"],
    }
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder) / "timeline.svg"
        _course(figure, ["timeline", *targets[kind], "--svg", str(svg)], language)
        # A program that another command has built may name its sources by their absolute paths.
        text = svg.read_text(encoding="utf-8").replace(f"{figure.root.resolve()}/", "")
        return _with_origin(text, figure)


def _with_origin(svg, figure):
    end = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:end]}\n{figure.origin()}{svg[end:]}"


def _first_difference(drawn, shown):
    pairs = itertools.zip_longest(drawn.splitlines(), shown.splitlines(), fillvalue="nothing")
    now, before = next((pair for pair in pairs if pair[0] != pair[1]), ("other line ends", ""))
    return f"{now.strip()[:200]} instead of {before.strip()[:200]}"


def check_runs(pages, root):
    """Pictures of runs on the simulated device are what such a run still gives; runs a program for each."""
    figures, findings = find_figures(root)
    for figure in figures:
        svg = figure.svg("en")
        runs = next(iter(figure.definition)) in ("program", "solution")
        if runs and (figure.root / svg).is_file():
            shown = (figure.root / svg).read_text(encoding="utf-8")
            drawn = render(figure, "en")
            if drawn != shown:
                message = f"the simulated device gives another picture now ({_first_difference(drawn, shown)})"
                findings.append(Finding(svg, 0, f"{message}: run `./course pages --draw`"))
    return findings


def draw(root, names=()):
    """Draws every picture (or those named) and returns their paths."""
    figures, findings = find_figures(root)
    if findings:
        raise ValueError(str(findings[0]))
    drawn = []
    for figure in figures:
        if names and figure.name not in names:
            continue
        for language in LANGUAGES:
            (figure.root / figure.svg(language)).write_text(render(figure, language), encoding="utf-8")
            drawn.append(figure.svg(language))
    return drawn
