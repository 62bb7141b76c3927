// What is wrong: `chunk` counts elements, and a copy takes bytes.
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
    constexpr unsigned rounds = 900;                            // the kernel takes about as long as a copy

    unsigned *input = nullptr, *output = nullptr, *device_input = nullptr, *device_output = nullptr;
    check(cudaMallocHost(&input, bytes));
    check(cudaMallocHost(&output, bytes));
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    std::fill(input, input + elements, 1u);
    constexpr std::size_t chunk = elements / 4;
    std::array<cudaStream_t, 4> streams{};
    for (cudaStream_t& stream : streams) {
        check(cudaStreamCreate(&stream));
    }

    // [mistake]
    for (std::size_t i = 0; i < streams.size(); ++i) {
        cudaMemcpyAsync(device_input + i * chunk, input + i * chunk, chunk, cudaMemcpyHostToDevice, streams[i]);
        process<<<chunk / 256, 256, 0, streams[i]>>>(device_input + i * chunk, device_output + i * chunk, chunk,
                                                     rounds);
        cudaMemcpyAsync(output + i * chunk, device_output + i * chunk, chunk, cudaMemcpyDeviceToHost, streams[i]);
    }
    check(cudaDeviceSynchronize());
    // [/mistake]
    std::printf("first %u, last %u\n", output[0], output[elements - 1]);

    for (const cudaStream_t stream : streams) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(device_output));
    check(cudaFree(device_input));
    check(cudaFreeHost(output));
    check(cudaFreeHost(input));
}
