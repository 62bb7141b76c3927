#!/usr/bin/env python3
"""The runner of the chapters' examples notices what it is there for."""

import pathlib
import subprocess
import tempfile
import unittest

import example


def result(stdout, stderr="", status=0):
    return subprocess.CompletedProcess([], status, stdout, stderr)


RIGHT = result(f"42\n\n{example.NOTHING_FOUND}\n")
REFUSED = result("21\n\ntimeline\n\nErrors found: 1\n", "a.cu:3: error\n", 1)


class Shown(unittest.TestCase):
    def test_all_of_what_is_printed(self):
        self.assertIsNone(example.difference(f"42\n\n{example.NOTHING_FOUND}", RIGHT))
        self.assertIsNotNone(example.difference("42", RIGHT))
        self.assertIsNotNone(example.difference(f"43\n\n{example.NOTHING_FOUND}", RIGHT))

    def test_parts_of_what_is_printed(self):
        self.assertIsNone(example.difference("a.cu:3: error\n21\n…\nErrors found: 1", REFUSED))
        self.assertEqual(example.difference("a.cu:3: error\n…\nErrors found: 2", REFUSED), "Errors found: 2")
        self.assertEqual(example.difference("a.cu:3: err\n…", REFUSED), "a.cu:3: err")  # whole lines


class Verdicts(unittest.TestCase):
    def test_a_version_has_to_be_right(self):
        file = pathlib.Path("versions/v1.cu")
        self.assertEqual(example.verdict_faults(file, RIGHT), [])
        self.assertTrue(example.verdict_faults(file, REFUSED))
        self.assertTrue(example.verdict_faults(file, result("Errors found: 0, warnings: 1\n")))
        self.assertTrue(example.verdict_faults(file, result(RIGHT.stdout, status=1)))

    def test_a_wrong_program_has_to_be_refused_and_shown(self):
        file = pathlib.Path("wrong/early.cu")
        self.assertEqual(example.verdict_faults(file, REFUSED), [])
        self.assertTrue(example.verdict_faults(file, RIGHT))
        self.assertTrue(example.page_faults("README.md", file, [], REFUSED))


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.pattern = example.blocks_of(self.root / "chapters/01/versions/v1.cu", self.root)

    def page(self, shown, command="./course run chapters/01/versions/v1.cu"):
        path = self.root / "README.md"
        path.write_text(f"<!-- output:begin {command} -->\n\n```text\n{shown}\n```\n\n<!-- output:end -->\n")
        return path

    def test_blocks_are_found_by_their_command(self):
        self.assertEqual(self.pattern.search(self.page("42").read_text())[2], "42")
        self.assertIsNone(self.pattern.search(self.page("42", "./course run other.cu").read_text()))

    def test_writing_takes_over_what_is_printed(self):
        page = self.page("old")
        example.write(page, self.pattern, result("new\n"))
        self.assertIn("```text\nnew\n```", page.read_text())

    def test_writing_fills_an_empty_block_and_leaves_the_next(self):
        page = self.page("old")
        text = page.read_text()
        page.write_text(text.replace("old\n", "") + "\n" + text.replace("v1.cu", "v2.cu"))
        example.write(page, self.pattern, result("new\n"))
        self.assertEqual(page.read_text(), text.replace("old", "new") + "\n" + text.replace("v1.cu", "v2.cu"))

    def test_writing_renews_the_lines_that_are_shown(self):
        page = self.page("8 chunks: 466 us\n…\n   0    100 µs\n   ┬────┬──\nH2D 1━━1━━\nhost bbba\n…")
        example.write(page, self.pattern, result(
            "8 chunks: 57 us\n\nNVIDIA H200: 9 µs\n   0       20 µs\n   ┬───────┬──\nH2D  1━━━  1━\nhost ab\nbusy: H2D 3 %\n"))
        self.assertIn("```text\n8 chunks: 57 us\n…\n   0       20 µs\n   ┬───────┬──\nH2D  1━━━  1━\nhost ab\n…\n```", page.read_text())

    def test_writing_renews_rows_of_shades_and_second_rows(self):
        page = self.page("H2D  ▒▒░ █\nkernel 1━━ 2━\n       3━\nhost is in: a = cudaFree (1x, 5 µs)\n…")
        example.write(page, self.pattern, result(
            "9 us\nH2D ███\nkernel 1━\n     2━━ 3━\nhost is in: a = cudaMalloc (2x, 7 µs)\nbusy\n"))
        self.assertIn("H2D ███\nkernel 1━\n     2━━ 3━\nhost is in: a = cudaMalloc (2x, 7 µs)\n…\n", page.read_text())

    def test_writing_leaves_what_is_not_printed_or_not_once(self):
        for printed in ("new\n", "old 2\nold 3\n"):
            page = self.page("old 1\n…")
            example.write(page, self.pattern, result(printed))
            self.assertIn("```text\nold 1\n…\n```", page.read_text())


if __name__ == "__main__":
    unittest.main()
