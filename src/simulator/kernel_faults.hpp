// A kernel's access to an address where this process has no memory: a null pointer, or an index far outside. It ends the
// program, as an access of host code does; but the program's line is told first.
#pragma once

#include <cstdint>

namespace simulator {

// From now on such an access calls `explain`, which does not return, with the address and where the access is made (as a
// return address). Call it on the thread that is about to run a kernel. A fault of host code ends the program as before.
void explain_kernel_faults(void (*explain)(std::uintptr_t address, std::uintptr_t return_address));

}  // namespace simulator
