// Lab 6, best practices: clean up a throughput stress test.
//
// As you get it, this program is correct and very slow: it has every habit that this course warns of, from pageable memory
// to a clock that times nothing. Your task: give each habit up, and let the pipeline choose its chunk size and its number
// of streams by what it measures on the device, so that the same program reaches nine tenths of the attainable throughput on
// any GPU. Change only what stands between the >>> and <<< lines.
//
//   The task page: labs/06_best_practices/README.md      Check your work: ./course check best_practices
#include "lab.h"

#include <algorithm>  // these are for your part
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>

namespace {

constexpr unsigned threads_per_block = 256;

// One thread per element. The last block may reach past the end, therefore the comparison.
__global__ void process(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

// Enough blocks for one thread per element. A launch with 0 blocks is an error in CUDA: do not launch for 0 elements.
unsigned blocks_for(std::size_t elements) {
    return static_cast<unsigned>((elements + threads_per_block - 1) / threads_per_block);
}

// Clean-up goes on after a failure, and still reports the first one.
cudaError_t first_error(cudaError_t earlier, cudaError_t later) {
    return earlier != cudaSuccess ? earlier : later;
}

struct Pipeline {
    lab::Element* host_input = nullptr;
    lab::Element* host_output = nullptr;
    float elapsed_ms = 0;  // how long run_pipeline() took, by its own measurement: the checks compare it with the trace

    // Part 1 of 3: what the pipeline owns, from set_up() to tear_down().
    // >>> your work starts here
    static constexpr std::size_t chunk_elements = 32 * 1024;
    lab::Element* device_output = nullptr;
    cudaStream_t copies = nullptr;
    cudaEvent_t copied = nullptr;

    cudaError_t set_up(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        host_input = static_cast<lab::Element*>(std::malloc(bytes));
        host_output = static_cast<lab::Element*>(std::malloc(bytes));
        LAB_TRY(cudaMalloc(&device_output, bytes));
        LAB_TRY(cudaStreamCreate(&copies));
        return cudaEventCreate(&copied);
    }

    // After an error work may still be under way, and set_up() may have stopped anywhere.
    cudaError_t tear_down() {
        cudaError_t result = cudaDeviceSynchronize();
        if (copied != nullptr) {
            result = first_error(result, cudaEventDestroy(copied));
        }
        if (copies != nullptr) {
            result = first_error(result, cudaStreamDestroy(copies));
        }
        result = first_error(result, cudaFree(device_output));
        std::free(host_output);
        std::free(host_input);
        return result;
    }
    // <<< and ends here

    // Part 2 of 3: the pipeline. Every result is in host_output when it returns, and its time in elapsed_ms.
    cudaError_t run_pipeline(const lab::Problem& problem) {
        // >>> your work starts here
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t offset = 0; offset < problem.elements; offset += chunk_elements) {
            const std::size_t elements = std::min(chunk_elements, problem.elements - offset);
            const std::size_t bytes = elements * sizeof(lab::Element);
            lab::Element* device_input = nullptr;
            LAB_TRY(cudaMalloc(&device_input, bytes));
            cudaMemcpyAsync(device_input, host_input + offset, bytes, cudaMemcpyHostToDevice, copies);
            cudaEventRecord(copied, copies);
            cudaStreamWaitEvent(nullptr, copied, 0);
            process<<<blocks_for(elements), threads_per_block>>>(device_input, device_output + offset, elements,
                                                                 problem.rounds);
            cudaDeviceSynchronize();
            cudaFree(device_input);
        }
        const std::size_t all_bytes = problem.elements * sizeof(lab::Element);
        cudaMemcpyAsync(host_output, device_output, all_bytes, cudaMemcpyDeviceToHost, copies);
        const auto end = std::chrono::steady_clock::now();
        elapsed_ms = std::chrono::duration<float, std::milli>(end - begin).count();
        return cudaStreamSynchronize(copies);
        // <<< and ends here
    }

    // Part 3 of 3: the choice, by what this device does. Not timed.
    cudaError_t choose(const lab::Problem& problem) {
        // >>> your work starts here
        (void)problem;  // chunk_elements is a number that was good once, somewhere
        return cudaSuccess;
        // <<< and ends here
    }

    // Not timed.
    cudaError_t allocate(const lab::Problem& problem) {
        LAB_TRY(set_up(problem));
        return choose(problem);
    }

    // Timed.
    cudaError_t run(const lab::Problem& problem) {
        return run_pipeline(problem);
    }

    // Not timed. Runs also after allocate() or run() failed half-way, so each step of tear_down() may find nothing to do.
    cudaError_t release() {
        const cudaError_t result = tear_down();
        *this = Pipeline{};
        return result;
    }
};

}  // namespace

LAB_MAIN(Pipeline)
