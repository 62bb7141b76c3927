#include "checks/habit_judgements.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using device::HostMemory;
using device::Operation;
using device::OperationKind;
using device::SourceLine;
using device::Trace;
using std::chrono::nanoseconds;

constexpr int allocate_at = 0;  // the range "allocate" goes from here to where "run" begins
constexpr int run_at = 1'000'000;
constexpr int run_until = 2'000'000;
constexpr std::uint64_t chunk_bytes = 1 << 20;

// A trace with the ranges of a lab program, to which a test adds what it is about.
class ProgramTrace {
public:
    explicit ProgramTrace(unsigned copy_engines = 2) {
        trace_.simulated = true;
        trace_.copy_engines = copy_engines;
        trace_.ranges.push_back({"allocate", nanoseconds(allocate_at), nanoseconds(run_at - 1)});
        trace_.ranges.push_back({"run", nanoseconds(run_at), nanoseconds(run_until)});
    }

    Operation& add(OperationKind kind, std::uint32_t stream, int start, int end, std::uint64_t bytes = chunk_bytes) {
        Operation operation;
        operation.id = trace_.operations.size() + 1;
        operation.kind = kind;
        operation.stream = stream;
        operation.issued = operation.start = nanoseconds(start);
        operation.end = nanoseconds(end);
        operation.at = {"lab.cu", static_cast<int>(operation.id)};
        operation.bytes = kind == OperationKind::kernel ? 0 : bytes;
        trace_.operations.push_back(operation);
        return trace_.operations.back();
    }

    void copy_in(std::uint32_t stream, int start, std::uint64_t bytes = chunk_bytes) {
        add(OperationKind::host_to_device, stream, start, start + 10, bytes);
    }
    void copy_out(std::uint32_t stream, int start, std::uint64_t bytes = chunk_bytes) {
        add(OperationKind::device_to_host, stream, start, start + 10, bytes);
    }

    // The three stages of a chunk, in this order in one stream.
    void chunk(std::uint32_t stream, int start, std::uint64_t bytes = chunk_bytes) {
        copy_in(stream, start, bytes);
        add(OperationKind::kernel, stream, start + 10, start + 20);
        copy_out(stream, start + 20, bytes);
    }

    void call(const char* name, int start, int line = 99) {
        trace_.host_calls.push_back({name, nanoseconds(start), nanoseconds(start + 1), {"lab.cu", line}});
    }

    const Trace& get() const { return trace_; }

private:
    Trace trace_;
};

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "";
}

TEST(Allocations, outside_of_run_they_are_where_they_belong) {
    ProgramTrace trace;
    trace.call("cudaMalloc", allocate_at + 1);
    trace.call("cudaFree", run_until);  // the first call of release()
    trace.call("cudaFree", run_until + 1);
    trace.call("cudaMemcpyAsync", run_at + 1);
    EXPECT_EQ(cause_of(judge_allocations(trace.get())), "");
}

TEST(Allocations, in_run_each_counts_and_the_first_is_named) {
    ProgramTrace trace;
    trace.call("cudaMemcpyAsync", run_at + 1, 10);
    trace.call("cudaHostRegister", run_at + 2, 11);
    trace.call("cudaEventCreateWithFlags", run_at + 3, 12);
    const auto failure = judge_allocations(trace.get());
    EXPECT_EQ(cause_of(failure), cause::allocation_in_run);
    EXPECT_EQ(failure->arguments.at("calls"), "2");
    EXPECT_EQ(failure->arguments.at("call"), "cudaHostRegister");
    EXPECT_EQ(failure->source, (SourceLine{"lab.cu", 11}));
}

TEST(Allocations, in_stream_order_they_are_allowed) {
    ProgramTrace trace;
    trace.call("cudaMallocAsync", run_at + 1);
    trace.call("cudaFreeAsync", run_at + 2);
    EXPECT_EQ(cause_of(judge_allocations(trace.get())), "");
}

const std::vector<CopyRate> rates{{.bytes = 100, .time = nanoseconds(20), .fill_share = 0.01},    // 5 bytes per ns
                                  {.bytes = 200, .time = nanoseconds(27), .fill_share = 0.05},    // 7.4
                                  {.bytes = 400, .time = nanoseconds(50), .fill_share = 0.20},    // 8
                                  {.bytes = 800, .time = nanoseconds(80), .fill_share = 0.30},    // 10
                                  {.bytes = 1600, .time = nanoseconds(160), .fill_share = 0.45}};  // 10

TEST(CopyLimits, follow_from_rates_and_fill) {
    const CopyLimits limits = copy_limits(rates, 0.75, 0.25);
    EXPECT_EQ(limits.too_small, 200u);
    EXPECT_EQ(limits.too_large, 800u);
}

TEST(CopyLimits, a_device_may_have_none) {
    const CopyLimits limits = copy_limits(rates, 0.4, 0.5);
    EXPECT_EQ(limits.too_small, 0u);
    EXPECT_EQ(limits.too_large, UINT64_MAX);
    EXPECT_THROW(copy_limits({}, 0.75, 0.25), std::invalid_argument);
}

TEST(CopySizes, between_the_limits_pass) {
    ProgramTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(1, run_at + 30 * i, 201);
        trace.chunk(2, run_at + 30 * i, 799);
    }
    EXPECT_EQ(cause_of(judge_copy_sizes(trace.get(), {200, 800})), "");
}

TEST(CopySizes, a_short_last_chunk_is_no_small_copy) {
    ProgramTrace trace;
    trace.chunk(1, run_at, 400);
    trace.chunk(2, run_at + 30, 100);
    EXPECT_EQ(cause_of(judge_copy_sizes(trace.get(), {200, 800})), "");
}

TEST(CopySizes, too_small) {
    ProgramTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(1, run_at + 30 * i, 200);
    }
    const auto failure = judge_copy_sizes(trace.get(), {200, 800});
    EXPECT_EQ(cause_of(failure), cause::copies_too_small);
    EXPECT_EQ(failure->arguments.at("copies"), "8");
    EXPECT_EQ(failure->source.line, 1);
}

TEST(CopySizes, too_large_in_one_direction) {
    ProgramTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.copy_in(1, run_at + 10 * i, 400);
    }
    trace.copy_out(1, run_at + 100, 1600);
    const auto failure = judge_copy_sizes(trace.get(), {200, 800});
    EXPECT_EQ(cause_of(failure), cause::copies_too_large);
    EXPECT_EQ(failure->source.line, 5);
}

TEST(StreamCount, one_for_each_engine) {
    ProgramTrace trace;
    trace.chunk(1, run_at);
    trace.chunk(2, run_at + 30);
    const auto failure = judge_stream_count(trace.get());
    EXPECT_EQ(cause_of(failure), cause::too_few_streams);
    EXPECT_EQ(failure->arguments.at("streams"), "2");
    EXPECT_EQ(failure->arguments.at("needed"), "3");
    trace.chunk(3, run_at + 60);
    EXPECT_EQ(cause_of(judge_stream_count(trace.get())), "");
}

TEST(StreamCount, one_copy_engine_needs_two_and_three_engines_no_more_than_two) {
    ProgramTrace one(1);
    one.chunk(1, run_at);
    EXPECT_EQ(cause_of(judge_stream_count(one.get())), cause::too_few_streams);
    one.chunk(2, run_at + 30);
    EXPECT_EQ(cause_of(judge_stream_count(one.get())), "");
    ProgramTrace three(3);  // what an H200 says of itself
    for (std::uint32_t stream = 1; stream <= 3; ++stream) {
        three.chunk(stream, run_at);
    }
    EXPECT_EQ(cause_of(judge_stream_count(three.get())), "");
}

ProgramTrace copies_in_one_stream(unsigned copy_engines) {
    ProgramTrace trace(copy_engines);
    trace.copy_in(1, run_at);
    trace.add(OperationKind::kernel, 2, run_at + 10, run_at + 20);
    trace.copy_out(1, run_at + 20);
    return trace;
}

TEST(Directions, one_stream_for_both) {
    const auto failure = judge_directions(copies_in_one_stream(2).get());
    EXPECT_EQ(cause_of(failure), cause::one_stream_for_both_directions);
    EXPECT_EQ(failure->arguments.at("copies"), "2");
}

TEST(Directions, one_copy_engine_has_nothing_to_gain) {
    EXPECT_EQ(cause_of(judge_directions(copies_in_one_stream(1).get())), "");
}

TEST(Directions, several_streams_pass) {
    ProgramTrace in_turn;
    in_turn.chunk(1, run_at);
    in_turn.chunk(2, run_at + 30);
    EXPECT_EQ(cause_of(judge_directions(in_turn.get())), "");
    ProgramTrace by_role;
    by_role.copy_in(1, run_at);
    by_role.copy_out(2, run_at + 20);
    EXPECT_EQ(cause_of(judge_directions(by_role.get())), "");
}

// A run whose operations take a millisecond in all.
ProgramTrace timed(bool by_events) {
    ProgramTrace trace;
    trace.add(OperationKind::host_to_device, 1, run_at, run_at + 600'000);
    trace.add(OperationKind::device_to_host, 2, run_at + 400'000, run_at + 1'000'000);
    if (by_events) {
        trace.call("cudaEventElapsedTime", run_at + 999'000);
    }
    return trace;
}

TEST(ReportedTime, agrees_within_a_few_percent) {
    EXPECT_EQ(cause_of(judge_reported_time(timed(true).get(), 1.0F)), "");
    EXPECT_EQ(cause_of(judge_reported_time(timed(true).get(), 1.05F)), "");
    EXPECT_EQ(cause_of(judge_reported_time(timed(true).get(), 0.95F)), "");
}

TEST(ReportedTime, neither_more_nor_less) {
    EXPECT_EQ(cause_of(judge_reported_time(timed(true).get(), 1.07F)), cause::wrong_reported_time);
    const auto failure = judge_reported_time(timed(true).get(), 0.6F);
    EXPECT_EQ(cause_of(failure), cause::wrong_reported_time);
    EXPECT_EQ(failure->arguments.at("reported"), "0.600");
    EXPECT_EQ(failure->arguments.at("traced"), "1.000");
}

TEST(ReportedTime, must_come_from_events_even_when_it_agrees) {
    EXPECT_EQ(cause_of(judge_reported_time(timed(false).get(), 1.0F)), cause::timed_by_host_clock);
    EXPECT_EQ(cause_of(judge_reported_time(timed(false).get(), 0.0F)), cause::timed_by_host_clock);
}

ProgramTrace measured(std::initializer_list<std::uint64_t> sizes, int timings, std::uint64_t used) {
    ProgramTrace trace;
    int at = allocate_at;
    for (const std::uint64_t size : sizes) {
        trace.chunk(1, at, size);
        at += 30;
    }
    for (int i = 0; i < timings; ++i) {
        trace.call("cudaEventElapsedTime", at++);
    }
    for (int i = 0; i < 3; ++i) {
        trace.chunk(1, run_at + 30 * i, used);
    }
    trace.chunk(1, run_at + 90, used / 2);
    return trace;
}

TEST(Choice, one_of_the_sizes_that_were_timed) {
    EXPECT_EQ(cause_of(judge_choice(measured({400, 800}, 2, 800).get())), "");
}

TEST(Choice, takes_two_sizes_and_their_times) {
    EXPECT_EQ(cause_of(judge_choice(measured({}, 0, 800).get())), cause::not_measured);
    EXPECT_EQ(cause_of(judge_choice(measured({800, 800}, 2, 800).get())), cause::not_measured);
    EXPECT_EQ(cause_of(judge_choice(measured({400, 800}, 1, 800).get())), cause::not_measured);
}

TEST(Choice, of_a_size_that_was_not_tried) {
    const auto failure = judge_choice(measured({400, 800}, 2, 600).get());
    EXPECT_EQ(cause_of(failure), cause::choice_not_measured);
    EXPECT_EQ(failure->arguments.at("sizes"), "2");
}

}  // namespace
