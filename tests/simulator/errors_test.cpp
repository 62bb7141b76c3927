// What calls return when they are used wrongly: each case of programs/errors.cu checks it by itself. All but what is
// noted there was seen on an H200 (CUDA 13.0) as well.
#include <gtest/gtest.h>

#include <string>

#include "program_run.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("errors");
    return program;
}

class Errors : public testing::TestWithParam<std::string> {};

TEST_P(Errors, are_those_of_the_runtime_api) {
    const ProgramRun result = run(program(), {GetParam()});
    EXPECT_EQ(result.exit_status, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Cases, Errors,
                         testing::Values("invalid_handles", "null_pointers", "invalid_flags_and_devices",
                                         "no_direction", "invalid_memory", "too_much_memory", "last_error",
                                         "impossible_launches", "not_ready_is_no_last_error",
                                         "unrecorded_event_has_no_elapsed_time", "beyond_the_end", "zero_sizes",
                                         "names", "no_peers", "device_flags"),
                         [](const auto& info) { return info.param; });

TEST(ImpossibleLaunches, are_found_and_say_why) {
    const ProgramRun result = run(program(), {"impossible_launches"});
    std::map<std::string, int> reasons;
    for (const device::Finding& finding : result.findings("impossible_launch")) {
        EXPECT_EQ(finding.severity, device::Severity::error);
        EXPECT_GT(finding.at.line, 0);
        ++reasons[finding.details.at("reason")];
    }
    EXPECT_EQ(reasons["launch.zero_dimension"], 2);
    EXPECT_EQ(reasons["launch.too_many_threads"], 3);
    EXPECT_EQ(reasons["launch.block_too_large"], 1);
    EXPECT_EQ(reasons["launch.grid_too_large"], 3);
    EXPECT_EQ(reasons["launch.too_much_shared_memory"], 1);
    EXPECT_TRUE(result.findings("unchecked_error").empty());
}

}  // namespace
}  // namespace simulator
