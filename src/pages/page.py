"""One Markdown page: what the checks ask of it. Parsing is left to markdown-it-py, and that of HTML to html.parser."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

FOLDERS = ("chapters", "labs", "solutions", "slides")
TRANSLATION = ".zh-CN"
COMMENT = re.compile(r"<!--\s*(\w+):\s*(.*?)\s*-->", re.DOTALL)
# Digits of a name (H2D, v2, CUDA13) are no number; a decimal point or comma stands between digits.
NUMBER = re.compile(r"(?<![A-Za-z0-9_.,])\d+(?:,\d{3})*(?:\.\d+)?(?:(?=(?:st|nd|rd|th)\b)|(?![A-Za-z0-9_]))")


@dataclass(frozen=True)
class Finding:
    """What is wrong in a page, where, and what to do."""

    path: Path  # relative to the repository
    line: int  # from 1; 0: the whole page
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}" if self.line else f"{self.path}: {self.message}"


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    line: int


@dataclass(frozen=True)
class Link:
    target: str
    line: int
    is_image: bool = False


@dataclass(frozen=True)
class CodeBlock:
    language: str
    content: str
    line: int  # of the opening fence, from 1
    end: int  # of the closing fence
    comments: tuple  # (name, value) of the comments directly before it


@dataclass
class Section:
    """What stands under one heading."""

    heading: str
    line: int
    text: str = ""
    numbers: set = field(default_factory=set)


class _Attributes(HTMLParser):
    """Links, images and anchors that a page writes as HTML."""

    def __init__(self):
        super().__init__()
        self.links = []
        self.images = []
        self.anchors = []

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.anchors += [values[name] for name in ("id", "name") if name in values]
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "img" and "src" in values:
            self.images.append(values["src"])
        if tag == "source" and "srcset" in values:
            self.images += [entry.split()[0] for entry in values["srcset"].split(",") if entry.strip()]


def _attributes(html):
    parser = _Attributes()
    parser.feed(html)
    return parser


def anchor_of(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _text_of(inline):
    """What a reader sees of a line of text, without code and HTML."""
    parts = []
    for token in inline.children or []:
        if token.type == "text":
            parts.append(token.content)
        elif token.type == "code_inline":
            parts.append(" ")
        elif token.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif token.type == "image":
            parts.append(" ")
    return "".join(parts)


def _heading_text(inline):
    return "".join(token.content for token in inline.children or [] if token.type in ("text", "code_inline"))


class Page:
    """A page of the repository at `root`. `path` is relative to it."""

    def __init__(self, root, path, source=None):
        self.root = Path(root)
        self.path = Path(path)
        self.source = (self.root / self.path).read_text(encoding="utf-8") if source is None else source
        parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(front_matter_plugin)
        self.tokens = parser.parse(self.source)

    @property
    def is_translation(self):
        return self.path.stem.endswith(TRANSLATION)

    @property
    def twin(self):
        """Path of the same page in the other language."""
        stem = self.path.stem
        other = stem[: -len(TRANSLATION)] if self.is_translation else stem + TRANSLATION
        return self.path.with_name(other + ".md")

    def finding(self, line, message):
        return Finding(self.path, line, message)

    @cached_property
    def front_matter(self):
        """The fields before the text; empty when there are none. Throws ValueError when they are not YAML."""
        for token in self.tokens:
            if token.type == "front_matter":
                try:
                    fields = yaml.safe_load(token.content)
                except yaml.YAMLError as error:
                    raise ValueError(f"the front matter is not YAML: {error}") from error
                if not isinstance(fields, dict):
                    raise ValueError("expected `name: value` lines in the front matter, found something else")
                return fields
        return {}

    def field(self, name):
        """A field of the front matter, or without one of a comment `<!-- name: value -->`; None without either."""
        if self.front_matter:
            return self.front_matter.get(name)
        values = [yaml.safe_load(value) for key, value, *_ in self.comments if key == name]
        return values[0] if values else None

    @cached_property
    def headings(self):
        found = []
        for token, inline in zip(self.tokens, self.tokens[1:]):
            if token.type == "heading_open":
                found.append(Heading(int(token.tag[1]), _heading_text(inline), token.map[0] + 1))
        return found

    @cached_property
    def anchors(self):
        """Every anchor of the page; GitHub numbers those that repeat."""
        found = set()
        seen = {}
        for heading in self.headings:
            anchor = anchor_of(heading.text)
            repeated = seen.get(anchor, 0)
            seen[anchor] = repeated + 1
            found.add(f"{anchor}-{repeated}" if repeated else anchor)
        for html, _ in self._html():
            found.update(_attributes(html).anchors)
        return found

    def _html(self):
        """Every piece of HTML with its line."""
        for token in self.tokens:
            if token.type == "html_block":
                yield token.content, token.map[0] + 1
            for child in token.children or []:
                if child.type == "html_inline":
                    yield child.content, token.map[0] + 1

    @cached_property
    def links(self):
        """Links and images, of Markdown and of HTML, in the order of the page."""
        found = []
        for token in self.tokens:
            for child in token.children or []:
                if child.type == "link_open":
                    found.append(Link(child.attrs["href"], token.map[0] + 1))
                elif child.type == "image":
                    found.append(Link(child.attrs["src"], token.map[0] + 1, is_image=True))
        for html, line in self._html():
            attributes = _attributes(html)
            found += [Link(target, line) for target in attributes.links]
            found += [Link(target, line, is_image=True) for target in attributes.images]
        return found

    @cached_property
    def comments(self):
        """(name, value, line, index of its token) of every `<!-- name: value -->` that stands by itself."""
        found = []
        for index, token in enumerate(self.tokens):
            if token.type == "html_block":
                for match in COMMENT.finditer(token.content):
                    line = token.map[0] + 1 + token.content[: match.start()].count("\n")
                    found.append((match[1], match[2], line, index))
        return found

    @cached_property
    def code_blocks(self):
        found = []
        for index, token in enumerate(self.tokens):
            if token.type != "fence":
                continue
            before = self.tokens[index - 1] if index else None
            comments = COMMENT.findall(before.content) if before is not None and before.type == "html_block" else []
            words = token.info.split()
            found.append(
                CodeBlock(words[0] if words else "", token.content, token.map[0] + 1, token.map[1], tuple(comments))
            )
        return found

    def block_after(self, index):
        """(kind, content) of what follows the token at `index`: a table as rows of cells, or a text."""
        for position in range(index + 1, len(self.tokens)):
            token = self.tokens[position]
            if token.type == "table_open":
                return "table", self._table(position)
            if token.type == "inline":
                return "text", self._block_text(index + 1)
            if token.type in ("fence", "heading_open"):
                return "none", None
        return "none", None

    def _table(self, position):
        rows = []
        for token in self.tokens[position:]:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(_text_of(token).strip())
            elif token.type == "table_close":
                break
        return rows

    def _block_text(self, position):
        """The text of the block (a paragraph, or a whole list) that begins at `position`."""
        parts = []
        depth = 0
        for token in self.tokens[position:]:
            depth += token.nesting
            if token.type == "inline":
                parts.append(_text_of(token))
            if depth <= 0 and parts:
                break
        return "\n".join(parts)

    @cached_property
    def text(self):
        """What is read as prose: headings, paragraphs, lists and tables, without code and HTML."""
        return "\n".join(_text_of(token) for token in self.tokens if token.type == "inline")

    @cached_property
    def sections(self):
        """One per heading, and one before the first, with the numbers that its text holds."""
        found = [Section("", 1)]
        in_heading = False
        for token in self.tokens:
            if token.type == "heading_open":
                in_heading = True
                found.append(Section("", token.map[0] + 1))
            elif token.type == "inline":
                if in_heading:
                    found[-1].heading = _heading_text(token)
                    in_heading = False
                text = _text_of(token)
                found[-1].text += text + "\n"
                found[-1].numbers |= {number.replace(",", "") for number in NUMBER.findall(text)}
        return found


def find_pages(root):
    """Paths of all pages of the repository, relative to `root`."""
    root = Path(root)
    found = list(root.glob("*.md"))
    for folder in FOLDERS:
        found += (root / folder).rglob("*.md")
    return sorted(path.relative_to(root) for path in found)


def load_pages(root):
    """All pages by their paths."""
    return {path: Page(root, path) for path in find_pages(root)}
