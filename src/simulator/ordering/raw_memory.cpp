#include "simulator/ordering/raw_memory.hpp"

#include <cstring>

// The linker defines these only where it wraps the function: there, plain `memcpy` would be __wrap_memcpy.
extern "C" {
[[gnu::weak]] void* __real_memcpy(void*, const void*, std::size_t);
[[gnu::weak]] void* __real_memmove(void*, const void*, std::size_t);
[[gnu::weak]] void* __real_memset(void*, int, std::size_t);
[[gnu::weak]] int __real_memcmp(const void*, const void*, std::size_t);
}

namespace simulator {

void raw_copy(void* to, const void* from, std::size_t bytes) {
    if (__real_memcpy != nullptr) {
        __real_memcpy(to, from, bytes);
    } else {
        std::memcpy(to, from, bytes);
    }
}

void raw_move(void* to, const void* from, std::size_t bytes) {
    if (__real_memmove != nullptr) {
        __real_memmove(to, from, bytes);
    } else {
        std::memmove(to, from, bytes);
    }
}

void raw_fill(void* to, std::byte value, std::size_t bytes) {
    if (__real_memset != nullptr) {
        __real_memset(to, std::to_integer<int>(value), bytes);
    } else {
        std::memset(to, std::to_integer<int>(value), bytes);
    }
}

int raw_compare(const void* left, const void* right, std::size_t bytes) {
    return __real_memcmp != nullptr ? __real_memcmp(left, right, bytes) : std::memcmp(left, right, bytes);
}

}  // namespace simulator
