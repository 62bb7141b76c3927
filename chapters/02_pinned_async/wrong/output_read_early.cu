// What is wrong: the results are read before the stream has been waited for.
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
    cudaMemcpyAsync(values, device, bytes, cudaMemcpyDeviceToHost, stream);
    std::printf("first %d\n", values[0]);
    cudaStreamSynchronize(stream);
    // [/mistake]
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(values);
}
