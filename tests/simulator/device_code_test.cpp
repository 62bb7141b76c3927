// Kernels and what they may use: computed results are checked by the program, what is found and timed is checked here.
#include <gtest/gtest.h>

#include "program_run.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("device_code");
    return program;
}

ProgramRun run_device_code(const std::string& name) {
    ProgramRun result = run(program(), {name});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return result;
}

class DeviceCode : public testing::TestWithParam<std::string> {};

TEST_P(DeviceCode, computes_what_it_should_and_nothing_is_found) {
    const ProgramRun result = run_device_code(GetParam());
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Cases, DeviceCode,
                         testing::Values("variables_of_the_device", "copies_of_symbols", "clocks", "atomics_of_64_bits",
                                         "functors_and_lambdas", "halves"),
                         [](const auto& info) { return info.param; });

TEST(Variables, too_small_for_a_copy) {
    const ProgramRun result = run_device_code("wrong_uses_of_symbols");
    ASSERT_EQ(result.trace.findings.size(), 1U) << result.output;
    const device::Finding& finding = result.trace.findings.front();
    EXPECT_EQ(finding.kind, "copy_out_of_bounds");
    EXPECT_EQ(finding.at.line, program().line("symbol too small"));
    EXPECT_EQ(finding.details.at("allocation_bytes"), "16");
}

TEST(Variables, take_part_in_races) {
    const ProgramRun result = run_device_code("races_on_variables");
    const std::vector<device::Finding> found = result.findings("unordered_access");
    ASSERT_EQ(found.size(), 2U) << result.output;
    EXPECT_EQ(result.trace.findings.size(), 2U);
    EXPECT_EQ(found[0].at.line + found[0].other.line, program().line("symbol read") + program().line("symbol written"));
    EXPECT_EQ(found[0].details.at("bytes"), "256");
    EXPECT_EQ(found[0].details.at("range"), "range.device");
    EXPECT_EQ(found[1].at.line, program().line("variable written again"));
    EXPECT_EQ(found[1].other.line, program().line("variable written"));
}

TEST(Clocks, that_a_kernel_waits_for_are_its_time) {
    const ProgramRun result = run_device_code("clocks");
    const auto beyond_nothing = [&](const char* marker) {
        const auto duration = [&](const char* of) { return result.operation(of).end - result.operation(of).start; };
        return static_cast<double>((duration(marker) - duration("nothing")).count());
    };
    EXPECT_NEAR(beyond_nothing("10 ms by clock64"), 10e6, 0.1e6);
    EXPECT_NEAR(beyond_nothing("1 ms by clock"), 1e6, 0.01e6);
    EXPECT_NEAR(beyond_nothing("50 us of sleep"), 50e3, 0.5e3);
}

TEST(Printing, comes_when_the_kernel_is_complete_in_the_order_of_its_threads) {
    EXPECT_EQ(run_device_code("printing").output,
              "before\nlaunched\n"
              "thread 0 of block 0: 1.5\nthread 1 of block 0: 1.5\nsecond\n"
              "thread 0 of block 1: 1.5\nthread 1 of block 1: 1.5\nsecond\nafter\n");
}

TEST(Printing, is_not_repeated_when_the_simulator_looks_for_a_thread) {
    const ProgramRun result = run_device_code("printing_is_not_repeated");
    ASSERT_EQ(result.findings("kernel_out_of_bounds").size(), 1U);
    EXPECT_EQ(result.findings("kernel_out_of_bounds").front().details.at("thread"), "(1, 0, 0)");
    std::size_t printed = 0;
    for (std::size_t at = result.output.find("printed once"); at != std::string::npos;
         at = result.output.find("printed once", at + 1)) {
        ++printed;
    }
    EXPECT_EQ(printed, 2U) << result.output;
}

TEST(Atomics, out_of_bounds_are_found_at_their_line_and_run_once) {
    const ProgramRun result = run_device_code("atomics_out_of_bounds");
    ASSERT_EQ(result.trace.findings.size(), 1U) << result.output;
    EXPECT_EQ(result.trace.findings.front().kind, "kernel_out_of_bounds");
    EXPECT_EQ(result.trace.findings.front().at.line, program().line("atomic past the end"));
    EXPECT_EQ(result.trace.findings.front().details.at("thread"), "(4, 0, 0)");
}

}  // namespace
}  // namespace simulator
