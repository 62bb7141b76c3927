// Kernels by their address, occupancy, and what is set for a kernel or for the device. Compiled for a GPU too.
#include <cuda_profiler_api.h>

#include <cassert>

#include "resources.h"

namespace {

using cases::DeviceMemory;
using cases::Event;
using cases::PinnedMemory;
using cases::Stream;

constexpr std::size_t bytes = 4096;
constexpr unsigned elements = bytes / sizeof(unsigned);

__device__ unsigned counter = 7;
__device__ unsigned table[4];

struct Factors {
    unsigned times;
    unsigned plus;
};

__global__ void scale(unsigned* data, unsigned n, Factors factors) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = data[i] * factors.times + factors.plus;  // at: write in scale
    }
}

template <class T>
__global__ void assign(T* data, unsigned n, T value) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = value;
    }
}

template <class T>
__global__ void assign_pairs(T* data, T first, T second) {
    data[2 * threadIdx.x] = first;
    data[2 * threadIdx.x + 1] = second;
}

__global__ void reverse(unsigned* data) {
    extern __shared__ unsigned staged[];
    staged[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void with_static_memory(unsigned* data) {
    __shared__ unsigned tile[2048];
    __shared__ unsigned more[1024];
    tile[threadIdx.x] = more[threadIdx.x] = threadIdx.x;
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x] + more[threadIdx.x];
}

__global__ void count() { counter = counter + table[0] + 1; }

__global__ void nothing() {}

bool holds(const unsigned* device, unsigned value) {
    unsigned found[elements];
    CALL(cudaMemcpy(found, device, bytes, cudaMemcpyDeviceToHost));
    return cases::all_equal(found, bytes, value);
}

void launched_by_address() {
    const DeviceMemory device(bytes);
    const Stream stream;
    CALL(cudaMemset(device, 0, bytes));
    unsigned* data = device;
    unsigned n = elements;
    Factors factors{3, 5};
    void* arguments[] = {&data, &n, &factors};
    const dim3 grid((n + 255) / 256), block(256);
    CALL(cudaLaunchKernel((void*)scale, grid, block, arguments, 0, stream));  // at: launched by address
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, 5));
    CALL(cudaLaunchKernel(scale, grid, block, arguments, 0, stream));
    CALL(cudaLaunchKernel(reinterpret_cast<const void*>(&scale), grid, block, arguments, 0, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, (5 * 3 + 5) * 3 + 5));
    unsigned value = 11;
    void* values[] = {&data, &n, &value};
    CALL(cudaLaunchKernel((const void*)assign<unsigned>, grid, block, values, 0, stream));  // at: a specialization
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, 11));
    value = 12;
    CALL(cudaLaunchKernel(reinterpret_cast<void*>(&assign<unsigned>), grid, block, values, 0, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, 12));
    unsigned first = 1, second = 2;
    void* pair[] = {&data, &first, &second};
    CALL(cudaLaunchKernel(assign_pairs<unsigned>, 1, elements / 2, pair, 0, stream));
    EXPECT_ERROR(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&data, grid, block, arguments, 0, stream));
    EXPECT_ERROR(cudaErrorInvalidDeviceFunction, cudaGetLastError());
    EXPECT_ERROR(cudaErrorInvalidConfiguration, cudaLaunchKernel((void*)scale, 0, block, arguments, 0, stream));
    CALL(cudaStreamSynchronize(stream));
}

void launched_with_a_configuration() {
    const DeviceMemory device(bytes);
    const Stream stream;
    CALL(cudaMemset(device, 0, bytes));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeIgnore;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3((elements + 255) / 256);
    configuration.blockDim = dim3(256);
    configuration.stream = stream;
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    CALL(cudaLaunchKernelEx(&configuration, scale, device, elements, Factors{1, 4}));
    CALL(cudaLaunchKernelEx(&configuration, assign<unsigned>, static_cast<unsigned*>(device), elements / 2, 4u));
    unsigned* data = device;
    unsigned n = elements;
    Factors factors{2, 1};
    void* arguments[] = {&data, &n, &factors};
    CALL(cudaLaunchKernelExC(&configuration, (const void*)scale, arguments));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, 9));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaLaunchKernelExC(nullptr, (const void*)scale, arguments));
}

void attributes_that_are_not_simulated() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = configuration.blockDim = dim3(1);
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    EXPECT_ERROR(cudaErrorNotSupported, cudaLaunchKernelEx(&configuration, nothing));  // at: cluster
    int value = 5;
    const cudaError_t error = cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0);  // at: cache size
    EXPECT(error == cudaErrorNotSupported);
    EXPECT(value == 5);
}

void much_shared_memory() {
    const DeviceMemory device(bytes);
    CALL(cudaMemset(device, 0, bytes));
    constexpr int much = 100 * 1024;
    reverse<<<1, 256, much>>>(device);  // at: not asked for
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, much));
    reverse<<<1, 256, much>>>(device);
    EXPECT_ERROR(cudaSuccess, cudaGetLastError());
    reverse<<<1, 256, much + 1>>>(device);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaDeviceSynchronize());
    int most = 0;
    CALL(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CALL(cudaFuncSetAttribute((void*)reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    cudaFuncAttributes attributes{};
    CALL(cudaFuncGetAttributes(&attributes, reverse));
    EXPECT(attributes.maxDynamicSharedSizeBytes == most);
    EXPECT(attributes.sharedSizeBytes == 0);
    CALL(cudaFuncGetAttributes(&attributes, (const void*)with_static_memory));
    EXPECT(attributes.sharedSizeBytes == 12 * 1024);
    EXPECT(attributes.maxDynamicSharedSizeBytes == 36 * 1024);
    EXPECT(attributes.maxThreadsPerBlock == 1024);
    EXPECT(attributes.numRegs > 0);
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    CALL(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));
    with_static_memory<<<1, 256>>>(device);
    CALL(cudaDeviceSynchronize());
}

// The figures of an H200.
void occupancy() {
    int blocks = 0, grid = 0, block = 0;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0));
    EXPECT(blocks == 8);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)nothing, 64, 0));
    EXPECT(blocks == 32);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 40 * 1024));
    EXPECT(blocks == 5);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nothing, 1024, 0, cudaOccupancyDefault));
    EXPECT(blocks == 2);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
    EXPECT(grid == 264 && block == 1024);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, assign<float>));
    EXPECT(grid == 264 && block == 1024);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 256));
    EXPECT(grid == 8 * 132 && block == 256);
    CALL(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, reverse,
                                                        [](int threads) { return threads * sizeof(unsigned); }));
    EXPECT(grid == 264 && block == 1024);
    std::size_t available = 0;
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&available, nothing, 2, 256));
    EXPECT(available == 113 * 1024);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_static_memory, 256, 0));
    EXPECT(blocks == 8);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_static_memory, 64, 0));
    EXPECT(blocks == 17);
}

void properties() {
    cudaDeviceProp found{};
    CALL(cudaGetDeviceProperties(&found, 0));
    EXPECT(found.sharedMemPerBlockOptin == 227 * 1024);
    EXPECT(found.sharedMemPerMultiprocessor == 228 * 1024);
    EXPECT(found.reservedSharedMemPerBlock == 1024);
    EXPECT(found.regsPerMultiprocessor == 65536 && found.maxBlocksPerMultiProcessor == 32);
    EXPECT(found.streamPrioritiesSupported == 1);
    const cudaDeviceAttr attributes[] = {cudaDevAttrMaxBlocksPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                         cudaDevAttrReservedSharedMemoryPerBlock, cudaDevAttrGpuOverlap};
    const int values[] = {32, 228 * 1024, 1024, 1};
    for (int i = 0; i < 4; ++i) {
        int value = 0;
        CALL(cudaDeviceGetAttribute(&value, attributes[i], 0));
        EXPECT(value == values[i]);
    }
    int runtime = 0, driver = 0;
    CALL(cudaRuntimeGetVersion(&runtime));
    CALL(cudaDriverGetVersion(&driver));
    EXPECT(runtime >= 12000 && driver >= runtime);
    unsigned flags = 0;
    CALL(cudaInitDevice(0, 0, 0));
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    CALL(cudaGetDeviceFlags(&flags));
    EXPECT(flags == (cudaDeviceScheduleYield | cudaDeviceMapHost));
    cudaFuncCache preference = cudaFuncCachePreferEqual;
    CALL(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CALL(cudaDeviceGetCacheConfig(&preference));
    EXPECT(preference == cudaFuncCachePreferL1);
    CALL(cudaProfilerStart());
    CALL(cudaProfilerStop());
}

void reset_gives_everything_back() {
    unsigned *device = nullptr, *pinned = nullptr, *managed = nullptr;
    static unsigned ordinary[elements];
    std::size_t free_before = 0, free_after = 0, total = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    CALL(cudaMemGetInfo(&free_before, &total));
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMallocHost(&pinned, bytes));
    CALL(cudaMallocManaged(&managed, bytes));
    CALL(cudaHostRegister(ordinary, bytes, cudaHostRegisterDefault));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreate(&event));
    CALL(cudaMemsetAsync(device, 1, bytes, stream));
    CALL(cudaEventRecord(event, stream));
    const unsigned ten = 10;
    CALL(cudaMemcpyToSymbol(table, &ten, sizeof ten));
    count<<<1, 1, 0, stream>>>();
    unsigned found = 0;
    CALL(cudaMemcpyFromSymbol(&found, counter, sizeof found));
    EXPECT(found == 18);
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    CALL(cudaDeviceReset());
    CALL(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_after == free_before);
    CALL(cudaMemcpyFromSymbol(&found, counter, sizeof found));
    EXPECT(found == 7);
    CALL(cudaMemcpyFromSymbol(&found, table, sizeof found));
    EXPECT(found == 0);
    cudaFuncAttributes attributes{};
    CALL(cudaFuncGetAttributes(&attributes, reverse));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaFree(device));
    CALL(cudaDeviceReset());
}

void memory_after_a_reset() {
    unsigned* device = nullptr;
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaDeviceReset());
    unsigned found[elements];
    const cudaError_t error = cudaMemcpy(found, device, bytes, cudaMemcpyDeviceToHost);  // at: copy after the reset
    EXPECT(error == cudaErrorInvalidValue);
    scale<<<1, 256>>>(device, elements, Factors{1, 1});
    CALL(cudaDeviceSynchronize());
}

void streams_after_a_reset() {
    cudaStream_t stream = nullptr, again = nullptr;
    cudaEvent_t event = nullptr;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CALL(cudaDeviceReset());
    CALL(cudaStreamCreate(&again));
    EXPECT(again != stream);
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));      // at: stream after the reset
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(event, again));      // at: event after the reset
    nothing<<<1, 1, 0, stream>>>();                                                   // at: launch after the reset
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaGetLastError());
    CALL(cudaStreamDestroy(again));
}

void in_a_capture() {
    const DeviceMemory device(bytes);
    const Stream stream;
    CALL(cudaMemset(device, 0, bytes));
    unsigned* data = device;
    unsigned n = elements;
    Factors factors{1, 2};
    void* arguments[] = {&data, &n, &factors};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaLaunchKernel((void*)scale, (n + 255) / 256, 256, arguments, 0, stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    factors.plus = 100;  // arguments are taken when the launch is captured
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(holds(device, 4));
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(graph));
}

__global__ void below(unsigned limit) {
    assert(threadIdx.x < limit);  // at: assert
}

#define LAUNCH(kernel, threads, ...) kernel<<<1, threads>>>(__VA_ARGS__)

void assertion_in_a_kernel() {
    LAUNCH(below, 64, 64);
    CALL(cudaDeviceSynchronize());
    below<<<1, 64>>>(40);
    CALL(cudaDeviceSynchronize());
}

void launched_by_a_macro() {
    const DeviceMemory device(bytes);
    CALL(cudaMemset(device, 0, bytes));
    LAUNCH(scale, 256, device, elements, Factors{1, 2});     // at: a macro's launch
    LAUNCH(assign<unsigned>, elements, device, elements, 3); // at: a macro's specialization
    EXPECT_ERROR(cudaSuccess, cudaGetLastError());
    EXPECT(holds(device, 3));
}

constexpr cases::Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(launched_by_address),
    CASE(launched_with_a_configuration),
    CASE(attributes_that_are_not_simulated),
    CASE(much_shared_memory),
    CASE(occupancy),
    CASE(properties),
    CASE(reset_gives_everything_back),
    CASE(memory_after_a_reset),
    CASE(streams_after_a_reset),
    CASE(in_a_capture),
    CASE(assertion_in_a_kernel),
    CASE(launched_by_a_macro),
};

}  // namespace

int main(int argc, char** argv) { return cases::run_one(all_cases, argc, argv); }
