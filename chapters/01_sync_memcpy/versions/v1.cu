// Version 1: copy in, compute, copy out, and a look at the clock after each call. What is timed is how long each CALL
// keeps the host, which is not how long its work takes.
#include <chrono>
#include <cstdio>
#include <vector>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

// [kernel]
__global__ void process(const unsigned* input, unsigned* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}
// [/kernel]

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

int main() {
    constexpr std::size_t elements = 4 << 20;
    constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
    constexpr unsigned rounds = 3000;

    // [memory]
    std::vector<unsigned> input(elements, 1), output(elements);
    unsigned *device_input = nullptr, *device_output = nullptr;
    cudaMalloc(&device_input, bytes);
    cudaMalloc(&device_output, bytes);
    // [/memory]

    // [steps]
    const double start = now_us();
    cudaMemcpy(device_input, input.data(), bytes, cudaMemcpyHostToDevice);
    const double copied_in = now_us();
    process<<<elements / 256, 256>>>(device_input, device_output, elements, rounds);
    const double launched = now_us();
    cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost);
    const double copied_out = now_us();
    // [/steps]

    std::printf("copy in %.0f us, launch %.0f us, copy out %.0f us\n", copied_in - start, launched - copied_in,
                copied_out - launched);
    cudaFree(device_output);
    cudaFree(device_input);
}
