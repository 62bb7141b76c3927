// What kernels may use: built-in variables, vector types, math and atomics.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/barriers.h"
#include "simulator/types.h"

#if defined(__clang__)
#define __global__
#else
// g++ announces neither the store of a structure that a call returns nor the load of one that a call is given: where calls
// are inlined there are none.
#define __global__ __attribute__((flatten))
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static  // in macros; elsewhere the launch-syntax pass gives each block fresh memory
#define __constant__
#define __grid_constant__
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))

extern "C" {
// Set by the simulated device before each thread runs; constant within a thread.
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
}

constexpr int warpSize = 32;

// What waits for other threads is always inlined, so that its line is that of the call.
#define SIMULATOR_DEVICE_FUNCTION __attribute__((always_inline)) inline

#define SIMULATOR_VECTOR_TYPES(type, name)                                                    \
    struct name##1 { type x; };                                                               \
    struct alignas(2 * sizeof(type)) name##2 { type x, y; };                                  \
    struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 { type x, y, z, w; }; \
    inline name##1 make_##name##1(type x) { return {x}; }                                     \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                          \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define SIMULATOR_VECTOR_TYPE_3(type, name)                                                   \
    struct name##3 { type x, y, z; };                                                         \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }
SIMULATOR_VECTOR_TYPES(char, char)
SIMULATOR_VECTOR_TYPES(unsigned char, uchar)
SIMULATOR_VECTOR_TYPES(short, short)
SIMULATOR_VECTOR_TYPES(unsigned short, ushort)
SIMULATOR_VECTOR_TYPES(int, int)
SIMULATOR_VECTOR_TYPES(unsigned int, uint)
SIMULATOR_VECTOR_TYPES(long long, longlong)
SIMULATOR_VECTOR_TYPES(unsigned long long, ulonglong)
SIMULATOR_VECTOR_TYPES(float, float)
SIMULATOR_VECTOR_TYPES(double, double)
SIMULATOR_VECTOR_TYPES(long, long)
SIMULATOR_VECTOR_TYPES(unsigned long, ulong)
SIMULATOR_VECTOR_TYPE_3(char, char)
SIMULATOR_VECTOR_TYPE_3(unsigned char, uchar)
SIMULATOR_VECTOR_TYPE_3(short, short)
SIMULATOR_VECTOR_TYPE_3(unsigned short, ushort)
SIMULATOR_VECTOR_TYPE_3(long, long)
SIMULATOR_VECTOR_TYPE_3(unsigned long, ulong)
SIMULATOR_VECTOR_TYPE_3(long long, longlong)
SIMULATOR_VECTOR_TYPE_3(unsigned long long, ulonglong)
SIMULATOR_VECTOR_TYPE_3(int, int)
SIMULATOR_VECTOR_TYPE_3(float, float)
SIMULATOR_VECTOR_TYPE_3(double, double)
inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }

// CUDA offers min and max for every arithmetic type in the global namespace.
#define SIMULATOR_MIN_MAX(type)                                    \
    inline type min(type a, type b) { return b < a ? b : a; }      \
    inline type max(type a, type b) { return a < b ? b : a; }
SIMULATOR_MIN_MAX(int)
SIMULATOR_MIN_MAX(unsigned int)
SIMULATOR_MIN_MAX(long)
SIMULATOR_MIN_MAX(unsigned long)
SIMULATOR_MIN_MAX(long long)
SIMULATOR_MIN_MAX(unsigned long long)
SIMULATOR_MIN_MAX(float)
SIMULATOR_MIN_MAX(double)
#define SIMULATOR_MIN_MAX_OF(a, b, common)                                                       \
    inline common min(a x, b y) { return min(static_cast<common>(x), static_cast<common>(y)); }  \
    inline common max(a x, b y) { return max(static_cast<common>(x), static_cast<common>(y)); }  \
    inline common min(b x, a y) { return min(static_cast<common>(x), static_cast<common>(y)); }  \
    inline common max(b x, a y) { return max(static_cast<common>(x), static_cast<common>(y)); }
SIMULATOR_MIN_MAX_OF(int, unsigned int, unsigned int)
SIMULATOR_MIN_MAX_OF(long, unsigned long, unsigned long)
SIMULATOR_MIN_MAX_OF(long long, unsigned long long, unsigned long long)
SIMULATOR_MIN_MAX_OF(float, double, double)

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __tanf(float x) { return tanf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline float sinpif(float x) { return sinf(x * 3.14159265358979f); }
inline float cospif(float x) { return cosf(x * 3.14159265358979f); }
inline unsigned int __sad(int x, int y, unsigned int z) { return z + static_cast<unsigned int>(x < y ? y - x : x - y); }
inline unsigned int __float2uint_rn(float x) { return static_cast<unsigned int>(rintf(x)); }
inline unsigned int __float2uint_rz(float x) { return static_cast<unsigned int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
inline int __double2int_rn(double x) { return static_cast<int>(rint(x)); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline void sincospif(float x, float* sine, float* cosine) { sincosf(x * 3.14159265358979f, sine, cosine); }
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    unsigned int reversed = 0;
    for (int i = 0; i < 32; ++i, x >>= 1) {
        reversed = reversed << 1 | (x & 1u);
    }
    return reversed;
}
inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
inline unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
    return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
namespace simulator {
template <class To, class From>
inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}
}  // namespace simulator
inline int __float_as_int(float x) { return simulator::bits_as<int>(x); }
inline unsigned int __float_as_uint(float x) { return simulator::bits_as<unsigned int>(x); }
inline float __int_as_float(int x) { return simulator::bits_as<float>(x); }
inline float __uint_as_float(unsigned int x) { return simulator::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return simulator::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return simulator::bits_as<double>(x); }
template <class T>
inline T __ldg(const T* pointer) { return *pointer; }
template <class T>
inline T __ldcg(const T* pointer) { return *pointer; }
template <class T>
inline T __ldca(const T* pointer) { return *pointer; }
template <class T>
inline T __ldcs(const T* pointer) { return *pointer; }
template <class T>
inline void __stcg(T* pointer, T value) { *pointer = value; }
template <class T>
inline void __stcs(T* pointer, T value) { *pointer = value; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

#include "simulator/atomics.h"
#include "simulator/warp.h"

SIMULATOR_DEVICE_FUNCTION void __syncthreads() { simulator_meet_block(0); }
SIMULATOR_DEVICE_FUNCTION int __syncthreads_count(int predicate) {
    return static_cast<int>(simulator_meet_block(predicate).yes);
}
SIMULATOR_DEVICE_FUNCTION int __syncthreads_and(int predicate) {
    const simulator_block_votes votes = simulator_meet_block(predicate);
    return votes.yes == votes.all;
}
SIMULATOR_DEVICE_FUNCTION int __syncthreads_or(int predicate) { return simulator_meet_block(predicate).yes != 0; }

// clock() is the C library's function, which counts cycles while a kernel runs: src/simulator/clocks.cpp.
inline long long clock64() { return static_cast<long long>(simulator_read_clock()); }
inline void __nanosleep(unsigned int nanoseconds) { simulator_sleep(nanoseconds); }

#define SIMULATOR_DEVICE_NOT_SIMULATED(function) \
    template <class... Arguments>                \
    __attribute__((error(#function " is not simulated: build for a GPU (--device gpu)"))) int function(Arguments&&...);
SIMULATOR_DEVICE_NOT_SIMULATED(tex1D)
SIMULATOR_DEVICE_NOT_SIMULATED(tex1Dfetch)
SIMULATOR_DEVICE_NOT_SIMULATED(tex2D)
SIMULATOR_DEVICE_NOT_SIMULATED(tex3D)
SIMULATOR_DEVICE_NOT_SIMULATED(surf2Dread)
SIMULATOR_DEVICE_NOT_SIMULATED(surf2Dwrite)
SIMULATOR_DEVICE_NOT_SIMULATED(__trap)
SIMULATOR_DEVICE_NOT_SIMULATED(__brkpt)
SIMULATOR_DEVICE_NOT_SIMULATED(__prof_trigger)
SIMULATOR_DEVICE_NOT_SIMULATED(__globaltimer)
SIMULATOR_DEVICE_NOT_SIMULATED(__dp4a)
SIMULATOR_DEVICE_NOT_SIMULATED(__dp2a_lo)
SIMULATOR_DEVICE_NOT_SIMULATED(__byte_perm)
SIMULATOR_DEVICE_NOT_SIMULATED(__vadd4)
SIMULATOR_DEVICE_NOT_SIMULATED(__isGlobal)
SIMULATOR_DEVICE_NOT_SIMULATED(__cvta_generic_to_shared)
SIMULATOR_DEVICE_NOT_SIMULATED(__pipeline_memcpy_async)
SIMULATOR_DEVICE_NOT_SIMULATED(__pipeline_commit)
SIMULATOR_DEVICE_NOT_SIMULATED(__pipeline_wait_prior)
#define __managed__ static_assert(false, "__managed__ variables are not simulated: use cudaMallocManaged");
