// Threads that wait for each other: shared memory, barriers of a block, functions of a warp.
#include <cooperative_groups.h>

#include <vector>

#include "resources.h"

using namespace cases;

namespace {

template <class T>
std::vector<T> copied_back(const void* device, std::size_t count) {
    std::vector<T> values(count);
    CALL(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

template <class T>
void expect_values(const std::vector<T>& found, const std::vector<T>& expected) {
    EXPECT(found == expected);
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
        if (found[i] != expected[i]) {
            std::printf("at %zu: expected %g, found %g\n", i, static_cast<double>(expected[i]),
                        static_cast<double>(found[i]));
            return;
        }
    }
}

// --- shared memory and barriers ---

__global__ void reverse_block(unsigned* values) {
    __shared__ unsigned block[256];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    block[threadIdx.x] = values[i];
    __syncthreads();
    values[i] = block[blockDim.x - 1 - threadIdx.x];
}

template <class T, unsigned threads>
__global__ void block_sum(const T* from, T* to) {
    __shared__ T sums[threads], first;
    static __shared__ __align__(16) T second[2][2];
    sums[threadIdx.x] = from[blockIdx.x * threads + threadIdx.x];
    if (threadIdx.x == 0) {
        first = 1;
        second[1][0] = 2;
    }
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        to[blockIdx.x] = sums[0] + first + second[1][0];
    }
}

__global__ void transpose(const unsigned* from, unsigned* to, unsigned width) {
    __shared__ unsigned tile[16][17];
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = from[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    to[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

void shared_memory() {
    constexpr unsigned count = 4 * 256;
    std::vector<unsigned> values(count), expected(count), transposed(32 * 32);
    for (unsigned i = 0; i < count; ++i) {
        values[i] = i;
        expected[i] = i / 256 * 256 + 255 - i % 256;
        transposed[i] = i % 32 * 32 + i / 32;
    }
    DeviceMemory device(count * sizeof(unsigned)), other(count * sizeof(unsigned));
    CALL(cudaMemcpy(device, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
    reverse_block<<<4, 256>>>(device);
    expect_values(copied_back<unsigned>(device, count), expected);

    CALL(cudaMemcpy(device, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
    transpose<<<dim3(2, 2), dim3(16, 16)>>>(device, other, 32);
    expect_values(copied_back<unsigned>(other, count), transposed);

    block_sum<unsigned, 128><<<8, 128>>>(device, other);
    std::vector<unsigned> sums;
    for (unsigned block = 0; block < 8; ++block) {
        sums.push_back(128 * (128 * block) + 127 * 128 / 2 + 3);
    }
    expect_values(copied_back<unsigned>(other, 8), sums);
    const std::vector<double> ones(64, 1.5);
    CALL(cudaMemcpy(device, ones.data(), 64 * sizeof(double), cudaMemcpyHostToDevice));
    const auto as_doubles = [](unsigned* p) { return reinterpret_cast<double*>(p); };
    block_sum<double, 64><<<1, 64>>>(as_doubles(device), as_doubles(other));
    expect_values(copied_back<double>(other, 1), {99.0});
}

__global__ void dynamic_reverse(unsigned* values, unsigned count) {
    extern __shared__ unsigned words[];
    float* const floats = reinterpret_cast<float*>(words + count);
    words[threadIdx.x] = values[threadIdx.x];
    floats[threadIdx.x] = 0.5f * threadIdx.x;
    __syncthreads();
    values[threadIdx.x] =
        words[count - 1 - threadIdx.x] + static_cast<unsigned>(2 * floats[count - 1 - threadIdx.x]) * 1000;
}

void dynamic_shared_memory() {
    std::vector<unsigned> values(64), expected(64);
    for (unsigned i = 0; i < 64; ++i) {
        values[i] = i + 7;
        expected[i] = 70 - i + (63 - i) * 1000;
    }
    DeviceMemory device(64 * sizeof(unsigned));
    CALL(cudaMemcpy(device, values.data(), 64 * sizeof(unsigned), cudaMemcpyHostToDevice));
    dynamic_reverse<<<1, 64, 64 * (sizeof(unsigned) + sizeof(float))>>>(device, 64);
    expect_values(copied_back<unsigned>(device, 64), expected);
}

// Each block finds its shared memory poisoned, also when only some blocks come by.
__global__ void shared_is_fresh(unsigned* to) {
    if (blockIdx.x % 2 == 0) {
        __shared__ unsigned kept[4];
        if (threadIdx.x == 0) {
            to[blockIdx.x] = kept[3];
            kept[3] = 7;
        }
        __syncthreads();
        if (threadIdx.x == 1) {
            to[blockIdx.x + 1] = kept[3];
        }
    }
}

void shared_memory_is_fresh_in_each_block() {
    DeviceMemory device(6 * sizeof(unsigned));
    shared_is_fresh<<<6, 2>>>(device);
    const unsigned poison = 0xA5A5A5A5;
    expect_values(copied_back<unsigned>(device, 6), {poison, 7, poison, 7, poison, 7});
}

__global__ void count_votes(int* to) {
    const int i = static_cast<int>(threadIdx.x);
    to[3 * i] = __syncthreads_count(i % 3 == 0);
    to[3 * i + 1] = __syncthreads_and(i < 100);
    to[3 * i + 2] = __syncthreads_or(i == 77) + 2 * __syncthreads_and(i < 99);
}

void barriers_with_votes() {
    DeviceMemory device(300 * sizeof(int));
    count_votes<<<1, 100>>>(reinterpret_cast<int*>(static_cast<unsigned*>(device)));
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
        expected.insert(expected.end(), {34, 1, 1});
    }
    expect_values(copied_back<int>(device, 300), expected);
}

// Threads that have ended are not waited for.
__global__ void some_end_early(unsigned* to, unsigned count) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    if (threadIdx.x >= count) {
        return;
    }
    atomicAdd(&sum, 1);
    __syncthreads();
    to[threadIdx.x] = sum;
}

void threads_may_end_before_a_barrier() {
    DeviceMemory device(40 * sizeof(unsigned));
    some_end_early<<<1, 96>>>(device, 40);
    expect_values(copied_back<unsigned>(device, 40), std::vector<unsigned>(40, 40));
}

__device__ unsigned sum_of_block(unsigned value) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, value);
    __syncthreads();
    const unsigned result = sum;
    __syncthreads();
    return result;
}

__global__ void barriers_in_functions_and_loops(unsigned* to) {
    unsigned sum = 0;
    for (unsigned round = 1; round <= 5; ++round) {
        sum += sum_of_block(round * (threadIdx.x + 1));
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum + blockIdx.x;
}

void barriers_anywhere() {
    DeviceMemory device(3 * 33 * sizeof(unsigned));
    barriers_in_functions_and_loops<<<3, 33>>>(device);
    std::vector<unsigned> expected;
    for (unsigned block = 0; block < 3; ++block) {
        expected.insert(expected.end(), 33, 15 * (33 * 34 / 2) + block);
    }
    expect_values(copied_back<unsigned>(device, 3 * 33), expected);
}

__global__ void largest_block(unsigned* to) {
    extern __shared__ unsigned values[];
    const unsigned i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    values[i] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
    __syncthreads();
    const unsigned next = (i + 1) % 1024;
    __syncthreads();
    // The built-in variables are those of the thread again after every barrier.
    to[i] = values[next] + (i == (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x ? 0 : 100000);
}

void blocks_of_1024_threads() {
    DeviceMemory device(1024 * sizeof(unsigned));
    largest_block<<<1, dim3(8, 8, 16), 1024 * sizeof(unsigned)>>>(device);
    std::vector<unsigned> expected;
    for (unsigned i = 1; i <= 1024; ++i) {
        expected.push_back(i % 8 + 10 * (i / 8 % 8) + 100 * (i / 64 % 16));
    }
    expect_values(copied_back<unsigned>(device, 1024), expected);
}

// --- warps ---

__global__ void shuffle_values(int* to) {
    const int lane = static_cast<int>(threadIdx.x % warpSize);
    int* const mine = to + 8 * threadIdx.x;
    mine[0] = __shfl_sync(0xffffffff, lane * 10, 3);
    mine[1] = __shfl_up_sync(0xffffffff, lane * 10, 2);
    mine[2] = __shfl_down_sync(0xffffffff, lane * 10, 2);
    mine[3] = __shfl_xor_sync(0xffffffff, lane * 10, 5);
    mine[4] = __shfl_sync(0xffffffff, lane * 10, 9, 8);
    mine[5] = __shfl_up_sync(0xffffffff, lane * 10, 1, 4);
    mine[6] = __shfl_down_sync(0xffffffff, lane * 10, 3, 16);
    mine[7] = static_cast<int>(__shfl_xor_sync(0xffffffff, lane * 0.5, 1) * 10);
}

void shuffles() {
    constexpr int threads = 64;
    DeviceMemory device(8 * threads * sizeof(int));
    shuffle_values<<<1, threads>>>(reinterpret_cast<int*>(static_cast<unsigned*>(device)));
    std::vector<int> expected;
    for (int i = 0; i < threads; ++i) {
        const int lane = i % 32;
        expected.insert(expected.end(), {30, 10 * (lane < 2 ? lane : lane - 2), 10 * (lane > 29 ? lane : lane + 2),
                                         10 * (lane ^ 5), 10 * (lane / 8 * 8 + 1), 10 * (lane % 4 < 1 ? lane : lane - 1),
                                         10 * (lane % 16 + 3 > 15 ? lane : lane + 3), 5 * (lane ^ 1)});
    }
    expect_values(copied_back<int>(device, 8 * threads), expected);
}

__inline__ __device__ unsigned warp_sum(unsigned value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    return value;
}

__global__ void sum_by_warps(const unsigned* from, unsigned* to, unsigned count) {
    __shared__ unsigned sums[32];
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        sum += from[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % warpSize == 0) {
        sums[threadIdx.x / warpSize] = sum;
    }
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? sums[threadIdx.x] : 0;
    if (threadIdx.x / warpSize == 0) {
        sum = warp_sum(sum);
    }
    if (threadIdx.x == 0) {
        atomicAdd(to, sum);
    }
}

void reduction_by_warps() {
    constexpr unsigned count = 100'000;
    std::vector<unsigned> values(count);
    unsigned expected = 0;
    for (unsigned i = 0; i < count; ++i) {
        values[i] = i * 2654435761u;
        expected += values[i];
    }
    DeviceMemory device(count * sizeof(unsigned)), sum(sizeof(unsigned));
    CALL(cudaMemcpy(device, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
    CALL(cudaMemset(sum, 0, sizeof(unsigned)));
    sum_by_warps<<<13, 224>>>(device, sum, count);
    expect_values(copied_back<unsigned>(sum, 1), {expected});
}

__global__ void vote_in_warps(unsigned* to) {
    const unsigned lane = threadIdx.x % warpSize;
    unsigned* const mine = to + 8 * threadIdx.x;
    mine[0] = __ballot_sync(0xffffffff, lane % 4 == 1);
    mine[1] = __any_sync(0xffffffff, lane == 9) + 2 * __any_sync(0xffffffff, lane > 31);
    mine[2] = __all_sync(0xffffffff, lane < 32) + 2 * __all_sync(0xffffffff, lane < 31);
    mine[3] = __match_any_sync(0xffffffff, lane / 16);
    mine[4] = __reduce_add_sync(0xffffffff, lane);
    mine[5] = __reduce_max_sync(0xffffffff, static_cast<int>(lane) - 40) + 100;
    mine[6] = mine[7] = 0;
    if (lane < 8) {  // a part of the warp with a mask of its own
        mine[6] = __ballot_sync(0x000000ff, lane > 3);
        __syncwarp(0x000000ff);
    } else {
        mine[6] = __ballot_sync(0xffffff00, lane > 30);
    }
    if (lane % 2 == 1) {
        mine[7] = __activemask();
    }
    __syncwarp();
}

void votes() {
    DeviceMemory device(8 * 64 * sizeof(unsigned));
    vote_in_warps<<<1, 64>>>(device);
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned lane = i % 32;
        expected.insert(expected.end(), {0x22222222, 1, 1, lane < 16 ? 0x0000ffff : 0xffff0000, 496, 91,
                                         lane < 8 ? 0x000000f0 : 0x80000000, lane % 2 == 1 ? 0xaaaaaaaa : 0});
    }
    expect_values(copied_back<unsigned>(device, 8 * 64), expected);
}

// The last warp has 8 threads; of the others one ended early.
__global__ void incomplete_warps(unsigned* to) {
    if (threadIdx.x == 5) {
        return;
    }
    to[threadIdx.x] = __ballot_sync(0xffffffff, 1);
}

void votes_of_incomplete_warps() {
    DeviceMemory device(40 * sizeof(unsigned));
    CALL(cudaMemset(device, 0, 40 * sizeof(unsigned)));
    incomplete_warps<<<1, 40>>>(device);
    std::vector<unsigned> expected(32, ~(1u << 5));
    expected[5] = 0;
    expected.insert(expected.end(), 8, 0xff);
    expect_values(copied_back<unsigned>(device, 40), expected);
}

__device__ unsigned take_a_place(unsigned* counter) {
    const unsigned active = __activemask();
    const int leader = __ffs(static_cast<int>(active)) - 1;
    const unsigned lane = threadIdx.x % warpSize;
    unsigned first = 0;
    if (static_cast<int>(lane) == leader) {
        first = atomicAdd(counter, __popc(active));
    }
    first = __shfl_sync(active, first, leader);
    return first + __popc(active & ((1u << lane) - 1));
}

__global__ void keep_multiples_of_three(unsigned* to, unsigned* counter) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0) {
        to[take_a_place(counter)] = i;
    }
}

void compaction_with_active_masks() {
    DeviceMemory device(100 * sizeof(unsigned)), counter(sizeof(unsigned));
    CALL(cudaMemset(counter, 0, sizeof(unsigned)));
    keep_multiples_of_three<<<3, 100>>>(device, counter);
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < 300; i += 3) {
        expected.push_back(i);
    }
    expect_values(copied_back<unsigned>(counter, 1), {100u});
    expect_values(copied_back<unsigned>(device, 100), expected);
}

// --- cooperative groups ---

namespace cg = cooperative_groups;

__global__ void use_groups(unsigned* to) {
    __shared__ unsigned values[128];
    const cg::thread_block block = cg::this_thread_block();
    values[block.thread_rank()] = block.thread_rank() + block.group_index().x;
    block.sync();
    const unsigned other = values[block.size() - 1 - block.thread_rank()];
    cg::sync(block);
    const auto tile = cg::tiled_partition<16>(block);
    unsigned sum = other;
    for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2) {
        sum += tile.shfl_down(sum, offset);
    }
    sum = tile.shfl(sum, 0);
    const bool any = tile.any(tile.thread_rank() == 15);
    tile.sync();
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum + (any ? 0 : 100000) + 1000000 * tile.meta_group_rank();
}

void groups() {
    DeviceMemory device(2 * 128 * sizeof(unsigned));
    use_groups<<<2, 128>>>(device);
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < 256; ++i) {
        const unsigned block = i / 128, tile = i % 128 / 16, last = 127 - 16 * tile;
        expected.push_back(16 * (last + block) - 15 * 16 / 2 + 1000000 * tile);
    }
    expect_values(copied_back<unsigned>(device, 256), expected);
}

// --- wrong uses ---

__global__ void barrier_in_both_branches(unsigned* to) {
    if (threadIdx.x < 16) {
        to[threadIdx.x] = 1;
        __syncthreads();  // at: barrier of the first
    } else {
        __syncthreads();  // at: barrier of the others
        to[threadIdx.x] = to[threadIdx.x - 16];
    }
}

void diverged_barrier() {
    DeviceMemory device(32 * sizeof(unsigned));
    barrier_in_both_branches<<<2, 32>>>(device);
    expect_values(copied_back<unsigned>(device, 32), std::vector<unsigned>(32, 1));
}

__global__ void warp_waits_for_block(unsigned* to) {
    to[threadIdx.x] = 1;
    if (threadIdx.x == 7) {
        __syncthreads();  // at: waits for the block
    } else {
        __syncwarp();  // at: waits for the warp
    }
    to[threadIdx.x] = 2;
}

__global__ void write(unsigned* to, unsigned value) { to[threadIdx.x] = value; }

void barrier_never_reached() {
    DeviceMemory device(32 * sizeof(unsigned));
    warp_waits_for_block<<<2, 32>>>(device);
    CALL(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaErrorLaunchTimeout, cudaGetLastError());
    expect_values(copied_back<unsigned>(device, 32), std::vector<unsigned>(32, 0xA5A5A5A5));
    // Kernels after it are not harmed.
    write<<<1, 32>>>(device, 3);
    reverse_block<<<1, 32>>>(device);
    expect_values(copied_back<unsigned>(device, 32), std::vector<unsigned>(32, 3));
}

__global__ void wrong_mask(unsigned* to) {
    to[threadIdx.x] = __ballot_sync(0x0000ffff, 1);  // at: mask without the caller
}

void lane_not_in_mask() {
    DeviceMemory device(32 * sizeof(unsigned));
    wrong_mask<<<1, 32>>>(device);
    CALL(cudaDeviceSynchronize());
}

__global__ void write_past_a_barrier(unsigned* to, unsigned count) {
    __shared__ unsigned offset;
    if (threadIdx.x == 0) {
        offset = blockIdx.x * blockDim.x;
        atomicAdd(to, 1);
    }
    __syncthreads();
    const unsigned i = offset + threadIdx.x;
    __syncthreads();
    if (i < count) {
        to[i + 1] = i;  // at: write past the end
    }
    __syncthreads();
}

void out_of_bounds_behind_a_barrier() {
    DeviceMemory device(1001 * sizeof(unsigned));
    CALL(cudaMemset(device, 0, 4));
    write_past_a_barrier<<<8, 128>>>(device, 1003);
    const std::vector<unsigned> found = copied_back<unsigned>(device, 1001);
    EXPECT(found[0] == 8);  // looking for the thread ran no atomic twice
    EXPECT(found[1] == 0 && found[1000] == 999);
}

__global__ void only_count_blocks(unsigned* to) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        sum += i ^ threadIdx.x;
    }
    to[threadIdx.x] = sum;
}
__global__ void count_blocks_around_a_barrier(unsigned* to) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        sum += i ^ threadIdx.x;
    }
    __syncthreads();
    to[threadIdx.x] = sum;
}

void cost_with_barriers() {
    DeviceMemory device(1024 * sizeof(unsigned));
    only_count_blocks<<<1024, 1024>>>(device);             // at: without a barrier
    count_blocks_around_a_barrier<<<1024, 1024>>>(device);  // at: with a barrier
    CALL(cudaDeviceSynchronize());
}

__global__ void read_behind_a_barrier(unsigned* values) {
    __syncthreads();
    values[threadIdx.x] += 1;
}

void race_behind_a_barrier() {
    DeviceMemory device(32 * sizeof(unsigned));
    CALL(cudaMemset(device, 0, 32 * sizeof(unsigned)));
    CALL(cudaDeviceSynchronize());
    Stream first, second;
    write<<<1, 32, 0, first>>>(device, 1);              // at: unordered write
    read_behind_a_barrier<<<1, 32, 0, second>>>(device);  // at: unordered update
    CALL(cudaDeviceSynchronize());
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(shared_memory),
    CASE(dynamic_shared_memory),
    CASE(shared_memory_is_fresh_in_each_block),
    CASE(barriers_with_votes),
    CASE(threads_may_end_before_a_barrier),
    CASE(barriers_anywhere),
    CASE(blocks_of_1024_threads),
    CASE(shuffles),
    CASE(reduction_by_warps),
    CASE(votes),
    CASE(votes_of_incomplete_warps),
    CASE(compaction_with_active_masks),
    CASE(groups),
    CASE(diverged_barrier),
    CASE(barrier_never_reached),
    CASE(lane_not_in_mask),
    CASE(out_of_bounds_behind_a_barrier),
    CASE(cost_with_barriers),
    CASE(race_behind_a_barrier),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
