// Every call of the runtime API that can fail, made to fail once and then made again.
//
//   failures injected   each call fails at first: it has to return an error, and must not have touched what it writes to
//   failures plain      the same calls, none of which fails
//
// Both have to do the same work on the device. Calls that give something back do so even when they fail, as the error
// of earlier work that they may return as well: those are made once. Prints a line for each call: its name, the name
// under which it is known to the simulated device, its line.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" std::uint64_t device_hooks_fail_call(std::uint64_t n);

namespace {

bool injected = false;
int failures = 0;

// What the calls write their answers to.
struct Answers {
    void* pointer;
    unsigned* other_pointer;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    cudaPointerAttributes attributes;
    cudaFuncAttributes kernel_attributes;
    cudaFuncCache preference;
    cudaDeviceProp properties;
    int number, other_number;
    unsigned flags;
    std::size_t bytes, other_bytes;
    float milliseconds;
    unsigned host[64];
};
Answers answers;

void expect(bool held, const char* what, const char* name, int line) {
    if (!held) {
        std::printf("%d: %s %s\n", line, name, what);
        ++failures;
    }
}

template <class Call>
void made_to_fail(const char* name, int line, Call call) {
    static Answers before;
    std::memset(static_cast<void*>(&answers), 0x5a, sizeof answers);
    std::memcpy(static_cast<void*>(&before), &answers, sizeof answers);
    device_hooks_fail_call(1);
    const cudaError_t error = call();
    const std::uint64_t counted = device_hooks_fail_call(0);
    expect(error != cudaSuccess, "succeeded, although it was made to fail", name, line);
    expect(counted == 1, "is not counted as one call that can fail", name, line);
    expect(std::memcmp(&answers, &before, sizeof answers) == 0, "wrote an answer, although it failed", name, line);
    expect(cudaGetLastError() == error, "left another last error", name, line);
}

template <class Call>
void try_call(const char* name, const char* known_as, int line, cudaError_t expected, Call call) {
    std::printf("call %s %s %d\n", name, known_as, line);
    if (injected) {
        made_to_fail(name, line, call);
    }
    expect(call() == expected, "did not return what it returns unless it is made to fail", name, line);
    static_cast<void>(cudaGetLastError());
}

template <class Call>
void try_giving_back(const char* name, int line, Call call) {
    std::printf("call %s %s %d\n", name, name, line);
    if (injected) {
        made_to_fail(name, line, call);
    } else {
        expect(call() == cudaSuccess, "failed", name, line);
    }
}

#define TRY_AS(function, known_as, expected, ...) \
    try_call(#function, known_as, __LINE__, expected, [&] { return function(__VA_ARGS__); })
#define TRY(function, ...) TRY_AS(function, #function, cudaSuccess, __VA_ARGS__)
#define TRY_LAUNCH(...)                                                           \
    try_call("cudaLaunchKernel", "cudaLaunchKernel", __LINE__, cudaSuccess, [&] { \
        __VA_ARGS__;                                                              \
        return cudaPeekAtLastError();                                             \
    })
#define TRY_GIVING_BACK(function, ...) try_giving_back(#function, __LINE__, [&] { return function(__VA_ARGS__); })

constexpr std::size_t bytes = 256;

__device__ unsigned variable[64];

__global__ void increment(unsigned* data) { ++data[threadIdx.x]; }

void host_function(void* data) { ++*static_cast<int*>(data); }
void callback(cudaStream_t, cudaError_t, void* data) { ++*static_cast<int*>(data); }

void devices() {
    TRY(cudaGetDeviceCount, &answers.number);
    TRY(cudaGetDevice, &answers.number);
    TRY(cudaSetDevice, 0);
    TRY(cudaInitDevice, 0, 0, 0);
    TRY(cudaGetDeviceProperties, &answers.properties, 0);
    TRY(cudaDeviceGetAttribute, &answers.number, cudaDevAttrWarpSize, 0);
    TRY(cudaDeviceSynchronize);
    TRY(cudaSetDeviceFlags, cudaDeviceScheduleSpin);
    TRY(cudaGetDeviceFlags, &answers.flags);
    TRY(cudaDeviceSetCacheConfig, cudaFuncCachePreferL1);
    TRY(cudaDeviceGetCacheConfig, &answers.preference);
    TRY(cudaDeviceCanAccessPeer, &answers.number, 0, 0);
    TRY_AS(cudaDeviceEnablePeerAccess, "cudaDeviceEnablePeerAccess", cudaErrorPeerAccessUnsupported, 0, 0);
    TRY_AS(cudaDeviceDisablePeerAccess, "cudaDeviceDisablePeerAccess", cudaErrorPeerAccessNotEnabled, 0);
    TRY(cudaDeviceGetStreamPriorityRange, &answers.number, &answers.other_number);
    TRY(cudaRuntimeGetVersion, &answers.number);
    TRY(cudaDriverGetVersion, &answers.number);
    TRY(cudaMemGetInfo, &answers.bytes, &answers.other_bytes);
    TRY(cudaProfilerStart);
    TRY(cudaProfilerStop);
}

void memory() {
    const auto to_device = cudaMemcpyHostToDevice, to_host = cudaMemcpyDeviceToHost;
    static unsigned ordinary[64];
    TRY(cudaMalloc, &answers.pointer, bytes);
    unsigned* const device = static_cast<unsigned*>(answers.pointer);
    TRY(cudaMallocHost, &answers.pointer, bytes);
    unsigned* const pinned = static_cast<unsigned*>(answers.pointer);
    TRY(cudaHostAlloc, &answers.pointer, bytes, cudaHostAllocMapped);
    unsigned* const mapped = static_cast<unsigned*>(answers.pointer);
    TRY(cudaMallocManaged, &answers.other_pointer, bytes);
    unsigned* const managed = answers.other_pointer;
    TRY(cudaHostRegister, ordinary, sizeof ordinary, cudaHostRegisterDefault);
    std::memset(pinned, 1, bytes);
    TRY(cudaMemcpy, device, pinned, bytes, to_device);
    TRY(cudaMemcpyAsync, device, pinned, bytes, to_device);
    TRY(cudaMemcpyPeer, device, 0, device, 0, bytes);
    TRY(cudaMemcpyPeerAsync, device, 0, device, 0, bytes, nullptr);
    TRY(cudaMemcpy2D, device, 16, pinned, 16, 8, 4, to_device);
    TRY(cudaMemcpy2DAsync, device, 16, pinned, 16, 8, 4, to_device);
    TRY(cudaMemcpy, answers.host, device, bytes, to_host);
    TRY(cudaMemset, device, 2, bytes);
    TRY(cudaMemsetAsync, device, 3, bytes);
    TRY(cudaMemset2D, device, 16, 4, 8, 4);
    TRY(cudaMemset2DAsync, device, 16, 5, 8, 4);
    TRY(cudaMallocPitch, &answers.pointer, &answers.bytes, 100, 4);
    void* const rows = answers.pointer;
    TRY(cudaHostGetDevicePointer, &answers.pointer, mapped, 0);
    TRY(cudaHostGetFlags, &answers.flags, mapped);
    TRY(cudaPointerGetAttributes, &answers.attributes, device);
    TRY(cudaMemPrefetchAsync, managed, bytes, 0, nullptr);
    TRY(cudaMemAdvise, managed, bytes, cudaMemAdviseSetReadMostly, 0);
    TRY(cudaMemcpyToSymbol, variable, pinned, bytes);
    TRY(cudaMemcpyToSymbolAsync, variable, pinned, bytes);
    TRY(cudaMemcpyFromSymbol, answers.host, variable, bytes);
    TRY(cudaMemcpyFromSymbolAsync, pinned, variable, bytes);
    TRY(cudaGetSymbolAddress, &answers.pointer, variable);
    TRY(cudaGetSymbolSize, &answers.bytes, variable);
    TRY(cudaMallocAsync, &answers.pointer, bytes, nullptr);
    void* const in_stream_order = answers.pointer;
    TRY_GIVING_BACK(cudaFreeAsync, in_stream_order, nullptr);
    TRY_GIVING_BACK(cudaFree, device);
    TRY_GIVING_BACK(cudaFree, rows);
    TRY_GIVING_BACK(cudaFree, managed);
    TRY_GIVING_BACK(cudaFreeHost, pinned);
    TRY_GIVING_BACK(cudaFreeHost, mapped);
    TRY_GIVING_BACK(cudaHostUnregister, ordinary);
}

void streams_and_events(unsigned* device) {
    TRY(cudaStreamCreate, &answers.stream);
    const cudaStream_t stream = answers.stream;
    TRY(cudaStreamCreateWithFlags, &answers.stream, cudaStreamNonBlocking);
    const cudaStream_t second = answers.stream;
    TRY(cudaStreamCreateWithPriority, &answers.stream, cudaStreamDefault, -1);
    const cudaStream_t third = answers.stream;
    TRY(cudaEventCreate, &answers.event);
    const cudaEvent_t event = answers.event;
    TRY(cudaEventCreateWithFlags, &answers.event, cudaEventDefault);
    const cudaEvent_t last = answers.event;
    TRY(cudaEventRecord, event, stream);
    TRY_LAUNCH(increment<<<1, 64, 0, stream>>>(device));
    TRY(cudaEventRecordWithFlags, last, stream, cudaEventRecordDefault);
    TRY(cudaStreamWaitEvent, second, event, 0);
    TRY(cudaStreamSynchronize, stream);
    TRY(cudaStreamQuery, stream);
    TRY(cudaEventSynchronize, event);
    TRY(cudaEventQuery, event);
    TRY(cudaEventElapsedTime, &answers.milliseconds, event, last);
    TRY(cudaStreamGetFlags, second, &answers.flags);
    TRY(cudaStreamGetPriority, third, &answers.number);
    int called = 0;
    TRY(cudaLaunchHostFunc, stream, host_function, &called);
    TRY(cudaStreamAddCallback, stream, callback, &called, 0);
    static_cast<void>(cudaStreamSynchronize(stream));
    expect(called == 2, "were called another number of times", "host functions", __LINE__);
    TRY_GIVING_BACK(cudaEventDestroy, event);
    TRY_GIVING_BACK(cudaEventDestroy, last);
    TRY_GIVING_BACK(cudaStreamDestroy, third);
    TRY_GIVING_BACK(cudaStreamDestroy, second);
    TRY_GIVING_BACK(cudaStreamDestroy, stream);
}

void kernels(unsigned* device) {
    void* arguments[] = {&device};
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(64);
    const void* const kernel = reinterpret_cast<const void*>(increment);
    int* const number = &answers.number;
    int* const other = &answers.other_number;
    TRY(cudaLaunchKernel, kernel, 1, 64, arguments);
    TRY(cudaLaunchKernelExC, &configuration, kernel, arguments);
    TRY_AS(cudaLaunchKernelEx, "cudaLaunchKernelExC", cudaSuccess, &configuration, increment, device);
    TRY(cudaFuncGetAttributes, &answers.kernel_attributes, kernel);
    TRY(cudaFuncSetAttribute, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 50'000);
    TRY(cudaFuncSetCacheConfig, kernel, cudaFuncCachePreferShared);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor, number, kernel, 64, 0);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, number, kernel, 64, 0, cudaOccupancyDefault);
    TRY(cudaOccupancyAvailableDynamicSMemPerBlock, &answers.bytes, kernel, 1, 64);
    const auto no_bytes = [](int) { return std::size_t{0}; };
    TRY(cudaOccupancyMaxPotentialBlockSize, number, other, increment);
    TRY(cudaOccupancyMaxPotentialBlockSizeWithFlags, number, other, increment);
    TRY(cudaOccupancyMaxPotentialBlockSizeVariableSMem, number, other, increment, no_bytes);
    TRY(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags, number, other, increment, no_bytes);
}

// A capture that fails at its end has ended: so there are two, of which one is launched.
void graphs(unsigned* device) {
    cudaStream_t stream = nullptr;
    static_cast<void>(cudaStreamCreate(&stream));
    TRY(cudaStreamBeginCapture, stream, cudaStreamCaptureModeGlobal);
    TRY(cudaStreamIsCapturing, stream, &answers.status);
    cudaGraph_t graph = nullptr;
    TRY_GIVING_BACK(cudaStreamEndCapture, stream, &graph);
    if (graph != nullptr) {
        static_cast<void>(cudaGraphDestroy(graph));
    }
    static_cast<void>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    TRY_LAUNCH(increment<<<1, 64, 0, stream>>>(device));
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphGetNodes, graph, nullptr, &answers.bytes);
    expect(answers.bytes == 1, "holds another number of operations", "graph", __LINE__);
    TRY(cudaGraphInstantiate, &answers.exec, graph);
    const cudaGraphExec_t exec = answers.exec;
    TRY(cudaGraphInstantiateWithFlags, &answers.exec, graph, 0);
    const cudaGraphExec_t second = answers.exec;
    TRY(cudaGraphLaunch, exec, stream);
    static_cast<void>(cudaStreamSynchronize(stream));
    TRY_GIVING_BACK(cudaGraphExecDestroy, exec);
    TRY_GIVING_BACK(cudaGraphExecDestroy, second);
    TRY_GIVING_BACK(cudaGraphDestroy, graph);
    static_cast<void>(cudaStreamDestroy(stream));
}

void reset() {
    unsigned* device = nullptr;
    unsigned found = 0;
    static_cast<void>(cudaMalloc(&device, bytes));
    static_cast<void>(cudaMemset(device, 0, bytes));
    if (injected) {
        device_hooks_fail_call(1);
        static_cast<void>(cudaDeviceReset());  // at: the reset that fails
        device_hooks_fail_call(0);
    }
    expect(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess, "took memory",
           "cudaDeviceReset", __LINE__);
    TRY(cudaDeviceReset);
}

}  // namespace

int main(int argc, char** argv) {
    injected = argc > 1 && std::strcmp(argv[1], "injected") == 0;
    devices();
    memory();
    unsigned* device = nullptr;
    static_cast<void>(cudaMalloc(&device, bytes));
    static_cast<void>(cudaMemset(device, 0, bytes));
    streams_and_events(device);
    kernels(device);
    graphs(device);
    unsigned found = 0;
    static_cast<void>(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost));
    std::printf("kernels counted %u\n", found);
    static_cast<void>(cudaFree(device));
    reset();
    return failures == 0 ? 0 : 1;
}
