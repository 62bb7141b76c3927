// A lab program whose data go through produce() and consume(), in one slot. PRODUCER_LAB says how it misbehaves.
#include "lab.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace {

bool mode(std::string_view name) {
    const char* const text = std::getenv("PRODUCER_LAB");
    return text != nullptr && name == text;
}

__global__ void process(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

struct Pipeline {
    lab::Element* staging = nullptr;
    lab::Element* device_input = nullptr;
    lab::Element* device_output = nullptr;
    float elapsed_ms = 12.5F;  // not measured: what the program says is carried, whatever it is

    cudaError_t allocate(const lab::Problem& problem) {
        const std::size_t chunk = mode("all_of_it") ? problem.elements : problem.chunk_elements;
        LAB_TRY(cudaMallocHost(&staging, problem.chunk_elements * sizeof(lab::Element)));
        LAB_TRY(cudaMalloc(&device_input, chunk * sizeof(lab::Element)));
        return cudaMalloc(&device_output, chunk * sizeof(lab::Element));
    }

    cudaError_t run(const lab::Problem& problem) {
        if (mode("host_work")) {
            lab::host_work(problem);
        }
        for (std::size_t first = 0; first < problem.elements; first += problem.chunk_elements) {
            const std::size_t elements = std::min(problem.chunk_elements, problem.elements - first);
            const std::size_t bytes = elements * sizeof(lab::Element);
            for (std::size_t i = 0; mode("one_by_one") && i < elements; ++i) {
                lab::produce(problem, staging + i, first + i, 1);
            }
            if (!mode("one_by_one")) {
                lab::produce(problem, staging, first, mode("outside") ? problem.chunk_elements : elements);
            }
            LAB_TRY(cudaMemcpy(device_input, staging, bytes, cudaMemcpyHostToDevice));
            process<<<static_cast<unsigned>((elements + 255) / 256), 256>>>(device_input, device_output, elements,
                                                                            problem.rounds);
            LAB_TRY(cudaGetLastError());
            LAB_TRY(cudaMemcpy(staging, device_output, bytes, cudaMemcpyDeviceToHost));
            if (!(mode("forgets_last") && first + elements == problem.elements)) {
                lab::consume(problem, staging, first, elements);
            }
        }
        return cudaSuccess;
    }

    cudaError_t measure_stages(const lab::Problem&, lab::StageTimes& times) {
        times = {1, 2, 3};
        return cudaSuccess;
    }

    cudaError_t release() {
        LAB_TRY(cudaFree(device_output));
        LAB_TRY(cudaFree(device_input));
        return cudaFreeHost(staging);
    }
};

}  // namespace

LAB_MAIN_WITH_PRODUCER(Pipeline)
