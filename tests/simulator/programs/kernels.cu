// What kernels can do: grids and blocks of every shape, device functions, math, atomics, templates, shared memory.
#include "resources.h"

#include <cmath>
#include <vector>

using namespace cases;

namespace {

template <class T>
std::vector<T> copied_back(const void* device, std::size_t count) {
    std::vector<T> values(count);
    CALL(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// --- indices ---

struct Indices {
    unsigned thread[3], block[3], block_size[3], grid_size[3];
};

__global__ void note_indices(Indices* to) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    Indices& mine = to[block * blockDim.x * blockDim.y * blockDim.z + thread];
    mine = {{threadIdx.x, threadIdx.y, threadIdx.z},
            {blockIdx.x, blockIdx.y, blockIdx.z},
            {blockDim.x, blockDim.y, blockDim.z},
            {gridDim.x, gridDim.y, gridDim.z}};
}

void expect_indices(dim3 grid, dim3 block) {
    const std::size_t threads = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
    DeviceMemory device(threads * sizeof(Indices));
    note_indices<<<grid, block>>>(reinterpret_cast<Indices*>(static_cast<unsigned*>(device)));
    CALL(cudaGetLastError());
    const std::vector<Indices> found = copied_back<Indices>(device, threads);
    std::size_t i = 0;
    bool right = true;
    for (unsigned bz = 0; bz < grid.z; ++bz)
        for (unsigned by = 0; by < grid.y; ++by)
            for (unsigned bx = 0; bx < grid.x; ++bx)
                for (unsigned tz = 0; tz < block.z; ++tz)
                    for (unsigned ty = 0; ty < block.y; ++ty)
                        for (unsigned tx = 0; tx < block.x; ++tx) {
                            const Indices expected{
                                {tx, ty, tz}, {bx, by, bz}, {block.x, block.y, block.z}, {grid.x, grid.y, grid.z}};
                            right = right && std::memcmp(&expected, &found[i++], sizeof expected) == 0;
                        }
    EXPECT(right);
}

void shapes() {
    expect_indices(1, 1);
    expect_indices(7, 33);
    expect_indices(dim3(3, 2), dim3(8, 4));
    expect_indices(dim3(2, 3, 4), dim3(4, 3, 2));
    expect_indices(dim3(1, 1, 5), dim3(1, 1, 64));
}

// --- functions and templates ---

__noinline__ __device__ unsigned twice(unsigned x) { return 2 * x; }
__host__ __device__ inline unsigned plus_one(unsigned x) { return x + 1; }
__attribute__((__noinline__)) void spelled_as_in_libstdcpp() {}
__forceinline__ __device__ unsigned inlined(unsigned x) { return twice(plus_one(x)); }
__device__ unsigned recursive(unsigned x) { return x == 0 ? 0 : x + recursive(x - 1); }

__global__ void call_functions(unsigned* to) { to[threadIdx.x] = inlined(threadIdx.x) + recursive(threadIdx.x); }

template <class T, unsigned factor>
__global__ void scale(T* values, T offset, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = values[i] * factor + offset;
    }
}

template <class T>
struct Add {
    T amount;
    __device__ T operator()(T x) const { return x + amount; }
};

template <class T, class Function>
__global__ void apply(T* values, unsigned count, Function function) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        values[i] = function(values[i]);
    }
}

void functions_and_templates() {
    constexpr unsigned count = 100;
    DeviceMemory device(count * sizeof(double));
    spelled_as_in_libstdcpp();
    call_functions<<<1, count>>>(device);
    const auto found = copied_back<unsigned>(device, count);
    bool right = true;
    for (unsigned i = 0; i < count; ++i) {
        right = right && found[i] == 2 * (i + 1) + i * (i + 1) / 2;
    }
    EXPECT(right);

    std::vector<double> values(count, 1.5);
    double* const doubles = reinterpret_cast<double*>(static_cast<unsigned*>(device));
    CALL(cudaMemcpy(doubles, values.data(), count * sizeof(double), cudaMemcpyHostToDevice));
    scale<double, 3><<<4, 32>>>(doubles, 0.25, count);
    apply<<<1, 32>>>(doubles, count, Add<double>{1});
    apply<<<1, 32>>>(doubles, count, [] __device__(double x) { return x * 2; });
    for (const double value : copied_back<double>(device, count)) {
        right = right && value == (1.5 * 3 + 0.25 + 1) * 2;
    }
    EXPECT(right);
}

__global__ void by_value(unsigned* to, Indices arguments, unsigned a, float b, const char* text) {
    to[0] = arguments.block[1];
    to[1] = a;
    to[2] = static_cast<unsigned>(b * 2);
    to[3] = text == nullptr ? 1 : 0;
}

void arguments_are_copied_at_the_launch() {
    DeviceMemory device(16);
    Indices arguments{{}, {0, 41, 0}, {}, {}};
    unsigned a = 7;
    by_value<<<1, 1>>>(device, arguments, a, 2.5F, nullptr);
    arguments.block[1] = 0;
    a = 0;
    EXPECT((copied_back<unsigned>(device, 4) == std::vector<unsigned>{41, 7, 5, 1}));
}

// --- math and vector types ---

__global__ void compute(double* to, float x) {
    to[0] = sqrt(2.0);
    to[1] = sqrtf(x);
    to[2] = fmaxf(x, 3.0F);
    to[3] = fma(2.0, 3.0, 4.0);
    to[4] = rsqrt(4.0);
    to[5] = min(3, 5) + max(2u, 7u) + min(1.5F, 0.5F);
    to[6] = exp(0.0) + log(1.0) + pow(2.0, 10.0);
    to[7] = __popc(255) + __clz(1) + __ffs(8);
    to[8] = abs(-3) + fabs(-0.5);
    to[9] = __ldg(to + 3);
    const float4 vector = make_float4(1, 2, 3, 4);
    const int2 pair = make_int2(5, 6);
    to[10] = vector.x + vector.w + pair.y;
    to[11] = floor(2.7) + ceil(2.1) + rint(2.5);
}

void math_and_vectors() {
    DeviceMemory device(12 * sizeof(double));
    compute<<<1, 1>>>(reinterpret_cast<double*>(static_cast<unsigned*>(device)), 9.0F);
    const auto found = copied_back<double>(device, 12);
    const double expected[] = {std::sqrt(2.0), 3, 9, 10, 0.5, 10.5, 1025, 8 + 31 + 4, 3.5, 10, 11, 2 + 3 + 2};
    for (int i = 0; i < 12; ++i) {
        EXPECT(std::abs(found[static_cast<std::size_t>(i)] - expected[i]) < 1e-12);
    }
    EXPECT(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 && alignof(int2) == 8);
}

// --- atomics ---

__global__ void add_up(unsigned* sum, unsigned long long* large, float* real, int* signed_sum) {
    __nanosleep(5000);  // longer than the launch of the next one takes
    atomicAdd(sum, 1u);
    atomicAdd(large, 3ULL);
    atomicAdd(real, 0.5F);
    atomicSub(signed_sum, 2);
}

__global__ void other_atomics(unsigned* to) {
    const unsigned i = threadIdx.x;
    atomicMax(to, i);
    atomicMin(to + 1, i);
    atomicOr(to + 2, 1u << i);
    atomicAnd(to + 3, ~(1u << i));
    atomicXor(to + 4, i);
    atomicInc(to + 5, 9u);
    atomicDec(to + 6, 9u);
    atomicExch(to + 7, i);
    if (atomicCAS(to + 8, 0u, i + 1) == 0u) {
        to[9] = i;
    }
}

void atomics() {
    constexpr unsigned blocks = 8, threads = 128;
    DeviceMemory device(40);
    CALL(cudaMemset(device, 0, 40));
    CALL(cudaDeviceSynchronize());
    Stream first, second;
    auto* const large = reinterpret_cast<unsigned long long*>(device + 2);
    auto* const real = reinterpret_cast<float*>(device + 4);
    auto* const signed_sum = reinterpret_cast<int*>(device + 5);
    // Atomics of kernels that run at the same time are no race.
    add_up<<<blocks, threads, 0, first>>>(device, large, real, signed_sum);   // at: first adder
    add_up<<<blocks, threads, 0, second>>>(device, large, real, signed_sum);  // at: second adder
    CALL(cudaDeviceSynchronize());
    const auto found = copied_back<unsigned>(device, 6);
    EXPECT(found[0] == 2 * blocks * threads);
    EXPECT(found[2] == 3 * 2 * blocks * threads && found[3] == 0);
    float sum = 0;
    std::memcpy(&sum, &found[4], sizeof sum);
    EXPECT(sum == blocks * threads);
    EXPECT(static_cast<int>(found[5]) == -2 * 2 * static_cast<int>(blocks * threads));

    const unsigned start[10] = {0, 99, 0, ~0u, 0, 0, 0, 0, 0, 77};
    CALL(cudaMemcpy(device, start, sizeof start, cudaMemcpyHostToDevice));
    other_atomics<<<1, 32>>>(device);
    EXPECT((copied_back<unsigned>(device, 10) == std::vector<unsigned>{31, 0, ~0u, 0, 0, 2, 8, 31, 1, 0}));
}

__global__ void plain_add(unsigned* sum) { *sum = *sum + 1; }  // at: plain access
__global__ void atomic_add(unsigned* sum) { atomicAdd(sum, 1u); }

void atomic_beside_plain_access() {
    DeviceMemory device(4);
    CALL(cudaMemset(device, 0, 4));
    CALL(cudaDeviceSynchronize());
    Stream first, second;
    atomic_add<<<1, 1, 0, first>>>(device);  // at: atomic kernel
    plain_add<<<1, 1, 0, second>>>(device);  // at: plain kernel
    CALL(cudaDeviceSynchronize());
}

// --- shared memory ---

template <class T>
__global__ void sum_of_neighbours(T* to) {
    extern __shared__ unsigned char bytes[];
    T* const values = reinterpret_cast<T*>(bytes);
    T sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) {
        values[i] = static_cast<T>(i + blockIdx.x);
    }
    for (unsigned i = 0; i <= threadIdx.x; ++i) {
        sum += values[i];
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern __shared__ unsigned shared_words[];
__global__ void shared_is_fresh(unsigned* to) {
    if (threadIdx.x == 0) {
        to[blockIdx.x] = shared_words[blockDim.x - 1];
        shared_words[blockDim.x - 1] = 5;
    }
}

void dynamic_shared_memory() {
    constexpr unsigned blocks = 3, threads = 64;
    DeviceMemory device(blocks * threads * sizeof(double));
    double* const sums = reinterpret_cast<double*>(static_cast<unsigned*>(device));
    sum_of_neighbours<<<blocks, threads, threads * sizeof(double)>>>(sums);
    const auto found = copied_back<double>(device, blocks * threads);
    bool right = true;
    for (unsigned i = 0; i < blocks * threads; ++i) {
        const unsigned block = i / threads, thread = i % threads;
        right = right && found[i] == thread * (thread + 1) / 2 + block * (thread + 1);
    }
    EXPECT(right);
    shared_is_fresh<<<blocks, threads, threads * sizeof(unsigned)>>>(device);
    EXPECT((copied_back<unsigned>(device, blocks) == std::vector<unsigned>(blocks, 0xA5A5A5A5)));
}

// --- cost ---

__global__ void touch(unsigned* to, unsigned count) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        to[i] = i;
    }
}

void more_work_takes_longer() {
    DeviceMemory device(mib);
    Stream stream;
    touch<<<1, 32, 0, stream>>>(device, 0);                                 // at: nothing touched
    touch<<<1, 32, 0, stream>>>(device, mib / sizeof(unsigned) / 2);        // at: half touched
    touch<<<1, 32, 0, stream>>>(device, mib / sizeof(unsigned));            // at: all touched
    CALL(cudaDeviceSynchronize());
}

__global__ void count_to(unsigned* to, unsigned rounds) {
    volatile unsigned counted = 0;
    for (unsigned i = 0; i < rounds; ++i) {
        counted = counted + 1;
    }
    if (counted == 0) {
        *to = counted;
    }
}

void the_fullest_multiprocessor_decides() {
    constexpr unsigned rounds = 400, threads = 32, multiprocessors = 132;
    DeviceMemory device(sizeof(unsigned));
    Stream stream;
    count_to<<<8 * multiprocessors - 32, threads, 0, stream>>>(device, 0);       // at: almost full, no rounds
    count_to<<<8 * multiprocessors - 32, threads, 0, stream>>>(device, rounds);  // at: almost full
    count_to<<<8 * multiprocessors, threads, 0, stream>>>(device, 0);            // at: full, no rounds
    count_to<<<8 * multiprocessors, threads, 0, stream>>>(device, rounds);       // at: full
    count_to<<<8 * multiprocessors + 1, threads, 0, stream>>>(device, 0);        // at: one more block, no rounds
    count_to<<<8 * multiprocessors + 1, threads, 0, stream>>>(device, rounds);   // at: one more block
    CALL(cudaDeviceSynchronize());
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(shapes),
    CASE(functions_and_templates),
    CASE(arguments_are_copied_at_the_launch),
    CASE(math_and_vectors),
    CASE(atomics),
    CASE(atomic_beside_plain_access),
    CASE(dynamic_shared_memory),
    CASE(more_work_takes_longer),
    CASE(the_fullest_multiprocessor_decides),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
