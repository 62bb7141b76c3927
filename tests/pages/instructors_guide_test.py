"""What the instructor's guide tells instructors to run does what it says, and its table is what the checks say."""

import csv
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from pages.page import Page

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ("chapters/INSTRUCTORS.md", "chapters/INSTRUCTORS.zh-CN.md")

# The guide's loop runs in bubblewrap, which not every machine allows: this leaves its options out.
WITHOUT_SANDBOX = '#!/bin/sh\nwhile [ "$1" != timeout ]; do shift; done\nexec "$@"\n'
COURSE = '#!/bin/sh\nexec "$COURSE_PROGRAM" "$@"\n'


def block(guide, language):
    blocks = [block for block in Page(ROOT, guide).code_blocks if block.language == language]
    if len(blocks) != 1:
        raise AssertionError(f"expected one block of {language} in {guide}, found {len(blocks)}")
    return blocks[0].content


def rows(guide):
    """Every row of every table, as a list of texts."""
    lines = [line for line in Page(ROOT, guide).source.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def grading_table(guide):
    """Rows of the table of the grading policy, without its head."""
    return [row for row in rows(guide) if len(row) == 5 and re.fullmatch(r"[\d.]+", row[1])]


def slide_titles(guide):
    """(number of the deck, title) of every slide that the plan of the lecture names."""
    found = []
    for row in rows(guide):
        match = re.fullmatch(r"(\d)[:：]\s*(.+)", row[1])
        if match and "–" in row[0]:
            for part in re.split(r"[;；]\s*", match[2]):
                ends = re.fullmatch(r"from (.+) to (.+)|从“(.+)”到“(.+)”", part)
                found += [(match[1], title) for title in (ends.groups() if ends else [part]) if title]
    return found


class GradingLoop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in (("bin/bwrap", WITHOUT_SANDBOX), ("course", COURSE)):
            self.put(name, text)
            (self.root / name).chmod(0o755)
        # labs/ of the repository may hold a student's work: the lines outside the marks are the solution's too.
        self.put("labs/03_streams/lab.cu", (ROOT / "solutions/03_streams/lab.cu").read_text(encoding="utf-8"))

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_class_gets_its_grades_and_reports(self):
        solution = (ROOT / "solutions/03_streams/lab.cu").read_text(encoding="utf-8")
        wrong = (ROOT / "tests/03_streams/wrong/output_not_waited_for.cu").read_text(encoding="utf-8")
        self.put("class/s01/lab.cu", solution)
        self.put("class/s02/lab.cu", wrong + "// outside the marks\n")
        self.put("class/s03/lab.cu", "int main( {}\n")
        self.assertIn("<cudaStream_t, 3>", solution)
        self.put("class/s04/lab.cu", solution.replace("<cudaStream_t, 3>", "<cudaStream_t, 2>"))
        self.put("results/s03/results.json", "{}")  # of an earlier round
        self.put("results/s05/status", "137\n")  # a check that was ended, by a program that leaves results of its own
        self.put("results/s05/results.json", '{"points": 100}')
        script = self.put("grade_class.sh", block(GUIDES[0], "bash"))
        path = f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
        result = subprocess.run(
            ["bash", str(script), "streams", "class", "results"],
            cwd=self.root,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.root / "results/grades.csv", encoding="utf-8", newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        ended = rows.pop("s05")
        self.assertEqual(list(rows), ["s01", "s02", "s03", "s04"])
        self.assertEqual((ended["status"], ended["points"]), ("137", ""))
        two_streams = rows["s04"]["points"]
        for guide in GUIDES:  # in the output that is shown, and in the text
            self.assertEqual(Page(ROOT, guide).source.count(two_streams), 2, two_streams)
        self.assertEqual(
            [(row["status"], row["points"], row["of"]) for row in rows.values()],
            [("0", "100", "100"), ("1", "5", "100"), ("2", "", ""), ("0", two_streams, "100")],
        )
        self.assertEqual([row["changed outside the marks"] for row in rows.values()], ["0", "1", "", "0"])
        self.assertEqual(rows["s01"]["not passed"], "")
        self.assertIn("output_complete: fail", rows["s02"]["not passed"])
        self.assertIn("report.txt", rows["s03"]["not passed"])
        self.assertIn("run() returned too early", (self.root / "results/s02/report.txt").read_text(encoding="utf-8"))

    def test_both_languages_have_the_same_loop(self):
        self.assertEqual(block(GUIDES[0], "bash"), block(GUIDES[1], "bash"))


class Figures(unittest.TestCase):
    """The table of the grading policy: lab, bar, full points from, points for speed, points of the starter."""

    def test_the_table_is_what_the_checks_say(self):
        expected = []
        for checks in sorted((ROOT / "tests").glob("[0-9][0-9]_*/checks.cpp")):
            source = checks.read_text(encoding="utf-8")
            rule = re.search(r"\.required_share = ([\d.]+), \.full_share = ([\d.]+)", source)
            points = re.search(r"TEST_F\(\w+, speed\) \{\s+constexpr double points = (\d+);", source)
            expected.append([checks.parent.name[1:2], rule[1], rule[2], points[1]])
        self.assertTrue(expected)
        for guide in GUIDES:
            self.assertEqual([row[:4] for row in grading_table(guide)], expected)


class Named(unittest.TestCase):
    """What the guide names is there."""

    def test_slides_of_the_lecture(self):
        for guide in GUIDES:
            titles = slide_titles(guide)
            self.assertGreater(len(titles), 10)
            ending = guide.partition(".")[2]
            for number, title in titles:
                deck = next((ROOT / "slides").glob(f"0{number}_*[a-z].{ending}"))
                self.assertNotIn(".zh", deck.name.removesuffix(ending))
                headings = [heading.text for heading in Page(ROOT, deck.relative_to(ROOT)).headings]
                self.assertIn(title, headings, deck.name)

    def test_minutes_of_the_sessions(self):
        for guide in GUIDES:
            sessions = [row for row in rows(guide) if len(row) == 5 and "/README" in row[1]]
            self.assertEqual([row[0] for row in sessions], ["1", "2", "3", "4", "5", "6"])
            for row in sessions:
                given = [int(re.search(r"(\d+) (?:min|分钟)", cell)[1]) for cell in row[1:4]]
                pages = [f"chapters/0{row[0]}_*/README.md", f"slides/0{row[0]}_*[a-z].md", f"labs/0{row[0]}_*/README.md"]
                found = [next(ROOT.glob(page)).relative_to(ROOT) for page in pages]
                minutes = [Page(ROOT, page).front_matter["minutes"] for page in found]
                self.assertEqual(given, minutes, row)

    def test_mistakes_are_refused_by_the_check_that_is_named(self):
        for guide in GUIDES:
            mistakes = [row for row in rows(guide) if len(row) == 4 and "/wrong/" in row[2]]
            self.assertGreater(len(mistakes), 5)
            for row in mistakes:
                target = re.search(r"\(\.\./(tests/0(\d)_\w+/wrong/\w+\.cu)\)", row[2])
                source = (ROOT / target[1]).read_text(encoding="utf-8")
                refused = re.search(r"^// Refused by: (\w+)$", source, re.MULTILINE)[1]
                self.assertEqual((row[0], row[3]), (target[2], f"`{refused}`"), row[2])


if __name__ == "__main__":
    if "COURSE_PROGRAM" not in os.environ or shutil.which("bash") is None:
        raise SystemExit("expected COURSE_PROGRAM, the compiled course, and bash; run this by: meson test")
    unittest.main()
