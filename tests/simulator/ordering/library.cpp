#include "library.hpp"

namespace library {

namespace {

[[gnu::noinline]] std::uintptr_t return_address() {
    return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

}  // namespace

const int line_of_call = __LINE__ + 2;
std::uintptr_t address_in_library() {
    const std::uintptr_t address = return_address();
    asm volatile("");  // the call is not the last thing that happens here
    return address;
}

}  // namespace library
