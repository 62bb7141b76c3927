// A small program as students write it, compiled with the instrumentation. Where a line matters, `line_of_*` names it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace program {

struct Point {
    std::int32_t coordinates[25];
};

void store(std::int32_t* to);
extern const int line_of_store;

std::int32_t load(const std::int32_t* from);
extern const int line_of_load;

void store_eight(std::uint8_t* to);      // 1, 2, 4 and 8 bytes at to, to + 16, to + 32, to + 48
void store_unaligned(std::uint8_t* to);  // 4 bytes at to + 1
void store_volatile(volatile std::int32_t* to);
void assign(Point* to, const Point* from);

void copy_bytes(void* to, const void* from, std::size_t bytes);  // memcpy
void move_bytes(void* to, const void* from, std::size_t bytes);  // memmove
void fill_bytes(void* to, int value, std::size_t bytes);         // memset
bool equal_bytes(const void* left, const void* right, std::size_t bytes);
extern const int line_of_copy_bytes;

void copy_elements(const std::int32_t* from, std::size_t count, std::int32_t* to);  // std::copy
extern const int line_of_copy_elements;

void increment_all(std::vector<std::int32_t>& values);

template <typename Integer>
bool atomics_behave(std::atomic<Integer>& value);
extern template bool atomics_behave(std::atomic<std::uint8_t>&);
extern template bool atomics_behave(std::atomic<std::uint16_t>&);
extern template bool atomics_behave(std::atomic<std::uint32_t>&);
extern template bool atomics_behave(std::atomic<std::uint64_t>&);

void loop(unsigned rounds);

void store_in_renamed_file(std::int32_t* to);  // line 42 of labs/03_streams/lab.cu

}  // namespace program
