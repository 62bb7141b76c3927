#include "simulator/device_variables.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "simulator/device_variables.h"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

struct Variable {
    Allocation place;
    bool writable = true;
    std::vector<unsigned char> initial;  // up to the last byte that is not 0
};

std::vector<unsigned char> initial_value(const unsigned char* begin, std::size_t bytes) {
    while (bytes > 0 && begin[bytes - 1] == 0) {
        --bytes;
    }
    return {begin, begin + bytes};
}

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

void reset_device_variables(const std::function<void(std::uintptr_t begin, std::uintptr_t end)>& changed) {
    for (const auto& [begin, variable] : variables()) {
        if (!variable.writable) {
            continue;
        }
        auto* const bytes = reinterpret_cast<unsigned char*>(begin);
        std::memset(bytes, 0, variable.place.bytes);
        std::copy(variable.initial.begin(), variable.initial.end(), bytes);
        changed(begin, variable.place.end());
    }
}

}  // namespace simulator

extern "C" void simulator_announce_variable(const volatile void* address, size_t bytes, int writable) {
    const simulator::RecordingPaused paused;
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const bool is_new =
        simulator::variables()
            .emplace(begin, simulator::Variable{
                                {begin, bytes, simulator::MemoryKind::device},
                                writable != 0,
                                simulator::initial_value(reinterpret_cast<const unsigned char*>(begin), bytes)})
            .second;
    if (is_new) {
        simulator::all_bytes += bytes;
        simulator::add_tracked_range({begin, begin + bytes});
    }
}
