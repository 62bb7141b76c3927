"""Markdown style, by mdl (markdownlint; which rules: mdl_style.rb), bold text that would show its asterisks, and line ends
that would show as blanks between Chinese characters."""

import json
import re
import subprocess
from pathlib import Path

STYLE = Path(__file__).with_name("mdl_style.rb")
BROKEN_PHRASE = re.compile(r"[\u4e00-\u9fff]\n[\u4e00-\u9fff（“]")


def _unended(page):
    """Asterisks that CommonMark takes for text, as in Chinese: `**词。**后文` ends no bold text, `**词**。后文` does."""
    return [
        page.finding(token.map[0] + 1, f"expected bold text, found that its ** are shown: {child.content[:40]}")
        for token in page.tokens
        for child in token.children or []
        if child.type == "text" and "**" in child.content
    ]


def _broken_phrases(page):
    """Lines that end inside a Chinese phrase: browsers show the line end as a blank (not seen behind a punctuation mark)."""
    findings = []
    for token in page.tokens:
        if token.type == "inline" and token.map:
            for found in BROKEN_PHRASE.finditer(token.content):
                before = token.content[: found.start() + 1]
                line = token.map[0] + 1 + before.count("\n")
                end = before.splitlines()[-1][-8:]
                findings.append(
                    page.finding(line, f"expected a line end behind a punctuation mark, found it behind {end}")
                )
    return findings


def check(pages, root):
    own = [finding for page in pages.values() for finding in _unended(page) + _broken_phrases(page)]
    return _markdown_style(pages, root) + own


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
