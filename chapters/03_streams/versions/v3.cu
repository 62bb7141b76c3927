// Version 3: two streams take turns.
#include <algorithm>
#include <array>
#include <chrono>
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

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

int main() {
    constexpr std::size_t elements = 4 << 20;
    constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
    constexpr unsigned rounds = 900;                            // the kernel takes about as long as a copy

    unsigned *input = nullptr, *output = nullptr, *device_input = nullptr, *device_output = nullptr;
    check(cudaMallocHost(&input, bytes));
    check(cudaMallocHost(&output, bytes));
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    std::fill(input, input + elements, 1u);
    // [chunk]
    constexpr std::size_t chunk = 512 << 10;                       // elements: 8 chunks
    constexpr std::size_t chunk_bytes = chunk * sizeof(unsigned);  // 2 MiB
    // [/chunk]
    // [streams]
    std::array<cudaStream_t, 2> streams{};
    for (cudaStream_t& stream : streams) {
        check(cudaStreamCreate(&stream));
    }
    // [/streams]

    const double begin = now_us();
    // [run]
    for (std::size_t first = 0; first < elements; first += chunk) {
        const cudaStream_t stream = streams[first / chunk % streams.size()];  // the streams take turns
        check(cudaMemcpyAsync(device_input + first, input + first, chunk_bytes, cudaMemcpyHostToDevice, stream));
        process<<<chunk / 256, 256, 0, stream>>>(device_input + first, device_output + first, chunk, rounds);
        check(cudaGetLastError());
        check(cudaMemcpyAsync(output + first, device_output + first, chunk_bytes, cudaMemcpyDeviceToHost, stream));
    }
    for (const cudaStream_t stream : streams) {
        check(cudaStreamSynchronize(stream));
    }
    // [/run]
    std::printf("8 chunks, two streams: %.0f us\n", now_us() - begin);

    for (const cudaStream_t stream : streams) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
