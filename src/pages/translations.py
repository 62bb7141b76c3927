"""Each page and its translation: both there, of one version, with the same headings, code, pictures and numbers."""

from pages.page import TRANSLATION
from pages.reading_time import CHINESE, WORD

ENGLISH_ONLY = ("CHANGELOG.md",)

GENERATED = ("chapters/CLAIMS.md",)  # both languages at once, so neither can be behind

# Which numbers are written in words is for each language to say.
SPELLED = {
    "1": ("one", "One", "first", " a ", " an ", "一", "首"),
    "2": ("two", "Two", "second", "half", "both", "二", "两", "双"),
    "3": ("three", "Three", "third", "三"),
    "4": ("four", "Four", "fourth", "quarter", "四"),
    "5": ("five", "Five", "fifth", "五"),
    "6": ("six", "Six", "sixth", "六"),
    "7": ("seven", "Seven", "seventh", "七"),
    "8": ("eight", "Eight", "eighth", "八"),
    "9": ("nine", "Nine", "ninth", "九"),
    "10": ("ten ", "Ten ", "tenth", "十"),
    "16": ("sixteen", "Sixteen", "十六"),
    "32": ("thirty-two", "三十二"),
}


def check(pages, root):
    findings = []
    for page in pages.values():
        if str(page.path) in ENGLISH_ONLY:
            continue
        other = pages.get(page.twin)
        if other is None:
            message = f"expected the same page in the other language, {page.twin.name}, found none"
            findings.append(page.finding(0, message))
        elif page.is_translation:
            for compare in (_language, _versions, _headings, _code, _pictures, _numbers):
                findings += compare(other, page)
    return findings


def _language(source, translation):
    """A copy of the English page is no translation."""
    if CHINESE.search(translation.text) or not WORD.search(translation.text):
        return []
    return [translation.finding(0, f"expected the text of {source.path.name} in Chinese, found none")]


def _versions(source, translation):
    if str(source.path) in GENERATED:
        return []
    try:
        expected, found = source.field("version"), translation.field("version")
        named = translation.field("translates")
    except ValueError as error:
        return [translation.finding(0, str(error))]
    findings = []
    if expected is None:
        findings.append(source.finding(0, "expected `version:` in the front matter or in a comment, found none"))
    if found != expected:
        message = f"expected `version: {expected}` as in {source.path.name}, found {found}: translate what changed"
        findings.append(translation.finding(0, message))
    if named != source.path.name:
        findings.append(translation.finding(0, f"expected `translates: {source.path.name}`, found {named}"))
    return findings


def _headings(source, translation):
    expected = [heading.level for heading in source.headings]
    found = [heading.level for heading in translation.headings]
    if expected == found:
        return []
    for ours, theirs in zip(translation.headings, source.headings):
        if ours.level != theirs.level:
            message = f"expected a heading of level {theirs.level} for “{theirs.text}”, found level {ours.level}"
            return [translation.finding(ours.line, message)]
    return [translation.finding(0, f"expected {len(expected)} headings as in {source.path.name}, found {len(found)}")]


def _code(source, translation):
    expected, found = source.code_blocks, translation.code_blocks
    if len(expected) != len(found):
        message = f"expected {len(expected)} code blocks as in {source.path.name}, found {len(found)}"
        return [translation.finding(0, message)]
    findings = []
    for theirs, ours in zip(expected, found):
        same_reference = [pair for pair in theirs.comments if pair[0] == "code"] == [
            pair for pair in ours.comments if pair[0] == "code"
        ]
        if theirs.language != ours.language or not same_reference or not _same_code(theirs, ours):
            message = f"expected the code of line {theirs.line} of {source.path.name}, found other code"
            findings.append(translation.finding(ours.line, message))
    return findings


# Drawings, and what the tools print, hold words, which are translated.
LANGUAGES_WITH_WORDS = ("", "text", "console", "sh", "bash", "shell")


def _same_code(theirs, ours):
    if theirs.language in LANGUAGES_WITH_WORDS:
        return True
    return theirs.content == ours.content


def _picture_name(target):
    return target.replace(TRANSLATION, "")


def _pictures(source, translation):
    expected = sorted(_picture_name(link.target) for link in source.links if link.is_image)
    found = sorted(_picture_name(link.target) for link in translation.links if link.is_image)
    if expected == found:
        return []
    return [translation.finding(0, f"expected the pictures {expected} as in {source.path.name}, found {found}")]


def _spelled_out(number, section):
    """Whether the text says the number in words."""
    return any(word in section.text for word in SPELLED.get(number, ()))


def _numbers(source, translation):
    findings = []
    if len(source.sections) != len(translation.sections):
        return []  # the headings differ, which is said already
    for theirs, ours in zip(source.sections, translation.sections):
        for more, holder, lacking, lacking_page in (
            (theirs.numbers - ours.numbers, source, ours, translation),
            (ours.numbers - theirs.numbers, translation, theirs, source),
        ):
            numbers = [number for number in more if not _spelled_out(number, lacking)]
            if numbers:
                listed = ", ".join(sorted(numbers))
                message = f"expected the numbers {listed} of {holder.path.name} in “{lacking.heading}” too, found none"
                findings.append(lacking_page.finding(lacking.line, message))
    return findings
