"""`./course slides`: builds the decks, and fails when something on a slide is cut."""

import argparse
import os
import sys
from pathlib import Path

from pages import slides

SKIPPED = 77  # as Meson counts it


def arguments(given):
    parser = argparse.ArgumentParser(prog="./course slides", description="Build the decks as HTML and PDF.")
    parser.add_argument("--html", action="store_true", help="HTML only")
    parser.add_argument(
        "--test", action="store_true", help="write nothing; skip (status 77) where the decks cannot be built"
    )
    parser.add_argument("--missing", action="store_true", help="only name the packages that are missing")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help="folder to write to")
    return parser.parse_args(given)


def missing_sentence(missing):
    names = " ".join(missing)
    return f"course slides: the decks cannot be built: not installed: {names}; install with: apt-get install {names}"


def run(options):
    """What was written, what is cut."""
    root = options.root.resolve()
    output = (options.output or root / "build" / "slides").resolve()
    if not slides.deck_files(root):
        raise RuntimeError("expected decks slides/NN_name.md, found none")
    if options.test:
        return [], slides.find_overflow(root, output)
    return slides.build(root, output, pdf=not options.html)


def main(given):
    options = arguments(given)
    missing = slides.missing_packages()
    if options.missing:
        print("".join(" " + name for name in missing), end="")
        return 0
    if missing:
        print(missing_sentence(missing), file=sys.stderr)
        return SKIPPED if options.test else 2
    try:
        files, findings = run(options)
    except slides.NoMarp as error:
        print(f"course slides: {error}", file=sys.stderr)
        return SKIPPED if options.test and not os.environ.get("CI") else 2
    except (RuntimeError, OSError) as error:
        print(f"course slides: {error}", file=sys.stderr)
        return 2
    for file in files:
        print(f"written: {os.path.relpath(file)}")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
