#include "checks/event_judgements.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using namespace std::chrono_literals;
using device::Finding;
using device::Operation;
using device::OperationKind;
using device::Severity;
using device::Trace;
using std::chrono::nanoseconds;

constexpr Problem problem{4 * 256, 256, 1};  // four chunks of 1024 bytes
constexpr nanoseconds kernel_work = 1ms;

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "";
}

// A trace with one range, and a line of lab.cu for each operation.
class RangeTrace {
public:
    explicit RangeTrace(const char* range) { trace_.ranges.push_back({range, 0ns, 1s}); }

    Operation& add(OperationKind kind, std::uint32_t stream, nanoseconds issued, nanoseconds start, nanoseconds end) {
        Operation operation;
        operation.id = trace_.operations.size() + 1;
        operation.kind = kind;
        operation.stream = stream;
        operation.issued = issued;
        operation.start = start;
        operation.end = end;
        operation.bytes = kind == OperationKind::kernel ? 0 : 1024;
        operation.at = {"lab.cu", static_cast<int>(operation.id)};
        trace_.operations.push_back(operation);
        return trace_.operations.back();
    }

    void call(const char* name, nanoseconds start) {
        trace_.host_calls.push_back({name, start, start + 1ns, {"lab.cu", 99}});
    }

    Trace& get() { return trace_; }

private:
    Trace trace_;
};

// --- measuring ---

// 2 ms in, 1 ms of work, 3 ms out, and the three questions to the events.
RangeTrace measured() {
    RangeTrace trace("measure_stages");
    trace.add(OperationKind::host_to_device, 1, 1us, 1ms, 3ms).bytes = problem.bytes();
    trace.add(OperationKind::kernel, 1, 2us, 4ms, 5ms);
    trace.add(OperationKind::device_to_host, 1, 3us, 6ms, 9ms).bytes = problem.bytes();
    for (int i = 0; i < 3; ++i) {
        trace.call("cudaEventElapsedTime", 10ms);
    }
    return trace;
}

std::optional<Failure> judge(RangeTrace& trace, const StageMilliseconds& reported) {
    return judge_stage_times(trace.get(), problem, kernel_work, reported);
}

TEST(StageTimes, within_the_tolerance_pass) {
    RangeTrace trace = measured();
    EXPECT_EQ(cause_of(judge(trace, {2.0F, 1.0F, 3.0F})), "");
    EXPECT_EQ(cause_of(judge(trace, {2.09F, 0.96F, 3.14F})), "");
}

TEST(StageTimes, each_stage_is_judged_for_itself) {
    RangeTrace trace = measured();
    const auto failure = judge(trace, {2.0F, 3.0F, 3.0F});
    ASSERT_EQ(cause_of(failure), cause::stage_times_off);
    EXPECT_EQ(failure->arguments, (Arguments{{"stage", "kernel"}, {"reported", "3.000"}, {"traced", "1.000"}}));
    EXPECT_EQ(failure->source.line, 2);
    EXPECT_EQ(judge(trace, {2.11F, 1.0F, 3.0F})->arguments.at("stage"), "H2D");
    EXPECT_EQ(judge(trace, {2.0F, 1.0F, 2.84F})->arguments.at("stage"), "D2H");
}

TEST(StageTimes, nothing_reported_or_no_number_fails) {
    RangeTrace trace = measured();
    EXPECT_EQ(cause_of(judge(trace, {})), cause::stage_times_off);
    EXPECT_EQ(cause_of(judge(trace, {std::numeric_limits<float>::quiet_NaN(), 1.0F, 3.0F})), cause::stage_times_off);
}

TEST(StageTimes, a_few_microseconds_are_allowed_to_short_stages) {
    RangeTrace trace = measured();
    trace.get().operations[0].end = trace.get().operations[0].start + 20us;
    EXPECT_EQ(cause_of(judge(trace, {0.024F, 1.0F, 3.0F})), "");
    EXPECT_EQ(cause_of(judge(trace, {0.026F, 1.0F, 3.0F})), cause::stage_times_off);
}

TEST(StageTimes, of_several_measurements_are_the_average) {
    RangeTrace trace = measured();
    trace.add(OperationKind::host_to_device, 1, 4us, 10ms, 12ms).bytes = problem.bytes();
    trace.add(OperationKind::kernel, 1, 5us, 13ms, 14ms);
    trace.add(OperationKind::device_to_host, 1, 6us, 15ms, 18ms).bytes = problem.bytes();
    EXPECT_EQ(cause_of(judge(trace, {2.0F, 1.0F, 3.0F})), "");
    EXPECT_EQ(cause_of(judge(trace, {4.0F, 2.0F, 6.0F})), cause::stage_times_off);
}

TEST(StageTimes, a_stage_in_several_operations_is_their_sum) {
    RangeTrace trace = measured();
    trace.add(OperationKind::kernel, 1, 4us, 10ms, 11ms);
    EXPECT_EQ(cause_of(judge(trace, {2.0F, 2.0F, 3.0F})), "");
    EXPECT_EQ(cause_of(judge(trace, {2.0F, 1.0F, 3.0F})), cause::stage_times_off);
}

TEST(StageTimes, of_less_than_the_problem_do_not_count) {
    RangeTrace few_bytes = measured();
    few_bytes.get().operations[2].bytes -= 1;
    EXPECT_EQ(cause_of(judge(few_bytes, {2.0F, 1.0F, 3.0F})), cause::stage_not_run);
    EXPECT_EQ(judge(few_bytes, {2.0F, 1.0F, 3.0F})->arguments.at("stage"), "D2H");
    RangeTrace little_work = measured();
    little_work.get().operations[1].end = little_work.get().operations[1].start + 840us;
    EXPECT_EQ(cause_of(judge(little_work, {2.0F, 0.84F, 3.0F})), cause::stage_not_run);
    RangeTrace nothing("measure_stages");
    EXPECT_EQ(cause_of(judge(nothing, {})), cause::stage_not_run);
}

TEST(StageTimes, come_from_events) {
    RangeTrace trace = measured();
    trace.get().host_calls.pop_back();
    const auto failure = judge(trace, {2.0F, 1.0F, 3.0F});
    ASSERT_EQ(cause_of(failure), cause::not_timed_by_events);
    EXPECT_EQ(failure->arguments.at("calls"), "2");
    EXPECT_EQ(cause_of(judge(trace, {2.2F, 1.1F, 3.3F})), cause::not_timed_by_events) << "a host clock that waits";
    EXPECT_EQ(cause_of(judge(trace, {0.01F, 0.01F, 0.01F})), cause::stage_times_off) << "a host clock that does not";
}

TEST(StageTimes, without_the_range_are_refused) {
    RangeTrace trace("run");
    EXPECT_THROW(judge(trace, {}), std::invalid_argument);
}

// --- ordering ---

// Chunk after chunk, each stage in its own stream, overlapping.
RangeTrace role_streams() {
    RangeTrace trace("run");
    for (int chunk = 0; chunk < 4; ++chunk) {
        const nanoseconds issued = chunk * 10ns;
        const nanoseconds start = 100ns + chunk * 100ns;
        trace.add(OperationKind::host_to_device, 1, issued, start, start + 100ns);
        trace.add(OperationKind::kernel, 2, issued + 1ns, start + 100ns, start + 200ns);
        trace.add(OperationKind::device_to_host, 3, issued + 2ns, start + 200ns, start + 300ns);
    }
    return trace;
}

TEST(Roles, with_a_stream_each_pass) {
    EXPECT_EQ(cause_of(judge_roles(role_streams().get())), "");
}

TEST(Roles, may_have_several_streams) {
    RangeTrace trace = role_streams();
    trace.get().operations[3].stream = 4;
    EXPECT_EQ(cause_of(judge_roles(trace.get())), "");
}

TEST(Roles, that_share_a_stream_are_named) {
    RangeTrace trace = role_streams();
    trace.get().operations[2].stream = 1;
    const auto failure = judge_roles(trace.get());
    ASSERT_EQ(cause_of(failure), cause::roles_share_a_stream);
    EXPECT_EQ(failure->arguments, (Arguments{{"first", "H2D"}, {"second", "D2H"}, {"stream", "1"}}));
    EXPECT_EQ(failure->source.line, 3);
}

TEST(Roles, have_no_use_for_the_default_stream) {
    RangeTrace trace = role_streams();
    trace.get().operations[4].stream = 0;
    const auto failure = judge_roles(trace.get());
    ASSERT_EQ(cause_of(failure), cause::legacy_default_stream);
    EXPECT_EQ(failure->arguments, (Arguments{{"operations", "1"}, {"of", "12"}}));
    EXPECT_EQ(failure->source.line, 5);
}

TEST(HostWaits, at_the_end_pass) {
    RangeTrace trace = role_streams();
    trace.call("cudaStreamSynchronize", 40ns);
    trace.call("cudaStreamWaitEvent", 5ns);
    EXPECT_EQ(cause_of(judge_host_waits(trace.get())), "");
}

TEST(HostWaits, in_the_loop_fail_whatever_they_are_called) {
    for (const char* name : {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                             "cudaStreamQuery", "cudaEventQuery", "cudaMemcpy"}) {
        RangeTrace trace = role_streams();
        trace.call(name, 5ns);
        trace.call(name, 15ns);
        const auto failure = judge_host_waits(trace.get());
        ASSERT_EQ(cause_of(failure), cause::host_waits_in_loop) << name;
        EXPECT_EQ(failure->arguments, (Arguments{{"calls", "2"}, {"call", name}}));
        EXPECT_EQ(failure->source.line, 99);
    }
}

TEST(HostWaits, without_work_there_is_no_loop) {
    EXPECT_EQ(cause_of(judge_host_waits(RangeTrace("run").get())), "");
}

TEST(RolesInTurn, overlapping_ones_pass) {
    EXPECT_EQ(cause_of(find_roles_in_turn(role_streams().get())), "");
}

TEST(RolesInTurn, kernels_that_wait_for_the_last_copy_in) {
    RangeTrace trace("run");
    for (int chunk = 0; chunk < 2; ++chunk) {
        trace.add(OperationKind::host_to_device, 1, 0ns, chunk * 100ns, chunk * 100ns + 100ns);
    }
    for (int chunk = 0; chunk < 2; ++chunk) {
        trace.add(OperationKind::kernel, 2, 1ns, 200ns + chunk * 100ns, 300ns + chunk * 100ns);
    }
    const auto failure = find_roles_in_turn(trace.get());
    ASSERT_EQ(cause_of(failure), cause::roles_take_turns);
    EXPECT_EQ(failure->arguments, (Arguments{{"first", "H2D"}, {"second", "kernel"}}));
    EXPECT_EQ(failure->source.line, 3);
}

TEST(RolesInTurn, a_single_chunk_has_nothing_to_overlap_with) {
    RangeTrace trace("run");
    trace.add(OperationKind::host_to_device, 1, 0ns, 0ns, 100ns);
    trace.add(OperationKind::kernel, 2, 1ns, 100ns, 200ns);
    trace.add(OperationKind::device_to_host, 3, 2ns, 200ns, 300ns);
    EXPECT_EQ(cause_of(find_roles_in_turn(trace.get())), "");
}

// --- findings ---

Finding warning(const char* kind, int line) {
    return {kind, Severity::warning, {"lab.cu", line}, {}, {}};
}

TEST(EventFindings, are_judged_although_they_are_warnings) {
    const std::vector<Finding> findings{warning("leaked_event", 1), warning("waits_for_nothing", 2),
                                        warning("timing_event_orders", 3), warning("timing_event_orders", 4)};
    const auto waits = judge_waits(findings);
    ASSERT_EQ(cause_of(waits), cause::waits_for_nothing);
    EXPECT_EQ(waits->source.line, 2);
    EXPECT_EQ(waits->findings.size(), 1U);
    const auto events = judge_ordering_events(findings);
    ASSERT_EQ(cause_of(events), cause::timing_event_orders);
    EXPECT_EQ(events->arguments.at("count"), "2");
}

TEST(EventFindings, of_other_kinds_pass) {
    const std::vector<Finding> findings{warning("leaked_event", 1)};
    EXPECT_EQ(cause_of(judge_waits(findings)), "");
    EXPECT_EQ(cause_of(judge_ordering_events(findings)), "");
}

}  // namespace
