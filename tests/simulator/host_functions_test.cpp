// Host functions in streams and priorities of streams: order, time, and what the ordering checker says.
#include <gtest/gtest.h>

#include <algorithm>

#include "program_findings.hpp"

namespace simulator {
namespace {

using namespace std::chrono_literals;

const Program& program() {
    static const Program program("host_functions");
    return program;
}

TEST(HostFunctions, run_between_the_earlier_and_the_later_work_of_their_stream) {
    const ProgramRun result = expect_clean(program(), "launch_host_func_runs_in_stream_order");
    const device::Operation& function = result.operation("host function");
    EXPECT_EQ(function.kind, device::OperationKind::host_function);
    EXPECT_EQ(function.name, "cudaLaunchHostFunc");
    EXPECT_GE(function.start, result.operation("copy before").end);
    EXPECT_GE(result.operation("kernel after").start, function.end);
    EXPECT_LT(result.call("host function").end, result.operation("kernel before").end);
}

TEST(HostFunctions, take_the_time_of_their_work_one_after_the_other) {
    const ProgramRun result = expect_clean(program(), "its_declared_work_takes_time");
    const device::Operation& first = result.operation("first working function");
    const device::Operation& second = result.operation("second working function");
    EXPECT_GE(first.end - first.start, 1ms);
    EXPECT_LT(first.end - first.start, 1100us);
    EXPECT_GE(second.start, first.end);
    EXPECT_GE(result.operation("kernel after the work").start, first.end);
    EXPECT_LT(result.operation("kernel after the work").start, second.end);
}

TEST(HostFunctions, callbacks_too) {
    const ProgramRun result = expect_clean(program(), "callback_gets_its_stream_and_the_status");
    EXPECT_EQ(result.operation("callback").name, "cudaStreamAddCallback");
    EXPECT_GE(result.operation("callback").start, result.operation("kernel before the callback").end);
}

TEST(HostFunctions, are_refused_without_a_function) {
    expect_clean(program(), "errors_of_host_functions");
}

TEST(HostFunctions, may_call_nothing) {
    const ProgramRun result = run(program(), {"calls_in_a_host_function"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    ASSERT_EQ(result.trace.findings.size(), 2U) << result.output;
    EXPECT_EQ(result.trace.findings[0].kind, "call_in_host_function");
    EXPECT_EQ(result.trace.findings[0].details.at("call"), "cudaMalloc");
    expect_line(program(), result.trace.findings[0].at, "call in a host function");
    expect_line(program(), result.trace.findings[1].at, "free in a host function");
    EXPECT_TRUE(std::ranges::none_of(result.trace.host_calls, [](const device::HostCall& call) {
        return call.at.line == program().line("call in a host function");
    }));
}

TEST(HostFunctions, have_the_order_of_their_stream) {
    expect_clean(program(), "function_waits_for_its_input");
    const device::Finding input = expect_finding(program(), "function_does_not_wait_for_its_input", "unordered_access",
                                                 "function that reads", "copied for the function");
    EXPECT_EQ(input.details.at("second"), "access.host_function_reads");
    expect_clean(program(), "its_result_is_waited_for");
    const device::Finding result = expect_finding(program(), "its_result_is_not_waited_for", "unordered_access",
                                                  "read of what it writes", "function that writes");
    EXPECT_EQ(result.details.at("first"), "access.host_function_writes");
    EXPECT_EQ(result.details.at("first.name"), "cudaLaunchHostFunc");
    EXPECT_EQ(result.details.at("bytes"), "4");
}

class HostWaits : public testing::TestWithParam<std::string> {};

TEST_P(HostWaits, end_by_a_host_function) {
    const ProgramRun result = expect_clean(program(), GetParam());
    EXPECT_LT(result.trace.host_calls.back().end - result.trace.host_calls.front().start, 5ms);
}

INSTANTIATE_TEST_SUITE_P(Cases, HostWaits,
                         testing::Values("an_atomic_is_polled", "a_volatile_variable_is_polled",
                                         "a_condition_variable_is_waited_for",
                                         "another_thread_waits_for_a_condition_variable", "a_future_is_waited_for",
                                         "an_atomic_is_waited_for", "a_semaphore_is_waited_for"),
                         [](const auto& info) { return info.param; });

TEST(HostFunctions, own_what_trusted_code_declares_in_them) {
    const device::Finding finding =
        expect_finding(program(), "declared_access_in_a_host_function", "unordered_access",
                       "write beside the declared one", "function that declares");
    EXPECT_EQ(finding.details.at("bytes"), "4");
}

TEST(Priorities, are_brought_into_the_range_of_the_device) {
    expect_clean(program(), "priorities_are_kept_in_range");
}

TEST(Priorities, let_urgent_kernels_go_first) {
    const ProgramRun result = expect_clean(program(), "urgent_kernels_go_first");
    const device::Operation& urgent = result.operation("urgent kernel");
    EXPECT_LT(urgent.end, result.operation("usual kernel").end);
    EXPECT_LT(urgent.start, result.operation("usual kernel").end);
    EXPECT_GE(result.operation("waiting kernel").start, result.operation("usual kernel").end);
}

}  // namespace
}  // namespace simulator
