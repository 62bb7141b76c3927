#include "checks/host_judgements.hpp"

#include <gtest/gtest.h>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using device::OperationKind;
using std::chrono::nanoseconds;

constexpr Problem problem{.elements = 256, .chunk_elements = 256, .rounds = 1, .host_work = nanoseconds(100)};
constexpr nanoseconds large_copies{100};  // of 1024 bytes there and back

// A run of 1000 with what each test adds to it.
class HostTrace {
public:
    HostTrace() { trace_.ranges.push_back({"run", nanoseconds(0), nanoseconds(1000)}); }

    HostTrace& operation(OperationKind kind, int issued, int start, int end, std::uint64_t bytes = 1024) {
        device::Operation added;
        added.kind = kind;
        added.issued = nanoseconds(issued);
        added.start = nanoseconds(start);
        added.end = nanoseconds(end);
        added.bytes = kind == OperationKind::kernel ? 0 : bytes;
        added.at = {"lab.cu", issued};
        trace_.operations.push_back(added);
        return *this;
    }

    HostTrace& call(const char* name, int start, int end) {
        trace_.host_calls.push_back({name, nanoseconds(start), nanoseconds(end), {"lab.cu", start}});
        return *this;
    }

    // A synchronous copy: the host is in its call from `start` to `end`.
    HostTrace& copy(OperationKind kind, int start, int end, std::uint64_t bytes = 1024) {
        return call("cudaMemcpy", start, end).operation(kind, start, start + 1, end, bytes);
    }

    HostTrace& kernel(int start, int end) { return operation(OperationKind::kernel, start, start, end); }

    HostTrace& host_work(int start, int end) {
        trace_.ranges.push_back({"host_work", nanoseconds(start), nanoseconds(end)});
        return *this;
    }

    operator const device::Trace&() const { return trace_; }

private:
    device::Trace trace_;
};

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "none";
}

HostTrace one_copy_each_way() {
    HostTrace trace;
    trace.copy(OperationKind::host_to_device, 10, 60).kernel(70, 270).copy(OperationKind::device_to_host, 280, 330);
    return trace;
}

TEST(CopyFigures, AddUpCallsAndOperationsOnce) {
    const CopyFigures figures = copy_figures(one_copy_each_way());
    EXPECT_EQ(figures.copies, 2u);
    EXPECT_EQ(figures.time, nanoseconds(100));
    EXPECT_EQ(figures.first, (device::SourceLine{"lab.cu", 10}));
}

// The call for the results waits for the kernel: that is no time of the copy.
TEST(CopyFigures, LeaveOutTheWaitForAKernel) {
    HostTrace trace;
    trace.copy(OperationKind::host_to_device, 10, 60).kernel(70, 270);
    trace.call("cudaMemcpy", 100, 330).operation(OperationKind::device_to_host, 100, 280, 330);
    EXPECT_EQ(copy_figures(trace).time, nanoseconds(50 + 60));
}

// An asynchronous call returns at once; the copy takes its time all the same.
TEST(CopyFigures, CountACopyThatGoesOnAfterItsCall) {
    HostTrace trace;
    trace.call("cudaMemcpyAsync", 10, 12).operation(OperationKind::host_to_device, 10, 20, 90);
    EXPECT_EQ(copy_figures(trace).time, nanoseconds(2 + 70));
}

TEST(CopyFigures, KnowNothingOutsideOfTheRun) {
    HostTrace trace;
    trace.copy(OperationKind::host_to_device, 1100, 1200);
    EXPECT_EQ(copy_figures(trace).copies, 0u);
    EXPECT_EQ(copy_figures(trace).time, nanoseconds(0));
}

TEST(CopyBandwidth, OfOneCopyEachWayIsEnough) {
    EXPECT_EQ(cause_of(judge_copy_bandwidth(one_copy_each_way(), problem, large_copies, 0.5)), "none");
}

TEST(CopyBandwidth, BarIsAtTheRequiredShare) {
    EXPECT_EQ(cause_of(judge_copy_bandwidth(one_copy_each_way(), problem, nanoseconds(50), 0.5)), "none");
    EXPECT_EQ(cause_of(judge_copy_bandwidth(one_copy_each_way(), problem, nanoseconds(49), 0.5)), cause::small_copies);
}

HostTrace small_copies(int copies, int time_of_each) {
    HostTrace trace;
    const auto bytes = static_cast<std::uint64_t>(1024 / copies);
    for (int i = 0; i < copies; ++i) {
        trace.copy(OperationKind::host_to_device, i * time_of_each, (i + 1) * time_of_each, bytes);
    }
    return trace.copy(OperationKind::device_to_host, 900, 950);
}

TEST(CopyBandwidth, OfManySmallCopiesIsNot) {
    const auto failure = judge_copy_bandwidth(small_copies(16, 50), problem, large_copies, 0.5);
    ASSERT_EQ(cause_of(failure), cause::small_copies);
    EXPECT_EQ(failure->arguments.at("copies"), "17");
    EXPECT_EQ(failure->arguments.at("share"), "12");
    EXPECT_EQ(failure->arguments.at("required"), "50");
    EXPECT_EQ(failure->arguments.at("large_rate"), "20.48");
    EXPECT_EQ(failure->arguments.at("rate"), "2.41");
}

// Copying much, and fast, besides the small copies that the problem needs.
TEST(CopyBandwidth, IsNotGainedByCopyingMore) {
    HostTrace trace = small_copies(16, 50);
    trace.copy(OperationKind::host_to_device, 820, 870, 1 << 20);
    EXPECT_EQ(cause_of(judge_copy_bandwidth(trace, problem, large_copies, 0.5)), cause::small_copies);
}

TEST(CopyBandwidth, NeedsAllBytesBothWays) {
    HostTrace trace;
    trace.copy(OperationKind::host_to_device, 10, 60);
    const auto failure = judge_copy_bandwidth(trace, problem, large_copies, 0.5);
    ASSERT_EQ(cause_of(failure), cause::no_copies);
    EXPECT_EQ(failure->arguments.at("direction"), "D2H");
}

TEST(HostWork, IsSharedWithTheOperationsBesideIt) {
    const HostTrace trace = one_copy_each_way().host_work(40, 120);
    EXPECT_DOUBLE_EQ(host_work_share_beside(trace, OperationKind::kernel), 50.0 / 80);
    EXPECT_DOUBLE_EQ(host_work_share_beside(trace, OperationKind::device_to_host), 0);
    EXPECT_DOUBLE_EQ(host_work_share_beside(trace, timeline::link_copies()), 20.0 / 80);
    EXPECT_DOUBLE_EQ(host_work_share_beside(one_copy_each_way(), OperationKind::kernel), 0);
}

TEST(HostWork, BesideTheKernelIsRight) {
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(one_copy_each_way().host_work(72, 260), 0.5)), "none");
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(one_copy_each_way().host_work(170, 370), 0.5)), "none");
}

TEST(HostWork, ElsewhereIsNamed) {
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(one_copy_each_way().host_work(62, 69), 0.5)),
              cause::host_work_before_kernel);
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(one_copy_each_way().host_work(272, 400), 0.5)),
              cause::host_work_after_kernel);
    HostTrace between = one_copy_each_way();
    between.kernel(800, 900).host_work(340, 700);
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(between, 0.5)), cause::host_work_beside_little);
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(one_copy_each_way(), 0.5)), cause::host_work_beside_little);
}

TEST(HostWork, NeedsAKernel) {
    HostTrace trace;
    trace.host_work(10, 20);
    EXPECT_EQ(cause_of(judge_host_work_beside_kernel(trace, 0.5)), cause::no_kernel);
}

TEST(HostWork, IsDoneExactlyOnce) {
    EXPECT_EQ(cause_of(judge_host_work_done(nanoseconds(100), problem)), "none");
    EXPECT_EQ(cause_of(judge_host_work_done(nanoseconds(0), problem)), cause::host_work_missing);
    EXPECT_EQ(judge_host_work_done(nanoseconds(0), problem)->arguments.at("elements"), "256");
    EXPECT_EQ(cause_of(judge_host_work_done(nanoseconds(200), problem)), cause::host_work_missing);
}

TEST(HostWork, TakesItsTimeInTheTraceToo) {
    EXPECT_EQ(cause_of(judge_host_work_traced(HostTrace().host_work(100, 200), problem)), "none");
    EXPECT_EQ(cause_of(judge_host_work_traced(HostTrace().host_work(100, 160).host_work(160, 200), problem)), "none");
    EXPECT_EQ(cause_of(judge_host_work_traced(HostTrace().host_work(100, 150), problem)), cause::host_work_missing);
    EXPECT_EQ(cause_of(judge_host_work_traced(HostTrace(), problem)), cause::host_work_missing);
}

}  // namespace
