// The serial version of the double-buffering lab: one slot, and the host waits for every chunk before it goes on. The
// checks run it beside the student's program: its time is the one to beat, and it measures what this device can do.
#include <algorithm>

#include "lab/baseline.h"

namespace {

struct OneSlot {
    lab::Element* staging_input = nullptr;
    lab::Element* staging_output = nullptr;
    lab::Element* device_input = nullptr;
    lab::Element* device_output = nullptr;
    cudaStream_t stream = nullptr;

    cudaError_t allocate(const lab::Problem& problem) {
        const std::size_t bytes = problem.chunk_elements * sizeof(lab::Element);
        LAB_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&staging_input), bytes));
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&staging_output), bytes));
        LAB_TRY(cudaMalloc(reinterpret_cast<void**>(&device_input), bytes));
        return cudaMalloc(reinterpret_cast<void**>(&device_output), bytes);
    }

    cudaError_t run(const lab::Problem& problem) {
        for (std::size_t first = 0; first < problem.elements; first += problem.chunk_elements) {
            const std::size_t elements = std::min(problem.chunk_elements, problem.elements - first);
            const std::size_t bytes = elements * sizeof(lab::Element);
            lab::produce(problem, staging_input, first, elements);
            LAB_TRY(cudaMemcpyAsync(device_input, staging_input, bytes, cudaMemcpyHostToDevice, stream));
            LAB_TRY(lab::baseline::launch(device_input, device_output, elements, problem.rounds, stream));
            LAB_TRY(cudaMemcpyAsync(staging_output, device_output, bytes, cudaMemcpyDeviceToHost, stream));
            LAB_TRY(cudaStreamSynchronize(stream));
            lab::consume(problem, staging_output, first, elements);
        }
        return cudaSuccess;
    }

    cudaError_t release() {
        cudaError_t first = cudaSuccess;
        const auto note = [&first](cudaError_t error) { first = first == cudaSuccess ? error : first; };
        note(cudaFree(device_output));
        note(cudaFree(device_input));
        note(cudaFreeHost(staging_output));
        note(cudaFreeHost(staging_input));
        if (stream != nullptr) {
            note(cudaStreamDestroy(stream));
        }
        return first;
    }
};

}  // namespace

LAB_MAIN_WITH_PRODUCER_AND_CALIBRATION(OneSlot, lab::baseline::calibrate)
