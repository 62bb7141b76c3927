#include "checks/call_judgements.hpp"

#include <gtest/gtest.h>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using device::OperationKind;
using std::chrono::nanoseconds;

constexpr Problem problem{.elements = 256, .chunk_elements = 256, .rounds = 1};  // 1024 bytes each way

protocol::Measurement measured() {
    protocol::Measurement measurement;
    measurement.h2d_alone_ns = 100;
    measurement.d2h_alone_ns = 100;
    measurement.h2d_pageable_ns = 500;
    measurement.d2h_pageable_ns = 400;
    return measurement;
}

// allocate() takes the time from 0 to 1000 and run() that from 1000 to 2000; each test adds to it.
class CallTrace {
public:
    CallTrace() {
        range("allocate", 0, 1000);
        range("run", 1000, 2000);
    }

    CallTrace& range(const char* name, int start, int end) {
        trace_.ranges.push_back({name, nanoseconds(start), nanoseconds(end)});
        return *this;
    }

    CallTrace& call(const char* name, int start, int length) {
        trace_.host_calls.push_back({name, nanoseconds(start), nanoseconds(start + length), {"lab.cu", start}});
        return *this;
    }

    CallTrace& operation(OperationKind kind, int start, int length, std::uint32_t stream = 1) {
        device::Operation added;
        added.kind = kind;
        added.stream = stream;
        added.issued = nanoseconds(std::min(start, 1010));
        added.start = nanoseconds(start);
        added.end = nanoseconds(start + length);
        added.bytes = kind == OperationKind::kernel ? 0 : problem.bytes();
        added.at = {"lab.cu", start};
        trace_.operations.push_back(added);
        return *this;
    }

    CallTrace& copies(int h2d, int d2h, std::uint32_t stream = 1) {
        operation(OperationKind::host_to_device, 1010, h2d, stream);
        return operation(OperationKind::device_to_host, 1600, d2h, stream);
    }

    operator const device::Trace&() const { return trace_; }

private:
    device::Trace trace_;
};

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "none";
}

TEST(CopyCalls, ThatReturnAtOncePass) {
    const auto trace = CallTrace().copies(100, 100).call("cudaMemcpyAsync", 1001, 5).call("cudaMemcpyAsync", 1008, 5);
    EXPECT_EQ(cause_of(judge_copy_calls(trace, 0.10)), "none");
}

TEST(CopyCalls, ThatTakeTheTimeOfTheCopyAreNamed) {
    const auto trace = CallTrace().copies(100, 100).call("cudaMemcpyAsync", 1001, 5).call("cudaMemcpy", 1008, 55);
    const auto failure = judge_copy_calls(trace, 0.10);
    ASSERT_EQ(cause_of(failure), cause::blocking_copy_calls);
    EXPECT_EQ(failure->arguments.at("call"), "cudaMemcpy");
    EXPECT_EQ(failure->arguments.at("share"), "30");
    EXPECT_EQ(failure->source.line, 1008);
}

TEST(CopyCalls, AtTheLimitAreTooMuch) {
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace().copies(100, 100).call("cudaMemcpyAsync", 1001, 20), 0.10)),
              cause::blocking_copy_calls);
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace().copies(100, 100).call("cudaMemcpyAsync", 1001, 19), 0.10)), "none");
}

TEST(CopyCalls, OutsideOfRunDoNotCount) {
    const auto trace = CallTrace().copies(100, 100).call("cudaMemcpy", 10, 90).call("cudaMemcpyAsync", 1001, 5);
    EXPECT_EQ(cause_of(judge_copy_calls(trace, 0.10)), "none");
}

TEST(CopyCalls, OfRowsCountToo) {
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace().copies(100, 100).call("cudaMemcpy2DAsync", 1001, 19), 0.10)), "none");
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace().copies(100, 100).call("cudaMemcpy2D", 1001, 90), 0.10)),
              cause::blocking_copy_calls);
}

TEST(CopyCalls, AreNoneWhereAGraphCopies) {
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace().copies(100, 100).call("cudaGraphLaunch", 1001, 5), 0.10)), "none");
}

TEST(CopyCalls, WithoutCopiesThereIsNothingToJudge) {
    EXPECT_EQ(cause_of(judge_copy_calls(CallTrace(), 0.10)), cause::no_copies);
}

// A copy in from memory of this kind, on the simulated device or on a GPU.
device::Trace copy_in_from(device::HostMemory memory, bool simulated) {
    device::Trace trace = CallTrace().copies(100, 100);
    trace.simulated = simulated;
    trace.operations[0].host_memory = memory;
    return trace;
}

TEST(InputInPlace, IsRegisteredMemory) {
    EXPECT_EQ(cause_of(judge_input_in_place(copy_in_from(device::HostMemory::registered, true), {})), "none");
    const auto failure = judge_input_in_place(copy_in_from(device::HostMemory::pinned, true), {});
    ASSERT_EQ(cause_of(failure), cause::input_not_in_place);
    EXPECT_EQ(failure->arguments, (Arguments{{"copies", "1"}, {"of", "1"}}));
}

TEST(InputInPlace, IsNotToldByTheTraceOfAGpu) {
    EXPECT_EQ(cause_of(judge_input_in_place(copy_in_from(device::HostMemory::pinned, false), {})), "none");
}

TEST(InputInPlace, IsNotMovedByTheHost) {
    const device::Finding moved{cause::input_written_by_host, device::Severity::warning, {"lab.cu", 5}, {}, {}};
    const auto failure = judge_input_in_place(copy_in_from(device::HostMemory::registered, true), {moved});
    ASSERT_EQ(cause_of(failure), cause::input_not_in_place);
    EXPECT_EQ(failure->source.line, 5);
}

TEST(CopyRates, OfPinnedMemoryPass) {
    EXPECT_EQ(cause_of(judge_copy_rates(CallTrace().copies(125, 125), problem, measured(), 0.8)), "none");
}

TEST(CopyRates, BelowTheBarNameDirectionAndRates) {
    const auto failure = judge_copy_rates(CallTrace().copies(100, 200), problem, measured(), 0.8);
    ASSERT_EQ(cause_of(failure), cause::slow_copies);
    EXPECT_EQ(failure->arguments.at("direction"), "D2H");
    EXPECT_EQ(failure->arguments.at("rate"), "5.1");
    EXPECT_EQ(failure->arguments.at("pinned"), "10.2");
    EXPECT_EQ(failure->arguments.at("times"), "2.0");
    EXPECT_EQ(failure->source.line, 1600);
}

TEST(CopyRates, AreMeasuredForAChunk) {
    Problem quarters = problem;
    quarters.chunk_elements = problem.elements / 4;  // which takes 100, as all of the problem did above
    EXPECT_EQ(cause_of(judge_copy_rates(CallTrace().copies(500, 500), quarters, measured(), 0.8)), "none");
    EXPECT_EQ(cause_of(judge_copy_rates(CallTrace().copies(510, 500), quarters, measured(), 0.8)), cause::slow_copies);
}

TEST(CopyRates, AddUpPieces) {
    const auto trace = CallTrace().copies(100, 100).operation(OperationKind::host_to_device, 1200, 100);
    EXPECT_EQ(cause_of(judge_copy_rates(trace, problem, measured(), 0.8)), cause::slow_copies);
}

TEST(Pinning, OneAllocationAndOneRegistrationPass) {
    const auto trace = CallTrace().call("cudaMallocHost", 10, 1).call("cudaHostRegister", 20, 1);
    EXPECT_EQ(cause_of(judge_pinning(trace)), "none");
}

TEST(Pinning, InRunIsNamed) {
    const auto trace = CallTrace()
                           .call("cudaMallocHost", 10, 1)
                           .call("cudaHostRegister", 1020, 1)
                           .call("cudaHostUnregister", 1900, 1);
    const auto failure = judge_pinning(trace);
    ASSERT_EQ(cause_of(failure), cause::pinning_in_run);
    EXPECT_EQ(failure->arguments.at("calls"), "2");
    EXPECT_EQ(failure->source.line, 1020);
}

TEST(Pinning, NeedsARegistration) {
    EXPECT_EQ(cause_of(judge_pinning(CallTrace().call("cudaMallocHost", 10, 1))), cause::nothing_registered);
}

TEST(Pinning, NeedsAnAllocationToo) {
    const auto trace = CallTrace().call("cudaHostRegister", 10, 1).call("cudaHostRegister", 20, 1);
    EXPECT_EQ(cause_of(judge_pinning(trace)), cause::no_pinned_allocation);
}

TEST(Pinning, ASecondPinnedBufferIsOneTooMany) {
    CallTrace trace;
    trace.call("cudaMallocHost", 10, 1).call("cudaHostRegister", 20, 1).call("cudaHostAlloc", 30, 1);
    EXPECT_EQ(cause_of(judge_pinning(trace)), cause::another_pinned_buffer);
    trace.range("allocate", 2000, 3000);  // one for each of two rounds is right
    EXPECT_EQ(cause_of(judge_pinning(trace)), "none");
}

TEST(Wait, ForAStreamPasses) {
    EXPECT_EQ(cause_of(judge_wait(CallTrace().copies(100, 100).call("cudaStreamSynchronize", 1900, 1))), "none");
}

TEST(Wait, ForTheDeviceIsNamedInRunOnly) {
    CallTrace trace;
    trace.copies(100, 100).call("cudaDeviceSynchronize", 10, 1).call("cudaStreamSynchronize", 1800, 1);
    EXPECT_EQ(cause_of(judge_wait(trace)), "none");
    trace.call("cudaDeviceSynchronize", 1900, 1);
    const auto failure = judge_wait(trace);
    ASSERT_EQ(cause_of(failure), cause::device_wide_wait);
    EXPECT_EQ(failure->source.line, 1900);
}

TEST(Wait, LeftOutIsNamedEvenWhenTheWorkIsDoneInTime) {
    const auto copies = CallTrace().copies(100, 100);
    EXPECT_EQ(cause_of(judge_wait(copies)), cause::no_wait);
    const auto in_allocate = CallTrace(copies).call("cudaStreamSynchronize", 10, 1);
    EXPECT_EQ(cause_of(judge_wait(in_allocate)), cause::no_wait);
    for (const char* wait : {"cudaStreamQuery", "cudaEventSynchronize", "cudaEventQuery", "cudaLaunchHostFunc"}) {
        EXPECT_EQ(cause_of(judge_wait(CallTrace(copies).call(wait, 1900, 1))), "none") << wait;
    }
}

TEST(Wait, InTheLegacyDefaultStreamIsNamed) {
    EXPECT_EQ(cause_of(judge_wait(CallTrace().copies(100, 100, 0))), cause::legacy_default_stream);
}

TEST(HostWorkBesideTheDevice, Passes) {
    const auto trace = CallTrace().operation(OperationKind::kernel, 1100, 800).range("host_work", 1000, 2000);
    EXPECT_EQ(cause_of(judge_host_work_beside_device(trace, 0.8)), "none");
    EXPECT_EQ(cause_of(judge_host_work_beside_device(trace, 0.81)), cause::host_work_partly_beside);
}

TEST(HostWorkBesideTheDevice, BeforeAndAfterAreNamed) {
    const auto before = CallTrace().operation(OperationKind::kernel, 1500, 400).range("host_work", 1000, 1490);
    EXPECT_EQ(cause_of(judge_host_work_beside_device(before, 0.8)), cause::host_work_before_device);
    const auto after = CallTrace().operation(OperationKind::kernel, 1010, 400).range("host_work", 1405, 1990);
    EXPECT_EQ(cause_of(judge_host_work_beside_device(after, 0.8)), cause::host_work_after_device);
    const auto late = CallTrace().operation(OperationKind::kernel, 1010, 400).range("host_work", 1210, 1990);
    EXPECT_EQ(cause_of(judge_host_work_beside_device(late, 0.8)), cause::host_work_partly_beside);
}

}  // namespace
