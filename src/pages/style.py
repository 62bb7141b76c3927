"""Markdown style, by mdl (markdownlint). Which rules: mdl_style.rb."""

import json
import subprocess
from pathlib import Path

STYLE = Path(__file__).with_name("mdl_style.rb")


def check(pages, root):
    if not pages:
        return []
    result = subprocess.run(
        ["mdl", "--json", "--ignore-front-matter", "--style", str(STYLE), *(str(path) for path in pages)],
        cwd=root, capture_output=True, text=True, check=False,
    )
    try:
        problems = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise RuntimeError(f"mdl could not check the pages: {result.stderr.strip() or result.stdout.strip()}") from error
    return [
        pages[Path(problem["filename"])].finding(problem["line"], f"{problem['rule']} {problem['description']}")
        for problem in problems
    ]
