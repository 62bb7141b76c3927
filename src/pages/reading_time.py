"""The minutes that a chapter names are the time that reading it takes."""

import re

WORDS_PER_MINUTE = 200
CHARACTERS_PER_MINUTE = 400
TOLERANCE = 0.4
WORD = re.compile(r"[A-Za-z0-9][\w'’./-]*")
CHINESE = re.compile(r"[\u3400-\u9fff]")


def minutes(page):
    """Reading time of the text: English words, or Chinese characters and the Latin words between them."""
    words = len(WORD.findall(page.text)) / WORDS_PER_MINUTE
    return words + len(CHINESE.findall(page.text)) / CHARACTERS_PER_MINUTE


def check(pages, root):
    findings = []
    for page in pages.values():
        is_chapter = len(page.path.parts) == 3 and page.path.parts[0] == "chapters"
        if not is_chapter:
            continue  # the minutes of labs and solutions are for working, not for reading
        given = page.front_matter.get("minutes")
        expected = max(1, minutes(page))
        if not isinstance(given, (int, float)) or abs(given - expected) > TOLERANCE * expected:
            message = f"expected about `minutes: {round(expected)}` for this text, found {given}"
            findings.append(page.finding(0, message))
    return findings
