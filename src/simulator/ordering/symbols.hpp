// From a return address to the line of source that made the call, by the program's debug information.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "device/trace.hpp"

namespace simulator {

using FilePredicate = std::function<bool(std::string_view file)>;

// False for headers of the system and of this project, true for everything else.
bool is_users_file(std::string_view file);

// The lines that `return_address` returns to, innermost first: the call itself, then the call of the inlined function
// that holds it, and so on. Files are named as the compiler recorded them. Empty when nothing is known.
std::vector<device::SourceLine> source_lines(std::uintptr_t return_address);

// The innermost of these lines whose file `accept` accepts; the innermost of all if it accepts none; empty if unknown.
device::SourceLine source_line(std::uintptr_t return_address, const FilePredicate& accept = is_users_file);

// Whether `address` lies in this program or in a library that it has loaded.
bool is_in_loaded_object(std::uintptr_t address);

// The mangled name of the function at `address`; empty when it is not known.
std::string function_symbol(std::uintptr_t address);

}  // namespace simulator
