#include "checks/host_stage_judgements.hpp"

#include <gtest/gtest.h>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using device::Operation;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

// Four chunks; produce and consume take 10 each.
constexpr Problem problem{.elements = 4 * 256, .chunk_elements = 256, .rounds = 1, .host_copy = nanoseconds(10)};
constexpr double required = 0.5;

// Builds a trace of a pipeline with a producer and a consumer, a line of lab.cu for each operation.
class HostedTrace {
public:
    HostedTrace() {
        trace_.simulated = true;
        trace_.copy_engines = 2;
        run(0, 1000);
    }

    void run(int start, int end) { trace_.ranges.push_back({"run", nanoseconds(start), nanoseconds(end)}); }

    void host(const char* name, int start, int length = 10) {
        trace_.ranges.push_back({name, nanoseconds(start), nanoseconds(start + length)});
    }

    void add(OperationKind kind, std::uint32_t stream, int issued, int start, int end) {
        Operation operation;
        operation.id = trace_.operations.size() + 1;
        operation.kind = kind;
        operation.stream = stream;
        operation.issued = nanoseconds(issued);
        operation.start = nanoseconds(start);
        operation.end = nanoseconds(end);
        operation.at = {"lab.cu", static_cast<int>(operation.id)};
        trace_.operations.push_back(operation);
    }

    // A chunk whose stages take 5, 20 and 5 from `start` on.
    void chunk(std::uint32_t stream, int start) {
        add(OperationKind::host_to_device, stream, start, start, start + 5);
        add(OperationKind::kernel, stream, start, start + 5, start + 25);
        add(OperationKind::device_to_host, stream, start, start + 25, start + 30);
    }

    void wait(const char* name, int start, int end) {
        trace_.host_calls.push_back({name, nanoseconds(start), nanoseconds(end), {"lab.cu", 99}});
    }

    void on_a_gpu() { trace_.simulated = false; }

    const Trace& get() const { return trace_; }

private:
    Trace trace_;
};

// Produce, chunk, wait, consume, one after the other.
HostedTrace one_slot(std::uint32_t streams = 1) {
    HostedTrace trace;
    for (int i = 0; i < 4; ++i) {
        const int begin = 60 * i;
        trace.host("produce", begin);
        trace.chunk(static_cast<std::uint32_t>(i) % streams + 1, begin + 10);
        trace.wait("cudaStreamSynchronize", begin + 11, begin + 40);
        trace.host("consume", begin + 40);
    }
    return trace;
}

// Kernels one after the other; the host produces the next chunks and consumes the last ones meanwhile.
HostedTrace several_slots(int kernels_on_stream_0 = 0) {
    HostedTrace trace;
    trace.host("produce", 0);
    for (int i = 0; i < 4; ++i) {
        const auto stream = static_cast<std::uint32_t>(i < kernels_on_stream_0 ? 0 : i % 3 + 1);
        const int kernel = 15 + 20 * i;
        trace.add(OperationKind::host_to_device, stream, kernel - 5, kernel - 5, kernel);
        trace.add(OperationKind::kernel, stream, kernel - 5, kernel, kernel + 20);
        trace.add(OperationKind::device_to_host, stream, kernel - 5, kernel + 20, kernel + 25);
        if (i > 0) {
            trace.host("produce", kernel - 15);
        }
        trace.wait("cudaEventSynchronize", kernel + 16, kernel + 25);
        trace.host("consume", kernel + 25);
    }
    return trace;
}

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "none";
}

TEST(HostStages, AllChunksOncePass) {
    EXPECT_EQ(cause_of(judge_host_stages(one_slot().get(), problem)), "none");
    EXPECT_EQ(cause_of(judge_host_stages(several_slots().get(), problem)), "none");
}

TEST(HostStages, AChunkThatIsNeverConsumedIsMissed) {
    HostedTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.host("produce", 20 * i);
        if (i < 3) {
            trace.host("consume", 20 * i + 10);
        }
    }
    const auto failure = judge_host_stages(trace.get(), problem);
    ASSERT_EQ(cause_of(failure), cause::host_stage_incomplete);
    EXPECT_EQ(failure->arguments.at("stage"), "consume");
    EXPECT_EQ(failure->arguments.at("share"), "75");
}

TEST(HostStages, NothingProducedIsMissed) {
    const auto failure = judge_host_stages(HostedTrace().get(), problem);
    ASSERT_EQ(cause_of(failure), cause::host_stage_incomplete);
    EXPECT_EQ(failure->arguments.at("stage"), "produce");
}

TEST(HostStages, AChunkConsumedTwiceIsSeen) {
    HostedTrace trace = one_slot();
    trace.host("consume", 900);
    const auto failure = judge_host_stages(trace.get(), problem);
    ASSERT_EQ(cause_of(failure), cause::host_stage_repeated);
    EXPECT_EQ(failure->arguments.at("stage"), "consume");
    EXPECT_EQ(failure->arguments.at("share"), "125");
}

// A real copy takes as long as it takes, and never less than it is made to.
TEST(HostStages, OnAGpuOnlyTooLittleTimeSaysSomething) {
    HostedTrace trace = one_slot();
    trace.on_a_gpu();
    trace.host("consume", 900);
    EXPECT_EQ(cause_of(judge_host_stages(trace.get(), problem)), "none");
    Problem longer = problem;
    longer.host_copy = nanoseconds(20);
    EXPECT_EQ(cause_of(judge_host_stages(trace.get(), longer)), cause::host_stage_incomplete);
}

TEST(HostStages, EveryRunCounts) {
    HostedTrace trace = one_slot();
    trace.run(2000, 3000);
    EXPECT_EQ(cause_of(judge_host_stages(trace.get(), problem)), cause::host_stage_incomplete);
    trace.host("produce", 2000, 40);
    trace.host("consume", 2040, 40);
    EXPECT_EQ(cause_of(judge_host_stages(trace.get(), problem)), "none");
}

TEST(HostStages, SaysNothingWhereTheyTakeNoTime) {
    Problem free_of_cost = problem;
    free_of_cost.host_copy = nanoseconds(0);
    EXPECT_EQ(cause_of(judge_host_stages(HostedTrace().get(), free_of_cost)), "none");
    Problem empty = problem;
    empty.elements = 0;
    EXPECT_EQ(cause_of(judge_host_stages(HostedTrace().get(), empty)), "none");
}

TEST(HostStageOverlap, SeveralSlotsOverlap) {
    EXPECT_EQ(cause_of(judge_host_stage_overlap(several_slots().get(), required)), "none");
}

TEST(HostStageOverlap, OneSlotDoesNot) {
    const auto failure = judge_host_stage_overlap(one_slot().get(), required);
    ASSERT_EQ(cause_of(failure), cause::producer_waits);
    EXPECT_EQ(failure->arguments.at("share"), "0");
    EXPECT_EQ(failure->arguments.at("required"), "50");
}

TEST(HostStageOverlap, TheShareIsOfTheHostsTime) {
    HostedTrace trace;
    trace.host("produce", 0);
    trace.host("consume", 10, 30);
    trace.chunk(1, 0);  // until 30
    EXPECT_EQ(cause_of(judge_host_stage_overlap(trace.get(), 0.75)), "none");
    EXPECT_EQ(cause_of(judge_host_stage_overlap(trace.get(), 0.76)), cause::producer_waits);
}

TEST(HostStageOverlap, WithoutHostStagesNothingOverlaps) {
    EXPECT_EQ(cause_of(judge_host_stage_overlap(HostedTrace().get(), required)), cause::producer_waits);
}

TEST(CopiesBesideKernels, SeveralSlotsOverlapAlthoughTheDirectionsNeverMeet) {
    EXPECT_EQ(cause_of(judge_copies_beside_kernels(several_slots().get(), required)), "none");
}

TEST(CopiesBesideKernels, WaitingForEveryChunkLeavesTheDeviceEmpty) {
    const auto failure = judge_copies_beside_kernels(one_slot(3).get(), required);
    ASSERT_EQ(cause_of(failure), cause::device_runs_empty);
    EXPECT_EQ(failure->arguments.at("calls"), "3");  // the wait for the last chunk is behind the loop
    EXPECT_EQ(failure->arguments.at("call"), "cudaStreamSynchronize");
    EXPECT_EQ(failure->source.line, 99);
}

TEST(CopiesBesideKernels, OneStreamIsNamed) {
    HostedTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(1, 30 * i);
    }
    EXPECT_EQ(cause_of(judge_copies_beside_kernels(trace.get(), required)), cause::one_stream);
}

TEST(CopiesBesideKernels, TheDefaultStreamIsNamedFirst) {
    HostedTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(i % 2 == 0 ? 0 : 1, 30 * i);
    }
    const auto failure = judge_copies_beside_kernels(trace.get(), required);
    ASSERT_EQ(cause_of(failure), cause::legacy_default_stream);
    EXPECT_EQ(failure->arguments.at("operations"), "6");
}

TEST(CopiesBesideKernels, OtherwiseThePairIsNamed) {
    HostedTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(static_cast<std::uint32_t>(i % 2 + 1), 30 * i);
    }
    const auto failure = judge_copies_beside_kernels(trace.get(), required);
    ASSERT_EQ(cause_of(failure), cause::no_overlap);
    EXPECT_EQ(failure->arguments.at("first"), "H2D");
    EXPECT_EQ(failure->arguments.at("share"), "0");
}

TEST(CopiesBesideKernels, NoWorkAtAllFails) {
    EXPECT_NE(cause_of(judge_copies_beside_kernels(HostedTrace().get(), required)), "none");
}

TEST(IdleDevice, NamesTheWaitThenTheProducer) {
    EXPECT_EQ(cause_of(find_idle_device(one_slot().get(), required)), cause::device_runs_empty);
    EXPECT_EQ(cause_of(find_idle_device(several_slots().get(), required)), "none");
    HostedTrace trace;
    trace.host("produce", 0, 100);
    trace.chunk(1, 100);
    trace.chunk(2, 120);
    EXPECT_EQ(cause_of(find_idle_device(trace.get(), required)), cause::producer_waits);
}

}  // namespace
