#include "instrumented_program.hpp"

#include <algorithm>
#include <cstring>

namespace program {

const int line_of_store = __LINE__ + 2;
void store(std::int32_t* to) {
    *to = 17;
}

const int line_of_load = __LINE__ + 2;
std::int32_t load(const std::int32_t* from) {
    return *from;
}

void store_eight(std::uint8_t* to) {
    *to = 1;
    *reinterpret_cast<std::uint16_t*>(to + 16) = 2;
    *reinterpret_cast<std::uint32_t*>(to + 32) = 4;
    *reinterpret_cast<std::uint64_t*>(to + 48) = 8;
}

struct [[gnu::packed]] Packed {
    std::uint8_t first;
    std::uint32_t second;
};

void store_unaligned(std::uint8_t* to) {
    reinterpret_cast<Packed*>(to)->second = 5;
}

void store_volatile(volatile std::int32_t* to) {
    *to = 3;
}

void assign(Point* to, const Point* from) {
    *to = *from;
}

const int line_of_copy_bytes = __LINE__ + 2;
void copy_bytes(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

void move_bytes(void* to, const void* from, std::size_t bytes) {
    std::memmove(to, from, bytes);
}

void fill_bytes(void* to, int value, std::size_t bytes) {
    std::memset(to, value, bytes);
}

bool equal_bytes(const void* left, const void* right, std::size_t bytes) {
    return std::memcmp(left, right, bytes) == 0;
}

const int line_of_copy_elements = __LINE__ + 2;
void copy_elements(const std::int32_t* from, std::size_t count, std::int32_t* to) {
    std::copy(from, from + count, to);
}

void increment_all(std::vector<std::int32_t>& values) {
    for (std::int32_t& value : values) {
        ++value;
    }
}

// Each step's result depends on the one before, in the width of the type.
template <typename Integer>
bool atomics_behave(std::atomic<Integer>& value) {
    const auto all = static_cast<Integer>(~Integer{0});
    bool right = true;
    value.store(all);
    right &= value.load() == all;
    right &= value.fetch_add(3) == all && value.load() == 2;
    right &= value.fetch_sub(3) == 2 && value.load() == all;
    right &= value.fetch_and(0x3c) == all && value.load() == 0x3c;
    right &= value.fetch_or(0x03) == 0x3c && value.load() == 0x3f;
    right &= value.fetch_xor(0x11) == 0x3f && value.load() == 0x2e;
    right &= value.exchange(7) == 0x2e && value.load() == 7;
    Integer expected = 8;
    right &= !value.compare_exchange_strong(expected, 9) && expected == 7 && value.load() == 7;
    right &= value.compare_exchange_strong(expected, 9) && value.load() == 9;
    expected = 1;
    right &= !value.compare_exchange_weak(expected, 2) && expected == 9;
    auto* const plain = reinterpret_cast<Integer*>(&value);
    right &= __atomic_fetch_nand(plain, Integer{8}, __ATOMIC_RELAXED) == 9;
    right &= value.load() == static_cast<Integer>(~Integer{8});
    return right;
}
template bool atomics_behave(std::atomic<std::uint8_t>&);
template bool atomics_behave(std::atomic<std::uint16_t>&);
template bool atomics_behave(std::atomic<std::uint32_t>&);
template bool atomics_behave(std::atomic<std::uint64_t>&);

void loop(unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        asm volatile("");
    }
}

#line 41 "labs/03_streams/lab.cu"
void store_in_renamed_file(std::int32_t* to) {
    *to = 42;
}

}  // namespace program
