// Version 6: the whole run is recorded once as a graph, and launched with one call.
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

// [capture]
// Nothing runs here: what would go into the streams is noted down in a graph.
cudaGraphExec_t capture(const Job& job, std::size_t chunk) {
    cudaEvent_t moment = nullptr;  // recorded again for each edge between two streams
    check(cudaEventCreateWithFlags(&moment, cudaEventDisableTiming));
    check(cudaStreamBeginCapture(job.streams[0], cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(moment, job.streams[0]));
    for (std::size_t i = 1; i < job.streams.size(); ++i) {
        check(cudaStreamWaitEvent(job.streams[i], moment, 0));  // now this stream is captured too
    }
    for (std::size_t first = 0, i = 0; first < elements; first += chunk, ++i) {
        const std::size_t count = std::min(chunk, elements - first);  // the last chunk may be shorter
        const cudaStream_t stream = job.streams[i % job.streams.size()];
        check(cudaMemcpyAsync(job.device_input + first, job.input + first, count * sizeof(unsigned),
                              cudaMemcpyHostToDevice, stream));
        process<<<(count + 255) / 256, 256, 0, stream>>>(job.device_input + first, job.device_output + first, count,
                                                         rounds);
        check(cudaGetLastError());
        check(cudaMemcpyAsync(job.output + first, job.device_output + first, count * sizeof(unsigned),
                              cudaMemcpyDeviceToHost, stream));
    }
    for (std::size_t i = 1; i < job.streams.size(); ++i) {
        check(cudaEventRecord(moment, job.streams[i]));
        check(cudaStreamWaitEvent(job.streams[0], moment, 0));  // all come together again in the first one
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(job.streams[0], &graph));
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaEventDestroy(moment));
    return executable;
}
// [/capture]

int main() {
    const Job job = create();
    const cudaGraphExec_t executable = capture(job, elements / 8);
    // [launch]
    const double begin = now_us();
    check(cudaGraphLaunch(executable, job.streams[0]));
    check(cudaStreamSynchronize(job.streams[0]));
    const double us = now_us() - begin;
    // [/launch]
    std::printf("%.0f us: %.1f GB/s in, and as much out\n", us, bytes / us / 1000);
    check(cudaGraphExecDestroy(executable));
    destroy(job);
}
