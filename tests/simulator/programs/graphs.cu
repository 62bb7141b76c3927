// Stream capture, and launches of what was captured.
#include "resources.h"

#include <thread>

using namespace cases;

namespace {

constexpr std::size_t bytes = mib;
constexpr unsigned threads = 256;
constexpr unsigned blocks = 4;
constexpr std::size_t touched = blocks * threads * sizeof(unsigned);  // what a kernel below accesses

__global__ void add_one(unsigned* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

constexpr cudaMemcpyKind in = cudaMemcpyHostToDevice;
constexpr cudaMemcpyKind out = cudaMemcpyDeviceToHost;

// A graph and what launches it, given back at the end.
struct Captured {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;

    void end(cudaStream_t stream) {
        CALL(cudaStreamEndCapture(stream, &graph));
        CALL(cudaGraphInstantiate(&exec, graph));
    }
    ~Captured() {
        CALL(cudaGraphExecDestroy(exec));
        CALL(cudaGraphDestroy(graph));
    }
};

void CUDART_CB count(void* data) { ++*static_cast<int*>(data); }

void a_captured_pipeline() {
    DeviceMemory device(bytes);
    PinnedMemory from(bytes), to(bytes);
    Stream stream;
    Captured captured;
    int launches = 0;
    fill(to, bytes, 0);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    CALL(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CALL(cudaMemcpyAsync(device, from, bytes, in, stream));
    add_one<<<blocks, threads, 0, stream>>>(device);
    CALL(cudaMemcpyAsync(to, device, bytes, out, stream));
    CALL(cudaLaunchHostFunc(stream, count, &launches));
    captured.end(stream);
    std::size_t nodes = 0;
    CALL(cudaGraphGetNodes(captured.graph, nullptr, &nodes));
    EXPECT(nodes == 4);
    CALL(cudaStreamSynchronize(stream));
    EXPECT(to[0] == 0 && launches == 0);  // a capture runs nothing
    for (unsigned round = 1; round <= 3; ++round) {
        fill(from, bytes, round);
        CALL(cudaGraphLaunch(captured.exec, stream));
        CALL(cudaStreamSynchronize(stream));
        EXPECT(to[0] == round + 1 && to[touched / 4] == round);
    }
    EXPECT(launches == 3);
}

// Fork through one event, join through another.
void fork_and_join(cudaStream_t origin, cudaStream_t other, bool waits) {
    DeviceMemory device(bytes);
    PinnedMemory first(bytes), second(bytes);
    Event forked, joined;
    Captured captured;
    CALL(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    CALL(cudaMemsetAsync(device, 1, bytes, origin));  // at: captured memset
    CALL(cudaEventRecord(forked, origin));
    CALL(cudaStreamWaitEvent(other, forked, 0));
    CALL(cudaMemcpyAsync(first, device, bytes, out, other));  // at: captured in the fork
    CALL(cudaEventRecord(joined, other));
    small_busy_kernel<<<1, 1, 0, origin>>>();  // at: captured beside the fork
    if (waits) {
        CALL(cudaStreamWaitEvent(origin, joined, 0));
    }
    CALL(cudaMemsetAsync(device, 2, bytes, origin));  // at: captured after the join
    CALL(cudaStreamWaitEvent(origin, joined, 0));
    captured.end(origin);
    Stream launch;
    CALL(cudaMemsetAsync(device, 0, bytes, launch));
    CALL(cudaGraphLaunch(captured.exec, launch));  // at: launch of the fork
    CALL(cudaMemcpyAsync(second, device, bytes, out, launch));
    CALL(cudaStreamSynchronize(launch));
    EXPECT(!waits || all_equal(first, bytes, 0x01010101));
    EXPECT(all_equal(second, bytes, 0x02020202));
}

void forks_and_joins() {
    Stream origin, other;
    fork_and_join(origin, other, true);
}
void a_join_is_missing_within() {
    Stream origin, other;
    fork_and_join(origin, other, false);
}

void launches_come_one_after_the_other() {
    DeviceMemory device(bytes);
    Stream capture, first, second;
    Captured captured;
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaDeviceSynchronize());
    CALL(cudaStreamBeginCapture(capture, cudaStreamCaptureModeGlobal));
    add_one<<<blocks, threads, 0, capture>>>(device);
    captured.end(capture);
    CALL(cudaGraphLaunch(captured.exec, first));
    CALL(cudaGraphLaunch(captured.exec, second));
    CALL(cudaGraphLaunch(captured.exec, nullptr));
    PageableMemory host(touched);
    CALL(cudaMemcpy(host, device, touched, out));
    EXPECT(all_equal(host, touched, 3));
}

void result_of_a_launch(bool waits) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    Captured captured;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaMemsetAsync(device, 1, bytes, stream));
    CALL(cudaMemcpyAsync(host, device, bytes, out, stream));  // at: captured output
    captured.end(stream);
    CALL(cudaGraphLaunch(captured.exec, stream));
    if (waits) {
        CALL(cudaStreamSynchronize(stream));
    }
    EXPECT((host[0] == 0x01010101) == waits);  // at: read of the captured output
    CALL(cudaStreamSynchronize(stream));
}
void result_is_waited_for() { result_of_a_launch(true); }
void result_is_not_waited_for() { result_of_a_launch(false); }

void many_small_kernels() {
    Stream stream;
    DeviceMemory device(bytes);
    Captured captured;
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) {
        add_one<<<blocks, threads, 0, stream>>>(device);
    }
    CALL(cudaStreamSynchronize(stream));  // at: end of a hundred launches
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 100; ++i) {
        add_one<<<blocks, threads, 0, stream>>>(device);
    }
    captured.end(stream);
    CALL(cudaGraphLaunch(captured.exec, stream));  // at: launch of a hundred
    CALL(cudaStreamSynchronize(stream));
}

// --- what is refused: as on an H200 ---

void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    CALL(cudaStreamBeginCapture(stream, mode));
}

void ends(cudaStream_t stream, cudaError_t expected) {
    cudaGraph_t graph = nullptr;
    EXPECT_ERROR(expected, cudaStreamEndCapture(stream, &graph));
    EXPECT((graph != nullptr) == (expected == cudaSuccess));
    if (graph != nullptr) {
        CALL(cudaGraphDestroy(graph));
    }
    cudaGetLastError();
}

// Calls in a capture that is then invalid.
#define REFUSED(error, call)                      \
    begin(stream);                                \
    EXPECT_ERROR(error, call);                    \
    ends(stream, cudaErrorStreamCaptureInvalidated)

void calls_that_wait_are_refused() {
    constexpr cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
    Stream stream, other;
    Event event, recorded;
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    PageableMemory pageable(bytes);
    unsigned* memory = nullptr;
    CALL(cudaEventRecord(recorded, other));
    REFUSED(unsupported, cudaStreamSynchronize(stream));
    REFUSED(unsupported, cudaStreamQuery(stream));
    REFUSED(unsupported, cudaStreamSynchronize(other));
    REFUSED(unsupported, cudaStreamQuery(other));
    REFUSED(unsupported, cudaDeviceSynchronize());
    REFUSED(unsupported, cudaMalloc(&memory, 4));
    REFUSED(unsupported, cudaMallocHost(&memory, 4));
    REFUSED(unsupported, cudaMallocManaged(&memory, 4));
    REFUSED(unsupported, cudaFree(device));
    REFUSED(unsupported, cudaFreeHost(host));
    REFUSED(unsupported, cudaHostRegister(pageable, bytes, 0));
    REFUSED(unsupported, cudaEventSynchronize(recorded));
    REFUSED(unsupported, cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0));
    REFUSED(cudaErrorStreamCaptureImplicit, cudaMemcpy(device, host, 4, in));
    REFUSED(cudaErrorStreamCaptureImplicit, cudaMemset(device, 0, 4));
    REFUSED(cudaErrorStreamCaptureImplicit, cudaStreamSynchronize(nullptr));
    REFUSED(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, recorded, 0));
    begin(stream);
    small_busy_kernel<<<1, 1>>>();
    EXPECT_ERROR(cudaErrorStreamCaptureImplicit, cudaGetLastError());
    ends(stream, cudaErrorStreamCaptureInvalidated);
    begin(stream);
    CALL(cudaEventRecord(event, stream));
    EXPECT_ERROR(cudaErrorCapturedEvent, cudaEventSynchronize(event));
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(device, 0, 4, stream));
    ends(stream, cudaErrorStreamCaptureInvalidated);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaEventQuery(event));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamWaitEvent(other, event, 0));
    CALL(cudaEventRecord(event, other));
    CALL(cudaEventSynchronize(event));
}

void calls_that_do_not_wait_are_allowed() {
    Stream stream, unblocking(cudaStreamNonBlocking);
    DeviceMemory device(bytes);
    PageableMemory pageable(bytes);
    Event never;
    std::size_t free_bytes = 0;
    unsigned* memory = nullptr;
    cudaEvent_t event = nullptr;
    begin(stream);
    CALL(cudaMemGetInfo(&free_bytes, &free_bytes));
    CALL(cudaEventCreate(&event));
    CALL(cudaStreamWaitEvent(stream, never, 0));
    CALL(cudaMemcpyAsync(device, pageable, 4, in, stream));
    CALL(cudaGetLastError());
    ends(stream, cudaSuccess);
    CALL(cudaEventDestroy(event));
    begin(stream, cudaStreamCaptureModeRelaxed);
    CALL(cudaMalloc(&memory, 4));
    CALL(cudaFree(memory));
    ends(stream, cudaSuccess);
    begin(unblocking);
    CALL(cudaMemset(device, 0, 4));  // the legacy stream does not wait for it
    ends(unblocking, cudaSuccess);
    begin(stream, cudaStreamCaptureModeThreadLocal);
    std::thread([&] {
        CALL(cudaMalloc(&memory, 4));
        CALL(cudaFree(memory));
    }).join();
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 4));
    ends(stream, cudaErrorStreamCaptureInvalidated);
}

void beginnings_and_ends() {
    Stream stream, other, third;
    Event event;
    DeviceMemory device(bytes);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = nullptr;
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(9)));
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    begin(stream);
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ends(stream, cudaSuccess);
    begin(stream);  // work that is not joined
    CALL(cudaEventRecord(event, stream));
    CALL(cudaStreamWaitEvent(other, event, 0));
    CALL(cudaStreamIsCapturing(other, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CALL(cudaMemsetAsync(device, 0, 4, other));
    ends(stream, cudaErrorStreamCaptureUnjoined);
    CALL(cudaStreamIsCapturing(other, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    begin(stream);  // a fork without work needs no join
    CALL(cudaEventRecord(event, stream));
    CALL(cudaStreamWaitEvent(other, event, 0));
    ends(stream, cudaSuccess);
    begin(stream);
    CALL(cudaEventRecord(event, stream));
    CALL(cudaStreamWaitEvent(other, event, 0));
    EXPECT_ERROR(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
    CALL(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusInvalidated);
    ends(stream, cudaErrorStreamCaptureInvalidated);
    begin(stream);  // two captures cannot become one
    begin(third);
    CALL(cudaEventRecord(event, stream));
    EXPECT_ERROR(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(third, event, 0));
    ends(stream, cudaErrorStreamCaptureInvalidated);
    ends(third, cudaErrorStreamCaptureInvalidated);
    begin(stream);
    std::thread([&] { ends(stream, cudaErrorStreamCaptureWrongThread); }).join();
    ends(stream, cudaErrorStreamCaptureInvalidated);
    begin(cudaStreamPerThread);
    ends(cudaStreamPerThread, cudaSuccess);
    cudaGraphExec_t exec = nullptr;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphExecDestroy(nullptr));
}

void leaks() {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CALL(cudaStreamCreate(&stream));
    begin(stream);
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));  // at: leaked instance
    CALL(cudaGraphDestroy(graph));
    CALL(cudaStreamDestroy(stream));
}

bool use_all_calls(cudaStream_t stream, cudaGraph_t* graph, cudaGraphExec_t* exec) {
    cudaStreamCaptureStatus status;
    std::size_t nodes = 0;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) {
        return false;
    }
    const bool asked = cudaStreamIsCapturing(stream, &status) == cudaSuccess;
    return cudaStreamEndCapture(stream, graph) == cudaSuccess && asked &&
           cudaGraphGetNodes(*graph, nullptr, &nodes) == cudaSuccess &&
           cudaGraphInstantiate(exec, *graph) == cudaSuccess && cudaGraphLaunch(*exec, stream) == cudaSuccess;
}

void fails_once() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    bool good = use_all_calls(cudaStreamPerThread, &graph, &exec);
    good = (exec == nullptr || cudaGraphExecDestroy(exec) == cudaSuccess) && good;
    good = (graph == nullptr || cudaGraphDestroy(graph) == cudaSuccess) && good;
    std::exit(good ? 0 : 10);
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(a_captured_pipeline),
    CASE(forks_and_joins),
    CASE(a_join_is_missing_within),
    CASE(launches_come_one_after_the_other),
    CASE(result_is_waited_for),
    CASE(result_is_not_waited_for),
    CASE(many_small_kernels),
    CASE(calls_that_wait_are_refused),
    CASE(calls_that_do_not_wait_are_allowed),
    CASE(beginnings_and_ends),
    CASE(leaks),
    CASE(fails_once),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
