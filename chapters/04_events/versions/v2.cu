// Version 2: two events around the kernel. The device notes the time as it passes each of them.
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
    constexpr unsigned rounds = 900;

    unsigned *input = nullptr, *output = nullptr, *device_input = nullptr, *device_output = nullptr;
    check(cudaMallocHost(&input, bytes));
    check(cudaMallocHost(&output, bytes));
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    std::fill(input, input + elements, 1u);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));
    check(cudaMemcpyAsync(device_input, input, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));

    // [timing]
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));

    check(cudaEventRecord(begin, stream));
    process<<<elements / 256, 256, 0, stream>>>(device_input, device_output, elements, rounds);
    check(cudaGetLastError());
    check(cudaEventRecord(end, stream));

    check(cudaEventSynchronize(end));  // the host waits until the device has passed it
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    // [/timing]

    std::printf("kernel: %.1f us between two events\n", 1000 * ms);
    check(cudaMemcpyAsync(output, device_output, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaEventDestroy(end));
    check(cudaEventDestroy(begin));

    check(cudaStreamDestroy(stream));
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
