// What kernels may use: built-in variables, vector types, math and atomics.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/types.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static
#define __constant__ static const
#define __align__(n) __attribute__((aligned(n)))

extern "C" {
// Set by the simulated device before each thread runs; constant within a thread.
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;

// An atomic read-modify-write of `bytes` at `address`: one thread of the device at a time, never a race by itself.
void simulator_atomic_access(const volatile void* address, size_t bytes);
}

constexpr int warpSize = 32;

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

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
template <class T>
inline T __ldg(const T* pointer) { return *pointer; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// The update of an atomic is plain code here: the simulated device runs one thread at a time, and the access is
// declared as atomic instead of being instrumented.
#define SIMULATOR_ATOMIC(name, type, update)                                                              \
    __attribute__((no_sanitize("thread"))) inline type name(type* address, type value) {                  \
        simulator_atomic_access(address, sizeof(type));                                                   \
        const type old = *address;                                                                        \
        *address = (update);                                                                              \
        return old;                                                                                       \
    }
#define SIMULATOR_ATOMIC_INTEGERS(name, update)                                                           \
    SIMULATOR_ATOMIC(name, int, update)                                                                   \
    SIMULATOR_ATOMIC(name, unsigned int, update)                                                          \
    SIMULATOR_ATOMIC(name, unsigned long long, update)
SIMULATOR_ATOMIC_INTEGERS(atomicAdd, old + value)
SIMULATOR_ATOMIC(atomicAdd, float, old + value)
SIMULATOR_ATOMIC(atomicAdd, double, old + value)
SIMULATOR_ATOMIC_INTEGERS(atomicSub, old - value)
SIMULATOR_ATOMIC_INTEGERS(atomicExch, value)
SIMULATOR_ATOMIC(atomicExch, float, value)
SIMULATOR_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
SIMULATOR_ATOMIC_INTEGERS(atomicMax, old < value ? value : old)
SIMULATOR_ATOMIC_INTEGERS(atomicAnd, old & value)
SIMULATOR_ATOMIC_INTEGERS(atomicOr, old | value)
SIMULATOR_ATOMIC_INTEGERS(atomicXor, old ^ value)
SIMULATOR_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
SIMULATOR_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#define SIMULATOR_ATOMIC_CAS(type)                                                                        \
    __attribute__((no_sanitize("thread"))) inline type atomicCAS(type* address, type compare, type value) { \
        simulator_atomic_access(address, sizeof(type));                                                   \
        const type old = *address;                                                                        \
        *address = old == compare ? value : old;                                                          \
        return old;                                                                                       \
    }
SIMULATOR_ATOMIC_CAS(int)
SIMULATOR_ATOMIC_CAS(unsigned int)
SIMULATOR_ATOMIC_CAS(unsigned long long)

#define SIMULATOR_DEVICE_NOT_SIMULATED(function) \
    template <class... Arguments>                \
    __attribute__((error(#function " is not simulated: build for a GPU (--device gpu)"))) int function(Arguments&&...);
SIMULATOR_DEVICE_NOT_SIMULATED(__syncthreads)
SIMULATOR_DEVICE_NOT_SIMULATED(__syncwarp)
SIMULATOR_DEVICE_NOT_SIMULATED(__shfl_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__shfl_down_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__shfl_up_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__shfl_xor_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__ballot_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__any_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(__all_sync)
SIMULATOR_DEVICE_NOT_SIMULATED(clock64)
SIMULATOR_DEVICE_NOT_SIMULATED(__nanosleep)
