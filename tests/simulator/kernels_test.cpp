// Kernels on the simulated device: what they compute is checked by the program, what they cost and what is found here.
#include <gtest/gtest.h>

#include "program_run.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("kernels");
    return program;
}

ProgramRun run_kernels(const std::string& name) {
    ProgramRun result = run(program(), {name});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return result;
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, compute_what_they_should_and_nothing_is_found) {
    const ProgramRun result = run_kernels(GetParam());
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Cases, Kernels,
                         testing::Values("shapes", "functions_and_templates", "arguments_are_copied_at_the_launch",
                                         "math_and_vectors", "atomics", "dynamic_shared_memory"),
                         [](const auto& info) { return info.param; });

TEST(Atomics, of_kernels_at_the_same_time_overlap) {
    const ProgramRun result = run_kernels("atomics");
    const device::Operation& first = result.operation("first adder");
    const device::Operation& second = result.operation("second adder");
    EXPECT_LT(second.start, first.end);
}

TEST(Atomics, beside_a_plain_access_are_a_race) {
    const ProgramRun result = run_kernels("atomic_beside_plain_access");
    ASSERT_EQ(result.trace.findings.size(), 1U) << result.output;
    const device::Finding& finding = result.trace.findings.front();
    EXPECT_EQ(finding.kind, "unordered_access");
    EXPECT_EQ(finding.at.line, program().line("plain kernel"));
    EXPECT_EQ(finding.other.line, program().line("atomic kernel"));
}

TEST(Cost, grows_with_the_work_and_has_a_floor) {
    const ProgramRun result = run_kernels("more_work_takes_longer");
    const auto duration = [&](const char* marker) {
        const device::Operation& operation = result.operation(marker);
        return (operation.end - operation.start).count();
    };
    const auto nothing = duration("nothing touched");
    const auto half = duration("half touched") - nothing;
    const auto all = duration("all touched") - nothing;
    EXPECT_GT(nothing, 0);
    EXPECT_GT(half, 0);
    EXPECT_NEAR(static_cast<double>(all), 2.0 * static_cast<double>(half), 3);
}

// On an H200, 1024 blocks take as long as 1056 on its 132 multiprocessors: src/fidelity, "streams and chunks".
TEST(Cost, is_that_of_the_fullest_multiprocessor) {
    const ProgramRun result = run_kernels("the_fullest_multiprocessor_decides");
    const auto rounds_ns = [&](const std::string& marker) {
        const device::Operation& with = result.operation(marker);
        const device::Operation& without = result.operation(marker + ", no rounds");
        return static_cast<double>(((with.end - with.start) - (without.end - without.start)).count());
    };
    EXPECT_NEAR(rounds_ns("almost full"), rounds_ns("full"), 0.005 * rounds_ns("full"));
    EXPECT_NEAR(rounds_ns("one more block"), rounds_ns("full") * 9 / 8, 0.005 * rounds_ns("full"));
}

}  // namespace
}  // namespace simulator
