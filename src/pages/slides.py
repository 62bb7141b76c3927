"""The decks: what each slide has to have, how they are built, and whether all of a slide is seen.

`slides/NN_name.md` and its translation are Marp decks, slides apart by `---`. Marp comes from the npm registry
(slides/package.json), the browser that measures and prints is Chromium.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pages.page import NUMBER

FEWEST, MOST = 12, 20
DEMO = {False: "Live demo", True: "现场演示"}  # by whether the deck is a translation
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
# Comments for the checks, not for the speaker.
OURS = re.compile(r"<!--\s*(?:code|measured|version|translates):.*?-->", re.DOTALL)
# A number with a unit of time, speed or share.
FIGURE = re.compile(r"(?<![\w.])(\d+(?:,\d{3})*(?:\.\d+)?) ?(?:us|µs|ms|GB/s|%|times|倍)(?![\w])")
DIRECTIVE = re.compile(r"^\s*_?(?:class|paginate|header|footer|color|backgroundColor|backgroundImage|size|style|fit)\b")
PROGRAMS = {"npm": "npm", "node": "nodejs"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SMALLEST_CODE = 16  # pixels of 720: what the last row can still read
COLUMNS = 2  # a Chinese character in a drawing is as wide as so many others
MARGIN = 1.0  # pixels: what a browser rounds is no overflow

# Marp's own script shrinks code until it fits, some frames after the page has loaded; what is measured and printed cannot
# wait for that. This does the same at once.
FIT = """
<script>
document.querySelectorAll('section pre').forEach(block => {
  const code = block.querySelector('code') || block;
  const style = getComputedStyle(block);
  const inner = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const shrunk = Math.min(1, inner / code.offsetWidth);
  if (shrunk < 1) code.style.fontSize = `${parseFloat(getComputedStyle(code).fontSize) * shrunk * 0.995}px`;
});
</script>
"""
MARP_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)

# Reports every element that a slide's border cuts, the size of code, how wide Chinese characters in it are, and every
# picture that did not load.
MEASURE = """
<script>
addEventListener('load', () => {
  const findings = [];
  const width = (code, text) => {
    const probe = code.appendChild(document.createElement('span'));
    probe.textContent = text;
    const found = probe.getBoundingClientRect().width;
    probe.remove();
    return found;
  };
  document.querySelectorAll('section').forEach((section, index) => {
    const frame = section.getBoundingClientRect();
    const scale = frame.width / section.offsetWidth || 1;
    let below = 0, beside = 0;
    for (const element of section.querySelectorAll('*')) {
      if (element.closest('header, footer, svg svg, style, script')) continue;
      const box = element.getBoundingClientRect();
      if (box.width === 0 && box.height === 0) continue;
      below = Math.max(below, box.bottom - frame.bottom, frame.top - box.top);
      beside = Math.max(beside, box.right - frame.right, frame.left - box.left);
      beside = Math.max(beside, (element.scrollWidth - element.clientWidth) * (element.clientWidth > 0 ? scale : 0));
    }
    const sizes = [...section.querySelectorAll('pre code')].map(code => parseFloat(getComputedStyle(code).fontSize));
    const drawn = [...section.querySelectorAll('pre code')].find(code => /\\p{Script=Han}/u.test(code.textContent));
    const columns = drawn ? width(drawn, '中中中中') / width(drawn, 'mmmm') : 2;
    const broken = [...section.querySelectorAll('img')].filter(image => !image.naturalWidth).length;
    findings.push({
      slide: index + 1, below: below / scale, beside: beside / scale, broken, columns,
      code: Math.min(...sizes, 99)
    });
  });
  const result = document.createElement('pre');
  result.id = 'measured';
  result.textContent = JSON.stringify(findings);
  document.body.append(result);
});
</script>
"""


@dataclass
class Slide:
    line: int
    headings: list
    notes: bool = False
    commands: bool = False


def slides_of(page):
    """The slides of a deck, in their order."""
    found = [Slide(1, [])]
    for index, token in enumerate(page.tokens):
        if token.type == "hr":
            found.append(Slide(token.map[0] + 1, []))
        elif token.type == "heading_open":
            found[-1].headings.append(page.tokens[index + 1].content)
        elif token.type == "html_block":
            comments = COMMENT.findall(OURS.sub("", token.content))
            found[-1].notes |= any(not DIRECTIVE.match(comment) for comment in comments)
        elif token.type == "fence":
            found[-1].commands |= "./course " in token.content
    return found


def decks(pages):
    return [page for page in pages.values() if page.path.parts[0] == "slides" and page.path.name[:2].isdigit()]


def check(pages, root):
    findings = []
    for deck in decks(pages):
        slides = slides_of(deck)
        if not FEWEST <= len(slides) <= MOST:
            findings.append(deck.finding(0, f"expected {FEWEST} to {MOST} slides, found {len(slides)}"))
        for number, slide in enumerate(slides, start=1):
            if len(slide.headings) != 1:
                message = f"expected one heading on slide {number} (one idea), found {len(slide.headings)}"
                findings.append(deck.finding(slide.line, message))
            if not slide.notes:
                findings.append(
                    deck.finding(slide.line, f"expected speaker notes on slide {number}, a comment, found none")
                )
        demo = DEMO[deck.is_translation]
        if not any(slide.commands and slide.headings and slide.headings[0].startswith(demo) for slide in slides):
            findings.append(deck.finding(0, f"expected a slide “{demo}…” with a ./course command, found none"))
        if not any(link.is_image for link in deck.links):
            findings.append(deck.finding(0, "expected pictures of the chapter, found none"))
        name, dot, ending = deck.path.name.partition(".")
        chapter = pages.get(Path("chapters", name, "README" + dot + ending))
        if chapter is not None:
            findings += _numbers(deck, chapter)
        if not deck.front_matter.get("marp") or deck.front_matter.get("theme") != "course":
            findings.append(deck.finding(0, "expected `marp: true` and `theme: course` in the front matter"))
    return findings


def _figures(text):
    return {number.replace(",", "") for number in FIGURE.findall(text)}


def _numbers(deck, chapter):
    """Times and speeds of a deck, its notes too, stand in its chapter, whose own are held to data and to runs."""
    known = {number.replace(",", "") for number in NUMBER.findall(chapter.source)}
    unknown = sorted(_figures(deck.source) - known)
    if not unknown:
        return []
    return [deck.finding(0, f"expected the figures {', '.join(unknown)} in {chapter.path} too, found none")]


def missing_packages():
    """What building the decks needs and this machine lacks."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if browser() is None:
        missing.append("chromium")
    if not _has_chinese_font():
        missing.append("fonts-noto-cjk")
    return missing


def browser():
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def _has_chinese_font():
    fonts = shutil.which("fc-list")  # comes with every browser
    return fonts is not None and bool(_run([fonts, ":lang=zh-cn"]).strip())


def _run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8", **options)
    if result.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} failed: {(result.stderr or result.stdout).strip()[-2000:]}")
    return result.stdout


class NoMarp(RuntimeError):
    """Marp could not be installed."""


def install_marp(root, folder):
    """Marp's program, installed into `folder` unless it is there already. Throws NoMarp."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "node_modules" / ".bin" / "marp"
    wanted = (root / "slides" / "package-lock.json").read_bytes()
    installed = folder / "package-lock.json"
    if not program.exists() or not installed.exists() or installed.read_bytes() != wanted:
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(root / "slides" / name, folder / name)
        try:
            _run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder)
        except RuntimeError as error:
            installed.unlink()
            raise NoMarp(f"Marp could not be installed from the npm registry: {error}") from error
    return program


def _embedded(html, folder):
    """The page with its pictures inside, so that it can be moved."""

    def embed(match):
        content = base64.b64encode((folder / match[1]).read_bytes()).decode()
        return f'src="data:image/svg+xml;base64,{content}"'

    return re.sub(r'src="([^":]+\.svg)"', embed, html)


def render(program, root, template):
    """Every deck as one page of HTML, by its path. Marp's template `bespoke` is to present, `bare` to measure and print."""
    decks = deck_files(root)
    with tempfile.TemporaryDirectory() as folder:
        sources, pages = Path(folder) / "sources", Path(folder) / "pages"
        sources.mkdir()
        for deck in decks:
            source = OURS.sub("", deck.read_text(encoding="utf-8"))
            source = re.sub(r"^```cuda$", "```cpp", source, flags=re.MULTILINE)  # Marp colours C++ only
            (sources / deck.name).write_text(source, encoding="utf-8")
        theme = ["--theme-set", str(root / "slides" / "theme.css")]
        _run(
            [
                str(program),
                "--html",
                *theme,
                "--template",
                template,
                "--input-dir",
                str(sources),
                "--output",
                str(pages),
            ]
        )
        return {
            deck: _embedded((pages / deck.with_suffix(".html").name).read_text(encoding="utf-8"), deck.parent)
            for deck in decks
        }


def printable(html):
    """A page rendered with the template `bare`, as it is measured and printed."""
    return MARP_SCRIPT.sub("", html).replace("</body>", FIT + "</body>")


def _in_chromium(html, *options):
    """What headless Chromium prints of a page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "deck.html"
        page.write_text(html, encoding="utf-8")
        return _run(
            [
                browser(),
                "--headless",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium refuses its sandbox to root
                f"--user-data-dir={folder}/profile",
                "--virtual-time-budget=10000",
                *options,
                page.as_uri(),
            ]
        )


def print_to_pdf(html, output):
    _in_chromium(printable(html), f"--print-to-pdf={output}", "--no-pdf-header-footer")
    if not output.is_file():
        raise RuntimeError(f"Chromium printed no {output.name}")


def measure(html):
    """For each slide of a page rendered with the template `bare`: pixels cut below and beside, pictures that did not
    load, the smallest size of code in pixels, and as how many other characters wide a Chinese one in code is."""
    dom = _in_chromium(printable(html).replace("</body>", MEASURE + "</body>"), "--window-size=1280,720", "--dump-dom")
    measured = re.search(r'<pre id="measured">(.*?)</pre>', dom)
    if measured is None:
        raise RuntimeError("Chromium measured nothing")
    return json.loads(measured[1])


def overflow(deck, html):
    """What is not seen on the slides of `deck`, as sentences."""
    findings = []
    for slide in measure(html):
        for side in ("below", "beside"):
            if slide[side] > MARGIN:
                findings.append(f"{deck}: slide {slide['slide']} is cut: {slide[side]:.0f} px stand {side} it")
        if slide["code"] < SMALLEST_CODE:
            size = f"{slide['code']:.0f} px"
            findings.append(
                f"{deck}: slide {slide['slide']}: its code is shown at {size}, too small: shorten its lines"
            )
        if abs(slide["columns"] - COLUMNS) > 0.05:
            findings.append(
                f"{deck}: slide {slide['slide']}: what is drawn is out of line: expected a Chinese character as wide "
                f"as {COLUMNS} others, found {slide['columns']:.2f}: install fonts-noto-cjk, or look at theme.css"
            )
        if slide["broken"]:
            findings.append(f"{deck}: slide {slide['slide']}: {slide['broken']} pictures did not load")
    return findings


def deck_files(root):
    return sorted((root / "slides").glob("[0-9][0-9]_*.md"))


def find_overflow(root, output):
    """What is cut on the slides of every deck."""
    bare = render(install_marp(root, output / "marp"), root, "bare")
    return [finding for deck, html in bare.items() for finding in overflow(deck.relative_to(root), html)]


def build(root, output, pdf):
    """Builds every deck into `output` (HTML, and PDF when asked) and returns (files, what is cut)."""
    program = install_marp(root, output / "marp")
    bare, bespoke = render(program, root, "bare"), render(program, root, "bespoke")
    files, findings = [], []
    for deck, html in bare.items():
        findings += overflow(deck.relative_to(root), html)
        files.append(output / f"{deck.stem}.html")
        files[-1].write_text(bespoke[deck], encoding="utf-8")
        if pdf:
            files.append(output / f"{deck.stem}.pdf")
            files[-1].unlink(missing_ok=True)
            print_to_pdf(html, files[-1])
    return files, findings
