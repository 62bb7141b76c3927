// Version 3: one wait, behind the loop.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

constexpr std::size_t elements = 4 << 20;
constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
constexpr unsigned rounds = 900;                            // the kernel takes about as long as a copy

__global__ void process(const unsigned* input, unsigned* output, std::size_t count, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

int main() {
    constexpr std::size_t chunk = 64 << 10;  // elements: 64 chunks of 256 KiB
    constexpr std::size_t chunk_bytes = chunk * sizeof(unsigned);
    // [memory]
    unsigned *input = nullptr, *output = nullptr;
    check(cudaMallocHost(&input, bytes));
    check(cudaMallocHost(&output, bytes));
    // [/memory]
    std::fill(input, input + elements, 1u);
    unsigned *device_input = nullptr, *device_output = nullptr;
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    std::array<cudaStream_t, 4> streams{};
    for (cudaStream_t& stream : streams) {
        check(cudaStreamCreate(&stream));
    }

    // [run]
    const double begin = now_us();
    for (std::size_t first = 0; first < elements; first += chunk) {
        const cudaStream_t stream = streams[first / chunk % streams.size()];
        check(cudaMemcpyAsync(device_input + first, input + first, chunk_bytes, cudaMemcpyHostToDevice, stream));
        process<<<chunk / 256, 256, 0, stream>>>(device_input + first, device_output + first, chunk, rounds);
        check(cudaGetLastError());
        check(cudaMemcpyAsync(output + first, device_output + first, chunk_bytes, cudaMemcpyDeviceToHost, stream));
    }
    check(cudaDeviceSynchronize());
    const double us = now_us() - begin;
    // [/run]
    std::printf("%.0f us: %.1f GB/s in, and as much out\n", us, bytes / us / 1000);

    for (const cudaStream_t stream : streams) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
