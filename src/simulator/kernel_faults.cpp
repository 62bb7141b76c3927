#include "simulator/kernel_faults.hpp"

#include <ucontext.h>

#include <cstddef>
#include <iterator>
#include <memory>

#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/symbols.hpp"

namespace simulator {
namespace {

constexpr std::size_t stack_bytes = 1024 * 1024;  // reading debug information needs more than a signal's usual stack
constexpr std::uintptr_t near_null = std::uintptr_t{256} << 20;  // an element or a member, counted from a null pointer
constexpr std::uintptr_t near_stack = 64 * 1024;                 // the frame of one function

KernelFaultsExplained::Explain explain_fault = nullptr;
const struct sigaction* actions_before = nullptr;
constinit thread_local bool kernel_on_this_thread = false;

// The kernel may have used up its own stack.
class SignalStack {
public:
    SignalStack() : memory_(std::make_unique<std::byte[]>(stack_bytes)) {
        const stack_t own{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = stack_bytes};
        sigaltstack(&own, &before_);
    }
    ~SignalStack() { sigaltstack(&before_, nullptr); }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    std::unique_ptr<std::byte[]> memory_;
    stack_t before_{};
};

// Where a thread was when it faulted.
struct Place {
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
};

Place place_of(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]), static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#else
    return {static_cast<std::uintptr_t>(machine.pc), static_cast<std::uintptr_t>(machine.sp)};
#endif
}

std::uintptr_t return_address_of(const Place& place) {
    // A call of what is no function has left its return address on the stack.
    return is_in_loaded_object(place.instruction) ? place.instruction + 1
                                                  : *reinterpret_cast<const std::uintptr_t*>(place.stack);
}

KernelFault::Kind kind_of(const siginfo_t& fault, const Place& place) {
    const auto address = reinterpret_cast<std::uintptr_t>(fault.si_addr);
    if (fault.si_signo == SIGFPE) {
        return KernelFault::Kind::division;
    }
    if (fault.si_code == SI_KERNEL) {
        return KernelFault::Kind::no_memory;  // no pointer of a process can have that address, and it is not told
    }
    if (address < near_null) {
        return KernelFault::Kind::null_pointer;
    }
    const bool beside_stack = address + near_stack > place.stack && address < place.stack + near_stack;
    return beside_stack ? KernelFault::Kind::stack_used_up : KernelFault::Kind::no_memory;
}

void on_fault(int signal, siginfo_t* fault, void* context) {
    const bool of_this_code = fault->si_code > 0;  // else another process or the program itself sent it
    if (of_this_code && kernel_on_this_thread) {
        const RecordingPaused paused;
        const Place place = place_of(context);
        explain_fault({kind_of(*fault, place), return_address_of(place)});
    }
    for (std::size_t i = 0; i < std::size(KernelFaultsExplained::signals); ++i) {
        if (KernelFaultsExplained::signals[i] == signal) {
            sigaction(signal, &actions_before[i], nullptr);
        }
    }
    if (!of_this_code) {
        raise(signal);
    }
    // Otherwise what faulted is done again, and ends as it would have without this.
}

}  // namespace

KernelFaultsExplained::KernelFaultsExplained(Explain explain) {
    static thread_local const SignalStack stack;
    explain_fault = explain;
    actions_before = before_;
    kernel_on_this_thread = true;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        sigaction(signals[i], &action, &before_[i]);
    }
}

KernelFaultsExplained::~KernelFaultsExplained() {
    kernel_on_this_thread = false;
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        sigaction(signals[i], &before_[i], nullptr);
    }
}

}  // namespace simulator
