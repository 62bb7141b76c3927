// Ranges of NVTX show in the trace.
#include <gtest/gtest.h>

#include "program_findings.hpp"

namespace simulator {
namespace {

using namespace std::chrono_literals;

const Program& program() {
    static const Program program("ranges");
    return program;
}

TEST(Ranges, nest) {
    const auto ranges = expect_clean(program(), "ranges_nest").trace.ranges;
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].name, "outer");
    EXPECT_EQ(ranges[1].name, "inner");
    EXPECT_EQ(ranges[1].start - ranges[0].start, 1us);
    EXPECT_EQ(ranges[1].end - ranges[1].start, 2us);
    EXPECT_EQ(ranges[0].end, ranges[1].end);
}

TEST(Ranges, may_cross_and_marks_take_no_time) {
    const auto ranges = expect_clean(program(), "ranges_cross").trace.ranges;
    ASSERT_EQ(ranges.size(), 3U);
    EXPECT_EQ(ranges[0].end - ranges[0].start, 2us);
    EXPECT_EQ(ranges[1].start - ranges[0].start, 1us);
    EXPECT_EQ(ranges[1].end - ranges[1].start, 2us);
    EXPECT_EQ(ranges[2].name, "moment");
    EXPECT_EQ(ranges[2].end, ranges[2].start);
}

// Under a check "run" and "host_work" are ranges of trusted code.
TEST(Ranges, of_the_program_are_told_from_others_under_a_check) {
    const ProgramRun result = run(program(), {"ranges_nest"}, {{"COURSE_QUIET", "1"}});
    ASSERT_EQ(result.trace.ranges.size(), 2U);
    EXPECT_EQ(result.trace.ranges[0].name, "NVTX: outer");
}

}  // namespace
}  // namespace simulator
