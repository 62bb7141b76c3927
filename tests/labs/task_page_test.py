#!/usr/bin/env python3
"""The check of the task pages notices what it is there for."""

import pathlib
import unittest

import task_page

PRINTED = """Lab 01_example · solutions/01_example/lab.cu
on NVIDIA H200 (simulated)
inputs from seed 2606740784817972551

✓ 8/8  Right

NVIDIA H200, simulated: "run", 72 ms
     0    20 ms
     ┬────┬──
H2D  0━━━

0.24× simulated"""
ENGLISH, CHINESE = pathlib.Path("README.md"), pathlib.Path("README.zh-CN.md")


def page(shown, prose=""):
    return (f"{prose}\n\n<!-- output:begin ./course check example --solution -->\n\n```text\n{shown}\n```\n\n"
            "<!-- output:end -->\n")


class TaskPage(unittest.TestCase):
    def setUp(self):
        self.solution = task_page.part_shown(PRINTED, solution=True)

    def faults(self, text, path=ENGLISH):
        return task_page.faults_of(path, text, {True: self.solution})

    def test_the_seed_is_left_out_and_nothing_else(self):
        self.assertEqual(self.solution, PRINTED.replace("inputs from seed 2606740784817972551", "…"))

    def test_of_the_starter_the_end_is_shown(self):
        self.assertTrue(task_page.part_shown(PRINTED, solution=False).startswith("…\nNVIDIA H200, simulated: \"run\", 72 ms\n"))

    def test_a_page_that_shows_what_is_printed(self):
        self.assertEqual(self.faults(page(self.solution, "It reaches 0.24×.")), [])

    def test_an_old_time_is_found(self):
        self.assertEqual(len(self.faults(page(self.solution.replace("72 ms", "103 ms")))), 1)

    def test_an_old_check_is_found(self):
        self.assertEqual(len(self.faults(page(self.solution.replace("8/8", "9/9")))), 1)

    def test_a_translation_has_the_numbers(self):
        translated = self.solution.replace("simulated", "模拟")
        self.assertEqual(self.faults(page(translated), CHINESE), [])
        self.assertEqual(len(self.faults(page(translated.replace("72", "103")), CHINESE)), 1)

    def test_a_rate_that_no_check_prints_is_found(self):
        printed = "8192 copies moved the data at 0.58 GB/s; large copies reach 12.05\n              GB/s here"
        self.assertEqual(task_page.rate_faults(ENGLISH, "at 0.58 GB/s, and at 12.05 GB/s", printed), [])
        self.assertEqual(len(task_page.rate_faults(ENGLISH, "at 0.39\nGB/s, and at 12.05 GB/s", printed)), 1)

    def test_an_old_speed_in_the_text_is_found(self):
        self.assertEqual(len(self.faults(page(self.solution, "It reaches 0.21×."))), 1)


if __name__ == "__main__":
    unittest.main()
