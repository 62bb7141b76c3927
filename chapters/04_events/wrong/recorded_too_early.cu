// What is wrong: the event is recorded before the copy, so it stands for everything but the copy.
#include <cstdio>

__global__ void twice(const int* input, int* output, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = 2 * input[i];
    }
}

int main() {
    const int count = 1 << 20;
    const int bytes = count * sizeof(int);
    int *host_input = nullptr, *host_output = nullptr, *input = nullptr, *output = nullptr;
    cudaMallocHost(&host_input, bytes);
    cudaMallocHost(&host_output, bytes);
    cudaMalloc(&input, bytes);
    cudaMalloc(&output, bytes);
    for (int i = 0; i < count; ++i) {
        host_input[i] = 21;
    }
    cudaStream_t copies = nullptr, kernels = nullptr;
    cudaStreamCreate(&copies);
    cudaStreamCreate(&kernels);
    cudaEvent_t copied = nullptr;
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    // [mistake]
    cudaEventRecord(copied, copies);
    cudaMemcpyAsync(input, host_input, bytes, cudaMemcpyHostToDevice, copies);
    cudaStreamWaitEvent(kernels, copied, 0);
    twice<<<count / 256, 256, 0, kernels>>>(input, output, count);
    // [/mistake]
    cudaMemcpyAsync(host_output, output, bytes, cudaMemcpyDeviceToHost, kernels);
    cudaStreamSynchronize(kernels);
    std::printf("first %d, last %d\n", host_output[0], host_output[count - 1]);
    cudaEventDestroy(copied);
    cudaStreamDestroy(kernels);
    cudaStreamDestroy(copies);
    cudaFree(output);
    cudaFree(input);
    cudaFreeHost(host_output);
    cudaFreeHost(host_input);
}
