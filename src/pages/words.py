"""Spelling (codespell), and the terms that the course uses for one thing."""

import re
import subprocess
from pathlib import Path

ACCEPTED_WORDS = Path(__file__).with_name("accepted_words.txt")
# What not to write, and what the field and this course write instead.
TERMS_ENGLISH = {
    r"\bnon-pinned\b": "pageable",
    r"\bdefault null stream\b": "legacy default stream",
    r"\bcopying engine": "copy engine",
}
TERMS_CHINESE = {
    "复制": "拷贝",
    "固定内存": "锁页内存",
    "(?<!可)分页内存": "可分页内存",
    "内核函数": "核函数",
    "标准答案": "参考答案",
    "复制引擎": "拷贝引擎",
    "起始(代码|文件|程序)": "初始代码",
    "论断": "说法",
    "(不|没|没有)写流": "不指定流",
    "按流排序": "流序分配",
    "拷贝回": "拷回",
}
SUGGESTION = re.compile(r"^(?P<file>.+?):(?P<line>\d+): (?P<words>.+)$")


def spelling(pages, root):
    """What codespell finds in the English pages."""
    english = [str(page.path) for page in pages.values() if not page.is_translation]
    if not english:
        return []
    result = subprocess.run(
        ["codespell", "--ignore-words", str(ACCEPTED_WORDS), "--", *english],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    findings = []
    for line in result.stdout.splitlines():
        match = SUGGESTION.match(line)
        if match:
            page = pages[Path(match["file"].removeprefix("./"))]
            findings.append(page.finding(int(match["line"]), f"spelling: {match['words']}"))
    if result.returncode not in (0, 65) and not findings:
        raise RuntimeError(f"codespell could not check the pages: {result.stderr.strip()}")
    return findings


def terms(pages, root):
    findings = []
    for page in pages.values():
        unwanted = TERMS_CHINESE if page.is_translation else TERMS_ENGLISH
        for number, line in enumerate(page.source.split("\n"), start=1):
            for pattern, wanted in unwanted.items():
                match = re.search(pattern, line)
                if match:
                    findings.append(page.finding(number, f"expected the term {wanted}, found {match[0]}"))
    return findings


def check(pages, root):
    return spelling(pages, root) + terms(pages, root)
