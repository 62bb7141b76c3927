"""Every chapter of the list in the root meson.build has its pages, and its lab a hint for each of its checks."""

import re
from pathlib import Path

from pages.page import Finding

LIST = Path("meson.build")
ROW = re.compile(r"^\s*\{'name': '(\w+)'", re.MULTILINE)
CHECK = re.compile(r"^TEST_F\(\w+, (\w+)\)", re.MULTILINE)
LEVELS = 3


def pages_of(chapter):
    """The pages that a chapter has to have; their translations are another check's."""
    lab = Path("labs", chapter)
    solution, deck = Path("solutions", chapter, "README.md"), Path("slides", f"{chapter}.md")
    return [Path("chapters", chapter, "README.md"), lab / "README.md", lab / "hints.md", solution, deck]


def check(pages, root):
    if not (Path(root) / LIST).exists():
        return []
    findings = []
    for chapter in ROW.findall((Path(root) / LIST).read_text(encoding="utf-8")):
        for path in pages_of(chapter):
            if path not in pages:
                findings.append(Finding(LIST, 0, f"expected {path} for chapter {chapter}, found no such file"))
        findings += _contents(pages, chapter) + _hints(pages, root, chapter)
    return findings


def _contents(pages, chapter):
    """What is wrong with the tables of contents in the two READMEs."""
    findings = []
    for name in ("README.md", "README.zh-CN.md"):
        page = pages.get(Path(name))
        links = [link.target for link in page.links] if page else []
        for target in (f"chapters/{chapter}/{name}", f"labs/{chapter}/{name}"):
            if page and target not in links:
                findings.append(page.finding(0, f"expected a link to {target}, found none"))
    return findings


def _hints(pages, root, chapter):
    """`## check` with `### 1` to `### 3`, for each check and for nothing else."""
    page = pages.get(Path("labs", chapter, "hints.md"))
    source = Path(root) / "tests" / chapter / "checks.cpp"
    if page is None or not source.exists():
        return []
    checks = CHECK.findall(source.read_text(encoding="utf-8"))
    levels = {}
    findings = []
    for heading in page.headings:
        if heading.level == 2:
            levels[heading.text] = []
            if heading.text not in checks:
                findings.append(page.finding(heading.line, f"expected a check of {source.name}, found {heading.text}"))
        elif heading.level == 3 and levels:
            levels[list(levels)[-1]].append(heading.text)
    wanted = [str(level) for level in range(1, LEVELS + 1)]
    for name in checks:
        if levels.get(name) != wanted:
            found = ", ".join(levels[name]) if levels.get(name) else "none"
            findings.append(page.finding(0, f"expected hints {', '.join(wanted)} under `## {name}`, found {found}"))
    return findings
