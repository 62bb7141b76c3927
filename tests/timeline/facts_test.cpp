#include "timeline/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sample_traces.hpp"

namespace {

using namespace std::chrono_literals;
using device::OperationKind;
using timeline::Kinds;

// Oracle: whether an operation of these kinds runs during [time, time + 1 ns).
bool runs_at(const device::Trace& trace, const Kinds& kinds, int time) {
    return std::any_of(trace.operations.begin(), trace.operations.end(), [&](const device::Operation& item) {
        return kinds.contains(item.kind) && item.start.count() <= time && time < item.end.count();
    });
}

TEST(Facts, BusyAndOverlapEqualSampling) {
    const Kinds groups[] = {OperationKind::host_to_device, OperationKind::kernel, OperationKind::memset,
                            timeline::link_copies()};
    for (unsigned seed = 1; seed <= 40; ++seed) {
        const auto trace = sample::random_trace(seed, seed % 30);
        for (const Kinds& a : groups) {
            for (const Kinds& b : groups) {
                int busy = 0;
                int both = 0;
                for (int time = 0; time < 600; ++time) {
                    busy += runs_at(trace, a, time) ? 1 : 0;
                    both += runs_at(trace, a, time) && runs_at(trace, b, time) ? 1 : 0;
                }
                ASSERT_EQ(timeline::busy_time(trace, a).count(), busy) << "seed " << seed;
                ASSERT_EQ(timeline::overlap_time(trace, a, b).count(), both) << "seed " << seed;
            }
        }
    }
}

TEST(Facts, BusyIntervalsAreSortedAndApart) {
    const auto trace = sample::random_trace(7, 60);
    const auto intervals = timeline::busy_intervals(trace, timeline::link_copies());
    ASSERT_GT(intervals.size(), 1U);
    for (std::size_t index = 1; index < intervals.size(); ++index) {
        EXPECT_LT(intervals[index - 1].end, intervals[index].start);
    }
}

TEST(Facts, OverlapShareIsOfTheShorterOne) {
    device::Trace trace;
    trace.operations = {sample::operation(OperationKind::kernel, 1, 0ns, 100ns),
                        sample::operation(OperationKind::host_to_device, 2, 80ns, 120ns)};
    EXPECT_DOUBLE_EQ(timeline::overlap_share(trace, OperationKind::kernel, OperationKind::host_to_device), 0.5);
    EXPECT_DOUBLE_EQ(timeline::overlap_share(trace, OperationKind::host_to_device, OperationKind::kernel), 0.5);
    EXPECT_DOUBLE_EQ(timeline::overlap_share(trace, OperationKind::kernel, OperationKind::memset), 0.0);
}

TEST(Facts, TouchingOperationsDoNotOverlap) {
    device::Trace trace;
    trace.operations = {sample::operation(OperationKind::kernel, 1, 0ns, 100ns),
                        sample::operation(OperationKind::host_to_device, 2, 100ns, 120ns)};
    EXPECT_EQ(timeline::overlap_time(trace, OperationKind::kernel, OperationKind::host_to_device), 0ns);
}

TEST(Facts, ARangeKeepsWhatWasIssuedInIt) {
    const auto run = timeline::restrict_to_range(sample::three_chunks(), "run");
    EXPECT_EQ(run.operations.size(), 9U);
    EXPECT_EQ(run.host_calls.size(), 3U);
    EXPECT_EQ(run.device, "NVIDIA H200");
    ASSERT_EQ(run.ranges.size(), 2U);
    EXPECT_EQ(run.ranges[1].name, "run");
    const auto release = timeline::restrict_to_range(sample::three_chunks(), "release");
    ASSERT_EQ(release.operations.size(), 1U);
    EXPECT_EQ(release.operations[0].id, 10U);
}

TEST(Facts, TheFirstCallAfterARangeIsNotInIt) {
    device::Trace trace;
    trace.ranges = {{"run", 100ns, 200ns}, {"release", 200ns, 300ns}};
    trace.host_calls = {{"cudaLaunchKernel", 100ns, 150ns, {}},
                        {"cudaEventSynchronize", 150ns, 200ns, {}},
                        {"cudaGetLastError", 200ns, 200ns, {}},
                        {"cudaEventDestroy", 200ns, 210ns, {}}};
    const auto run = timeline::restrict_to_range(trace, "run");
    ASSERT_EQ(run.host_calls.size(), 3U);
    EXPECT_EQ(run.host_calls.back().name, "cudaGetLastError");
    const auto release = timeline::restrict_to_range(trace, "release");
    EXPECT_EQ(release.host_calls.back().name, "cudaEventDestroy");
}

TEST(Facts, EveryRangeOfTheNameCounts) {
    auto trace = sample::three_chunks();
    trace.ranges.push_back({"run", 690us, 700us});
    EXPECT_EQ(timeline::restrict_to_range(trace, "run").operations.size(), 10U);
}

TEST(Facts, AMissingRangeIsNamed) {
    EXPECT_TRUE(timeline::has_range(sample::three_chunks(), "run"));
    EXPECT_FALSE(timeline::has_range(sample::three_chunks(), "warm-up"));
    try {
        timeline::restrict_to_range(sample::three_chunks(), "warm-up");
        FAIL() << "expected an error";
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(std::string(error.what()), "expected a range \"warm-up\" in the trace of NVIDIA H200, found none");
    }
    EXPECT_THROW(timeline::operations_after_range_end(sample::three_chunks(), "warm-up"), std::invalid_argument);
}

TEST(Facts, FiguresOfTheSample) {
    const auto run = timeline::restrict_to_range(sample::three_chunks(), "run");
    EXPECT_EQ(timeline::busy_time(run, OperationKind::host_to_device), 300us);
    EXPECT_EQ(timeline::kernel_total(run), 300us);
    EXPECT_EQ(timeline::overlap_time(run, OperationKind::host_to_device, OperationKind::kernel), 100us);
    EXPECT_EQ(timeline::host_blocked_in(run, {"cudaStreamSynchronize", "cudaDeviceSynchronize"}), 580us);
    EXPECT_EQ(timeline::host_blocked_in(run, {"cudaMemcpy"}), 0us);
    EXPECT_EQ(timeline::operation_extent(run), (timeline::Interval{0us, 600us}));
    EXPECT_EQ(timeline::operation_extent(device::Trace{}), timeline::Interval{});
}

TEST(Facts, KernelsThatRunTogetherCountTwiceInTheirTotal) {
    device::Trace trace;
    trace.operations = {sample::operation(OperationKind::kernel, 1, 0ns, 100ns),
                        sample::operation(OperationKind::kernel, 2, 50ns, 120ns)};
    EXPECT_EQ(timeline::kernel_total(trace), 170ns);
    EXPECT_EQ(timeline::busy_time(trace, OperationKind::kernel), 120ns);
}

TEST(Facts, WorkStillRunningAfterTheRangeIsFound) {
    auto trace = sample::three_chunks();
    EXPECT_TRUE(timeline::operations_after_range_end(trace, "run").empty());
    trace.ranges[1].end = 550us;
    const auto late = timeline::operations_after_range_end(trace, "run");
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].id, 9U);
}

TEST(Facts, OperationsByStreamKeepTheirOrder) {
    const auto streams = timeline::operations_by_stream(sample::three_chunks());
    ASSERT_EQ(streams.size(), 3U);
    ASSERT_EQ(streams.at(1).size(), 6U);
    for (std::size_t index = 1; index < 6; ++index) {
        EXPECT_LT(streams.at(1)[index - 1].id, streams.at(1)[index].id);
    }
    EXPECT_EQ(streams.at(0).size(), 1U);
}

TEST(WithoutEarlier, OnlyTheLastRangeOfThatNameStays) {
    device::Trace trace;
    const auto us = [](int value) { return std::chrono::microseconds(value); };
    trace.ranges = {{"allocate", us(0), us(5)}, {"run", us(10), us(20)}, {"host_work", us(12), us(14)},
                    {"run", us(30), us(40)},    {"host_work", us(32), us(34)}, {"release", us(50), us(51)}};
    for (const int issued : {1, 11, 25, 31, 50}) {
        trace.operations.push_back({});
        trace.operations.back().issued = us(issued);
        trace.host_calls.push_back({"call", us(issued), us(issued), {}});
    }
    const device::Trace last = timeline::without_earlier(trace, "run");
    ASSERT_EQ(last.ranges.size(), 4u);
    EXPECT_EQ(last.ranges[1], (device::Range{"run", us(30), us(40)}));
    ASSERT_EQ(last.operations.size(), 3u);
    EXPECT_EQ(last.operations[1].issued, us(31));
    EXPECT_EQ(last.host_calls.size(), 3u);
    EXPECT_THROW(timeline::without_earlier(trace, "nothing"), std::invalid_argument);
}

}  // namespace
