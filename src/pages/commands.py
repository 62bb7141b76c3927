"""Commands that the pages name can be given: labs, experiments and files in `./course …` are there."""

import json
import re
from pathlib import Path

COMMAND = re.compile(r"\./course (check|hint|reset|watch|run|timeline|experiment) ([A-Za-z0-9_./-]*[A-Za-z0-9_])")
PLACEHOLDER = re.compile(r"-|[A-Z]|\.\.\.|.*NN_name")  # options, FILE.cu, LAB; what follows is not looked at
OTHER_EXPERIMENTS = ("fidelity",)


def _labs(root):
    """Every way to name a lab."""
    names = set()
    for folder in (root / "labs").glob("[0-9][0-9]_*"):
        number, _, title = folder.name.partition("_")
        names |= {folder.name, number, number.lstrip("0"), title, title.replace("_", "-"), folder.name.replace("_", "-")}
    return names


def _experiments(root):
    names = set(OTHER_EXPERIMENTS)
    for file in (root / "chapters").glob("*/claims.json"):
        names |= {row["name"] for row in json.loads(file.read_text(encoding="utf-8")).get("experiments", [])}
    return names


def _commands(page):
    """(verb, what it is given, line) of every command in the page's code."""
    for number, line in enumerate(page.source.split("\n"), start=1):
        for match in COMMAND.finditer(line):
            yield match[1], match[2], number


def check(pages, root):
    root = Path(root)
    labs, experiments = _labs(root), _experiments(root)
    findings = []
    for page in pages.values():
        for verb, given, line in _commands(page):
            if PLACEHOLDER.match(given):
                continue
            if verb == "experiment":
                if given not in experiments:
                    findings.append(page.finding(line, f"expected an experiment of claims.json, found {given}"))
            elif given in labs or (verb in ("run", "timeline") and (root / given).is_file()):
                continue
            else:
                what = "a lab or a file" if verb in ("run", "timeline") else "a lab"
                findings.append(page.finding(line, f"expected {what} for `./course {verb}`, found {given}"))
    return findings
