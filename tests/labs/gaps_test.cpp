// What a student may rely on: the solution differs from the starter only inside the marked gaps, and the starter that
// `course reset` fetches is there. labs/ may hold a student's work: only CI insists on finding the starter in it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "course/chapters.hpp"
#include "course/project.hpp"
#include "course/starter.hpp"
#include "messages/messages.hpp"

namespace {

struct Outside {
    std::vector<std::string> lines;  // outside the gaps; the marks themselves are outside
    int gaps = 0;
    bool well_formed = true;
};

// A gap opens after a line with "// >>>" and closes before one with "// <<<".
Outside outside_of_gaps(const std::string& source) {
    Outside outside;
    std::istringstream file(source);
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
    const Outside starter = outside_of_gaps(course::starter_for_tests(project, GetParam()));
    const Outside solution = outside_of_gaps(course::content_of(project.solution(GetParam())));
    EXPECT_TRUE(starter.well_formed && solution.well_formed) << "a gap opens or closes twice, or stays open";
    EXPECT_GT(starter.gaps, 0) << "the starter has no gap";
    EXPECT_EQ(starter.gaps, solution.gaps);
    EXPECT_EQ(after_first_comment(starter.lines), after_first_comment(solution.lines));
}

bool runs_in_ci() {
    const char* ci = std::getenv("CI");
    return ci != nullptr && std::string(ci) == "true";
}

TEST_P(EveryLab, StarterIsTheOneThatResetFetches) {
    const course::Project project = course::find_project();
    if (!course::starter_is_untouched(project, GetParam())) {
        const std::string advice =
            "labs/" + std::string(GetParam()) +
            "/lab.cu is not the recorded starter. If the starter itself was changed: put the id that `git hash-object -w` "
            "gives it into the list of chapters in the root meson.build";
        EXPECT_FALSE(runs_in_ci()) << advice;
        std::printf("note: %s\n", advice.c_str());
    }
    if (!std::filesystem::exists(project.root / ".git")) {
        GTEST_SKIP() << "no git checkout, so there is nothing to fetch the starter from";
    }
    EXPECT_NE(course::recorded_starter(project, GetParam()), "");
}

// `course check` shows a check by its name in the catalog, and by nothing but its id without one.
TEST_P(EveryLab, EveryCheckHasANameForPeople) {
    const course::Project project = course::find_project();
    const std::string source = course::content_of(project.root / "tests" / std::string(GetParam()) / "checks.cpp");
    const std::regex check(R"(TEST_F\(\w+, (\w+)\))");
    int checks = 0;
    for (std::sregex_iterator found(source.begin(), source.end(), check), end; found != end; ++found, ++checks) {
        const std::string id = "check." + (*found)[1].str();
        EXPECT_TRUE(messages::known(id) && messages::known(id + ".expected"))
            << "expected " << id << " and " << id << ".expected in src/messages/catalog";
    }
    EXPECT_GT(checks, 0) << "checks.cpp holds no TEST_F";
}

std::string test_name(const testing::TestParamInfo<std::string_view>& info) { return std::string(info.param); }

INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, testing::ValuesIn(course::chapters), test_name);

}  // namespace
