// Version 5: the stream is a non-blocking one. Copies and kernels no longer wait for each other, so each wait that the
// program needs is written down: a kernel for its input, a copy out for its kernel.
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
    constexpr unsigned rounds = 3000;

    std::vector<unsigned> first_input(elements, 1), second_input(elements, 2);
    std::vector<unsigned> first_output(elements), second_output(elements);
    unsigned *first_in = nullptr, *first_out = nullptr, *second_in = nullptr, *second_out = nullptr;
    for (unsigned** memory : {&first_in, &first_out, &second_in, &second_out}) {
        check(cudaMalloc(memory, bytes));
    }
    // [stream]
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    // [/stream]

    // [steps]
    const double start = now_us();
    check(cudaMemcpy(first_in, first_input.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaStreamSynchronize(nullptr));  // nullptr is the legacy default stream: all of the copy has arrived
    process<<<elements / 256, 256, 0, stream>>>(first_in, first_out, elements, rounds);
    check(cudaGetLastError());
    check(cudaMemcpy(second_in, second_input.data(), bytes, cudaMemcpyHostToDevice));  // beside the first kernel
    check(cudaStreamSynchronize(nullptr));                                             // the second input is there
    check(cudaStreamSynchronize(stream));                                              // the first results are there
    process<<<elements / 256, 256, 0, stream>>>(second_in, second_out, elements, rounds);
    check(cudaGetLastError());
    check(cudaMemcpy(first_output.data(), first_out, bytes, cudaMemcpyDeviceToHost));  // beside the second kernel
    check(cudaStreamSynchronize(stream));
    check(cudaMemcpy(second_output.data(), second_out, bytes, cudaMemcpyDeviceToHost));
    const double done = now_us();
    // [/steps]

    std::printf("two batches, together %.0f us\n", done - start);
    check(cudaStreamDestroy(stream));
    for (unsigned* memory : {first_in, first_out, second_in, second_out}) {
        check(cudaFree(memory));
    }
}
