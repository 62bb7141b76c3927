// Version 2: every error is looked at, and the kernel is waited for before the clock is read. Now each figure is the
// time of a step, and bytes over time is the effective bandwidth.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

__global__ void process(const unsigned* input, unsigned* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

// [check]
void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}
// [/check]

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

int main() {
    constexpr std::size_t elements = 4 << 20;
    constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
    constexpr unsigned rounds = 3000;

    std::vector<unsigned> input(elements, 1), output(elements);
    unsigned *device_input = nullptr, *device_output = nullptr;
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));

    // [steps]
    const double start = now_us();
    check(cudaMemcpy(device_input, input.data(), bytes, cudaMemcpyHostToDevice));
    const double copied_in = now_us();
    process<<<elements / 256, 256>>>(device_input, device_output, elements, rounds);
    check(cudaGetLastError());       // a launch returns nothing: was it accepted?
    check(cudaDeviceSynchronize());  // only for the clock: the copy below would wait for the kernel anyway
    const double computed = now_us();
    check(cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost));
    const double copied_out = now_us();
    // [/steps]

    // [bandwidth]
    const auto gb_per_s = [](double us) { return bytes / us / 1000; };  // 1 GB = 10^9 bytes
    std::printf("copy in %.0f us (%.1f GB/s), kernel %.0f us, copy out %.0f us (%.1f GB/s), together %.0f us\n",
                copied_in - start, gb_per_s(copied_in - start), computed - copied_in, copied_out - computed,
                gb_per_s(copied_out - computed), copied_out - start);
    // [/bandwidth]
    check(cudaFree(device_output));
    check(cudaFree(device_input));
}
