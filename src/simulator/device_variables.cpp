#include "simulator/device_variables.hpp"

#include <map>

#include "simulator/device_variables.h"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

struct Variable {
    Allocation place;
    bool writable = true;
};

std::size_t all_bytes = 0;

// Never destroyed: variables are announced before the simulated device exists, and used until the program ends.
std::map<std::uintptr_t, Variable>& variables() {
    static std::map<std::uintptr_t, Variable>& all = *new std::map<std::uintptr_t, Variable>;
    return all;
}

const Variable* find(std::uintptr_t address) {
    auto after = variables().upper_bound(address);
    if (after == variables().begin()) {
        return nullptr;
    }
    const Variable& before = std::prev(after)->second;
    return address < before.place.end() ? &before : nullptr;
}

}  // namespace

const Allocation* find_device_variable(std::uintptr_t address) {
    const Variable* const found = find(address);
    return found != nullptr ? &found->place : nullptr;
}

std::size_t device_variable_bytes() {
    return all_bytes;
}

bool is_writable_variable(std::uintptr_t address) {
    const Variable* const found = find(address);
    return found != nullptr && found->writable;
}

}  // namespace simulator

extern "C" void simulator_announce_variable(const volatile void* address, size_t bytes, int writable) {
    const simulator::RecordingPaused paused;
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const bool is_new =
        simulator::variables()
            .emplace(begin, simulator::Variable{{begin, bytes, simulator::MemoryKind::device}, writable != 0})
            .second;
    if (is_new) {
        simulator::all_bytes += bytes;
        simulator::add_tracked_range({begin, begin + bytes});
    }
}
