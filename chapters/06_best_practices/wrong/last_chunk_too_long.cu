// What is wrong: 12 chunks do not divide the data, and the last one reaches past the end.
#include <algorithm>
#include <array>
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

struct Job {
    unsigned *input = nullptr, *output = nullptr;  // pinned
    unsigned *device_input = nullptr, *device_output = nullptr;
    std::array<cudaStream_t, 4> streams{};
};

Job create() {
    Job job;
    check(cudaMallocHost(&job.input, bytes));
    check(cudaMallocHost(&job.output, bytes));
    std::fill(job.input, job.input + elements, 1u);
    check(cudaMalloc(&job.device_input, bytes));
    check(cudaMalloc(&job.device_output, bytes));
    for (cudaStream_t& stream : job.streams) {
        check(cudaStreamCreate(&stream));
    }
    return job;
}

void destroy(const Job& job) {
    for (const cudaStream_t stream : job.streams) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(job.device_output));
    check(cudaFree(job.device_input));
    check(cudaFreeHost(job.output));
    check(cudaFreeHost(job.input));
}

// [mistake]
void run(const Job& job, std::size_t chunks) {
    const std::size_t chunk = (elements + chunks - 1) / chunks;
    for (std::size_t i = 0; i < chunks; ++i) {
        const std::size_t first = i * chunk;
        const cudaStream_t stream = job.streams[i % job.streams.size()];
        cudaMemcpyAsync(job.device_input + first, job.input + first, chunk * sizeof(unsigned), cudaMemcpyHostToDevice,
                        stream);
        process<<<(chunk + 255) / 256, 256, 0, stream>>>(job.device_input + first, job.device_output + first, chunk,
                                                         rounds);
        cudaMemcpyAsync(job.output + first, job.device_output + first, chunk * sizeof(unsigned), cudaMemcpyDeviceToHost,
                        stream);
    }
}
// [/mistake]

int main() {
    const Job job = create();
    run(job, 12);
    check(cudaDeviceSynchronize());
    std::printf("first %u, last %u\n", job.output[0], job.output[elements - 1]);
    destroy(job);
}
