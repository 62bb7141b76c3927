// Where the user's own code makes an access that a library function does for it.
#pragma once

#include <cstdint>

namespace simulator {

// `return_address` where that lies in the user's own code; otherwise where that code called the function it lies in, such
// as std::sort; unchanged if there is no such call. Call it before the access is made: it looks at this thread's stack.
std::uintptr_t users_return_address(std::uintptr_t return_address);

}  // namespace simulator
