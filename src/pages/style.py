"""Markdown style, by mdl (markdownlint; which rules: mdl_style.rb), and bold text that would show its asterisks."""

import json
import subprocess
from pathlib import Path

STYLE = Path(__file__).with_name("mdl_style.rb")


def _unended(page):
    """Asterisks that CommonMark takes for text, as in Chinese: `**词。**后文` ends no bold text, `**词**。后文` does."""
    return [
        page.finding(token.map[0] + 1, f"expected bold text, found that its ** are shown: {child.content[:40]}")
        for token in page.tokens
        for child in token.children or []
        if child.type == "text" and "**" in child.content
    ]


def check(pages, root):
    return _markdown_style(pages, root) + [finding for page in pages.values() for finding in _unended(page)]


def _markdown_style(pages, root):
    if not pages:
        return []
    result = subprocess.run(
        ["mdl", "--json", "--ignore-front-matter", "--style", str(STYLE), *(str(path) for path in pages)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        problems = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        said = result.stderr.strip() or result.stdout.strip()
        raise RuntimeError(f"mdl could not check the pages: {said}") from error
    return [
        pages[Path(problem["filename"])].finding(problem["line"], f"{problem['rule']} {problem['description']}")
        for problem in problems
    ]
