#include "simulator/kernel_functions.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/symbols.hpp"

namespace simulator {
namespace {

struct CapabilityLimits {
    int capability;  // 10 * major + minor: from here on
    unsigned shared_kib;
    unsigned shared_kib_per_block;
    unsigned blocks;
};

constexpr std::array capability_limits{
    CapabilityLimits{50, 64, 48, 32},    CapabilityLimits{70, 96, 96, 32},    CapabilityLimits{75, 64, 64, 16},
    CapabilityLimits{80, 164, 163, 32},  CapabilityLimits{86, 100, 99, 16},   CapabilityLimits{87, 164, 163, 16},
    CapabilityLimits{89, 100, 99, 24},   CapabilityLimits{90, 228, 227, 32},  CapabilityLimits{120, 100, 99, 24},
};

struct SharedVariablesType {
    std::string mangled;
    std::size_t bytes;
};

// Never destroyed: kernels are announced before the simulated device exists, and launched until the program ends.
struct Announced {
    std::mutex mutex;
    std::map<const void*, KernelFunction> kernels;
    std::vector<SharedVariablesType> shared;
};
Announced& announced() {
    static Announced& all = *new Announced;
    return all;
}

// Everything between the innermost '<' and '>' and "(anonymous namespace)" says which kernel it is, not how it is called.
std::string short_name(const std::string& mangled) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
    std::string name;
    int depth = 0;
    for (const char c : std::string(demangled != nullptr ? demangled.get() : mangled.c_str())) {
        depth += c == '<' || c == '(';
        if (c == '(' && depth == 1 && !name.empty() && name.back() != ':' && name.back() != ' ') {
            break;  // the parameters
        }
        if (depth == 0) {
            const bool separates = c == ':' || c == ' ';
            name = separates ? std::string(1, c) : (name == ":" || name == " " ? "" : name) + c;
        }
        depth -= c == '>' || c == ')';
    }
    return name;
}

// A local type's mangled name is that of its function within Z and E.
std::size_t shared_bytes_of(const std::string& function, const std::vector<SharedVariablesType>& shared) {
    const std::string begin = function.starts_with("_Z") ? "Z" + function.substr(2) + "E" : "Z" + function + "E";
    std::size_t bytes = 0;
    for (const SharedVariablesType& type : shared) {
        bytes += type.mangled.starts_with(begin) ? type.bytes : 0;
    }
    return bytes;
}

std::size_t initial_limit(const KernelFunction& kernel) {
    return usual_shared_bytes_per_block - std::min(usual_shared_bytes_per_block, kernel.static_shared_bytes);
}

}  // namespace

MultiprocessorLimits multiprocessor_limits(const device::Profile& profile) {
    const int capability = 10 * profile.compute_capability_major + profile.compute_capability_minor;
    CapabilityLimits found = capability_limits.front();
    for (const CapabilityLimits& limits : capability_limits) {
        found = limits.capability <= capability ? limits : found;
    }
    MultiprocessorLimits limits;
    limits.shared_bytes = std::size_t{found.shared_kib} * 1024;
    limits.shared_bytes_per_block = std::size_t{found.shared_kib_per_block} * 1024;
    limits.reserved_shared_bytes = capability >= 80 ? 1024 : 0;
    limits.blocks = found.blocks;
    limits.threads = profile.threads_per_multiprocessor;
    return limits;
}

unsigned resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& block) {
    const unsigned threads = (block.threads + 31) / 32 * 32;
    const std::size_t shared = block.static_shared_bytes + block.dynamic_shared_bytes;
    if (threads == 0 || threads > most_threads_per_block || shared > limits.shared_bytes_per_block) {
        return 0;
    }
    constexpr std::size_t granularity = 128;  // in which shared memory is handed out
    const std::size_t taken = (shared + limits.reserved_shared_bytes + granularity - 1) / granularity * granularity;
    const auto by_shared = taken == 0 ? limits.blocks : static_cast<unsigned>(limits.shared_bytes / taken);
    return std::min({limits.blocks, limits.threads / threads,
                     limits.registers / (threads * assumed_registers_per_thread), by_shared});
}

std::string plain_kernel_name(const std::string& name) {
    std::string last;
    int depth = 0;
    bool complete = true;
    for (const char c : name) {
        depth += c == '<';
        depth -= c == '>';
        const bool identifier = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (depth == 0 && identifier) {
            last = complete ? std::string(1, c) : last + c;
        }
        complete = !identifier;
    }
    return last;
}

void announce_kernel(const void* kernel, const char* name, MakeKernelBody make) {
    const RecordingPaused paused;
    Announced& all = announced();
    const std::scoped_lock lock(all.mutex);
    KernelFunction& known = all.kernels[kernel];
    known.make = make;
    if (known.name.empty() && name != nullptr) {
        known.name = plain_kernel_name(name);
    }
}

KernelFunction* find_kernel(const void* kernel) {
    Announced& all = announced();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.kernels.find(kernel);
    if (found == all.kernels.end()) {
        return nullptr;
    }
    KernelFunction& known = found->second;
    if (known.dynamic_shared_limit_bytes == 0) {  // asked for the first time
        const std::string symbol = function_symbol(reinterpret_cast<std::uintptr_t>(kernel));
        known.name = known.name.empty() ? short_name(symbol) : known.name;
        known.static_shared_bytes = shared_bytes_of(symbol, all.shared);
        known.dynamic_shared_limit_bytes = initial_limit(known);
    }
    return &known;
}

std::size_t dynamic_shared_limit_bytes(const void* kernel, const std::string& name) {
    if (const KernelFunction* const found = kernel != nullptr ? find_kernel(kernel) : nullptr) {
        return found->dynamic_shared_limit_bytes;
    }
    Announced& all = announced();
    const std::scoped_lock lock(all.mutex);
    std::size_t limit = usual_shared_bytes_per_block;
    for (const auto& [address, known] : all.kernels) {
        if (known.name == name) {
            limit = std::max(limit, known.dynamic_shared_limit_bytes);
        }
    }
    return limit;
}

void reset_kernels() {
    Announced& all = announced();
    const std::scoped_lock lock(all.mutex);
    for (auto& [address, known] : all.kernels) {
        known.dynamic_shared_limit_bytes = initial_limit(known);
        known.shared_carveout = cudaSharedmemCarveoutDefault;
    }
}

}  // namespace simulator

extern "C" void simulator_announce_shared(const char* type, size_t bytes) {
    const simulator::RecordingPaused paused;
    simulator::Announced& all = simulator::announced();
    const std::scoped_lock lock(all.mutex);
    all.shared.push_back({type, bytes});
}
