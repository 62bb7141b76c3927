// Version 3: four events for three stages. The end of one stage is the beginning of the next, and the host waits once.
#include <algorithm>
#include <array>
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

    // [timing]
    std::array<cudaEvent_t, 4> events{};
    for (cudaEvent_t& event : events) {
        check(cudaEventCreate(&event));
    }

    check(cudaEventRecord(events[0], stream));
    check(cudaMemcpyAsync(device_input, input, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(events[1], stream));
    process<<<elements / 256, 256, 0, stream>>>(device_input, device_output, elements, rounds);
    check(cudaGetLastError());
    check(cudaEventRecord(events[2], stream));
    check(cudaMemcpyAsync(output, device_output, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaEventRecord(events[3], stream));

    check(cudaEventSynchronize(events[3]));  // the last one: the others were passed before it
    const auto us_between = [&](int first, int second) {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, events[first], events[second]));
        return 1000 * ms;
    };
    std::printf("copy in %.0f us, kernel %.0f us, copy out %.0f us, together %.0f us\n", us_between(0, 1),
                us_between(1, 2), us_between(2, 3), us_between(0, 3));
    // [/timing]

    for (const cudaEvent_t event : events) {
        check(cudaEventDestroy(event));
    }

    check(cudaStreamDestroy(stream));
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
