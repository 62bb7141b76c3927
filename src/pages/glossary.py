"""The glossary: both languages have the same pairs of terms, and each term is one that the pages use."""

from pathlib import Path

GLOSSARY = Path("chapters/GLOSSARY.md")


def terms(page):
    """The first two cells of every row: (term, the same in the other language, line)."""
    found = []
    cells = None
    for token in page.tokens:
        if token.type == "tr_open":
            cells = []
            line = token.map[0] + 1
        elif token.type == "td_open" and cells is not None:
            cells.append("")
        elif token.type == "inline" and cells:
            cells[-1] = token.content
        elif token.type == "tr_close" and cells and len(cells) >= 2:
            found.append((cells[0], cells[1], line))
    return found


def _joined(text, page):
    """The text without line ends: English words stand between blanks, Chinese ones need none."""
    return ("" if page.is_translation else " ").join(text.lower().split())


def _unused(page, pages):
    others = [
        _joined(other.source, other)
        for other in pages.values()
        if other.is_translation == page.is_translation and other.path != page.path
    ]
    return [
        page.finding(line, f"expected a term that another page of this language uses, found {term}")
        for term, _, line in terms(page)
        if not any(_joined(term, page) in text for text in others)
    ]


def check(pages, root):
    english = pages.get(GLOSSARY)
    chinese = pages.get(english.twin) if english else None
    if not english or not chinese:
        return []  # the check of translations tells of a page that is missing
    findings = _unused(english, pages) + _unused(chinese, pages)
    expected = [(term, other) for term, other, _ in terms(english)]
    found = [(other, term) for term, other, _ in terms(chinese)]
    for pair in expected:
        if pair not in found:
            findings.append(chinese.finding(0, f"expected the term {pair[1]} for {pair[0]}, found none"))
    for pair in found:
        if pair not in expected:
            findings.append(english.finding(0, f"expected the term {pair[0]} for {pair[1]}, found none"))
    return findings
