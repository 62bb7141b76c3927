// Cooperative groups: a block, tiles of a warp, the threads that came along a branch together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <sample.h>

#include <vector>

namespace cg = cooperative_groups;

// One atomic operation for all the threads that ask for a place at this moment.
__device__ int atomicAggInc(int* counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) {
        first = atomicAdd(counter, (int)active.size());
    }
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void filter(int* dst, int* nres, const int* src, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
        if (src[i] > 0) {
            dst[atomicAggInc(nres)] = src[i];  // at: write in filter
        }
    }
}

__global__ void sum_tiles(const int* data, int* sums, float* largest) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    __shared__ int of_tiles[32];
    int value = data[blockIdx.x * block.size() + block.thread_rank()];
    const int sum = cg::reduce(tile, value, cg::plus<int>());
    const float most = cg::reduce(tile, (float)value, cg::greater<float>());
    for (int delta = tile.size() / 2; delta > 0; delta /= 2) {
        value += tile.shfl_xor(value, delta);
    }
    if (tile.thread_rank() == 0) {
        of_tiles[tile.meta_group_rank()] = value == sum ? sum : 0;
    }
    if (block.thread_rank() == 0) {
        largest[blockIdx.x] = most;
    }
    cg::sync(block);
    if (block.thread_rank() == 0) {
        int total = 0;
        for (unsigned i = 0; i < tile.meta_group_size(); ++i) {
            total += of_tiles[i];
        }
        sums[blockIdx.x] = total;
    }
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const int n = 8192, threads = 256, blocks = n / threads;
    std::vector<int> data(n), found(n);
    int positive = 0;
    long long expected = 0, expected_positive = 0;
    for (int i = 0; i < n; ++i) {
        data[i] = i * 37 % 101 - 50;
        expected += data[i];
        positive += data[i] > 0;
        expected_positive += data[i] > 0 ? data[i] : 0;
    }
#ifdef BROKEN
    const int places = positive / 2;
#else
    const int places = positive;
#endif
    int *d_data, *d_filtered, *d_count, *d_sums;
    float* d_largest;
    checkCudaErrors(cudaMalloc(&d_data, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_filtered, places * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_count, sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_sums, blocks * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_largest, blocks * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_count, 0, sizeof(int)));
    filter<<<blocks / 4, threads>>>(d_filtered, d_count, d_data, n);
    sum_tiles<<<blocks, threads>>>(d_data, d_sums, d_largest);
    getLastCudaError("kernels");
    int count = 0;
    std::vector<int> sums(blocks);
    checkCudaErrors(cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(found.data(), d_filtered, places * sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0, sum_positive = 0;
    for (int value : sums) {
        sum += value;
    }
    for (int i = 0; i < places; ++i) {
        sum_positive += found[i];
    }
    checkCudaErrors(cudaFree(d_data));
    checkCudaErrors(cudaFree(d_filtered));
    checkCudaErrors(cudaFree(d_count));
    checkCudaErrors(cudaFree(d_sums));
    checkCudaErrors(cudaFree(d_largest));
    printf("%d positive, sum %lld\n", count, sum);
    return verdict(count == positive && sum == expected && sum_positive == expected_positive);
}
