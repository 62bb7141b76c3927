// The work of a lab's kernel, computed in one jump: `rounds` steps of x = 1664525 x + 1013904223 (mod 2^32) are one
// step x = multiplier x + increment, found by repeated squaring. Checks verify with it; the simulated device computes
// with it.
#pragma once

#include <cstdint>

namespace protocol {

struct Jump {
    std::uint32_t multiplier = 1;
    std::uint32_t increment = 0;

    constexpr std::uint32_t operator()(std::uint32_t value) const { return multiplier * value + increment; }
};

inline constexpr Jump one_round{1664525u, 1013904223u};

// First `first`, then `second`, as one step.
constexpr Jump then(Jump first, Jump second) {
    return {second.multiplier * first.multiplier, second.multiplier * first.increment + second.increment};
}

// All of `rounds` as one step, in O(log rounds).
constexpr Jump jump(std::uint32_t rounds) {
    Jump result{};
    Jump power = one_round;
    for (; rounds != 0; rounds >>= 1) {
        if (rounds & 1u) {
            result = then(result, power);
        }
        power = then(power, power);
    }
    return result;
}

// The reference: what a kernel must make of `value`.
constexpr std::uint32_t reference_work(std::uint32_t value, std::uint32_t rounds) {
    return jump(rounds)(value);
}

}  // namespace protocol
