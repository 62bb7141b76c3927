#include "lab.h"

#include <algorithm>  // these are for your part: std::min, std::array; the clock is what the starter measures with
#include <array>
#include <chrono>

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
    lab::Element* device_input = nullptr;  // device memory holds all elements: every chunk has its own place
    lab::Element* device_output = nullptr;

    // One stream for each role.
    cudaStream_t h2d_stream = nullptr;
    cudaStream_t kernel_stream = nullptr;
    cudaStream_t d2h_stream = nullptr;

    // Part 1 of 3: the events that parts 2 and 3 need. destroy_events() may find that none or only some were created.
    // >>> your work starts here
    // For measuring. Four marks in a stream enclose three stages.
    std::array<cudaEvent_t, 4> marks{};
    // For ordering. Nobody asks these for a time, and without one they cost less to record and to wait for. One of each
    // is enough: a wait is for what the event stood for when the wait was issued, whatever is recorded in it later.
    cudaEvent_t copied_in = nullptr;
    cudaEvent_t computed = nullptr;

    cudaError_t create_events() {
        for (cudaEvent_t& mark : marks) {
            LAB_TRY(cudaEventCreate(&mark));
        }
        LAB_TRY(cudaEventCreateWithFlags(&copied_in, cudaEventDisableTiming));
        return cudaEventCreateWithFlags(&computed, cudaEventDisableTiming);
    }

    cudaError_t destroy_events() {
        cudaError_t result = cudaSuccess;
        for (const cudaEvent_t event : {marks[0], marks[1], marks[2], marks[3], copied_in, computed}) {
            if (event != nullptr) {
                result = first_error(result, cudaEventDestroy(event));
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
        LAB_TRY(cudaStreamCreate(&h2d_stream));
        LAB_TRY(cudaStreamCreate(&kernel_stream));
        LAB_TRY(cudaStreamCreate(&d2h_stream));
        return create_events();
    }

    // Part 2 of 3: how long each stage takes, in milliseconds, when it has the device to itself: all data in, one
    // kernel over all of it, all data out, one after the other in one stream.
    cudaError_t measure_stages(const lab::Problem& problem, lab::StageTimes& times) {
        if (problem.elements == 0) {
            return cudaSuccess;  // nothing takes no time
        }
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        // >>> your work starts here
        // The device notes the time when it comes to a mark, so a mark goes where its stage begins or ends, in the same
        // stream. The calls return at once; that does not matter.
        LAB_TRY(cudaEventRecord(marks[0], h2d_stream));
        LAB_TRY(cudaMemcpyAsync(device_input, host_input, bytes, cudaMemcpyHostToDevice, h2d_stream));
        LAB_TRY(cudaEventRecord(marks[1], h2d_stream));
        process<<<blocks_for(problem.elements), threads_per_block, 0, h2d_stream>>>(device_input, device_output,
                                                                                    problem.elements, problem.rounds);
        LAB_TRY(cudaGetLastError());  // a launch returns nothing; this tells whether it was accepted
        LAB_TRY(cudaEventRecord(marks[2], h2d_stream));
        LAB_TRY(cudaMemcpyAsync(host_output, device_output, bytes, cudaMemcpyDeviceToHost, h2d_stream));
        LAB_TRY(cudaEventRecord(marks[3], h2d_stream));
        LAB_TRY(cudaEventSynchronize(marks[3]));  // before that there is no time to ask for: cudaErrorNotReady
        LAB_TRY(cudaEventElapsedTime(&times.h2d_ms, marks[0], marks[1]));
        LAB_TRY(cudaEventElapsedTime(&times.kernel_ms, marks[1], marks[2]));
        return cudaEventElapsedTime(&times.d2h_ms, marks[2], marks[3]);
        // <<< and ends here
    }

    // Timed. Part 3 of 3: three streams and the order between them. The chunks are cut already.
    cudaError_t run(const lab::Problem& problem) {
        // >>> your work starts here
        for (std::size_t offset = 0; offset < problem.elements; offset += problem.chunk_elements) {
            // Offsets count elements, because pointers to elements do; sizes of copies count bytes.
            const std::size_t elements = std::min(problem.chunk_elements, problem.elements - offset);
            const std::size_t bytes = elements * sizeof(lab::Element);
            LAB_TRY(
                cudaMemcpyAsync(device_input + offset, host_input + offset, bytes, cudaMemcpyHostToDevice, h2d_stream));
            LAB_TRY(cudaEventRecord(copied_in, h2d_stream));  // stands for all copies in up to this one

            // Only the kernels from here on wait, and only for the copies up to this chunk's. The host does not wait.
            LAB_TRY(cudaStreamWaitEvent(kernel_stream, copied_in, 0));
            process<<<blocks_for(elements), threads_per_block, 0, kernel_stream>>>(
                device_input + offset, device_output + offset, elements, problem.rounds);
            LAB_TRY(cudaGetLastError());
            LAB_TRY(cudaEventRecord(computed, kernel_stream));

            LAB_TRY(cudaStreamWaitEvent(d2h_stream, computed, 0));
            LAB_TRY(cudaMemcpyAsync(host_output + offset, device_output + offset, bytes, cudaMemcpyDeviceToHost,
                                    d2h_stream));
        }
        // The last copy out waits for the last kernel, and that for the last copy in: the other streams are done too.
        return cudaStreamSynchronize(d2h_stream);
        // <<< and ends here
    }

    // Waits for all work that was issued, and reports the first error.
    cudaError_t wait_for_streams() {
        cudaError_t result = cudaSuccess;
        for (const cudaStream_t stream : {h2d_stream, kernel_stream, d2h_stream}) {
            if (stream != nullptr) {
                result = first_error(result, cudaStreamSynchronize(stream));
            }
        }
        return result;
    }

    // Not timed. Runs also after another function failed half-way: work may still be under way, and each step may find
    // nothing to do. Freeing a null pointer is allowed and does nothing.
    cudaError_t release() {
        cudaError_t result = wait_for_streams();
        result = first_error(result, destroy_events());
        for (const cudaStream_t stream : {h2d_stream, kernel_stream, d2h_stream}) {
            if (stream != nullptr) {
                result = first_error(result, cudaStreamDestroy(stream));
            }
        }
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
