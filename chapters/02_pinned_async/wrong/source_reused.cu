// What is wrong: the pinned source gets its next content while the copy still reads it.
#include <cstdio>

constexpr int count = 1024;
constexpr std::size_t bytes = count * sizeof(int);

__global__ void twice(int* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

int main() {
    int *values = nullptr, *device = nullptr;
    cudaMallocHost(&values, bytes);
    cudaMalloc(&device, bytes);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    for (int i = 0; i < count; ++i) {
        values[i] = 21;
    }
    // [mistake]
    cudaMemcpyAsync(device, values, bytes, cudaMemcpyHostToDevice, stream);
    twice<<<count / 256, 256, 0, stream>>>(device);
    for (int i = 0; i < count; ++i) {
        values[i] = 0;  // for the next round
    }
    // [/mistake]
    cudaStreamSynchronize(stream);
    cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost);
    std::printf("first %d\n", values[0]);
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(values);
}
