// 16-bit floating point: storage, conversions and arithmetic, rounded to nearest even as on the device.
#pragma once

#include "cuda_runtime.h"

namespace simulator {

inline unsigned short half_bits(float value) {
    const unsigned bits = bits_as<unsigned>(value);
    const unsigned sign = bits >> 16 & 0x8000u;
    const unsigned magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {  // infinity, or not a number
        return static_cast<unsigned short>(sign | 0x7c00u | (magnitude > 0x7f800000u ? 0x03ffu : 0));
    }
    if (magnitude >= 0x477ff000u) {  // 65520 and more
        return static_cast<unsigned short>(sign | 0x7c00u);
    }
    unsigned shift = 13;
    unsigned mantissa = magnitude - (112u << 23);  // the exponent's bias is 15 instead of 127
    if (magnitude < 0x38800000u) {                 // too small for a normal half
        const unsigned exponent = magnitude >> 23;
        if (exponent < 102) {
            return static_cast<unsigned short>(sign);
        }
        shift = 126 - exponent;
        mantissa = (magnitude & 0x007fffffu) | 0x00800000u;
    }
    const unsigned kept = mantissa >> shift;
    const unsigned lost = mantissa & ((1u << shift) - 1);
    const unsigned half = 1u << (shift - 1);
    const unsigned up = lost > half || (lost == half && (kept & 1u) != 0) ? 1 : 0;
    return static_cast<unsigned short>(sign | (kept + up));
}

inline float half_value(unsigned short half) {
    const unsigned sign = (half & 0x8000u) << 16;
    const unsigned exponent = half >> 10 & 0x1fu;
    const unsigned mantissa = half & 0x03ffu;
    if (exponent == 0x1f) {
        return bits_as<float>(sign | 0x7f800000u | mantissa << 13);
    }
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
        return sign != 0 ? -magnitude : magnitude;
    }
    return bits_as<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace simulator

struct __half {
    __half() = default;
    __half(float value) : bits_(simulator::half_bits(value)) {}
    __half(double value) : __half(static_cast<float>(value)) {}
    __half(int value) : __half(static_cast<float>(value)) {}
    operator float() const { return simulator::half_value(bits_); }
    __half& operator+=(__half other) { return *this = __half(float(*this) + float(other)); }
    __half& operator-=(__half other) { return *this = __half(float(*this) - float(other)); }
    __half& operator*=(__half other) { return *this = __half(float(*this) * float(other)); }
    __half& operator/=(__half other) { return *this = __half(float(*this) / float(other)); }

    unsigned short bits_;
};
typedef __half half;

struct alignas(4) __half2 {
    __half x, y;
};
typedef __half2 half2;

#define SIMULATOR_HALF_OPERATOR(sign)                                                               \
    inline __half operator sign(__half a, __half b) { return __half(float(a) sign float(b)); }      \
    inline __half2 operator sign(__half2 a, __half2 b) { return {a.x sign b.x, a.y sign b.y}; }
SIMULATOR_HALF_OPERATOR(+)
SIMULATOR_HALF_OPERATOR(-)
SIMULATOR_HALF_OPERATOR(*)
SIMULATOR_HALF_OPERATOR(/)
#define SIMULATOR_HALF_COMPARISON(sign, name)                                                  \
    inline bool operator sign(__half a, __half b) { return float(a) sign float(b); }           \
    inline bool name(__half a, __half b) { return float(a) sign float(b); }
SIMULATOR_HALF_COMPARISON(==, __heq)
SIMULATOR_HALF_COMPARISON(!=, __hne)
SIMULATOR_HALF_COMPARISON(<, __hlt)
SIMULATOR_HALF_COMPARISON(<=, __hle)
SIMULATOR_HALF_COMPARISON(>, __hgt)
SIMULATOR_HALF_COMPARISON(>=, __hge)
inline __half operator-(__half a) { return __half(-float(a)); }

inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline __half __int2half_rn(int x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline int __half2int_rz(__half x) { return static_cast<int>(float(x)); }
inline int __half2int_rn(__half x) { return static_cast<int>(rintf(x)); }
inline unsigned short __half_as_ushort(__half x) { return x.bits_; }
inline __half __ushort_as_half(unsigned short bits) { return simulator::bits_as<__half>(bits); }

inline __half __hadd(__half a, __half b) { return a + b; }
inline __half __hsub(__half a, __half b) { return a - b; }
inline __half __hmul(__half a, __half b) { return a * b; }
inline __half __hdiv(__half a, __half b) { return a / b; }
inline __half __hneg(__half a) { return -a; }
inline __half __habs(__half a) { return __half(fabsf(a)); }
// Rounded to float on the way, which the device does not do: in rare cases the last bit differs.
inline __half __hfma(__half a, __half b, __half c) { return __half(fmaf(a, b, c)); }
inline __half __hmax(__half a, __half b) { return a < b ? b : a; }
inline __half __hmin(__half a, __half b) { return b < a ? b : a; }
inline bool __hisnan(__half a) { return float(a) != float(a); }
inline __half hsqrt(__half a) { return __half(sqrtf(a)); }
inline __half hexp(__half a) { return __half(expf(a)); }
inline __half hlog(__half a) { return __half(logf(a)); }

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
inline __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
inline float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline float __low2float(__half2 v) { return v.x; }
inline float __high2float(__half2 v) { return v.y; }
inline __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
inline __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
inline __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
