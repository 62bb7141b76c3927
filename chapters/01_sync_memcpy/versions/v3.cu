// Version 3: the launch returns at once, so the host has time for work of its own until it needs the results.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

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

// [host_work]
// Stands for work that needs neither the GPU nor its results: reading the next file, say.
void host_work() {
    std::this_thread::sleep_for(std::chrono::microseconds(900));
}
// [/host_work]

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
    process<<<elements / 256, 256>>>(device_input, device_output, elements, rounds);
    check(cudaGetLastError());
    host_work();                                                                     // the kernel runs meanwhile
    check(cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
    const double done = now_us();
    // [/steps]

    std::printf("copies, kernel and 900 us of host work, together %.0f us\n", done - start);
    check(cudaFree(device_output));
    check(cudaFree(device_input));
}
