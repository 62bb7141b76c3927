// A sum in three ways: dynamic shared memory, warp shuffles, and one launch by address with the block size that fits best.
#include <cuda_runtime.h>
#include <sample.h>

#include <cassert>
#include <numeric>
#include <vector>

#define FULL_MASK 0xffffffff

template <typename T>
struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
};

template <typename T>
__global__ void reduce_shared(const T* g_idata, T* g_odata, unsigned int n) {
    T* sdata = SharedMemory<T>();
    const unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    assert(blockDim.x <= 1024);
    T mine = (i < n) ? g_idata[i] : T(0);
    if (i + blockDim.x < n) mine += g_idata[i + blockDim.x];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
#ifdef BROKEN
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
            __syncthreads();  // at: diverged
        } else {
            __syncthreads();
        }
#else
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
#endif
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__device__ __forceinline__ T warpReduceSum(unsigned int mask, T mySum) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        mySum += __shfl_down_sync(mask, mySum, offset);
    }
    return mySum;
}

template <typename T, unsigned int blockSize>
__global__ void reduce_shuffles(const T* __restrict__ g_idata, T* __restrict__ g_odata, unsigned int n) {
    __shared__ T partial[blockSize / 32];
    T sum = 0;
    for (unsigned int i = blockIdx.x * blockSize + threadIdx.x; i < n; i += blockSize * gridDim.x) {
        sum += g_idata[i];
    }
    sum = warpReduceSum<T>(FULL_MASK, sum);
    if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockSize / 32 ? partial[threadIdx.x] : T(0);
        sum = warpReduceSum<T>(FULL_MASK, sum);
        if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    }
}

__global__ void reduce_atomics(const int* data, unsigned long long* sum, int* most, unsigned int* least, unsigned int n) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, (unsigned long long)data[i]);
        atomicMax(most, data[i]);
        atomicMin(least, (unsigned int)data[i]);
    }
}

template <class T>
T total(const T* d_partial, int blocks) {
    std::vector<T> partial(blocks);
    checkCudaErrors(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    return std::accumulate(partial.begin(), partial.end(), T(0));
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const unsigned int n = (unsigned int)number_option(argc, argv, "n", 100003);
    std::vector<int> values(n);
    long long expected = 0;
    for (unsigned int i = 0; i < n; ++i) {
        values[i] = (int)(i * 2654435761u % 1000u);
        expected += values[i];
    }
    constexpr int threads = 256;
    const int blocks = (int)((n + 2 * threads - 1) / (2 * threads));
    int *d_in, *d_partial, *d_most;
    unsigned long long* d_sum;
    unsigned int* d_least;
    checkCudaErrors(cudaMalloc((void**)&d_in, n * sizeof(int)));
    checkCudaErrors(cudaMalloc((void**)&d_partial, blocks * sizeof(int)));
    checkCudaErrors(cudaMalloc((void**)&d_most, sizeof(int)));
    checkCudaErrors(cudaMalloc((void**)&d_sum, sizeof(unsigned long long)));
    checkCudaErrors(cudaMalloc((void**)&d_least, sizeof(unsigned int)));
    checkCudaErrors(cudaMemcpy(d_in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    bool right = true;

    reduce_shared<int><<<blocks, threads, threads * sizeof(int)>>>(d_in, d_partial, n);
    getLastCudaError("reduce_shared");
    right = right && total(d_partial, blocks) == expected;

    const int few = 16;
    switch (threads) {
        case 256:
            reduce_shuffles<int, 256><<<few, 256>>>(d_in, d_partial, n);
            break;
        default:
            reduce_shuffles<int, 128><<<few, 128>>>(d_in, d_partial, n);
            break;
    }
    getLastCudaError("reduce_shuffles");
    right = right && total(d_partial, few) == expected;

    int minGridSize = 0, blockSize = 0, maxActiveBlocks = 0;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void*)reduce_atomics, 0, n));
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&maxActiveBlocks, reduce_atomics, blockSize, 0));
    printf("launching blocks of %d threads, %d at a time on a multiprocessor\n", blockSize, maxActiveBlocks);
    checkCudaErrors(cudaMemset(d_sum, 0, sizeof(unsigned long long)));
    checkCudaErrors(cudaMemset(d_most, 0, sizeof(int)));
    checkCudaErrors(cudaMemset(d_least, 0xff, sizeof(unsigned int)));
    void* arguments[] = {(void*)&d_in, (void*)&d_sum, (void*)&d_most, (void*)&d_least, (void*)&n};
    checkCudaErrors(cudaLaunchKernel((void*)reduce_atomics, dim3((n + blockSize - 1) / blockSize), dim3(blockSize),
                                     arguments, 0, NULL));
    unsigned long long sum = 0;
    int most = 0;
    checkCudaErrors(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&most, d_most, sizeof most, cudaMemcpyDeviceToHost));
    right = right && sum == (unsigned long long)expected && most == 999;

    checkCudaErrors(cudaFree(d_in));
    checkCudaErrors(cudaFree(d_partial));
    checkCudaErrors(cudaFree(d_most));
    checkCudaErrors(cudaFree(d_sum));
    checkCudaErrors(cudaFree(d_least));
    return verdict(right);
}
