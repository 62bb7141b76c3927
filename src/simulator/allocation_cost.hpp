// How long the host takes to get memory and to give it back. The driver takes device memory from the device in blocks
// of 2 MiB, which small allocations share: most of them only find a place. Pinned memory is made of such blocks too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "device/profile.hpp"

namespace simulator {

class AllocationCost {
public:
    using Time = std::chrono::nanoseconds;

    explicit AllocationCost(const device::HostCallProfile& host) : host_(host) {}

    // cudaMalloc and cudaFree of the memory at `begin`.
    Time take_device_memory(std::uintptr_t begin, std::size_t bytes);
    Time give_device_memory(std::uintptr_t begin, std::size_t bytes);

    Time pin(std::size_t bytes) const;
    Time free_pinned(std::size_t bytes) const;
    Time register_host(std::size_t bytes) const;
    Time unregister_host(std::size_t bytes) const;

private:
    // A block that small allocations share. It goes back when the last of them is freed.
    struct Block {
        std::size_t used_bytes = 0;
        std::size_t allocations = 0;
    };

    Time of_new_memory(std::size_t bytes) const;
    Time of_given_memory(std::size_t bytes) const;

    device::HostCallProfile host_;
    std::map<std::uint64_t, Block> blocks_;
    std::map<std::uintptr_t, std::uint64_t> block_of_;  // small allocations
    std::uint64_t open_block_ = 0;                      // where the next small allocation looks for place
};

}  // namespace simulator
