#!/usr/bin/env python3
"""Checks the starter and the reference solution as a reader does, and holds the task page to what is printed then.

    task_page.py COURSE labs/NN_name STARTER.cu            check; exit status 1 when something differs
    task_page.py COURSE labs/NN_name STARTER.cu --write    write what is printed into the pages

A page shows it like this; with --solution all of it but the seed, without it the end, from the timeline on:

    <!-- output:begin ./course check NAME --solution -->

    ```text
    what is printed
    ```

    <!-- output:end -->

The Chinese page is held to the same numbers, which takes no second run. Rates in GB/s on the pages of the solution have to be
printed too. STARTER.cu is the recorded starter: lab.cu may hold a
student's work.
"""

import os
import pathlib
import re
import subprocess
import sys

ELLIPSIS = "…"
TIMELINE = re.compile(r"^.*\n.*\n.*┬", re.MULTILINE)  # the title, the times and their axis
SEED = re.compile(r"^.*\b\d{15,20}$", re.MULTILINE)
BLOCK = re.compile(r"(<!-- output:begin \./course check (\w+)( --solution)? -->\n\n```text\n)(.*?)(\n```\n\n<!-- output:end -->)", re.DOTALL)
SPEED = re.compile(r"\d+\.\d+×")
RATE = re.compile(r"\d+\.\d+\s+GB/s")
COULD_NOT_CHECK = 2


def run(course, root, lab, starter, solution, language):
    """What is printed, or an error when nothing could be checked."""
    what = ["--solution"] if solution else ["--file", str(starter)]
    environment = dict(os.environ, COURSE_ROOT=str(root), COURSE_LANG=language)
    result = subprocess.run([course, "check", lab, *what, "--device", "sim"], cwd=root, env=environment, capture_output=True,
                            text=True, check=False)
    if result.returncode >= COULD_NOT_CHECK or result.returncode < 0:
        raise RuntimeError(f"{lab}: expected exit status 0 or 1, found {result.returncode} and\n{result.stdout}{result.stderr}")
    return result.stdout.rstrip("\n")


def part_shown(printed, solution):
    """The part of it that a page shows. The seed depends on the place of the program."""
    if solution:
        return SEED.sub(ELLIPSIS, printed, count=1)
    timeline = TIMELINE.search(printed)
    return ELLIPSIS + "\n" + printed[timeline.start():] if timeline else printed


def numbers(text):
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


def faults_of(page, text, printed):
    """`printed` has what is to be shown in English, by whether it is of the solution."""
    faults = []
    for match in BLOCK.finditer(text):
        solution, shown = match[3] is not None, match[4]
        wanted = printed[solution]
        same = shown == wanted if page.name == "README.md" else numbers(shown) == numbers(wanted)
        if not same:
            faults.append(f"{page}: shows\n{shown}\nfound when run:\n{wanted}\n"
                          f"See whether the lab or the page is to change; --write takes over what is printed.")
    in_blocks = set(SPEED.findall("".join(match[4] for match in BLOCK.finditer(text))))
    faults += [f"{page}: the text says {speed}, and no output on the page does"
               for speed in SPEED.findall(BLOCK.sub("", text)) if speed not in in_blocks]
    return faults


def rate_faults(page, text, printed):
    """Rates of the page that no check printed. What is printed is wrapped."""
    known = {" ".join(rate.split()) for rate in RATE.findall(printed)}
    return [f"{page}: says {rate}, and no check prints that; printed are {sorted(known)}"
            for rate in (" ".join(found.split()) for found in RATE.findall(text)) if rate not in known]


def main(course, folder, starter, *options):
    folder = pathlib.Path(folder).resolve()
    root, starter = folder.parents[1], pathlib.Path(starter).resolve()
    course = str(pathlib.Path(course).resolve())  # Meson gives it relative to the build folder
    pages = {"en": folder / "README.md", "zh": folder / "README.zh-CN.md"}
    texts = {language: page.read_text() for language, page in pages.items()}
    shown = {match[3] is not None for match in BLOCK.finditer(texts["en"])}
    if not shown:
        print(f"{pages['en']}: expected a block `<!-- output:begin ./course check NAME --solution -->`, found none")
        return 1

    def printed(language):
        return {solution: run(course, root, folder.name, starter, solution, language) for solution in sorted(shown)}

    def parts(whole):
        return {solution: part_shown(output, solution) for solution, output in whole.items()}

    if "--write" in options:
        for language, page in pages.items():
            new = parts(printed(language))
            page.write_text(BLOCK.sub(lambda match: match[1] + new[match[3] is not None] + match[5], texts[language]))
        return 0
    new = printed("en")
    faults = [fault for language, page in pages.items() for fault in faults_of(page, texts[language], parts(new))]
    for page in sorted((root / "solutions" / folder.name).glob("README*.md")):
        faults += rate_faults(page, page.read_text(), "\n".join(new.values()))
    print("\n\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
