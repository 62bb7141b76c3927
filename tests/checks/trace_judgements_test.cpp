#include "checks/trace_judgements.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using device::HostMemory;
using device::Operation;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

constexpr Problem problem{4 * 256, 256, 1};  // four chunks of 1024 bytes
constexpr double required = 0.25;

// Builds a trace of a pipeline, a line of lab.cu for each operation.
class PipelineTrace {
public:
    PipelineTrace() {
        trace_.simulated = true;
        trace_.copy_engines = 2;
        trace_.ranges.push_back({"run", nanoseconds(0), nanoseconds(1000)});
    }

    Operation& add(OperationKind kind, std::uint32_t stream, int issued, int start, int end) {
        Operation operation;
        operation.id = trace_.operations.size() + 1;
        operation.kind = kind;
        operation.name = kind == OperationKind::kernel ? "process" : "cudaMemcpyAsync";
        operation.stream = stream;
        operation.issued = nanoseconds(issued);
        operation.start = nanoseconds(start);
        operation.end = nanoseconds(end);
        operation.asynchronous = true;
        operation.at = {"lab.cu", static_cast<int>(operation.id)};
        if (kind != OperationKind::kernel) {
            operation.bytes = 1024;
            operation.host_memory = HostMemory::pinned;
        }
        trace_.operations.push_back(operation);
        return trace_.operations.back();
    }

    // A chunk whose three stages take 10 each from `start` on.
    void chunk(std::uint32_t stream, int issued, int start) {
        add(OperationKind::host_to_device, stream, issued, start, start + 10);
        add(OperationKind::kernel, stream, issued + 1, start + 10, start + 20);
        add(OperationKind::device_to_host, stream, issued + 2, start + 20, start + 30);
    }

    void call(const char* name, int start) {
        trace_.host_calls.push_back({name, nanoseconds(start), nanoseconds(start + 1), {"lab.cu", 99}});
    }

    Trace& get() { return trace_; }

private:
    Trace trace_;
};

PipelineTrace overlapping() {
    PipelineTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(static_cast<std::uint32_t>(i % 3 + 1), 4 * i, 20 + 10 * i);
    }
    return trace;
}

PipelineTrace serial(std::uint32_t first_stream, std::uint32_t second_stream) {
    PipelineTrace trace;
    for (int i = 0; i < 4; ++i) {
        trace.chunk(i % 2 == 0 ? first_stream : second_stream, 40 * i, 20 + 40 * i);
    }
    return trace;
}

std::string cause_of(const std::optional<Failure>& failure) {
    return failure ? failure->cause : "";
}

TEST(Overlap, a_pipeline_passes) {
    EXPECT_EQ(cause_of(judge_overlap(overlapping().get(), problem, required)), "");
}

TEST(Overlap, everything_on_one_stream) {
    const auto failure = judge_overlap(serial(3, 3).get(), problem, required);
    EXPECT_EQ(cause_of(failure), cause::one_stream);
    EXPECT_EQ(failure->source.line, 1);
}

TEST(Overlap, the_legacy_default_stream) {
    EXPECT_EQ(cause_of(judge_overlap(serial(0, 0).get(), problem, required)), cause::legacy_default_stream);
    EXPECT_EQ(cause_of(judge_overlap(serial(1, 0).get(), problem, required)), cause::legacy_default_stream);
}

TEST(Overlap, one_kernel_for_everything) {
    PipelineTrace trace;
    trace.add(OperationKind::host_to_device, 1, 0, 0, 40);
    trace.add(OperationKind::kernel, 2, 1, 40, 80);
    trace.add(OperationKind::device_to_host, 3, 2, 80, 120);
    EXPECT_EQ(cause_of(judge_overlap(trace.get(), problem, required)), cause::not_in_chunks);
}

TEST(Overlap, device_wide_synchronization_in_the_loop) {
    PipelineTrace trace = serial(1, 2);
    for (int i = 0; i < 4; ++i) {
        trace.call("cudaDeviceSynchronize", 40 * i + 10);
    }
    const auto failure = judge_overlap(trace.get(), problem, required);
    EXPECT_EQ(cause_of(failure), cause::device_wide_sync_in_loop);
    EXPECT_EQ(failure->arguments.at("calls"), "3");  // the one after the last chunk is where it belongs
    EXPECT_EQ(failure->source.line, 99);
}

TEST(Overlap, stream_synchronization_in_the_loop) {
    PipelineTrace trace = serial(1, 2);
    for (int i = 0; i < 4; ++i) {
        trace.call("cudaStreamSynchronize", 40 * i + 10);
    }
    EXPECT_EQ(cause_of(judge_overlap(trace.get(), problem, required)), cause::stream_sync_in_loop);
}

TEST(Overlap, otherwise_the_worst_pair_is_named) {
    const auto failure = judge_overlap(serial(1, 2).get(), problem, required);
    EXPECT_EQ(cause_of(failure), cause::no_overlap);
    EXPECT_EQ(failure->arguments.at("share"), "0");
    EXPECT_EQ(failure->arguments.at("required"), "25");
}

TEST(Overlap, copies_need_not_overlap_each_other_on_one_copy_engine) {
    PipelineTrace trace;
    trace.add(OperationKind::host_to_device, 1, 0, 0, 20);
    trace.add(OperationKind::device_to_host, 2, 1, 20, 40);
    trace.add(OperationKind::kernel, 3, 2, 10, 30);
    trace.add(OperationKind::kernel, 3, 3, 30, 40);
    EXPECT_EQ(cause_of(judge_overlap(trace.get(), problem, required)), cause::no_overlap);
    trace.get().copy_engines = 1;
    EXPECT_EQ(cause_of(judge_overlap(trace.get(), problem, required)), "");
}

TEST(Overlap, a_trace_without_run_is_refused) {
    EXPECT_THROW(judge_overlap(Trace{}, problem, required), std::invalid_argument);
}

TEST(Copies, pinned_and_asynchronous_ones_pass) {
    EXPECT_EQ(cause_of(judge_copies(overlapping().get(), problem)), "");
}

TEST(Copies, pageable_memory_is_counted) {
    PipelineTrace trace = overlapping();
    trace.get().operations[3].host_memory = HostMemory::pageable;
    const auto failure = judge_copies(trace.get(), problem);
    EXPECT_EQ(cause_of(failure), cause::pageable_copies);
    EXPECT_EQ(failure->arguments.at("copies"), "1");
    EXPECT_EQ(failure->arguments.at("of"), "8");
    EXPECT_EQ(failure->source.line, 4);
}

TEST(Copies, synchronous_ones_are_counted) {
    PipelineTrace trace = overlapping();
    trace.get().operations[2].asynchronous = false;
    trace.get().operations[2].name = "cudaMemcpy";
    const auto failure = judge_copies(trace.get(), problem);
    EXPECT_EQ(cause_of(failure), cause::synchronous_copies);
    EXPECT_EQ(failure->arguments.at("call"), "cudaMemcpy");
}

TEST(Copies, less_than_all_bytes_is_too_little) {
    PipelineTrace trace = overlapping();
    trace.get().operations.back().bytes = 1000;
    const auto failure = judge_copies(trace.get(), problem);
    EXPECT_EQ(cause_of(failure), cause::no_copies);
    EXPECT_EQ(failure->arguments.at("direction"), "D2H");
}

TEST(Completeness, work_after_the_end_of_run_is_reported) {
    PipelineTrace trace = overlapping();
    EXPECT_EQ(cause_of(judge_completeness(trace.get())), "");
    trace.add(OperationKind::device_to_host, 1, 900, 990, 1010);
    const auto failure = judge_completeness(trace.get());
    EXPECT_EQ(cause_of(failure), cause::output_read_early);
    EXPECT_EQ(failure->source.line, 13);
}

TEST(Completeness, measured_clocks_may_differ_by_a_little) {
    PipelineTrace trace = overlapping();
    trace.get().simulated = false;
    trace.add(OperationKind::device_to_host, 1, 900, 990, 1010);
    EXPECT_EQ(cause_of(judge_completeness(trace.get())), "");
    trace.add(OperationKind::device_to_host, 1, 901, 1010, 1000 + 20'001);
    EXPECT_EQ(cause_of(judge_completeness(trace.get())), cause::output_read_early);
}

TEST(DefaultStream, one_operation_in_it_is_enough) {
    PipelineTrace trace = overlapping();
    EXPECT_EQ(cause_of(find_legacy_default_stream(trace.get())), "");
    trace.add(OperationKind::kernel, 0, 50, 100, 110);
    const auto failure = find_legacy_default_stream(trace.get());
    EXPECT_EQ(cause_of(failure), cause::legacy_default_stream);
    EXPECT_EQ(failure->arguments.at("operations"), "1");
    EXPECT_EQ(failure->source.line, 13);
}

TEST(KernelWork, enough_of_it_passes) {
    EXPECT_EQ(cause_of(judge_kernel_work(overlapping().get(), nanoseconds(45), 0.8)), "");
}

TEST(KernelWork, too_little_is_a_share) {
    const auto failure = judge_kernel_work(overlapping().get(), nanoseconds(400), 0.8);
    EXPECT_EQ(cause_of(failure), cause::too_little_kernel_work);
    EXPECT_EQ(failure->arguments.at("share"), "10");
}

TEST(KernelWork, launches_are_no_work) {
    const nanoseconds launch(5);  // of the 10 that each of the four kernels takes
    EXPECT_EQ(cause_of(judge_kernel_work(overlapping().get(), nanoseconds(20), 0.8, launch)), "");
    const auto failure = judge_kernel_work(overlapping().get(), nanoseconds(40), 0.8, launch);
    EXPECT_EQ(cause_of(failure), cause::too_little_kernel_work);
    EXPECT_EQ(failure->arguments.at("share"), "50");
}

TEST(KernelWork, no_kernel_means_computed_on_the_cpu) {
    PipelineTrace trace;
    trace.add(OperationKind::host_to_device, 1, 0, 0, 10);
    EXPECT_EQ(cause_of(judge_kernel_work(trace.get(), nanoseconds(40), 0.8)), cause::no_kernel);
}

device::Finding finding(const char* kind, device::Severity severity = device::Severity::error) {
    return {kind, severity, {"lab.cu", 5}, {}, {}};
}

TEST(Findings, unordered_accesses_come_first) {
    const auto failure =
        judge_accesses({finding("unwritten_memory_read"), finding("unordered_access"), finding("unordered_access")});
    EXPECT_EQ(cause_of(failure), cause::unordered_access);
    EXPECT_EQ(failure->findings.size(), 2u);
    EXPECT_EQ(failure->source.line, 5);
}

TEST(Findings, other_mistakes_fail_too) {
    EXPECT_EQ(cause_of(judge_accesses({finding("copy_out_of_bounds")})), cause::copy_out_of_bounds);
    EXPECT_EQ(cause_of(judge_accesses({finding("use_after_free")})), cause::device_finding);
}

TEST(Findings, warnings_leaks_and_unchecked_errors_are_not_accesses) {
    EXPECT_EQ(cause_of(judge_accesses({finding("unordered_access", device::Severity::warning), finding("leaked_stream"),
                                       finding("unchecked_error")})),
              "");
}

TEST(Findings, leaks_are_told_apart) {
    EXPECT_EQ(cause_of(judge_leaks({finding("leaked_event")})), cause::leaked_event);
    EXPECT_EQ(cause_of(judge_leaks({finding("leaked_stream"), finding("leaked_host_memory")})),
              cause::leaked_host_memory);
    EXPECT_EQ(cause_of(judge_leaks({finding("unordered_access")})), "");
}

TEST(Findings, a_failed_call_that_nobody_looked_at) {
    EXPECT_EQ(cause_of(judge_unchecked_errors({finding("unchecked_error")})), cause::unchecked_error);
    EXPECT_EQ(cause_of(judge_unchecked_errors({finding("leaked_stream")})), "");
}

}  // namespace
