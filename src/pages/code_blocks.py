"""Code in pages comes from compiled files.

Directly before a code block stands `<!-- code: FILE#NAME -->`, the path relative to the page. In FILE the lines between
`// [NAME]` and `// [/NAME]` (or `# [NAME]`) are the block, without their common indentation.
"""

import re
import textwrap
from pathlib import Path

MARK = re.compile(r"^\s*(?://|#)\s*\[(/?)([\w-]+)\]\s*$")
# Chapters and slides show programs; elsewhere a block may show what a student has yet to write.
FOLDERS_OF_PROGRAMS = ("chapters", "slides")
PROGRAM_LANGUAGES = ("c", "cpp", "c++", "cu", "cuda")


def region(text, name):
    """The lines of the region `name`. Throws ValueError when there is not exactly one."""
    lines = []
    inside = False
    times = 0
    for line in text.splitlines():
        mark = MARK.match(line)
        if mark and mark[2] == name:
            if bool(mark[1]) != inside:
                raise ValueError(f"expected [{name}] and [/{name}] in turn, found two of one kind")
            inside = not inside
            times += inside
        elif inside and not mark:
            lines.append(line)
    if times != 1 or inside:
        what = "an unclosed one" if inside else f"{times}"
        raise ValueError(f"expected one region from `// [{name}]` to `// [/{name}]`, found {what}")
    return textwrap.dedent("\n".join(lines)).strip("\n") + "\n"


def _expected(page, reference):
    """The content that the file gives. Throws ValueError with what is wrong with the reference."""
    file, _, name = reference.partition("#")
    if not name:
        raise ValueError(f"expected `code: FILE#NAME`, found `code: {reference}`")
    path = page.root / page.path.parent / file
    if not path.is_file():
        raise ValueError(f"expected the file {file} beside the page, found none")
    try:
        return region(path.read_text(encoding="utf-8"), name)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def _references(block):
    return [value for name, value in block.comments if name == "code"]


def check(pages, root):
    findings = []
    for page in pages.values():
        attached = 0
        for block in page.code_blocks:
            references = _references(block)
            attached += len(references)
            if references:
                findings += _compare(page, block, references[-1])
            elif page.path.parts[0] in FOLDERS_OF_PROGRAMS and block.language in PROGRAM_LANGUAGES:
                message = "expected `<!-- code: FILE#NAME -->` directly before this program, found none"
                findings.append(page.finding(block.line, message))
        if attached != sum(1 for name, *_ in page.comments if name == "code"):
            findings.append(page.finding(0, "a comment `code: …` stands before something that is no code block"))
    return findings


def _compare(page, block, reference):
    try:
        expected = _expected(page, reference)
    except ValueError as error:
        return [page.finding(block.line, str(error))]
    if block.content == expected:
        return []
    return [page.finding(block.line, f"this block is not what {reference} holds: run `./course pages --write`")]


def write(pages, root):
    """Puts every region into its block; returns the paths of the pages that changed."""
    changed = []
    for page in pages.values():
        lines = page.source.split("\n")
        for block in reversed(page.code_blocks):
            references = _references(block)
            if not references or _compare(page, block, references[-1]) == []:
                continue
            try:
                expected = _expected(page, references[-1])
            except ValueError:
                continue  # the check says so
            opening = lines[block.line - 1]
            indentation = opening[: len(opening) - len(opening.lstrip())]
            lines[block.line : block.end - 1] = textwrap.indent(expected, indentation).rstrip("\n").split("\n")
        text = "\n".join(lines)
        if text != page.source:
            (Path(root) / page.path).write_text(text, encoding="utf-8")
            changed.append(page.path)
    return changed
