"""Each check of the pages finds what it is for, and nothing in what is right."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

from pages.requirements import require_packages

require_packages()

from pages import (
    chapter_list, code_blocks, commands, figures, glossary, links, measured_numbers, plots, reading_time, slides, style, translations,
    words,
)
from pages.page import Page, anchor_of, load_pages


class PagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def put(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def messages(self, check):
        return [str(finding) for finding in check(load_pages(self.root), self.root)]

    def assert_nothing(self, check):
        self.assertEqual(self.messages(check), [])

    def assert_one(self, check, *parts):
        messages = self.messages(check)
        self.assertEqual(len(messages), 1, messages)
        for part in parts:
            self.assertIn(part, messages[0])


class Command(PagesTest):
    """The checks as `./course pages` calls them."""

    def run_command(self, *given, **environment):
        command = [sys.executable, "-B", "-m", "pages", "--root", str(self.root), *given]
        return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)

    def test_status_says_whether_something_was_found(self):
        self.put("CHANGELOG.md", "# A\n\n[x](#a)\n")
        result = self.run_command("links")
        self.assertEqual((result.returncode, result.stdout), (0, "1 page: nothing found\n"))
        self.put("CHANGELOG.md", "# A\n\n[x](#b)\n")
        result = self.run_command()
        self.assertEqual(result.returncode, 1)
        self.assertIn("CHANGELOG.md:3: expected a heading with the anchor #b", result.stdout)

    def test_unknown_check_and_no_pages_are_no_success(self):
        self.assertEqual(self.run_command("links").returncode, 2)
        self.put("CHANGELOG.md", "# A\n")
        result = self.run_command("lnks")
        self.assertEqual(result.returncode, 2)
        self.assertIn("links, code", result.stderr)

    def test_picture_that_cannot_be_drawn_gets_one_line(self):
        self.put("chapters/1/README.md", "# A\n")
        self.put("chapters/1/figures/figures.yaml", "one:\n  program: ../nothing.cu\n")
        result = self.run_command("--draw", COURSE_PROGRAM="false")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
        self.assertIn("chapters/1/figures/one", result.stderr)

    def test_missing_package_fails_and_is_named(self):
        self.put("CHANGELOG.md", "# A\n")
        result = self.run_command("links", PATH="")
        self.assertEqual(result.returncode, 2)
        self.assertIn("apt-get install codespell ruby-mdl gnuplot-nox", result.stderr)


class Parsing(PagesTest):
    def test_anchor_is_as_github_makes_it(self):
        self.assertEqual(anchor_of("What `goes` wrong, and how?"), "what-goes-wrong-and-how")
        self.assertEqual(anchor_of("用几个流，一块多大？"), "用几个流一块多大")

    def test_headings_in_code_are_none(self):
        self.put("README.md", "# One\n\n```text\n# not one\n```\n")
        self.assertEqual([heading.text for heading in Page(self.root, "README.md").headings], ["One"])

    def test_numbers_are_not_those_of_names_code_and_links(self):
        self.put("README.md", "# A\n\n1,500 MiB, 2.5 ms, H2D, v2, `int x = 7`, [text](file9.md), a 16th\n")
        numbers = Page(self.root, "README.md").sections[-1].numbers
        self.assertEqual(numbers, {"1500", "2.5", "16"})


class Links(PagesTest):
    def test_existing_file_and_anchor(self):
        self.put(
            "README.md", "# A b\n\n[x](labs/1/README.md#part-two) [y](#a-b) [z](https://docs.nvidia.com/#nothing)\n"
        )
        self.put("labs/1/README.md", "# One\n\n## Part two\n")
        self.assert_nothing(links.check)

    def test_missing_file(self):
        self.put("README.md", "# A\n\nText\n\n[x](labs/README.md)\n")
        self.assert_one(links.check, "README.md:5", "labs/README.md")

    def test_missing_picture(self):
        self.put("README.md", '# A\n\n<picture><source srcset="dark.svg"></picture>\n')
        self.assert_one(links.check, "dark.svg")

    def test_missing_anchor(self):
        self.put("README.md", "# A\n\n[x](#b)\n")
        self.assert_one(links.check, "#b")

    def test_second_heading_of_a_name_has_a_number(self):
        self.put("README.md", "# A\n\n## B\n\n## B\n\n[x](#b-1) [y](#b-2)\n")
        self.assert_one(links.check, "#b-2")

    def test_out_of_the_repository(self):
        self.put("README.md", "# A\n\n[x](../elsewhere.md)\n")
        self.assert_one(links.check, "leads out")


PROGRAM = "int main() {\n    // [call]\n    if (ready) {\n        go();\n    }\n    // [/call]\n}\n"
BLOCK = "# A\n\n<!-- code: v1.cu#call -->\n```cpp\nif (ready) {\n    go();\n}\n```\n"


class CodeBlocks(PagesTest):
    def test_equal_without_common_indentation(self):
        self.put("chapters/1/v1.cu", PROGRAM)
        self.put("chapters/1/README.md", BLOCK)
        self.assert_nothing(code_blocks.check)

    def test_different(self):
        self.put("chapters/1/v1.cu", PROGRAM.replace("go()", "stop()"))
        self.put("chapters/1/README.md", BLOCK)
        self.assert_one(code_blocks.check, "README.md:4", "v1.cu#call")

    def test_write_makes_them_equal(self):
        self.put("chapters/1/v1.cu", PROGRAM.replace("go()", "stop()"))
        self.put("chapters/1/README.md", BLOCK + "\nText after it.\n")
        changed = code_blocks.write(load_pages(self.root), self.root)
        self.assertEqual(changed, [Path("chapters/1/README.md")])
        self.assert_nothing(code_blocks.check)
        text = (self.root / "chapters/1/README.md").read_text()
        self.assertEqual(text, BLOCK.replace("go()", "stop()") + "\nText after it.\n")

    def test_write_keeps_the_indentation_of_a_list(self):
        self.put("chapters/1/v1.cu", PROGRAM)
        self.put("chapters/1/README.md", "# A\n\n1. One\n\n   <!-- code: v1.cu#call -->\n   ```cpp\n   old\n   ```\n")
        code_blocks.write(load_pages(self.root), self.root)
        self.assert_nothing(code_blocks.check)
        self.assertIn("\n       go();\n", (self.root / "chapters/1/README.md").read_text())

    def test_missing_file_and_region(self):
        self.put("chapters/1/README.md", BLOCK)
        self.assert_one(code_blocks.check, "v1.cu", "found none")
        self.put("chapters/1/v1.cu", "int main() {}\n")
        self.assert_one(code_blocks.check, "[call]", "found 0")

    def test_unclosed_and_repeated_region(self):
        self.put("chapters/1/README.md", BLOCK)
        self.put("chapters/1/v1.cu", PROGRAM.replace("    // [/call]\n", ""))
        self.assert_one(code_blocks.check, "unclosed")
        self.put("chapters/1/v1.cu", PROGRAM + PROGRAM)
        self.assert_one(code_blocks.check, "found 2")

    def test_program_without_a_file(self):
        self.put("chapters/1/README.md", "# A\n\n```cuda\nkernel<<<1, 1>>>();\n```\n")
        self.assert_one(code_blocks.check, "README.md:3", "expected `<!-- code")

    def test_comment_before_something_else(self):
        self.put("chapters/1/README.md", "# A\n\n<!-- code: v1.cu#call -->\n\nText\n")
        self.assert_one(code_blocks.check, "no code block")


ENGLISH = "---\ntitle: A\nversion: 2\n---\n\n# A\n\n256 MiB\n\n## B\n\n![p](p.svg)\n\n```cpp\ncode\n```\n"
CHINESE = (
    "---\ntitle: 甲\ntranslates: README.md\nversion: 2\n---\n"
    "\n# 甲\n\n256 MiB\n\n## 乙\n\n![图](p.zh-CN.svg)\n\n```cpp\ncode\n```\n"
)


VERSION = "\n<!-- version: 3 -->\n"
TRANSLATED = "\n<!-- translates: README.md -->\n<!-- version: 3 -->\n"


class Translations(PagesTest):
    def put_both(self, old="", new=""):
        self.put("labs/README.md", ENGLISH)
        self.put("labs/README.zh-CN.md", CHINESE.replace(old, new) if old else CHINESE)

    def test_right(self):
        self.put_both()
        self.assert_nothing(translations.check)

    def test_missing_translation_and_missing_source(self):
        self.put("labs/README.md", ENGLISH)
        self.assert_one(translations.check, "README.zh-CN.md", "found none")
        (self.root / "labs/README.md").rename(self.root / "labs/README.zh-CN.md")
        self.assert_one(translations.check, "README.md", "found none")

    def test_differences(self):
        for old, new, told in (
            ("version: 2", "version: 1", "version: 2"),
            ("translates: README.md\n", "", "translates"),
            ("## 乙", "### 乙", "level 2"),
            ("## 乙\n", "## 乙\n\n## 丙\n", "2 headings"),
            ("code\n", "other\n", "other code"),
            ("```cpp\ncode\n```\n", "", "1 code block"),
            ("p.zh-CN.svg", "q.svg", "p.svg"),
        ):
            with self.subTest(told):
                self.put_both(old, new)
                self.assert_one(translations.check, told)

    def test_copy_of_the_english_page(self):
        self.put("labs/README.md", "<!-- version: 1 -->\n\n# Streams\n")
        self.put("labs/README.zh-CN.md", "<!-- translates: README.md -->\n<!-- version: 1 -->\n\n# Streams\n")
        self.assert_one(translations.check, "README.zh-CN.md: expected the text of README.md in Chinese")

    def test_different_number_is_told_for_both_pages(self):
        self.put_both("256 MiB", "265 MiB")
        messages = self.messages(translations.check)
        self.assertEqual(len(messages), 2, messages)
        self.assertIn("labs/README.zh-CN.md:7: expected the numbers 256", messages[0])
        self.assertIn("labs/README.md:6: expected the numbers 265", messages[1])

    def test_number_in_words(self):
        self.put("labs/README.md", "# A\n\nfour streams\n" + VERSION)
        self.put("labs/README.zh-CN.md", "# 甲\n\n4 个流\n" + TRANSLATED)
        self.assert_nothing(translations.check)

    def test_page_without_a_version(self):
        self.put("labs/README.md", "# A\n")
        self.put("labs/README.zh-CN.md", "# 甲\n\n<!-- translates: README.md -->\n")
        self.assert_one(translations.check, "labs/README.md", "expected `version:`")

    def test_code_of_another_region(self):
        self.put("labs/README.md", "# A\n\n<!-- code: a.cu#one -->\n```cpp\nx\n```\n" + VERSION)
        self.put("labs/README.zh-CN.md", "# 甲\n\n<!-- code: a.cu#two -->\n```cpp\nx\n```\n" + TRANSLATED)
        self.assert_one(translations.check, "other code")


CSV = "# device: one\nstreams,chunk_mib,speedup\n1,8,0.954\n2,8,1.812\n4,8,2.477\n4,16,2.409\n"


class Measured(PagesTest):
    def put_page(self, text):
        self.put("chapters/1/measured/a.csv", CSV)
        self.put("chapters/1/README.md", "# A\n\n" + text)

    def test_lying_and_upright_table(self):
        comment = "<!-- measured: measured/a.csv: columns streams, speedup where chunk_mib=8 -->\n"
        self.put_page(comment + "| streams | 1 | 2 | 4 |\n|---|---|---|---|\n| speedup | 0.95 | **1.81** | 2.48× |\n")
        self.assert_nothing(measured_numbers.check)
        self.put_page(comment + "| n | s |\n|---|---|\n| 1 | 0.95 |\n| 2 | 1.8 |\n| 4 | 2.48 |\n")
        self.assert_nothing(measured_numbers.check)

    def test_table_with_a_wrong_number_and_with_a_row_too_few(self):
        comment = "<!-- measured: measured/a.csv: columns streams, speedup where chunk_mib=8 -->\n"
        self.put_page(comment + "| n | s |\n|---|---|\n| 1 | 0.95 |\n| 2 | 1.82 |\n| 4 | 2.48 |\n")
        self.assert_one(measured_numbers.check, "not what was measured")
        self.put_page(comment + "| n | s |\n|---|---|\n| 1 | 0.95 |\n| 2 | 1.81 |\n")
        self.assert_one(measured_numbers.check, "not what was measured")

    def test_sentence(self):
        comment = (
            "<!-- measured: measured/a.csv: 1.81 = speedup where streams=2; 2.48 = max speedup; 4 = count speedup -->\n"
        )
        self.put_page(comment + "\n1.81 with 2, at best 2.48 in 4 rows.\n")
        self.assert_nothing(measured_numbers.check)

    def test_sentence_with_a_wrong_number(self):
        self.put_page("<!-- measured: measured/a.csv: 1.83 = speedup where streams=2 -->\n\n1.83 times\n")
        self.assert_one(measured_numbers.check, "expected 1.812", "found 1.83")

    def test_number_in_another_unit_and_share_of_another(self):
        self.put_page(
            "<!-- measured: measured/a.csv: 0.0018 = speedup / 1000 where streams=2; 0.90 = 1.63 / speedup where streams=2 -->"
            "\n\n0.0018, and 0.90 of it\n"
        )
        self.assert_nothing(measured_numbers.check)
        self.put_page("<!-- measured: measured/a.csv: 0.002 = speedup / 100 where streams=2 -->\n\n0.002\n")
        self.assert_one(measured_numbers.check, "expected 0.01812", "found 0.002")
        self.put_page("<!-- measured: measured/a.csv: 0.91 = 1.63 / speedup where streams=2 -->\n\n0.91\n")
        self.assert_one(measured_numbers.check, "expected 0.8995", "found 0.91")

    def test_number_that_the_text_lacks(self):
        self.put_page("<!-- measured: measured/a.csv: 1.81 = speedup where streams=2 -->\n\nNearly 1.8 times\n")
        self.assert_one(measured_numbers.check, "expected 1.81 in the text")

    def test_what_cannot_be_looked_up(self):
        for wanted, told in (
            ("1.81 = speed where streams=2", "expected a column speed"),
            ("1.81 = speedup where threads=2", "expected a column threads"),
            ("1.81 = speedup where streams=3", "expected rows where streams=3"),
            ("1.81 = speedup where streams=4", "expected one row"),
            ("speedup 1.81", "expected `NUMBER = COLUMN"),
        ):
            with self.subTest(wanted):
                self.put_page(f"<!-- measured: measured/a.csv: {wanted} -->\n\n1.81 times\n")
                self.assert_one(measured_numbers.check, told)
        self.put_page("<!-- measured: measured/b.csv: 1 = max speedup -->\n\n1\n")
        self.assert_one(measured_numbers.check, "measured/b.csv, found none")

    def test_rounding(self):
        self.assertTrue(measured_numbers.agrees("2.48", "2.475"))
        self.assertTrue(measured_numbers.agrees("1,266", "1265.7"))
        self.assertFalse(measured_numbers.agrees("2.48", "2.474"))
        self.assertFalse(measured_numbers.agrees("2.5", "2.44"))


class ReadingTime(PagesTest):
    def put_chapter(self, minutes, text):
        self.put(
            "chapters/1/README.md", f"---\nminutes: {minutes}\n---\n\n# A\n\n{text}\n\n```text\n{'code ' * 900}\n```\n"
        )

    def test_within_the_limits_and_outside(self):
        for minutes, good in ((10, True), (6, True), (14, True), (5, False), (15, False)):
            with self.subTest(minutes):
                self.put_chapter(minutes, "word " * 1999)
                self.assertEqual(len(self.messages(reading_time.check)), 0 if good else 1)

    def test_chinese_is_counted_by_characters(self):
        self.put_chapter(10, "流" * 4000)
        self.assert_nothing(reading_time.check)
        self.put_chapter(10, "流" * 400)
        self.assert_one(reading_time.check, "minutes: 1`")

    def test_a_very_short_text_takes_a_minute(self):
        self.put_chapter(1, "word")
        self.assert_nothing(reading_time.check)

    def test_none_given(self):
        self.put("chapters/1/README.md", "# A\n\nwords\n")
        self.assert_one(reading_time.check, "found None")


class Words(PagesTest):
    def test_misspelt_word(self):
        self.put("README.md", "# A\n\nThe host recieves it.\n")
        self.assert_one(words.spelling, "README.md:3", "receives")

    def test_right_words(self):
        self.put("README.md", "# A\n\nThe host receives it.\n")
        self.assert_nothing(words.check)

    def test_terms(self):
        self.put("README.md", "# A\n\nnon-pinned memory\n")
        self.assert_one(words.terms, "README.md:3", "pageable")
        self.put("README.md", "# A\n")
        self.put("README.zh-CN.md", "# 甲\n\n可分页内存\n\n数据复制\n")
        self.assert_one(words.terms, "README.zh-CN.md:5", "拷贝")
        self.put("README.zh-CN.md", "# 甲\n\n初始代码\n\n不写流就启动核函数\n")
        self.assert_one(words.terms, "README.zh-CN.md:5", "不指定流")


PLOT = """
by-size:
  plot:
    title: {en: "A < B", zh: 标题}
    x: {column: size, label: {en: size, zh: 大小}, log: 2}
    y: {label: {en: GB/s, zh: 带宽}}
    series: [{file: measured/a.csv, column: speed, label: {en: one, zh: 一}}]
"""


class ChapterList(PagesTest):
    def put_chapter(self, hints="## right\n### 1\nA\n### 2\nB\n### 3\nC\n"):
        self.put("meson.build", "chapters = [\n  {'name': '01_a', 'starter': '0'},\n]\n")
        self.put("tests/01_a/checks.cpp", "TEST_F(A, right) {\n}\n")
        for path in chapter_list.pages_of("01_a"):
            self.put(path, "# A\n")
        self.put("labs/01_a/hints.md", hints)
        for name in ("README.md", "README.zh-CN.md"):
            self.put(name, f"[a](chapters/01_a/{name}) [b](labs/01_a/{name})\n")

    def test_right(self):
        self.put_chapter()
        self.assert_nothing(chapter_list.check)

    def test_each_page_is_missed(self):
        for path in chapter_list.pages_of("01_a"):
            with self.subTest(path):
                self.put_chapter()
                (self.root / path).unlink()
                self.assert_one(chapter_list.check, f"expected {path} for chapter 01_a")

    def test_contents(self):
        self.put_chapter()
        self.put("README.zh-CN.md", "[a](chapters/01_a/README.zh-CN.md)\n")
        self.assert_one(chapter_list.check, "README.zh-CN.md: expected a link to labs/01_a/README.zh-CN.md")

    def test_hints(self):
        self.put_chapter("## right\n### 1\nA\n### 3\nC\n")
        self.assert_one(chapter_list.check, "expected hints 1, 2, 3 under `## right`, found 1, 3")
        self.put_chapter("# Hints\n")
        self.assert_one(chapter_list.check, "`## right`, found none")
        self.put_chapter("## right\n### 1\n### 2\n### 3\n## gone\n### 1\n")
        self.assert_one(chapter_list.check, "hints.md:5: expected a check of checks.cpp, found gone")


class Commands(PagesTest):
    def put_course(self, text):
        self.put("labs/03_a_lab/README.md", text)
        self.put("chapters/03_a_lab/claims.json", '{"experiments": [{"name": "how-fast"}]}')
        self.put("chapters/03_a_lab/v1.cu", "")

    def test_what_is_there(self):
        self.put_course(
            "`./course check 3`, `./course hint a-lab`, `./course reset 03_a_lab`, `./course run chapters/03_a_lab/v1.cu`;\n"
            "./course experiment how-fast. `./course experiment --all`, `./course run FILE.cu`, `./course timeline 文件`\n"
        )
        self.assert_nothing(commands.check)

    def test_what_is_not_there(self):
        for command in ("check 4", "hint a_labb", "run chapters/03_a_lab/v2.cu", "experiment how-slow", "check a/b.cu"):
            with self.subTest(command):
                self.put_course(f"one\n\n`./course {command}`\n")
                self.assert_one(commands.check, "labs/03_a_lab/README.md:3: expected a", command.split()[1])


class Glossary(PagesTest):
    def put_glossary(self, english, chinese):
        head = "| term | other | meaning |\n|---|---|---|\n"
        self.put("chapters/GLOSSARY.md", head + "".join(f"| {a} | {b} | x |\n" for a, b in english))
        self.put("chapters/GLOSSARY.zh-CN.md", head + "".join(f"| {b} | {a} | x |\n" for a, b in chinese))
        self.put("chapters/01/README.md", "Streams and events, and the copy\nengines.\n")
        self.put("chapters/01/README.zh-CN.md", "流和事件，还有拷贝\n引擎。\n")

    def test_the_same_pairs_in_both_languages(self):
        self.put_glossary([("stream", "流"), ("event", "事件")], [("event", "事件"), ("stream", "流")])
        self.assert_nothing(glossary.check)
        self.put_glossary([("stream", "流"), ("event", "事件")], [("stream", "流")])
        self.assert_one(glossary.check, "GLOSSARY.zh-CN.md", "事件 for event")
        self.put_glossary([("stream", "流")], [("stream", "流"), ("event", "事件")])
        self.assert_one(glossary.check, "GLOSSARY.md", "event for 事件")

    def test_terms_at_the_end_of_a_line(self):
        self.put_glossary([("copy engine", "拷贝引擎")], [("copy engine", "拷贝引擎")])
        self.assert_nothing(glossary.check)

    def test_a_term_that_no_page_uses(self):
        self.put_glossary([("stream", "流"), ("warp", "流")], [("stream", "流"), ("warp", "流")])
        self.assert_one(glossary.check, "GLOSSARY.md:4", "found warp")
        self.put_glossary([("stream", "队列")], [("stream", "队列")])
        self.assert_one(glossary.check, "GLOSSARY.zh-CN.md:3", "found 队列")


class Figures(PagesTest):
    def put_plot(self):
        self.put("chapters/1/figures/figures.yaml", PLOT)
        self.put("chapters/1/measured/a.csv", "# device: one\nsize,speed\n1,2.5\n2,3.5\n")

    def test_drawn_in_both_languages(self):
        self.put_plot()
        figures.draw(self.root)
        self.assert_nothing(figures.check)
        english = (self.root / "chapters/1/figures/by-size.svg").read_text()
        chinese = (self.root / "chapters/1/figures/by-size.zh-CN.svg").read_text()
        self.assertIn(">GB/s</text>", english.replace("<tspan>", "").replace("</tspan>", ""))
        self.assertIn("带宽", chinese)
        for svg in (english, chinese):
            ElementTree.fromstring(svg)
            self.assertIn("prefers-color-scheme: dark", svg)

    def test_older_than_its_data(self):
        self.put_plot()
        figures.draw(self.root)
        self.put("chapters/1/measured/a.csv", "size,speed\n1,2.5\n2,3.6\n")
        messages = self.messages(figures.check)
        self.assertEqual(len(messages), 2, messages)
        self.assertIn("by-size.svg: this picture is older than its data", messages[0])
        figures.draw(self.root)
        self.assert_nothing(figures.check)

    def test_older_than_its_definition(self):
        self.put_plot()
        figures.draw(self.root)
        self.put("chapters/1/figures/figures.yaml", PLOT.replace("GB/s", "MB/s"))
        self.assertEqual(len(self.messages(figures.check)), 2)

    def test_missing_picture_and_missing_data(self):
        self.put_plot()
        messages = self.messages(figures.check)
        self.assertEqual(len(messages), 2, messages)
        self.assertIn("expected this picture", messages[0])
        (self.root / "chapters/1/measured/a.csv").unlink()
        self.assertIn("expected the data", self.messages(figures.check)[0])

    def test_picture_that_nothing_draws(self):
        self.put("chapters/1/figures/by-hand.svg", "<svg></svg>")
        self.assert_one(figures.check, "by-hand.svg", "figures.yaml")

    def test_definition_of_no_kind(self):
        self.put("chapters/1/figures/figures.yaml", "a: {photo: b.jpg}\n")
        self.assert_one(figures.check, "expected a to have one of trace")

    def test_share_of_a_number(self):
        self.put_plot()
        plot = figures.find_figures(self.root)[0][0].definition["plot"]
        self.assertIn("\n1 2.5\n", plots.script(self.root / "chapters/1", plot, "en"))
        plot["series"][0]["share_of"] = 5
        self.assertIn("\n1 2.0\n", plots.script(self.root / "chapters/1", plot, "en"))

    def test_column_that_is_not_there(self):
        self.put_plot()
        self.put("chapters/1/measured/a.csv", "size,time\n1,2.5\n")
        with self.assertRaisesRegex(ValueError, "expected a column speed"):
            figures.draw(self.root)

    def test_timeline_is_drawn_by_the_course(self):
        program = self.root / "course"
        program.write_text('#!/bin/sh\necho "<svg lang=\\"$COURSE_LANG\\">$1 $2</svg>" >"$4"\n')
        program.chmod(0o755)
        self.put("chapters/1/figures/figures.yaml", "on-gpu: {trace: measured/t.json}\n")
        self.put("chapters/1/measured/t.json", "{}")
        with mock.patch.dict(os.environ, COURSE_PROGRAM=str(program)):
            figures.draw(self.root)
        self.assert_nothing(figures.check)
        chinese = (self.root / "chapters/1/figures/on-gpu.zh-CN.svg").read_text()
        self.assertIn("timeline chapters/1/measured/t.json", chinese)
        self.assertIn('lang="zh"', chinese)


FRONT = "---\nmarp: true\ntheme: course\n---\n"
SLIDE = "\n## B\n\n![p](p.svg)\n\n<!-- say: this -->\n"
DEMO = "\n## Live demo\n\n```text\n./course check 1\n```\n\n<!-- now -->\n"


class Runs(PagesTest):
    def test_picture_that_a_run_no_longer_gives(self):
        program = self.root / "course"
        program.write_text(
            '#!/bin/sh\nfor last; do :; done\necho "<svg>$(cat "$0.time") $*</svg>" | sed s,$last,, >"$last"\n'
        )
        program.chmod(0o755)
        self.put("course.time", "1 ms")
        self.put("chapters/1/figures/figures.yaml", "v1: {program: versions/v1.cu}\n")
        self.put("chapters/1/versions/v1.cu", "")
        with mock.patch.dict(os.environ, COURSE_PROGRAM=str(program)):
            figures.draw(self.root)
            self.assert_nothing(figures.check_runs)
            self.put("course.time", "2 ms")
            self.assert_nothing(figures.check)
            self.assert_one(figures.check_runs, "v1.svg", "another picture now")


class Slides(PagesTest):
    def put_deck(self, *parts):
        self.put("slides/01_a.md", FRONT + "\n---\n".join(parts))

    def test_right(self):
        self.put_deck(*[SLIDE] * 12, DEMO)
        self.assert_nothing(slides.check)

    def test_what_is_missing(self):
        for parts, told in (
            ([SLIDE] * 10 + [DEMO], "12 to 20 slides, found 11"),
            ([SLIDE] * 20 + [DEMO], "found 21"),
            ([SLIDE] * 12, "Live demo"),
            ([SLIDE] * 12 + [DEMO.replace("./course check", "ls")], "Live demo"),
            ([SLIDE] * 12 + [DEMO + "\n## C\n"], "slide 13 (one idea), found 2"),
            ([SLIDE] * 12 + [DEMO.replace("<!-- now -->", "")], "notes on slide 13"),
            ([SLIDE] * 12 + [DEMO.replace("now", "measured: a.csv: 1 = max b")], "notes on slide 13"),
            ([SLIDE.replace("![", "[")] * 12 + [DEMO], "pictures"),
        ):
            with self.subTest(told):
                self.put_deck(*parts)
                self.assert_one(slides.check, told)

    def test_figure_that_the_chapter_does_not_have(self):
        self.put("chapters/01_a/README.md", "# A\n\nIt took 1,266 us.\n")
        self.put_deck(*[SLIDE] * 12, DEMO.replace("now", "It took 1266 us and 3 streams."))
        self.assert_nothing(slides.check)
        self.put_deck(*[SLIDE] * 12, DEMO.replace("now", "It took 1267 us."))
        self.assert_one(slides.check, "expected the figures 1267 in chapters/01_a/README.md")

    def test_overflow_is_told_with_its_slide(self):
        seen = {"slide": 1, "below": 0.5, "beside": 0, "broken": 0, "code": 30, "columns": 2}
        cut = {"slide": 2, "below": 40.2, "beside": 0, "broken": 1, "code": 11, "columns": 1.66}
        with mock.patch.object(slides, "measure", return_value=[seen, cut]):
            told = slides.overflow("slides/01_a.md", "")
        self.assertEqual(len(told), 4)
        self.assertIn("slide 2 is cut: 40 px stand below", told[0])
        self.assertIn("slide 2: its code is shown at 11 px", told[1])
        self.assertIn("as wide as 2 others, found 1.66", told[2])
        self.assertIn("slide 2: 1 pictures did not load", told[3])

    @unittest.skipUnless(slides.browser(), "no browser")
    def test_browser_finds_what_a_slide_cuts(self):
        page = "<section style='width:400px;height:200px;overflow:hidden;position:relative'>{}</section>"
        fits = page.format("<p style='margin:0;height:150px'>fits</p>")
        long = page.format("<p style='margin:0;height:250px'>long</p>")
        wide = page.format("<pre style='margin:0;width:300px;overflow:hidden'>" + "wide " * 200 + "</pre>")
        broken = page.format("<img src='missing.svg'>")
        small = page.format(
            "<pre style='margin:0;padding:0;font:20px monospace'><code>" + "small" * 20 + "</code></pre>"
        )
        narrow = page.format("<pre style='font:20px sans-serif'><code>主机</code></pre>")
        html = f"<html><body style='margin:0'>{fits}{long}{wide}{broken}{small}{narrow}</body></html>"
        measured = slides.measure(html)
        self.assertEqual([round(slide["below"]) for slide in measured[:3]], [0, 50, 0])
        self.assertEqual([slide["slide"] for slide in measured if slide["beside"] > slides.MARGIN], [3])
        self.assertEqual([slide["broken"] for slide in measured], [0, 0, 0, 1, 0, 0])
        self.assertLess(measured[4]["code"], slides.SMALLEST_CODE)  # 100 characters in 400 px
        self.assertEqual(measured[0]["columns"], slides.COLUMNS)
        self.assertLess(measured[5]["columns"], 1.9)  # an m of this font is nearly as wide


class Style(PagesTest):
    def test_right(self):
        self.put("README.md", "---\ntitle: A\n---\n\n# A\n\n- one\n- two\n")
        self.assert_nothing(style.check)

    def test_block_without_a_language(self):
        self.put("README.md", "# A\n\n```\ncode\n```\n")
        self.assert_one(style.check, "README.md:3", "MD040")

    def test_level_left_out(self):
        self.put("README.md", "# A\n\n### B\n")
        self.assert_one(style.check, "README.md:3", "MD001")

    def test_bold_text_that_does_not_end(self):
        self.put("README.zh-CN.md", "# 一\n\n**先等。**再读。\n")
        self.assert_one(style.check, "README.zh-CN.md:3", "found that its ** are shown")

    def test_line_that_ends_inside_a_chinese_phrase(self):
        self.put("README.zh-CN.md", "# 一\n\n流里的操作，\n依次执行；用 `A`\n也一样。\n")
        self.assert_nothing(style.check)
        self.put("README.zh-CN.md", "# 一\n\n先等，\n流里的操\n作依次执行。\n")
        self.assert_one(style.check, "README.zh-CN.md:4", "found it behind 流里的操")
        self.put("README.zh-CN.md", "# 一\n\n**先等**。再读，`a**b`。\n")
        self.assert_nothing(style.check)


if __name__ == "__main__":
    unittest.main()
