"""`./course pages`: the checks of the pages."""

import argparse
import sys
from pathlib import Path

from pages.requirements import missing_packages, require_packages


def checks():
    """Every check by its name."""
    from pages import (
        chapter_list,
        code_blocks,
        commands,
        figures,
        glossary,
        links,
        measured_numbers,
        reading_time,
        slides,
        style,
        translations,
        words,
    )

    return {
        "chapters": chapter_list.check,
        "links": links.check,
        "code": code_blocks.check,
        "commands": commands.check,
        "translations": translations.check,
        "measured": measured_numbers.check,
        "reading-time": reading_time.check,
        "words": words.check,
        "glossary": glossary.check,
        "style": style.check,
        "figures": figures.check,
        "slides": slides.check,
        "runs": figures.check_runs,
    }


SLOW = ("runs",)  # only when named: they compile and run programs


def counted(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def arguments(given):
    parser = argparse.ArgumentParser(prog="./course pages", description="Check the pages of the course.")
    parser.add_argument("check", nargs="*", metavar="CHECK", help=f"only these: {', '.join(checks())}")
    parser.add_argument(
        "--write", action="store_true", help="first write the code blocks of the pages from their files"
    )
    parser.add_argument("--draw", action="store_true", help="first draw the pictures from their data")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main(given):
    if given == ["--missing"]:
        print("".join(" " + name for name in missing_packages()), end="")
        return 0
    require_packages()
    from pages import code_blocks, figures
    from pages.page import load_pages

    options = arguments(given)
    known = checks()
    unknown = [name for name in options.check if name not in known]
    if unknown:
        print(f"course pages: expected names of checks ({', '.join(known)}), found {unknown[0]}", file=sys.stderr)
        return 2
    pages = load_pages(options.root)
    if not pages:
        print(f"course pages: expected pages in {options.root}, found none", file=sys.stderr)
        return 2
    try:
        if options.write:
            for path in code_blocks.write(pages, options.root):
                print(f"written: {path}")
            pages = load_pages(options.root)
        if options.draw:
            for path in figures.draw(options.root):
                print(f"drawn: {path}")
    except (OSError, RuntimeError, ValueError) as error:  # what stands in a file of the course, and cannot be written or drawn
        print(f"course pages: {error}", file=sys.stderr)
        return 2
    found = 0
    for name in options.check or [name for name in known if name not in SLOW]:
        for finding in known[name](pages, options.root):
            print(f"{finding} [{name}]")
            found += 1
    print(f"{counted(len(pages), 'page')}: {counted(found, 'finding') if found else 'nothing found'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
