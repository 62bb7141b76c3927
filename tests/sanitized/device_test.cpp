// What runs on stacks of its own and through the API: kernels whose threads wait, kernels that are given up, graphs.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda_runtime.h"
#include "simulator/simulated_device.hpp"

namespace {

constexpr unsigned threads = 128;
constexpr unsigned blocks = 3;

struct SharedParts {
    int parts[threads];
};

void sum_block(const int* values, int* sums) {
    using Shared = simulator::SharedVariables<SharedParts>;
    int* const parts = Shared::storage.variables.parts;
    Shared::enter();
    parts[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = parts[0];
    }
}

void sum_warp(const int* values, int* sums) {
    int sum = values[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sums, sum);
    }
}

// Half of the threads never come.
void wait_for_ever(int*) {
    const std::vector<int> on_this_stack(3);  // freed when the stack is given up
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncwarp(0x55555555u << 1 | 1);
    }
}

void add_one(int* values, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        values[i] += 1;
    }
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(const std::vector<T>& content) : bytes_(content.size() * sizeof(T)), result_(content) {
        EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), bytes_), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(data_, content.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() { return data_; }
    const std::vector<T>& content() {
        EXPECT_EQ(cudaMemcpy(result_.data(), data_, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
        return result_;
    }

private:
    T* data_ = nullptr;
    std::size_t bytes_;
    std::vector<T> result_;
};

std::vector<int> numbers(std::size_t count) {
    std::vector<int> result(count);
    std::iota(result.begin(), result.end(), 1);
    return result;
}

TEST(Sanitized, threads_wait_at_barriers_on_stacks_of_their_own) {
    DeviceArray<int> values(numbers(blocks * threads));
    DeviceArray<int> sums(std::vector<int>{0, 0, 0});
    SIMULATOR_KERNEL("sum_block", sum_block).with(blocks, threads)(values.data(), sums.data());
    EXPECT_EQ(sums.content(), (std::vector<int>{8256, 24640, 41024}));
}

TEST(Sanitized, lanes_exchange_values) {
    DeviceArray<int> values(numbers(threads));
    DeviceArray<int> sum(std::vector<int>{0});
    SIMULATOR_KERNEL("sum_warp", sum_warp).with(1, threads)(values.data(), sum.data());
    EXPECT_EQ(sum.content(), std::vector<int>{threads * (threads + 1) / 2});
}

TEST(Sanitized, a_kernel_whose_threads_wait_for_ever_is_given_up_and_the_next_one_runs) {
    DeviceArray<int> values(numbers(threads));
    SIMULATOR_KERNEL("wait_for_ever", wait_for_ever).with(1, threads)(values.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchTimeout);
    DeviceArray<int> sums(std::vector<int>{0});
    SIMULATOR_KERNEL("sum_block", sum_block).with(1, threads)(values.data(), sums.data());
    EXPECT_EQ(sums.content(), std::vector<int>{8256});
}

TEST(Sanitized, a_captured_fork_and_join_runs_again_and_again) {
    constexpr int count = 256;
    DeviceArray<int> values(numbers(2 * count));
    cudaStream_t stream = nullptr;
    cudaStream_t side = nullptr;
    cudaEvent_t forked = nullptr;
    cudaEvent_t joined = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&side);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);

    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    cudaEventRecord(forked, stream);
    cudaStreamWaitEvent(side, forked, 0);
    SIMULATOR_KERNEL("add_one", add_one).with(2, threads, 0, stream)(values.data(), count);
    SIMULATOR_KERNEL("add_one", add_one).with(2, threads, 0, side)(values.data() + count, count);
    cudaEventRecord(joined, side);
    cudaStreamWaitEvent(stream, joined, 0);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphExec_t exec = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<int> expected = numbers(2 * count);
    for (int& value : expected) {
        value += 5;
    }
    EXPECT_EQ(values.content(), expected);
    cudaGraphExecDestroy(exec);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(side);
}

TEST(Sanitized, a_pipeline_with_host_functions_and_memory_in_stream_order) {
    constexpr int count = 1000;
    int* host = nullptr;
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaMallocHost(reinterpret_cast<void**>(&host), count * sizeof(int)), cudaSuccess);
    cudaStreamCreate(&stream);
    std::fill(host, host + count, 4);
    int calls = 0;
    for (int round = 0; round < 3; ++round) {
        int* data = nullptr;
        EXPECT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&data), count * sizeof(int), stream), cudaSuccess);
        cudaMemcpyAsync(data, host, count * sizeof(int), cudaMemcpyHostToDevice, stream);
        SIMULATOR_KERNEL("add_one", add_one).with(8, threads, 0, stream)(data, count);
        cudaMemcpyAsync(host, data, count * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(
            stream, [](void* counted) { ++*static_cast<int*>(counted); }, &calls);
        EXPECT_EQ(cudaFreeAsync(data, stream), cudaSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(std::vector<int>(host, host + count), std::vector<int>(count, 7));
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
}

}  // namespace
