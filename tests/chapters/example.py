#!/usr/bin/env python3
"""Runs an example of a chapter on the simulated device, as a reader does, and holds it to what the pages show of it.

    example.py COURSE FILE.cu            check; exit status 1 when something differs
    example.py COURSE FILE.cu --write    write what is printed into the pages

A program under versions/ has to be right: nothing is found, and its exit status is 0. One under wrong/ has to be refused, and
its chapter has to show what is printed then. A page shows output like this:

    <!-- output:begin ./course run chapters/NN_name/versions/v1.cu -->

    ```text
    what is printed
    ```

    <!-- output:end -->

A line that holds nothing but an ellipsis stands for lines left out. When such a block is written, the lines that it shows are
looked for by their words, whatever the times are; lines that are not found once exactly stay, and the check tells of them.
"""

import itertools
import os
import pathlib
import re
import subprocess
import sys

ELLIPSIS = "…"
BARS = "━░▒▓█┬─"  # what a timeline is drawn with
PAGES = {"en": "README.md", "zh": "README.zh-CN.md"}
COULD_NOT_RUN = 2  # then what is printed is no output of the program
NOTHING_FOUND = "Nothing wrong was found."


def blocks_of(file, root):
    """A pattern for the blocks of this file's output; its second group is what the page shows."""
    command = re.escape(f"./course run {file.relative_to(root)}")
    return re.compile(rf"(<!-- output:begin {command} -->\n\n```(?:text)?\n)(.*?)(\n?```\n\n<!-- output:end -->)", re.DOTALL)


def run(course, file, root, language):
    environment = dict(os.environ, COURSE_ROOT=str(root), COURSE_LANG=language)
    program = str(pathlib.Path(course).resolve())  # Meson gives it relative to the build folder
    return subprocess.run([program, "run", str(file.relative_to(root)), "--device", "sim"], cwd=root, env=environment,
                          capture_output=True, text=True, check=False)


def printed(result):
    return (result.stderr + result.stdout).rstrip("\n")


def difference(shown, result):
    """The first part of the block that was not printed, or nothing."""
    if ELLIPSIS not in shown.split("\n"):
        return None if shown == printed(result) else shown
    for part in re.split(rf"^{ELLIPSIS}$", shown, flags=re.MULTILINE):
        lines = "\n" + part.strip("\n") + "\n"
        if lines.strip("\n") and lines not in "\n" + printed(result) + "\n":
            return part.strip("\n")
    return None


def verdict_faults(file, result):
    nothing_found = NOTHING_FOUND in result.stdout and result.returncode == 0
    if file.parent.name == "versions" and not nothing_found:
        return [f"{file}: expected exit status 0 and \"{NOTHING_FOUND}\", found {result.returncode} and\n{printed(result)}"]
    if file.parent.name == "wrong" and nothing_found:
        return [f"{file}: expected that something is found in a program that is wrong, found nothing"]
    return []


def page_faults(page, file, shown, result):
    faults = []
    for block in shown:
        part = difference(block, result)
        if part is not None:
            faults.append(f"{page}: shows\n{part}\nfound when run:\n{printed(result)}\n"
                          f"See whether the program or the page is to change; --write takes over what is printed.")
    if file.parent.name == "wrong" and not shown:
        faults.append(f"{page}: expected the output of {file.name}, found none")
    return faults


def shape(line):
    """What of a line stays when only times change: a row of the timeline is known by its name, other lines by their words."""
    line = re.sub(r"\b[a-z] = cuda\w+", "call", line)  # the calls that the host is in are sorted by their times
    row = re.fullmatch(rf"(\S+)\s+[\s\da-z{BARS}]*", line)
    return row[1] if row else re.sub(rf"[\s\d.{BARS}]+", " ", line)


def renewed(part, lines):
    """These lines as they are printed now."""
    wanted = [shape(line) for line in part]
    shapes = [shape(line) for line in lines]
    places = [i for i in range(len(lines) - len(part) + 1) if shapes[i:i + len(part)] == wanted]
    return lines[places[0]:places[0] + len(part)] if len(places) == 1 else part


def fresh(shown, result):
    if ELLIPSIS not in shown.split("\n"):
        return printed(result)
    lines = printed(result).split("\n")
    runs = [(left_out, list(run)) for left_out, run in itertools.groupby(shown.split("\n"), lambda line: line == ELLIPSIS)]
    return "\n".join(line for left_out, run in runs for line in (run if left_out else renewed(run, lines)))


def write(page, pattern, result):
    page.write_text(pattern.sub(lambda match: f"{match[1]}{fresh(match[2], result)}\n{match[3].lstrip()}", page.read_text()))


def main(course, name, *options):
    file = pathlib.Path(name).resolve()
    root = file.parents[3]
    pattern = blocks_of(file, root)
    faults = []
    for language, page_name in PAGES.items():
        page = file.parents[1] / page_name
        shown = [match[2] for match in pattern.finditer(page.read_text())] if page.exists() else []
        if language == "zh" and not shown and file.parent.name == "versions":
            continue  # runs once more for nothing
        result = run(course, file, root, language)
        if language == "en":
            faults += verdict_faults(file, result)
        if "--write" in options:
            if shown and result.returncode != COULD_NOT_RUN:
                write(page, pattern, result)
        else:
            faults += page_faults(page, file, shown, result)
    print("\n\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
