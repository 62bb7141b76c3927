#include "simulator/kernel_faults.hpp"

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "simulator/kernel_threads.hpp"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

using Explain = void (*)(std::uintptr_t address, std::uintptr_t return_address);

constexpr int faults[] = {SIGSEGV, SIGBUS};
constexpr std::size_t stack_bytes = 1024 * 1024;  // reading debug information needs more than a signal's usual stack

std::atomic<Explain> explain_fault{nullptr};
struct sigaction actions_before[2];

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

std::uintptr_t instruction_of(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#else
    return static_cast<std::uintptr_t>(machine.pc);
#endif
}

// The machine tells no address that no pointer of a process can have.
std::uintptr_t address_of(const siginfo_t& fault) {
    return fault.si_code == SI_KERNEL ? ~std::uintptr_t{0} : reinterpret_cast<std::uintptr_t>(fault.si_addr);
}

void on_fault(int signal, siginfo_t* fault, void* context) {
    if (instrumentation.running == Running::device_code && kernel_runs_here()) {
        const RecordingPaused paused;
        explain_fault.load()(address_of(*fault), instruction_of(context) + 1);
    }
    // The access is made again, and ends as it would have without this.
    sigaction(signal, &actions_before[signal == SIGBUS ? 1 : 0], nullptr);
}

void take_faults() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(faults); ++i) {
        sigaction(faults[i], &action, &actions_before[i]);
    }
}

}  // namespace

void explain_kernel_faults(Explain explain) {
    static std::once_flag taken;
    explain_fault.store(explain);
    std::call_once(taken, take_faults);
    static thread_local const SignalStack stack;
}

}  // namespace simulator
