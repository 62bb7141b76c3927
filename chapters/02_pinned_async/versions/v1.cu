// Version 1: asynchronous calls in a stream, but the host memory is pageable: the calls last as long as the copies, and
// the host's own work comes after everything.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

constexpr std::size_t elements = 4 << 20;
constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
constexpr unsigned rounds = 900;                            // about 0.3 ms

__global__ void process(const unsigned* input, unsigned* output) {
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

// Stands for work that needs neither the GPU nor its results.
void host_work() {
    std::this_thread::sleep_for(std::chrono::microseconds(900));
}

int main() {
    // [memory]
    std::vector<unsigned> input(elements, 1), output(elements);
    // [/memory]
    unsigned *device_input = nullptr, *device_output = nullptr;
    check(cudaMalloc(&device_input, bytes));
    check(cudaMalloc(&device_output, bytes));
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));

    // [steps]
    const double start = now_us();
    check(cudaMemcpyAsync(device_input, input.data(), bytes, cudaMemcpyHostToDevice, stream));
    process<<<elements / 256, 256, 0, stream>>>(device_input, device_output);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(output.data(), device_output, bytes, cudaMemcpyDeviceToHost, stream));
    const double issued = now_us();
    host_work();
    check(cudaStreamSynchronize(stream));  // from here on the host may read the output
    const double done = now_us();
    // [/steps]

    std::printf("issuing took %.0f us, all of it %.0f us\n", issued - start, done - start);
    check(cudaStreamDestroy(stream));
    check(cudaFree(device_output));
    check(cudaFree(device_input));
}
