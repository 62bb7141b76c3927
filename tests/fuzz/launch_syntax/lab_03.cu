#include "lab.h"

#include <algorithm>  // these two are for your part: std::min, std::array
#include <array>

namespace {

constexpr unsigned threads_per_block = 256;

__global__ void process(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

unsigned blocks_for(std::size_t elements) {
    return static_cast<unsigned>((elements + threads_per_block - 1) / threads_per_block);
}

cudaError_t first_error(cudaError_t earlier, cudaError_t later) {
    return earlier != cudaSuccess ? earlier : later;
}

struct Pipeline {
    lab::Element* host_input = nullptr;
    lab::Element* host_output = nullptr;
    lab::Element* device_input = nullptr;
    lab::Element* device_output = nullptr;

    // Part 1 of 2: the streams.
    // >>> your work starts here
    // Three: one chunk on its way in, one being computed, one on its way out.
    std::array<cudaStream_t, 3> streams{};

    cudaError_t create_streams() {
        for (cudaStream_t& stream : streams) {
            LAB_TRY(cudaStreamCreate(&stream));
        }
        return cudaSuccess;
    }

    // Waits for all work that was issued, and reports the first error.
    cudaError_t wait_for_streams() {
        cudaError_t result = cudaSuccess;
        for (const cudaStream_t stream : streams) {
            if (stream != nullptr) {
                result = first_error(result, cudaStreamSynchronize(stream));
            }
        }
        return result;
    }

    // After an error in run() work may still be under way, and create_streams() may have stopped half-way.
    cudaError_t destroy_streams() {
        cudaError_t result = wait_for_streams();
        for (const cudaStream_t stream : streams) {
            if (stream != nullptr) {
                result = first_error(result, cudaStreamDestroy(stream));
            }
        }
        return result;
    }
    // <<< and ends here

    // Not timed. Sizes of memory are in bytes. The host memory is pinned: only then are copies asynchronous.
    cudaError_t allocate(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        LAB_TRY(cudaMallocHost(&host_input, bytes));
        LAB_TRY(cudaMallocHost(&host_output, bytes));
        LAB_TRY(cudaMalloc(&device_input, bytes));
        LAB_TRY(cudaMalloc(&device_output, bytes));
        return create_streams();
    }

    // Timed. Part 2 of 2: chunks. A chunk has problem.chunk_elements elements; the last one may have fewer.
    cudaError_t run(const lab::Problem& problem) {
        // >>> your work starts here
        std::size_t next_stream = 0;
        for (std::size_t offset = 0; offset < problem.elements; offset += problem.chunk_elements) {
            // Offsets count elements, because pointers to elements do; sizes of copies count bytes.
            const std::size_t elements = std::min(problem.chunk_elements, problem.elements - offset);
            const std::size_t bytes = elements * sizeof(lab::Element);
            const cudaStream_t stream = streams[next_stream];
            next_stream = (next_stream + 1) % streams.size();

            LAB_TRY(cudaMemcpyAsync(device_input + offset, host_input + offset, bytes, cudaMemcpyHostToDevice, stream));
            process<<<blocks_for(elements), threads_per_block, 0, stream>>>(
                device_input + offset, device_output + offset, elements, problem.rounds);
            LAB_TRY(cudaGetLastError());  // a launch returns nothing; this tells whether it was accepted
            LAB_TRY(
                cudaMemcpyAsync(host_output + offset, device_output + offset, bytes, cudaMemcpyDeviceToHost, stream));
        }
        return wait_for_streams();
        // <<< and ends here
    }

    // Not timed. Runs also after allocate() or run() failed half-way, so each step may find nothing to do:
    // freeing a null pointer is allowed and does nothing.
    cudaError_t release() {
        cudaError_t result = destroy_streams();
        result = first_error(result, cudaFree(device_output));
        result = first_error(result, cudaFree(device_input));
        result = first_error(result, cudaFreeHost(host_output));
        result = first_error(result, cudaFreeHost(host_input));
        *this = Pipeline{};
        return result;
    }
};

}  // namespace

LAB_MAIN(Pipeline)
