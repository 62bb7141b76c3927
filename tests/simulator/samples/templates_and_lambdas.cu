// Kernels from templates, functors and lambdas; built with --extended-lambda for a GPU.
#include <cuda_runtime.h>
#include <sample.h>

#include <memory>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        const cudaError_t error_ = (call);                                                                \
        if (error_ != cudaSuccess) {                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            exit(EXIT_FAILURE);                                                                           \
        }                                                                                                 \
    } while (0)

template <typename F>
__global__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        f(i);
    }
}

template <int Unroll, typename T, typename Op>
__global__ void transform(T* data, int n, Op op) {
    const int base = (blockIdx.x * blockDim.x + threadIdx.x) * Unroll;
#pragma unroll
    for (int k = 0; k < Unroll; ++k) {
        if (base + k < n) {
            data[base + k] = op(data[base + k]);
        }
    }
}

template <typename T>
struct Affine {
    T a, b;
    __host__ __device__ T operator()(T x) const { return a * x + b; }
};

struct FreeDevice {
    void operator()(void* pointer) const { CHECK(cudaFree(pointer)); }
};
template <typename T>
using DevicePointer = std::unique_ptr<T[], FreeDevice>;

template <typename T>
DevicePointer<T> allocate(size_t count) {
    T* pointer = nullptr;
    CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    return DevicePointer<T>(pointer);
}

template <typename Kernel, typename... Args>
void launch(Kernel kernel, int n, Args... args) {
    kernel<<<(n + 127) / 128, 128>>>(args...);
    CHECK(cudaGetLastError());
}

template <typename T>
bool pipeline(int n) {
    const DevicePointer<T> data = allocate<T>(n);
    T* const raw = data.get();
    const T step = T(3);
    auto fill = [=] __host__ __device__(int i) { raw[i] = step * T(i); };
    for_each_index<<<dim3{4}, dim3{64}>>>(n, fill);
    CHECK(cudaGetLastError());
    transform<4><<<(n / 4 + 127) / 128, 128>>>(raw, n, Affine<T>{T(2), T(1)});
    CHECK(cudaGetLastError());
    launch(for_each_index<Affine<int>>, 10, 10, Affine<int>{1, 1});
    launch(transform<1, T, Affine<T>>, n, raw, n, Affine<T>{T(1), T(5)});
    std::vector<T> found(n);
#ifdef BROKEN
    found.assign(raw, raw + n);  // at: device pointer
#else
    CHECK(cudaMemcpy(found.data(), raw, n * sizeof(T), cudaMemcpyDeviceToHost));
#endif
    for (int i = 0; i < n; ++i) {
        if (found[i] != T(2) * step * T(i) + T(6)) {
            return false;
        }
    }
    return true;
}

__global__ void math(float* out, const float4* in, double* sums, int* found, int n) {
    const auto square = [](float x) { return x * x; };
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float4 v = __ldg(in + i);
    const float length = sqrtf(square(v.x) + square(v.y) + square(v.z) + 1e-6f);
    out[i] = __fdividef(v.w, length) * rsqrtf(__expf(0.0f)) + fminf(0.0f, fabsf(v.x)) + min(0, i) + max(0.0f, -1.0f);
    atomicAdd(&sums[0], (double)v.w);
    atomicAdd(reinterpret_cast<float*>(&sums[1]), 1.0f);
    if (atomicCAS(found, -1, i) == -1) {
        atomicExch(found + 1, i);
    }
}

bool device_math() {
    const int n = 1000;
    std::vector<float4> points(n);
    for (int i = 0; i < n; ++i) {
        points[i] = make_float4((float)i, 2.0f, 3.0f, 1.0f);
    }
    const auto in = allocate<float4>(n);
    const auto out = allocate<float>(n);
    const auto sums = allocate<double>(2);
    const auto winners = allocate<int>(2);
    CHECK(cudaMemcpy(in.get(), points.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums.get(), 0, 2 * sizeof(double)));
    CHECK(cudaMemset(winners.get(), 0xff, 2 * sizeof(int)));
    math<<<(n + 255) / 256, 256>>>(out.get(), in.get(), sums.get(), winners.get(), n);
    CHECK(cudaGetLastError());
    std::vector<float> found(n);
    double total[2] = {0, 0};
    int winner[2] = {0, 0};
    CHECK(cudaMemcpy(found.data(), out.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(total, sums.get(), sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(winner, winners.get(), sizeof winner, cudaMemcpyDeviceToHost));
    bool right = total[0] == n && winner[0] == winner[1] && winner[0] >= 0;
    for (int i = 0; i < n; ++i) {
        right = right && std::fabs(found[i] * std::sqrt((float)i * i + 13.0f) - 1.0f) < 1e-3f;
    }
    return right;
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const bool right = pipeline<int>(4000) && pipeline<float>(1000) && pipeline<double>(1000) && device_math();
    return verdict(right);
}
