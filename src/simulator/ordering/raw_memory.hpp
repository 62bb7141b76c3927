// Copies, fills and comparisons that the ordering checker never sees, also where the program is linked with
// --wrap=memcpy.
#pragma once

#include <cstddef>

namespace simulator {

void raw_copy(void* to, const void* from, std::size_t bytes);  // the blocks must not overlap
void raw_move(void* to, const void* from, std::size_t bytes);  // they may
void raw_fill(void* to, std::byte value, std::size_t bytes);
int raw_compare(const void* left, const void* right, std::size_t bytes);

}  // namespace simulator
