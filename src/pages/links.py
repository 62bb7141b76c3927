"""Relative links and anchors exist."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages.page import Page


def _target(page, link):
    """(path relative to the repository, or None when the link leaves the repository; anchor)."""
    parts = urlsplit(link.target)
    if parts.scheme or parts.netloc:
        return None, ""
    if not parts.path:
        return page.path, unquote(parts.fragment)
    absolute = (page.root / page.path.parent / unquote(parts.path)).resolve()
    root = page.root.resolve()
    if root not in (absolute, *absolute.parents):
        return Path(".."), ""
    return absolute.relative_to(root), unquote(parts.fragment)


def check(pages, root):
    findings = []
    for page in pages.values():
        for link in page.links:
            path, anchor = _target(page, link)
            if path is None:
                continue
            if path == Path(".."):
                findings.append(page.finding(link.line, f"{link.target} leads out of the repository"))
            elif not (Path(root) / path).exists():
                message = f"expected {path} for the link to {link.target}, found no such file"
                findings.append(page.finding(link.line, message))
            elif anchor and path.suffix == ".md":
                target = pages.get(path) or Page(root, path)
                if anchor not in target.anchors:
                    findings.append(
                        page.finding(link.line, f"expected a heading with the anchor #{anchor} in {path}, found none")
                    )
    return findings
