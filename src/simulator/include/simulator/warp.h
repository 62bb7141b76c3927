// Warp functions of kernels: shuffles, votes, matches and reductions. Included by device_code.h.
#pragma once

#include <type_traits>

#include "simulator/barriers.h"

namespace simulator {

template <class T>
inline uint64_t bits_of(T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "expected a value of at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
inline T from_bits(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

inline unsigned linear_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
inline unsigned lane() { return linear_thread() % 32; }

template <class T>
SIMULATOR_DEVICE_FUNCTION T shuffled(unsigned mask, T value, unsigned source) {
    return from_bits<T>(simulator_meet_warp(simulator_warp_shuffle, mask, bits_of(value), source, nullptr));
}

// The lane to read from, by the definition of each shuffle; a lane whose source is outside its part reads itself.
inline unsigned shuffle_source(int lane, int width) {
    const unsigned own = simulator::lane();
    return (own & ~static_cast<unsigned>(width - 1)) + (static_cast<unsigned>(lane) & static_cast<unsigned>(width - 1));
}
inline unsigned shuffle_up_source(unsigned delta, int width) {
    const unsigned own = simulator::lane();
    return (own & static_cast<unsigned>(width - 1)) < delta ? own : own - delta;
}
inline unsigned shuffle_down_source(unsigned delta, int width) {
    const unsigned own = simulator::lane();
    return (own & static_cast<unsigned>(width - 1)) + delta >= static_cast<unsigned>(width) ? own : own + delta;
}
inline unsigned shuffle_xor_source(int mask, int width) {
    const unsigned own = simulator::lane();
    const unsigned other = own ^ static_cast<unsigned>(mask);
    return (other & ~static_cast<unsigned>(width - 1)) > own ? own : other;
}

template <class T, T (*Combine)(T, T)>
SIMULATOR_DEVICE_FUNCTION T reduced(unsigned mask, T value) {
    return from_bits<T>(simulator_meet_warp(
        simulator_warp_reduce, mask, bits_of(value), 0,
        [](uint64_t a, uint64_t b) { return bits_of(Combine(from_bits<T>(a), from_bits<T>(b))); }));
}
template <class T> inline T add(T a, T b) { return a + b; }
template <class T> inline T smaller(T a, T b) { return b < a ? b : a; }
template <class T> inline T larger(T a, T b) { return a < b ? b : a; }
inline unsigned bit_and(unsigned a, unsigned b) { return a & b; }
inline unsigned bit_or(unsigned a, unsigned b) { return a | b; }
inline unsigned bit_xor(unsigned a, unsigned b) { return a ^ b; }

}  // namespace simulator

SIMULATOR_DEVICE_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) {
    simulator_meet_warp(simulator_warp_synchronize, mask, 0, 0, nullptr);
}
template <class T>
SIMULATOR_DEVICE_FUNCTION T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    return simulator::shuffled(mask, value, simulator::shuffle_source(lane, width));
}
template <class T>
SIMULATOR_DEVICE_FUNCTION T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return simulator::shuffled(mask, value, simulator::shuffle_up_source(delta, width));
}
template <class T>
SIMULATOR_DEVICE_FUNCTION T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return simulator::shuffled(mask, value, simulator::shuffle_down_source(delta, width));
}
template <class T>
SIMULATOR_DEVICE_FUNCTION T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
    return simulator::shuffled(mask, value, simulator::shuffle_xor_source(lane_mask, width));
}

SIMULATOR_DEVICE_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
    return static_cast<unsigned>(simulator_meet_warp(simulator_warp_ballot, mask, predicate != 0, 0, nullptr));
}
SIMULATOR_DEVICE_FUNCTION int __any_sync(unsigned mask, int predicate) {
    return static_cast<unsigned>(simulator_meet_warp(simulator_warp_ballot, mask, predicate != 0, 0, nullptr)) != 0;
}
SIMULATOR_DEVICE_FUNCTION int __all_sync(unsigned mask, int predicate) {
    const uint64_t votes = simulator_meet_warp(simulator_warp_ballot, mask, predicate != 0, 0, nullptr);
    return static_cast<unsigned>(votes) == static_cast<unsigned>(votes >> 32);
}
SIMULATOR_DEVICE_FUNCTION unsigned __activemask() {
    return static_cast<unsigned>(simulator_meet_warp(simulator_warp_active, 0, 0, 0, nullptr));
}
template <class T>
SIMULATOR_DEVICE_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {
    return static_cast<unsigned>(
        simulator_meet_warp(simulator_warp_match, mask, simulator::bits_of(value), 0, nullptr));
}

#define SIMULATOR_WARP_REDUCTION(name, type, combine)                                  \
    SIMULATOR_DEVICE_FUNCTION type __reduce_##name##_sync(unsigned mask, type value) { \
        return simulator::reduced<type, simulator::combine>(mask, value);              \
    }
SIMULATOR_WARP_REDUCTION(add, int, add)
SIMULATOR_WARP_REDUCTION(add, unsigned, add)
SIMULATOR_WARP_REDUCTION(min, int, smaller)
SIMULATOR_WARP_REDUCTION(min, unsigned, smaller)
SIMULATOR_WARP_REDUCTION(max, int, larger)
SIMULATOR_WARP_REDUCTION(max, unsigned, larger)
SIMULATOR_WARP_REDUCTION(and, unsigned, bit_and)
SIMULATOR_WARP_REDUCTION(or, unsigned, bit_or)
SIMULATOR_WARP_REDUCTION(xor, unsigned, bit_xor)

// The old forms without a mask, which CUDA took away with compute capability 7.0.
#define SIMULATOR_TAKEN_AWAY(function, instead)                                                            \
    template <class... Arguments>                                                                          \
    __attribute__((error(#function " does not exist on today's GPUs: use " instead))) int function(Arguments&&...);
SIMULATOR_TAKEN_AWAY(__shfl, "__shfl_sync")
SIMULATOR_TAKEN_AWAY(__shfl_up, "__shfl_up_sync")
SIMULATOR_TAKEN_AWAY(__shfl_down, "__shfl_down_sync")
SIMULATOR_TAKEN_AWAY(__shfl_xor, "__shfl_xor_sync")
SIMULATOR_TAKEN_AWAY(__ballot, "__ballot_sync")
SIMULATOR_TAKEN_AWAY(__any, "__any_sync")
SIMULATOR_TAKEN_AWAY(__all, "__all_sync")
