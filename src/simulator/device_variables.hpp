// The __device__ and __constant__ variables of the program, as the simulated device knows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "simulator/memory.hpp"

namespace simulator {

// The variable that holds `address`, as an allocation of device memory that nobody frees; null when there is none.
const Allocation* find_device_variable(std::uintptr_t address);

// The device memory that all of them take.
std::size_t device_variable_bytes();

// Whether host code may copy into the variable at `address`: it is not declared const.
bool is_writable_variable(std::uintptr_t address);

// Gives every variable its initial value again, and calls `changed` with the bytes of each.
void reset_device_variables(const std::function<void(std::uintptr_t begin, std::uintptr_t end)>& changed);

}  // namespace simulator
