// What the trusted baseline programs of the labs share: the kernel, the measurement of the device, and the serial
// version of a pipeline whose data fit on the device. Only tests/NN_name/baseline.cu includes this.
#pragma once

#include <cstdlib>

#include "lab/calibration.h"
#include "lab/lab.h"

namespace lab::baseline {

__global__ void process(const Element* input, Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = work(input[i], rounds);
    }
}

inline cudaError_t launch(const Element* input, Element* output, std::size_t elements, unsigned rounds,
                          cudaStream_t stream) {
    constexpr unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((elements + threads - 1) / threads);
    process<<<blocks, threads, 0, stream>>>(input, output, elements, rounds);
    return cudaGetLastError();
}

inline harness::Outcome calibrate(std::size_t chunk_elements, unsigned rounds, harness::Measurement& result) {
    return harness::outcome_of(calibration::measure(chunk_elements, rounds, launch, result));
}

// Where the host buffers of a serial version lie.
struct Pinned {
    static cudaError_t allocate(Element*& memory, std::size_t bytes) {
        return cudaMallocHost(reinterpret_cast<void**>(&memory), bytes);
    }
    static cudaError_t free(Element* memory) { return cudaFreeHost(memory); }
};

struct Pageable {
    static cudaError_t allocate(Element*& memory, std::size_t bytes) {
        memory = static_cast<Element*>(std::malloc(bytes));
        return memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
    }
    static cudaError_t free(Element* memory) {
        std::free(memory);
        return cudaSuccess;
    }
};

// One copy in, one kernel, one copy out, and only then the host's own work: nothing overlaps.
template <typename HostMemory>
struct SerialFrom {
    Element* host_input = nullptr;
    Element* host_output = nullptr;

    cudaError_t allocate(const Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(Element);
        LAB_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        if (bytes == 0) {
            return cudaSuccess;
        }
        LAB_TRY(HostMemory::allocate(host_input, bytes));
        LAB_TRY(HostMemory::allocate(host_output, bytes));
        LAB_TRY(cudaMalloc(reinterpret_cast<void**>(&device_input_), bytes));
        return cudaMalloc(reinterpret_cast<void**>(&device_output_), bytes);
    }

    cudaError_t run(const Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(Element);
        if (bytes > 0) {
            LAB_TRY(cudaMemcpyAsync(device_input_, host_input, bytes, cudaMemcpyHostToDevice, stream_));
            LAB_TRY(launch(device_input_, device_output_, problem.elements, problem.rounds, stream_));
            LAB_TRY(cudaMemcpyAsync(host_output, device_output_, bytes, cudaMemcpyDeviceToHost, stream_));
            LAB_TRY(cudaStreamSynchronize(stream_));
        }
        if (problem.host_work_ns > 0) {
            host_work(problem);
        }
        return cudaSuccess;
    }

    cudaError_t release() {
        cudaError_t first = cudaSuccess;
        const auto note = [&first](cudaError_t error) { first = first == cudaSuccess ? error : first; };
        note(cudaFree(device_output_));
        note(cudaFree(device_input_));
        note(HostMemory::free(host_output));
        note(HostMemory::free(host_input));
        if (stream_ != nullptr) {
            note(cudaStreamDestroy(stream_));
        }
        return first;
    }

private:
    Element* device_input_ = nullptr;
    Element* device_output_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

using Serial = SerialFrom<Pinned>;

}  // namespace lab::baseline
