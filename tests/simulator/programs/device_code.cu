// What kernels may use beside threads and memory: variables of the device, clocks, printf, atomics, functors, halves.
#include <cuda_fp16.h>
#include <device_launch_parameters.h>

#include <ctime>
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

int* as_ints(unsigned* pointer) { return reinterpret_cast<int*>(pointer); }

// --- __constant__ and __device__ variables ---

__constant__ float coefficients[4];
__constant__ __device__ int scale = 3;
__device__ int counter;
__device__ float table[8] = {0, 1, 2, 3}, *unused_pointer = nullptr;
static __device__ unsigned history[64];

__global__ void use_variables(float* to) {
    const unsigned i = threadIdx.x;
    to[i] = coefficients[i % 4] * scale + table[i % 8];
    atomicAdd(&counter, 1);
    if (i == 0) {
        table[7] = 100;
    }
}

void variables_of_the_device() {
    DeviceMemory device(32 * sizeof(float));
    float* const to = reinterpret_cast<float*>(static_cast<unsigned*>(device));
    const float first[4] = {1, 10, 100, 1000}, last[2] = {-1, -2};
    CALL(cudaMemcpyToSymbol(coefficients, first, sizeof first));
    CALL(cudaMemcpyToSymbol(coefficients, last, sizeof last, 2 * sizeof(float)));
    use_variables<<<1, 32>>>(to);
    const std::vector<float> found = copied_back<float>(device, 32);
    const float expected[8] = {3, 31, -1, -3, 3, 30, -3, -6};
    bool right = true;
    for (int i = 0; i < 7; ++i) {
        right = right && found[i] == expected[i];
    }
    EXPECT(right);

    int count = 0;
    CALL(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 32);
    float kept[2] = {};
    CALL(cudaMemcpyFromSymbol(kept, table, sizeof kept, 6 * sizeof(float)));
    EXPECT(kept[0] == 0 && kept[1] == 100);

    void* address = nullptr;
    std::size_t bytes = 0;
    CALL(cudaGetSymbolAddress(&address, table));
    CALL(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 8 * sizeof(float));
    CALL(cudaMemset(address, 0, bytes));
    use_variables<<<1, 32>>>(to);
    EXPECT(copied_back<float>(device, 32)[1] == 30 && copied_back<float>(address, 8)[7] == 100);
    use_variables<<<1, 8>>>(static_cast<float*>(address));
    EXPECT(copied_back<float>(address, 8)[0] == 3);
}

void copies_of_symbols() {
    PinnedMemory host(64 * sizeof(unsigned)), back(64 * sizeof(unsigned));
    fill(host, 64 * sizeof(unsigned), 5);
    fill(back, 64 * sizeof(unsigned), 0);
    Stream stream;
    CALL(cudaMemcpyToSymbolAsync(history, host, 64 * sizeof(unsigned), 0, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyFromSymbolAsync(back, history, 64 * sizeof(unsigned), 0, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(back, 64 * sizeof(unsigned), 5));
    DeviceMemory device(16);
    CALL(cudaMemset(device, 1, 16));
    CALL(cudaMemcpyToSymbol(history, device, 16, 8, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyFromSymbol(back, history, 16, 8));
    EXPECT(back[0] == 0x01010101 && back[3] == 0x01010101);
}

float on_the_host[4];

void wrong_uses_of_symbols() {
    const float values[5] = {};
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(on_the_host, values, 16));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(coefficients[1], values, 4));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyToSymbol(coefficients, values, 16, 0, cudaMemcpyDeviceToHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(coefficients, values, 20));  // at: symbol too small
    void* address = nullptr;
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, on_the_host));
    CALL(cudaMemcpyToSymbol(coefficients, values, 16));
}

__global__ void read_history(unsigned* to) { to[threadIdx.x] = history[threadIdx.x]; }
__global__ void write_history(unsigned value) { history[threadIdx.x] = value; }

void races_on_variables() {
    PinnedMemory host(64 * sizeof(unsigned));
    DeviceMemory device(64 * sizeof(unsigned));
    fill(host, 64 * sizeof(unsigned), 5);
    Stream first, second;
    CALL(cudaMemcpyToSymbolAsync(history, host, 64 * sizeof(unsigned), 0, cudaMemcpyHostToDevice, first));  // at: symbol written
    read_history<<<1, 64, 0, second>>>(device);  // at: symbol read
    CALL(cudaDeviceSynchronize());
    write_history<<<1, 64, 0, first>>>(1);
    read_history<<<1, 64, 0, first>>>(device);
    CALL(cudaDeviceSynchronize());
    EXPECT(copied_back<unsigned>(device, 64) == std::vector<unsigned>(64, 1));
    write_history<<<1, 64, 0, first>>>(2);   // at: variable written
    write_history<<<1, 64, 0, second>>>(3);  // at: variable written again
    CALL(cudaDeviceSynchronize());
}

// --- clocks ---

__global__ void wait_for_cycles(long long cycles, long long* spent) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
    *spent = clock64() - start;
}

__global__ void wait_with_clock(clock_t cycles, long long* spent) {
    const clock_t start = clock();
    clock_t now = start;
    while (now - start < cycles) {
        now = clock();
    }
    *spent = now - start;
}

__global__ void sleep_in_kernel(unsigned nanoseconds) { __nanosleep(nanoseconds); }

__global__ void do_nothing() {}

void clocks() {
    DeviceMemory device(2 * sizeof(long long));
    long long* const spent = reinterpret_cast<long long*>(static_cast<unsigned*>(device));
    do_nothing<<<1, 1>>>();                            // at: nothing
    wait_for_cycles<<<1, 1>>>(19'800'000, spent);      // at: 10 ms by clock64
    wait_with_clock<<<1, 1>>>(1'980'000, spent + 1);   // at: 1 ms by clock
    sleep_in_kernel<<<2, 64>>>(50'000);                // at: 50 us of sleep
    const std::vector<long long> found = copied_back<long long>(device, 2);
    EXPECT(found[0] >= 19'800'000 && found[0] < 20'200'000);
    EXPECT(found[1] >= 1'980'000 && found[1] < 2'020'000);
    const clock_t before = clock();  // the host's own
    EXPECT(before >= 0 && before < 3600 * CLOCKS_PER_SEC);
}

// --- printf ---

__global__ void print_something(int value) {
    printf("thread %d of block %d: %.1f\n", threadIdx.x, blockIdx.x, 0.5 * value);
    if (threadIdx.x == 1) {
        puts("second");
    }
}

void printing() {
    std::printf("before\n");
    print_something<<<2, 2>>>(3);
    std::printf("launched\n");
    CALL(cudaDeviceSynchronize());
    std::printf("after\n");
}

__global__ void print_out_of_bounds(int* to) {
    printf("printed once\n");
    to[threadIdx.x] = 1;  // at: one too many
}

void printing_is_not_repeated() {
    DeviceMemory device(sizeof(int));
    print_out_of_bounds<<<1, 2>>>(as_ints(device));
    CALL(cudaDeviceSynchronize());
}

// --- atomics ---

__global__ void __launch_bounds__(256, 2) more_atomics(unsigned long long* to, double* real) {
    const unsigned i = threadIdx.x;
    atomicMax(to, 1000ull + i);
    atomicMin(reinterpret_cast<long long*>(to + 1), -static_cast<long long>(i));
    atomicAnd(to + 2, ~(1ull << (i + 20)));
    atomicOr(to + 3, 1ull << (i + 20));
    atomicXor(to + 4, 1ull << (i + 20));
    atomicExch(to + 5, 77ull);
    unsigned long long old = to[6], assumed;
    do {
        assumed = old;
        old = atomicCAS(to + 6, assumed, assumed + i);
    } while (assumed != old);
    atomicAdd(real, 0.25);
    atomicAdd_block(to + 7, 2ull);
    atomicAdd_system(to + 7, 1ull);
}

void atomics_of_64_bits() {
    DeviceMemory device(10 * 8);
    CALL(cudaMemset(device, 0, 10 * 8));
    auto* const to = reinterpret_cast<unsigned long long*>(static_cast<unsigned*>(device));
    CALL(cudaMemset(to + 2, 0xff, 8));
    more_atomics<<<1, 32>>>(to, reinterpret_cast<double*>(to + 8));
    const unsigned long long bits = 0xffffffffull << 20;
    const std::vector<unsigned long long> found = copied_back<unsigned long long>(device, 9);
    EXPECT((found == std::vector<unsigned long long>{1031, ~0ull - 30, ~bits, bits, bits, 77, 496, 96,
                                                     0x4020000000000000}));
}

__global__ void atomic_out_of_bounds(int* to) {
    atomicAdd(to + threadIdx.x, 1);  // at: atomic past the end
}

void atomics_out_of_bounds() {
    DeviceMemory device(4 * sizeof(int));
    CALL(cudaMemset(device, 0, 4 * sizeof(int)));
    atomic_out_of_bounds<<<1, 5>>>(as_ints(device));
    EXPECT(copied_back<int>(device, 4) == std::vector<int>(4, 1));
}

// --- functors and lambdas ---

struct Scale {
    float factor;
    __device__ float operator()(float x) const { return factor * x; }
};

template <class T, class... Functions>
__global__ void apply_all(T* values, int count, Functions... functions) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        ((values[i] = functions(values[i])), ...);
    }
}

void functors_and_lambdas() {
    std::vector<float> values(100, 2);
    DeviceMemory device(100 * sizeof(float));
    float* const floats = reinterpret_cast<float*>(static_cast<unsigned*>(device));
    CALL(cudaMemcpy(floats, values.data(), 100 * sizeof(float), cudaMemcpyHostToDevice));
    const float offset = 0.5f;
    apply_all<<<4, 32>>>(floats, 100, Scale{3}, [=] __device__(float x) { return x + offset; });
    apply_all<float><<<4, 32>>>(floats, 100, [] __host__ __device__(float x) { return -x; });
    EXPECT(copied_back<float>(device, 100) == std::vector<float>(100, -6.5f));
}

// --- halves ---

__global__ void use_halves(const float* from, __half* to, float* back, int count) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < count) {
        to[i] = __float2half(from[i]);
        const __half sum = __hadd(to[i], __float2half(1.0f));
        back[i] = __half2float(sum * __hfma(sum, __float2half(2.0f), to[i]));
    }
}

void halves() {
    EXPECT(sizeof(__half) == 2 && sizeof(__half2) == 4);
    const auto bits = [](float x) { return __half_as_ushort(__float2half(x)); };
    EXPECT(bits(0) == 0 && bits(-0.0f) == 0x8000 && bits(1) == 0x3c00 && bits(-2) == 0xc000);
    EXPECT(bits(65504) == 0x7bff && bits(65519) == 0x7bff && bits(65520) == 0x7c00 && bits(-1e30f) == 0xfc00);
    EXPECT(bits(6.103515625e-5f) == 0x0400 && bits(5.9604644775390625e-8f) == 1 && bits(2.98e-8f) == 0);
    EXPECT(bits(2048.0f) == 0x6800 && bits(2049.0f) == 0x6800 && bits(2051.0f) == 0x6802);  // ties go to even
    EXPECT((bits(NAN) & 0x7c00) == 0x7c00 && (bits(NAN) & 0x3ff) != 0);
    bool exact = true;
    for (unsigned i = 0; i < 0x10000; ++i) {
        const __half value = __ushort_as_half(static_cast<unsigned short>(i));
        const float wide = __half2float(value);
        exact = exact && (std::isnan(wide) || __half_as_ushort(__float2half(wide)) == i);
    }
    EXPECT(exact);
    const __half2 pair = __hadd2(__floats2half2_rn(1, 2), __float2half2_rn(0.5f));
    EXPECT(__low2float(pair) == 1.5f && __high2float(pair) == 2.5f);

    const std::vector<float> values{1, 0.5f, -3, 100};
    DeviceMemory from(16), to(8), back(16);
    CALL(cudaMemcpy(from, values.data(), 16, cudaMemcpyHostToDevice));
    const auto as_floats = [](unsigned* p) { return reinterpret_cast<float*>(p); };
    use_halves<<<1, 32>>>(as_floats(from), reinterpret_cast<__half*>(static_cast<unsigned*>(to)), as_floats(back), 4);
    EXPECT((copied_back<float>(back, 4) == std::vector<float>{10, 5.25f, 14, 30496}));
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(variables_of_the_device),
    CASE(copies_of_symbols),
    CASE(wrong_uses_of_symbols),
    CASE(races_on_variables),
    CASE(clocks),
    CASE(printing),
    CASE(printing_is_not_repeated),
    CASE(atomics_of_64_bits),
    CASE(atomics_out_of_bounds),
    CASE(functors_and_lambdas),
    CASE(halves),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
