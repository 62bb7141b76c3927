// What is wrong: a block has at most 1024 threads. The launch is refused, and nobody asks.
#include <cstdio>
#include <vector>

__global__ void twice(int* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] *= 2;
    }
}

int main() {
    const int count = 2048;
    std::vector<int> values(count, 21);
    int* device = nullptr;
    cudaMalloc(&device, count * sizeof(int));
    // [mistake]
    cudaMemcpy(device, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, count>>>(device, count);
    cudaMemcpy(values.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    // [/mistake]
    std::printf("first %d, last %d\n", values.front(), values.back());
    cudaFree(device);
}
