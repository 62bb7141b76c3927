// A shared library with debug information, to look up lines outside the main program.
#pragma once

#include <cstdint>

namespace library {

std::uintptr_t address_in_library();  // the return address of a call on line_of_call of library.cpp
extern const int line_of_call;

}  // namespace library
