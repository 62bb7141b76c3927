// What a student may rely on: the solution differs from the starter only inside the marked gaps, and the starter that
// `course reset` fetches is the one in labs/.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "course/chapters.hpp"
#include "course/process.hpp"
#include "course/project.hpp"

namespace {

struct Outside {
    std::vector<std::string> lines;  // outside the gaps; the marks themselves are outside
    int gaps = 0;
    bool well_formed = true;
};

// A gap opens after a line with "// >>>" and closes before one with "// <<<".
Outside outside_of_gaps(const std::filesystem::path& path) {
    Outside outside;
    std::ifstream file(path);
    bool in_gap = false;
    for (std::string line; std::getline(file, line);) {
        const bool opens = line.find("// >>>") != std::string::npos;
        const bool closes = line.find("// <<<") != std::string::npos;
        outside.well_formed = outside.well_formed && !(opens && in_gap) && !(closes && !in_gap);
        if (closes) {
            in_gap = false;
            ++outside.gaps;
        }
        if (!in_gap) {
            outside.lines.push_back(line);
        }
        in_gap = in_gap || opens;
    }
    outside.well_formed = outside.well_formed && !in_gap;
    return outside;
}

class EveryLab : public testing::TestWithParam<std::string_view> {};

// The first comment says what the file is: it differs by right.
std::vector<std::string> after_first_comment(const std::vector<std::string>& lines) {
    std::size_t first = 0;
    while (first < lines.size() && lines[first].starts_with("//")) {
        ++first;
    }
    return {lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end()};
}

TEST_P(EveryLab, SolutionDiffersFromStarterInsideTheGapsOnly) {
    const course::Project project = course::find_project();
    const Outside starter = outside_of_gaps(project.starter(GetParam()));
    const Outside solution = outside_of_gaps(project.solution(GetParam()));
    EXPECT_TRUE(starter.well_formed && solution.well_formed) << "a gap opens or closes twice, or stays open";
    EXPECT_GT(starter.gaps, 0) << "the starter has no gap";
    EXPECT_EQ(starter.gaps, solution.gaps);
    EXPECT_EQ(after_first_comment(starter.lines), after_first_comment(solution.lines));
}

TEST_P(EveryLab, StarterIsTheOneThatResetFetches) {
    const course::Project project = course::find_project();
    for (std::size_t i = 0; i < course::chapters.size(); ++i) {
        if (course::chapters[i] == GetParam()) {
            const auto git = course::run_captured({{"git", "hash-object", project.starter(GetParam()).string()}, {}, {}});
            EXPECT_EQ(git.output, std::string(course::starter_blobs[i]) + "\n")
                << "after a change of the starter, put its new id into the list of chapters in the root meson.build";
        }
    }
}

std::string test_name(const testing::TestParamInfo<std::string_view>& info) { return std::string(info.param); }

INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, testing::ValuesIn(course::chapters), test_name);

}  // namespace
