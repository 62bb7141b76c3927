// What is wrong: Issues everything to one stream, after the host's own work, and waits for another.
// Refused by: output_complete
// Cause: output_read_early
// Devices: sim
#include "lab.h"

#include <new>  // std::nothrow

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

// These two stand for a library that reads the input, from a file perhaps. It knows nothing of CUDA: its memory is
// ordinary, pageable memory, and only the library itself can free it.
lab::Element* library_open(std::size_t elements) {
    return new (std::nothrow) lab::Element[elements]();
}

void library_close(lab::Element* data) {
    delete[] data;
}

struct Pipeline {
    lab::Element* host_input = nullptr;   // the library's memory
    lab::Element* host_output = nullptr;  // yours
    lab::Element* device_input = nullptr;
    lab::Element* device_output = nullptr;

    // Part 1 of 2: host memory that copies can use while the host does something else, and a stream.
    // >>> your work starts here
    cudaStream_t stream = nullptr;
    cudaStream_t other = nullptr;
    bool input_registered = false;

    // Called when host_input is there.
    cudaError_t prepare_host(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        LAB_TRY(cudaMallocHost(&host_output, bytes));
        if (bytes > 0) {  // registering nothing is an error
            LAB_TRY(cudaHostRegister(host_input, bytes, cudaHostRegisterDefault));
            input_registered = true;
        }
        LAB_TRY(cudaStreamCreate(&stream));
        return cudaStreamCreate(&other);
    }

    // Undoes prepare_host(), which may have stopped half-way or may never have been called.
    cudaError_t release_host() {
        cudaError_t result = cudaSuccess;
        if (stream != nullptr) {
            // After an error in run() copies may still use the memory that is given back below.
            result = first_error(result, cudaStreamSynchronize(stream));
            result = first_error(result, cudaStreamDestroy(stream));
        }
        if (other != nullptr) {
            result = first_error(result, cudaStreamDestroy(other));
        }
        if (input_registered) {
            result = first_error(result, cudaHostUnregister(host_input));  // before the library frees it
        }
        return first_error(result, cudaFreeHost(host_output));
    }
    // <<< and ends here

    // Not timed. Sizes of memory are in bytes.
    cudaError_t allocate(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        LAB_TRY(cudaMalloc(&device_input, bytes));
        LAB_TRY(cudaMalloc(&device_output, bytes));
        host_input = library_open(problem.elements);
        return host_input == nullptr ? cudaErrorMemoryAllocation : prepare_host(problem);
    }

    // Timed. Part 2 of 2: the device's work, and the host's own: lab::host_work(problem), once in each run().
    cudaError_t run(const lab::Problem& problem) {
        // >>> your work starts here
        lab::host_work(problem);
        if (problem.elements > 0) {
            const std::size_t bytes = problem.elements * sizeof(lab::Element);
            LAB_TRY(cudaMemcpyAsync(device_input, host_input, bytes, cudaMemcpyHostToDevice, stream));
            process<<<blocks_for(problem.elements), threads_per_block, 0, stream>>>(device_input, device_output,
                                                                                    problem.elements, problem.rounds);
            LAB_TRY(cudaGetLastError());  // a launch returns nothing; this tells whether it was accepted
            LAB_TRY(cudaMemcpyAsync(host_output, device_output, bytes, cudaMemcpyDeviceToHost, stream));
        }
        return cudaStreamSynchronize(other);
        // <<< and ends here
    }

    // Not timed. Runs also after allocate() or run() failed half-way, so each step may find nothing to do:
    // freeing a null pointer is allowed and does nothing.
    cudaError_t release() {
        cudaError_t result = release_host();
        library_close(host_input);
        result = first_error(result, cudaFree(device_output));
        result = first_error(result, cudaFree(device_input));
        *this = Pipeline{};
        return result;
    }
};

}  // namespace

LAB_MAIN(Pipeline)
