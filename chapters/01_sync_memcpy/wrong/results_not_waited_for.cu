// What is wrong: cudaMemcpy does not wait for a kernel in a non-blocking stream.
#include <cstdio>
#include <vector>

__global__ void twice(int* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] *= 2;
    }
}

int main() {
    const int count = 1024;
    std::vector<int> values(count, 21);
    int* device = nullptr;
    cudaMalloc(&device, count * sizeof(int));
    // [mistake]
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    cudaStreamSynchronize(nullptr);
    twice<<<count / 256, 256, 0, stream>>>(device, count);
    cudaMemcpy(values.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    // [/mistake]
    std::printf("first %d, last %d\n", values.front(), values.back());
    cudaStreamDestroy(stream);
    cudaFree(device);
}
