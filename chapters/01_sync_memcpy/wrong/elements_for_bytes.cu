// What is wrong: the size given to cudaMemcpy counts bytes, and here counts elements.
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
    cudaMemcpy(device, values.data(), count, cudaMemcpyHostToDevice);
    twice<<<count / 256, 256>>>(device, count);
    cudaMemcpy(values.data(), device, count, cudaMemcpyDeviceToHost);
    // [/mistake]
    std::printf("first %d, last %d\n", values.front(), values.back());
    cudaFree(device);
    return values.back() == 42 ? 0 : 1;
}
