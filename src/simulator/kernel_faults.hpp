// What a kernel does that ends this process: an access to an address where it has no memory (a null pointer, an index far
// outside, a stack that is used up), or a division of integers by zero. Before the program ends, its line is told.
#pragma once

#include <signal.h>

#include <cstdint>
#include <iterator>

namespace simulator {

struct KernelFault {
    enum class Kind { null_pointer, no_memory, stack_used_up, division };
    Kind kind = Kind::no_memory;
    std::uintptr_t return_address = 0;  // behind the instruction, or behind the call of a function that does not exist
};

// While it lives, such a fault of a kernel on this thread calls `explain`, which does not return. The program's own
// handlers are put aside meanwhile; a signal that comes from elsewhere still goes to them.
class KernelFaultsExplained {
public:
    using Explain = void (*)(const KernelFault& fault);

    explicit KernelFaultsExplained(Explain explain);
    ~KernelFaultsExplained();
    KernelFaultsExplained(const KernelFaultsExplained&) = delete;
    KernelFaultsExplained& operator=(const KernelFaultsExplained&) = delete;

    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE};

private:
    struct sigaction before_[std::size(signals)];
};

}  // namespace simulator
