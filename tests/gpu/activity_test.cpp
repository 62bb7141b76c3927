// From activity records to a trace: no GPU takes part.
#include "gpu/activity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpu {
namespace {

using namespace std::chrono_literals;
using device::HostMemory;
using device::OperationKind;

constexpr std::uint32_t default_stream = 7;
constexpr std::uint64_t origin = 1000;

Activities nothing() {
    Activities activities;
    activities.origin_ns = origin;
    activities.end_ns = 1'000'000;
    activities.default_stream = default_stream;
    return activities;
}

DeviceActivity copy_in(std::uint32_t correlation, std::uint32_t stream, std::uint64_t start, std::uint64_t end) {
    return {OperationKind::host_to_device, "", correlation, stream, start, end, 4096, HostMemory::pinned};
}

DeviceActivity kernel(std::uint32_t correlation, std::uint32_t stream, const std::string& name) {
    return {OperationKind::kernel, name, correlation, stream, 5000, 6000, 0, HostMemory::none};
}

device::Trace traced(const Activities& activities) {
    return trace_of(activities, "a GPU", 3);
}

TEST(KernelName, is_what_the_program_wrote) {
    EXPECT_EQ(kernel_name("scale(float*, int)"), "scale");
    EXPECT_EQ(kernel_name("void scale<float>(float*, int)"), "scale");
    EXPECT_EQ(kernel_name("course::scale(float*)"), "scale");
    EXPECT_EQ(kernel_name("scale"), "scale");
    EXPECT_EQ(kernel_name("void scale<float, 4>(float const*)"), "scale");
    EXPECT_EQ(kernel_name("void apply<std::pair<int, float> >(std::pair<int, float>*)"), "apply");
    EXPECT_EQ(kernel_name(""), "");
}

TEST(KernelName, leaves_unnamed_namespaces_out) {
    EXPECT_EQ(kernel_name("(anonymous namespace)::scale(float*, int)"), "scale");
    EXPECT_EQ(kernel_name("void (anonymous namespace)::scale<float>(float*)"), "scale");
    EXPECT_EQ(kernel_name("lab::(anonymous namespace)::scale(float*)"), "scale");
}

TEST(KernelName, leaves_template_arguments_out) {
    EXPECT_EQ(kernel_name("void scale<(int)4>(float*)"), "scale");
    EXPECT_EQ(kernel_name("void run<Step(int)>(Step)"), "run");
    EXPECT_EQ(kernel_name("void run<(anonymous namespace)::Step>((anonymous namespace)::Step)"), "run");
}

TEST(CallName, has_neither_version_nor_stream_suffix) {
    EXPECT_EQ(call_name("cudaMemcpyAsync_v3020"), "cudaMemcpyAsync");
    EXPECT_EQ(call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
    EXPECT_EQ(call_name("cudaMemcpy_ptds_v7000"), "cudaMemcpy");
    EXPECT_EQ(call_name("cudaEventElapsedTime_v2_v12080"), "cudaEventElapsedTime");
    EXPECT_EQ(call_name("cudaMalloc"), "cudaMalloc");
    EXPECT_EQ(call_name("cuda_variant"), "cuda_variant");
    EXPECT_EQ(call_name("cudaMalloc_v"), "cudaMalloc_v");
}

TEST(Trace, of_nothing_is_empty_but_names_its_device) {
    const device::Trace trace = traced(nothing());
    EXPECT_EQ(trace.device, "a GPU");
    EXPECT_EQ(trace.copy_engines, 3U);
    EXPECT_FALSE(trace.simulated);
    EXPECT_EQ(trace.profile, "");
    EXPECT_TRUE(trace.operations.empty());
    EXPECT_TRUE(trace.host_calls.empty());
    EXPECT_TRUE(trace.ranges.empty());
}

TEST(Trace, times_count_from_the_origin) {
    Activities activities = nothing();
    activities.calls = {{"cudaMemcpyAsync_v3020", 1, 1100, 1150}};
    activities.operations = {copy_in(1, default_stream, 1300, 1900)};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 1U);
    const device::Operation& operation = trace.operations.front();
    EXPECT_EQ(operation.issued, 150ns);  // when the call returned
    EXPECT_EQ(operation.start, 300ns);
    EXPECT_EQ(operation.end, 900ns);
    ASSERT_EQ(trace.host_calls.size(), 1U);
    EXPECT_EQ(trace.host_calls.front(), (device::HostCall{"cudaMemcpyAsync", 100ns, 150ns, {}}));
}

TEST(Trace, operations_take_their_name_and_their_kind_of_call_from_the_call) {
    Activities activities = nothing();
    activities.calls = {{"cudaMemcpyAsync_v3020", 1, 1100, 1150},
                        {"cudaMemcpy_v3020", 2, 1200, 1250},
                        {"cudaMemsetAsync_v3020", 3, 1300, 1350},
                        {"cudaLaunchKernel_v7000", 4, 1400, 1450}};
    activities.operations = {copy_in(1, 7, 2000, 2100),
                             copy_in(2, 7, 2100, 2200),
                             {OperationKind::memset, "", 3, 7, 2200, 2300, 64, HostMemory::none},
                             kernel(4, 7, "void scale<float>(float*)")};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 4U);
    EXPECT_EQ(trace.operations[0].name, "cudaMemcpyAsync");
    EXPECT_TRUE(trace.operations[0].asynchronous);
    EXPECT_EQ(trace.operations[1].name, "cudaMemcpy");
    EXPECT_FALSE(trace.operations[1].asynchronous);
    EXPECT_EQ(trace.operations[2].name, "cudaMemsetAsync");
    EXPECT_EQ(trace.operations[2].kind, OperationKind::memset);
    EXPECT_EQ(trace.operations[2].bytes, 64U);
    EXPECT_EQ(trace.operations[3].name, "scale");
    EXPECT_TRUE(trace.operations[3].asynchronous);
}

TEST(Trace, operations_are_in_order_of_issue_not_of_completion) {
    Activities activities = nothing();
    activities.operations = {copy_in(30, 7, 2000, 2100), copy_in(10, 7, 4000, 4100), copy_in(20, 7, 3000, 3100)};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 3U);
    EXPECT_EQ(trace.operations[0].start, 3000ns);
    EXPECT_EQ(trace.operations[1].start, 2000ns);
    EXPECT_EQ(trace.operations[2].start, 1000ns);
    for (std::size_t i = 0; i < trace.operations.size(); ++i) {
        EXPECT_EQ(trace.operations[i].id, i + 1);
    }
}

TEST(Trace, says_what_kind_of_host_memory_a_copy_used) {
    Activities activities = nothing();
    activities.operations = {copy_in(1, 7, 2000, 2100), copy_in(2, 7, 2200, 2300), kernel(3, 7, "scale(float*)")};
    activities.operations[1].host_memory = HostMemory::pageable;
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 3U);
    EXPECT_EQ(trace.operations[0].host_memory, HostMemory::pinned);
    EXPECT_EQ(trace.operations[0].bytes, 4096U);
    EXPECT_EQ(trace.operations[1].host_memory, HostMemory::pageable);
    EXPECT_EQ(trace.operations[2].host_memory, HostMemory::none);
}

TEST(Trace, numbers_streams_in_order_of_creation_and_the_runtimes_own_last) {
    Activities activities = nothing();
    activities.calls = {{"cudaStreamCreate_v3020", 1, 1100, 1110},
                        {"cudaMemcpyAsync_v3020", 2, 1120, 1130},
                        {"cudaStreamCreateWithFlags_v5000", 3, 1140, 1150}};
    // The runtime made stream 13 within a call of another kind; the program made 21 before 14.
    activities.created_streams = {{13, 2}, {21, 1}, {14, 3}};
    activities.operations = {copy_in(10, 13, 2000, 2100), copy_in(11, 14, 2100, 2200), copy_in(12, 21, 2200, 2300),
                             copy_in(13, default_stream, 2300, 2400), copy_in(14, 40, 2400, 2500)};
    const device::Trace trace = traced(activities);
    std::vector<std::uint32_t> streams;
    for (const device::Operation& operation : trace.operations) {
        streams.push_back(operation.stream);
    }
    EXPECT_EQ(streams, (std::vector<std::uint32_t>{3, 2, 1, 0, 4}));
}

TEST(Trace, a_stream_keeps_its_number_when_it_was_never_used) {
    Activities activities = nothing();
    activities.calls = {{"cudaStreamCreate_v3020", 1, 1100, 1110}, {"cudaStreamCreate_v3020", 2, 1120, 1130}};
    activities.created_streams = {{13, 1}, {14, 2}};
    activities.operations = {copy_in(10, 14, 2000, 2100)};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 1U);
    EXPECT_EQ(trace.operations.front().stream, 2U);
}

TEST(Trace, calls_of_the_tracer_before_the_origin_and_after_the_end_are_left_out) {
    Activities activities = nothing();
    activities.end_ns = 5000;
    activities.calls = {{"cudaFree_v3020", 1, origin - 1, 1200},
                        {"cudaMalloc_v3020", 2, origin, 1100},
                        {"cudaFree_v3020", 3, 5000, 5100},
                        {"cudaDeviceSynchronize_v3020", 4, 5001, 5100}};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.host_calls.size(), 2U);
    EXPECT_EQ(trace.host_calls[0].name, "cudaMalloc");
    EXPECT_EQ(trace.host_calls[1].name, "cudaFree");
}

TEST(Trace, calls_are_in_order_of_start) {
    Activities activities = nothing();
    activities.calls = {{"cudaFree_v3020", 2, 1500, 1600}, {"cudaMalloc_v3020", 1, 1100, 1200}};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.host_calls.size(), 2U);
    EXPECT_EQ(trace.host_calls[0].name, "cudaMalloc");
    EXPECT_EQ(trace.host_calls[1].name, "cudaFree");
}

TEST(Trace, an_operation_without_a_known_call_counts_as_issued_at_its_start) {
    Activities activities = nothing();
    activities.operations = {copy_in(99, default_stream, 1300, 1400)};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.operations.size(), 1U);
    EXPECT_EQ(trace.operations.front().issued, 300ns);
    EXPECT_FALSE(trace.operations.front().asynchronous);
}

TEST(Trace, ranges_count_from_the_origin_too) {
    Activities activities = nothing();
    activities.ranges = {{"run", 1200ns, 1700ns}, {"check", 1800ns, 1900ns}};
    const device::Trace trace = traced(activities);
    ASSERT_EQ(trace.ranges.size(), 2U);
    EXPECT_EQ(trace.ranges[0], (device::Range{"run", 200ns, 700ns}));
    EXPECT_EQ(trace.ranges[1], (device::Range{"check", 800ns, 900ns}));
}

}  // namespace
}  // namespace gpu
