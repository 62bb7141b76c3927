// Kernels by their address, occupancy, resets: the cases of programs/kernel_functions.cu check results by themselves.
#include <gtest/gtest.h>

#include <csignal>

#include "program_run.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("kernel_functions");
    return program;
}

class KernelFunctions : public testing::TestWithParam<std::string> {};

TEST_P(KernelFunctions, are_those_of_the_runtime_api) {
    const ProgramRun result = run(program(), {GetParam()});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Cases, KernelFunctions,
                         testing::Values("launched_with_a_configuration", "occupancy", "properties",
                                         "reset_gives_everything_back", "in_a_capture"),
                         [](const auto& info) { return info.param; });

void expect_findings(const ProgramRun& result, const std::string& kind, const std::vector<std::string>& markers) {
    EXPECT_EQ(result.exit_status, 0) << result.output;
    const std::vector<device::Finding> found = result.findings(kind);
    ASSERT_EQ(found.size(), markers.size()) << result.output;
    for (std::size_t i = 0; i < markers.size(); ++i) {
        EXPECT_EQ(found[i].at.line, program().line(markers[i])) << markers[i];
    }
}

TEST(LaunchesByAddress, are_operations_with_the_name_and_the_line_of_any_launch) {
    const ProgramRun result = run(program(), {"launched_by_address"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(result.operation("launched by address").name, "scale");
    EXPECT_EQ(result.operation("a specialization").name, "assign");
}

TEST(LaunchesInMacros, have_the_name_of_the_kernel_and_the_line_of_the_macros_use) {
    const ProgramRun result = run(program(), {"launched_by_a_macro"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(result.operation("a macro's launch").name, "scale");
    EXPECT_EQ(result.operation("a macro's specialization").name, "assign");
}

TEST(Assertions, of_kernels_name_line_block_and_thread) {
    const ProgramRun result = run(program(), {"assertion_in_a_kernel"});
    EXPECT_EQ(result.exit_status, 128 + SIGABRT) << result.output;
    const std::vector<device::Finding> found = result.findings("device_assertion");
    ASSERT_EQ(found.size(), 1u) << result.output;
    EXPECT_EQ(found[0].at.line, program().line("assert"));
    EXPECT_EQ(found[0].details.at("thread"), "(40, 0, 0)");
    EXPECT_EQ(found[0].details.at("condition"), "threadIdx.x < limit");
}

TEST(NotSimulated, is_said_by_name) {
    const ProgramRun result = run(program(), {"attributes_that_are_not_simulated"});
    expect_findings(result, "not_simulated", {"cluster", "cache size"});
    EXPECT_EQ(result.findings("not_simulated")[0].details.at("what"), "cudaLaunchAttributeClusterDimension");
}

TEST(SharedMemory, above_48_KiB_has_to_be_asked_for) {
    const ProgramRun result = run(program(), {"much_shared_memory"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    const std::vector<device::Finding> found = result.findings("impossible_launch");
    ASSERT_EQ(found.size(), 2u) << result.output;
    EXPECT_EQ(found[0].at.line, program().line("not asked for"));
    EXPECT_EQ(found[0].details.at("reason"), "launch.shared_memory_not_asked_for");
    EXPECT_EQ(found[0].details.at("reason.limit"), std::to_string(48 * 1024));
    EXPECT_EQ(found[1].details.at("reason.limit"), std::to_string(100 * 1024));
}

TEST(Resets, what_they_took_is_not_used_any_more) {
    const ProgramRun memory = run(program(), {"memory_after_a_reset"});
    expect_findings(memory, "use_after_free", {"copy after the reset", "write in scale"});
    const ProgramRun streams = run(program(), {"streams_after_a_reset"});
    expect_findings(streams, "use_after_reset",
                    {"stream after the reset", "event after the reset", "launch after the reset"});
    EXPECT_EQ(streams.findings("use_after_reset")[0].details.at("call"), "cudaStreamSynchronize");
}

TEST(Occupancy, follows_the_profile) {
    const ProgramRun result = run(program(), {"occupancy"}, {{"COURSE_PROFILE", profile_file("one-copy-engine")}});
    EXPECT_EQ(result.exit_status, 1) << "these are the figures of an H200:\n" << result.output;
}

}  // namespace
}  // namespace simulator
