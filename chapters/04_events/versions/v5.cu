// Version 5: events keep the order. Streams wait for each other, the host waits once, at the end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

__global__ void process(const unsigned* input, unsigned* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}

int main() {
    constexpr std::size_t elements = 4 << 20;
    constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
    constexpr std::size_t chunk = elements / 8;                 // elements: 8 chunks of 2 MiB
    constexpr std::size_t chunk_bytes = chunk * sizeof(unsigned);
    constexpr unsigned rounds = 900;

    unsigned *input = nullptr, *output = nullptr, *device_input = nullptr, *device_output = nullptr;
    check(cudaMallocHost(&input, bytes));
    check(cudaMallocHost(&output, bytes));
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    std::fill(input, input + elements, 1u);
    cudaStream_t h2d = nullptr, kernels = nullptr, d2h = nullptr;  // one for each stage
    for (cudaStream_t* stream : {&h2d, &kernels, &d2h}) {
        check(cudaStreamCreate(stream));
    }
    cudaEvent_t begin = nullptr, end = nullptr;  // these two measure
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    // [events]
    cudaEvent_t copied_in = nullptr, computed = nullptr;  // these two order, and need no time
    for (cudaEvent_t* event : {&copied_in, &computed}) {
        check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    // [/events]

    // [chunks]
    check(cudaEventRecord(begin, h2d));
    for (std::size_t first = 0; first < elements; first += chunk) {
        check(cudaMemcpyAsync(device_input + first, input + first, chunk_bytes, cudaMemcpyHostToDevice, h2d));
        check(cudaEventRecord(copied_in, h2d));
        check(cudaStreamWaitEvent(kernels, copied_in, 0));
        process<<<chunk / 256, 256, 0, kernels>>>(device_input + first, device_output + first, chunk, rounds);
        check(cudaGetLastError());
        check(cudaEventRecord(computed, kernels));
        check(cudaStreamWaitEvent(d2h, computed, 0));
        check(cudaMemcpyAsync(output + first, device_output + first, chunk_bytes, cudaMemcpyDeviceToHost, d2h));
    }
    check(cudaEventRecord(end, d2h));
    // [/chunks]

    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    std::printf("8 chunks: %.0f us\n", 1000 * ms);

    for (const cudaEvent_t event : {begin, end, copied_in, computed}) {
        check(cudaEventDestroy(event));
    }
    for (const cudaStream_t stream : {h2d, kernels, d2h}) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
