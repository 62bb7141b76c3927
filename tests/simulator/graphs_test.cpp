// Stream capture and graphs: results, time, order, and what is refused.
#include <gtest/gtest.h>

#include "program_findings.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("graphs");
    return program;
}

bool overlap(const device::Operation& a, const device::Operation& b) {
    return a.start < b.end && b.start < a.end;
}

// A case that uses calls wrongly may leave warnings, but nothing else.
void expect_held(const std::string& name) {
    const ProgramRun result = run(program(), {name});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    for (const device::Finding& finding : result.trace.findings) {
        EXPECT_EQ(finding.severity, device::Severity::warning) << result.output;
    }
}

TEST(Graphs, do_what_was_captured_at_every_launch) {
    expect_clean(program(), "a_captured_pipeline");
    expect_clean(program(), "launches_come_one_after_the_other");
}

TEST(Graphs, fork_and_join_through_events) {
    const ProgramRun result = expect_clean(program(), "forks_and_joins");
    const device::Operation& fork = result.operation("captured in the fork");
    EXPECT_GE(fork.start, result.operation("captured memset").end);
    EXPECT_TRUE(overlap(fork, result.operation("captured beside the fork")));
    EXPECT_GE(result.operation("captured after the join").start, fork.end);
    EXPECT_EQ(fork.stream, 2U);
}

TEST(Graphs, are_judged_as_any_other_work) {
    expect_finding(program(), "a_join_is_missing_within", "unordered_access", "captured after the join",
                   "captured in the fork");
    expect_clean(program(), "result_is_waited_for");
    expect_finding(program(), "result_is_not_waited_for", "unordered_access", "read of the captured output",
                   "captured output");
}

TEST(Graphs, are_launched_at_the_cost_of_one_call) {
    const ProgramRun result = expect_clean(program(), "many_small_kernels");
    const device::HostCall& launch = result.call("launch of a hundred");
    EXPECT_LT(launch.end - launch.start, std::chrono::microseconds(10));
}

TEST(Capture, refuses_what_waits) {
    expect_held("calls_that_wait_are_refused");
}

TEST(Capture, allows_what_does_not_wait) {
    expect_held("calls_that_do_not_wait_are_allowed");
}

TEST(Capture, begins_and_ends_as_documented) {
    expect_held("beginnings_and_ends");
}

TEST(Leaks, of_instances_are_found) {
    const device::Finding finding = expect_finding(program(), "leaks", "leaked_graph", "leaked instance");
    EXPECT_EQ(finding.severity, device::Severity::warning);
}

TEST(FaultInjection, reaches_these_calls) {
    EXPECT_EQ(failing_calls(program(), "fails_once"), 8);
}

}  // namespace
}  // namespace simulator
