#include "lab.h"

#include <algorithm>
#include <array>  // this one is for your part

namespace {

constexpr unsigned threads_per_block = 256;

__global__ void process(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

cudaError_t first_error(cudaError_t earlier, cudaError_t later) {
    return earlier != cudaSuccess ? earlier : later;
}

struct Slot {
    lab::Element* host_input = nullptr;   // pinned: the producer fills it, the copy in reads it
    lab::Element* host_output = nullptr;  // pinned: the copy out fills it, the consumer reads it
    lab::Element* device_input = nullptr;
    lab::Element* device_output = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;  // for your part: record it behind the copy out
    std::size_t first = 0;       // which chunk is in this slot: its first element,
    std::size_t elements = 0;    // and how many it has; 0: the slot is empty

    cudaError_t create(std::size_t bytes) {
        LAB_TRY(cudaMallocHost(&host_input, bytes));
        LAB_TRY(cudaMallocHost(&host_output, bytes));
        LAB_TRY(cudaMalloc(&device_input, bytes));
        LAB_TRY(cudaMalloc(&device_output, bytes));
        LAB_TRY(cudaStreamCreate(&stream));
        return cudaEventCreateWithFlags(&done, cudaEventDisableTiming);  // it orders, and times nothing
    }

    // Copy in, kernel and copy out of the chunk in this slot. Returns at once; the work may still have to begin.
    cudaError_t issue(unsigned rounds) {
        const std::size_t bytes = elements * sizeof(lab::Element);
        const auto blocks = static_cast<unsigned>((elements + threads_per_block - 1) / threads_per_block);
        LAB_TRY(cudaMemcpyAsync(device_input, host_input, bytes, cudaMemcpyHostToDevice, stream));
        process<<<blocks, threads_per_block, 0, stream>>>(device_input, device_output, elements, rounds);
        LAB_TRY(cudaGetLastError());  // a launch returns nothing; this tells whether it was accepted
        return cudaMemcpyAsync(host_output, device_output, bytes, cudaMemcpyDeviceToHost, stream);
    }

    // Also after create() or run() failed half-way: some of it may not exist, and work may still be under way.
    cudaError_t destroy() {
        cudaError_t result = cudaSuccess;
        if (stream != nullptr) {
            result = first_error(result, cudaStreamSynchronize(stream));
            result = first_error(result, cudaStreamDestroy(stream));
        }
        if (done != nullptr) {
            result = first_error(result, cudaEventDestroy(done));
        }
        result = first_error(result, cudaFree(device_output));  // freeing a null pointer does nothing
        result = first_error(result, cudaFree(device_input));
        result = first_error(result, cudaFreeHost(host_output));
        return first_error(result, cudaFreeHost(host_input));
    }
};

struct Pipeline {
    // Part 1 of 2: the slots. All device memory together may be problem.device_bytes: three slots.
    // >>> your work starts here
    // Three: while the device computes one chunk, another is on its way, and the host works on the third.
    std::array<Slot, 3> slots;

    cudaError_t create_slots(std::size_t bytes) {
        for (Slot& slot : slots) {
            LAB_TRY(slot.create(bytes));
        }
        return cudaSuccess;
    }

    cudaError_t destroy_slots() {
        cudaError_t result = cudaSuccess;
        for (Slot& slot : slots) {
            result = first_error(result, slot.destroy());
        }
        return result;
    }

    // Afterwards nothing uses the slot any more: what was issued for it is done, and its results are with the consumer.
    static cudaError_t empty(const lab::Problem& problem, Slot& slot) {
        if (slot.elements > 0) {
            // This slot's own event: the device goes on with the chunks in the other slots meanwhile.
            LAB_TRY(cudaEventSynchronize(slot.done));
            lab::consume(problem, slot.host_output, slot.first, slot.elements);
            slot.elements = 0;
        }
        return cudaSuccess;
    }
    // <<< and ends here

    // Not timed. A slot holds one chunk, whatever the problem's size is.
    cudaError_t allocate(const lab::Problem& problem) {
        return create_slots(problem.chunk_elements * sizeof(lab::Element));
    }

    // Timed. Part 2 of 2: every chunk is produced once, goes through a slot, and is consumed once.
    cudaError_t run(const lab::Problem& problem) {
        // >>> your work starts here
        std::size_t next = 0;
        for (std::size_t first = 0; first < problem.elements; first += problem.chunk_elements) {
            Slot& slot = slots[next];
            next = (next + 1) % slots.size();

            // Before the producer may write: the copy in of the slot's last chunk read the same buffer.
            LAB_TRY(empty(problem, slot));
            slot.first = first;
            slot.elements = std::min(problem.chunk_elements, problem.elements - first);
            lab::produce(problem, slot.host_input, slot.first, slot.elements);
            LAB_TRY(slot.issue(problem.rounds));
            LAB_TRY(cudaEventRecord(slot.done, slot.stream));  // behind the copy out, so it stands for all three
        }
        // The last chunks are still in their slots. `next` is the slot that was filled longest ago.
        for (std::size_t i = 0; i < slots.size(); ++i) {
            LAB_TRY(empty(problem, slots[(next + i) % slots.size()]));
        }
        return cudaSuccess;
        // <<< and ends here
    }

    // Not timed. Runs also after allocate() or run() failed half-way.
    cudaError_t release() {
        const cudaError_t result = destroy_slots();
        *this = Pipeline{};
        return result;
    }
};

}  // namespace

LAB_MAIN_WITH_PRODUCER(Pipeline)
