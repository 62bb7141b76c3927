// Kernels whose threads wait for each other: what they compute is checked by the program, what is found is checked
// here.
#include <gtest/gtest.h>

#include "program_run.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("barriers");
    return program;
}

ProgramRun run_barriers(const std::string& name) {
    ProgramRun result = run(program(), {name});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return result;
}

device::Finding only_finding(const ProgramRun& result) {
    if (result.trace.findings.size() != 1) {
        ADD_FAILURE() << "expected one finding, found " << result.trace.findings.size() << ":\n" << result.output;
        return {};
    }
    return result.trace.findings.front();
}

class Barriers : public testing::TestWithParam<std::string> {};

TEST_P(Barriers, order_what_threads_do_and_nothing_is_found) {
    const ProgramRun result = run_barriers(GetParam());
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Block, Barriers,
                         testing::Values("shared_memory", "dynamic_shared_memory",
                                         "shared_memory_is_fresh_in_each_block", "barriers_with_votes",
                                         "threads_may_end_before_a_barrier", "barriers_anywhere",
                                         "blocks_of_1024_threads"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Warp, Barriers,
                         testing::Values("shuffles", "reduction_by_warps", "votes", "votes_of_incomplete_warps",
                                         "compaction_with_active_masks", "groups"),
                         [](const auto& info) { return info.param; });

TEST(BarrierMisuse, threads_of_a_block_at_different_barriers) {
    const device::Finding finding = only_finding(run_barriers("diverged_barrier"));
    EXPECT_EQ(finding.kind, "barrier_diverged");
    EXPECT_EQ(finding.severity, device::Severity::error);
    EXPECT_EQ(finding.at.line, program().line("barrier of the others"));
    EXPECT_EQ(finding.other.line, program().line("barrier of the first"));
    EXPECT_EQ(finding.details.at("thread"), "(16, 0, 0)");
}

TEST(BarrierMisuse, a_kernel_whose_threads_wait_for_ever_ends_with_a_finding) {
    const ProgramRun result = run_barriers("barrier_never_reached");
    const device::Finding finding = only_finding(result);
    EXPECT_EQ(finding.kind, "barrier_never_reached");
    EXPECT_EQ(finding.severity, device::Severity::error);
    EXPECT_EQ(finding.at.line, program().line("waits for the warp"));
    EXPECT_EQ(finding.other.line, program().line("waits for the block"));
    EXPECT_EQ(finding.details.at("kernel"), "warp_waits_for_block");
    EXPECT_EQ(finding.details.at("block"), "(0, 0, 0)");
    EXPECT_NE(result.output.find("the other threads wait here"), std::string::npos);
}

TEST(BarrierMisuse, a_lane_that_its_mask_does_not_name) {
    const device::Finding finding = only_finding(run_barriers("lane_not_in_mask"));
    EXPECT_EQ(finding.kind, "lane_not_in_mask");
    EXPECT_EQ(finding.at.line, program().line("mask without the caller"));
    EXPECT_EQ(finding.details.at("thread"), "(16, 0, 0)");
}

TEST(KernelsWithBarriers, out_of_bounds_name_the_first_thread) {
    const device::Finding finding = only_finding(run_barriers("out_of_bounds_behind_a_barrier"));
    EXPECT_EQ(finding.kind, "kernel_out_of_bounds");
    EXPECT_EQ(finding.at.line, program().line("write past the end"));
    EXPECT_EQ(finding.details.at("bytes"), "12");
    EXPECT_EQ(finding.details.at("block"), "(7, 0, 0)");
    EXPECT_EQ(finding.details.at("thread"), "(104, 0, 0)");
}

TEST(KernelsWithBarriers, cost_what_their_work_costs) {
    const ProgramRun result = run_barriers("cost_with_barriers");
    const auto duration = [&](const char* marker) {
        const device::Operation& operation = result.operation(marker);
        return static_cast<double>((operation.end - operation.start).count());
    };
    EXPECT_GT(duration("without a barrier"), 20'000);
    EXPECT_NEAR(duration("with a barrier") / duration("without a barrier"), 1, 0.01);
}

TEST(KernelsWithBarriers, race_like_others) {
    const device::Finding finding = only_finding(run_barriers("race_behind_a_barrier"));
    EXPECT_EQ(finding.kind, "unordered_access");
    EXPECT_EQ(finding.at.line, program().line("unordered update"));
    EXPECT_EQ(finding.other.line, program().line("unordered write"));
}

}  // namespace
}  // namespace simulator
