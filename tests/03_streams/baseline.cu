// The serial version of the streams lab: one copy in, one kernel, one copy out, one after the other. The checks run it
// beside the student's program: its time is the one to beat, and it measures what this device can do.
#include "lab/lab.h"

#include "lab/calibration.h"

namespace {

__global__ void process(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

cudaError_t launch(const lab::Element* input, lab::Element* output, std::size_t elements, unsigned rounds,
                   cudaStream_t stream) {
    constexpr unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((elements + threads - 1) / threads);
    process<<<blocks, threads, 0, stream>>>(input, output, elements, rounds);
    return cudaGetLastError();
}

lab::harness::Outcome calibrate(std::size_t chunk_elements, unsigned rounds, lab::harness::Measurement& result) {
    return lab::harness::outcome_of(lab::calibration::measure(chunk_elements, rounds, launch, result));
}

struct Serial {
    lab::Element* host_input = nullptr;
    lab::Element* host_output = nullptr;

    cudaError_t allocate(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        LAB_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        if (bytes == 0) {
            return cudaSuccess;
        }
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_input), bytes));
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_output), bytes));
        LAB_TRY(cudaMalloc(reinterpret_cast<void**>(&device_input_), bytes));
        return cudaMalloc(reinterpret_cast<void**>(&device_output_), bytes);
    }

    cudaError_t run(const lab::Problem& problem) {
        const std::size_t bytes = problem.elements * sizeof(lab::Element);
        if (bytes == 0) {
            return cudaSuccess;
        }
        LAB_TRY(cudaMemcpyAsync(device_input_, host_input, bytes, cudaMemcpyHostToDevice, stream_));
        LAB_TRY(launch(device_input_, device_output_, problem.elements, problem.rounds, stream_));
        LAB_TRY(cudaMemcpyAsync(host_output, device_output_, bytes, cudaMemcpyDeviceToHost, stream_));
        return cudaStreamSynchronize(stream_);
    }

    cudaError_t release() {
        cudaError_t first = cudaSuccess;
        const auto note = [&first](cudaError_t error) { first = first == cudaSuccess ? error : first; };
        note(cudaFree(device_output_));
        note(cudaFree(device_input_));
        note(cudaFreeHost(host_output));
        note(cudaFreeHost(host_input));
        if (stream_ != nullptr) {
            note(cudaStreamDestroy(stream_));
        }
        return first;
    }

private:
    lab::Element* device_input_ = nullptr;
    lab::Element* device_output_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

}  // namespace

LAB_MAIN_WITH_CALIBRATION(Serial, calibrate)
