#include "simulator/allocation_cost.hpp"

#include <algorithm>

namespace simulator {
namespace {

// Seen on an H200: allocations of up to 1 MiB share blocks of 2 MiB.
constexpr std::size_t block_bytes = std::size_t{2} << 20;
constexpr std::size_t most_shared_bytes = block_bytes / 2;
constexpr std::size_t quickly_pinned_bytes = std::size_t{16} << 20;
constexpr std::size_t alignment_bytes = 512;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
    return (bytes + to - 1) / to * to;
}

AllocationCost::Time time_for(std::size_t bytes, double bytes_per_second) {
    return AllocationCost::Time(static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_per_second * 1e9));
}

}  // namespace

AllocationCost::Time AllocationCost::of_new_memory(std::size_t bytes) const {
    return host_.device_allocation + time_for(bytes, host_.device_allocation_bytes_per_second);
}

AllocationCost::Time AllocationCost::of_given_memory(std::size_t bytes) const {
    return host_.device_free + time_for(bytes, host_.device_free_bytes_per_second);
}

AllocationCost::Time AllocationCost::take_device_memory(std::uintptr_t begin, std::size_t bytes) {
    if (bytes > most_shared_bytes) {
        return of_new_memory(bytes);
    }
    const std::size_t needed = rounded_up(bytes, alignment_bytes);
    const auto open = blocks_.find(open_block_);
    const bool fits = open != blocks_.end() && open->second.used_bytes + needed <= block_bytes;
    Block& block = fits ? open->second : blocks_[++open_block_];
    block.used_bytes += needed;
    ++block.allocations;
    block_of_[begin] = open_block_;
    return fits ? host_.small_device_allocation : of_new_memory(block_bytes);
}

AllocationCost::Time AllocationCost::give_device_memory(std::uintptr_t begin, std::size_t bytes) {
    const auto shared = block_of_.find(begin);
    if (shared == block_of_.end()) {
        return of_given_memory(bytes);
    }
    const auto block = blocks_.find(shared->second);
    block_of_.erase(shared);
    if (--block->second.allocations > 0) {
        return host_.small_device_allocation;
    }
    blocks_.erase(block);
    return of_given_memory(block_bytes);
}

AllocationCost::Time AllocationCost::pin(std::size_t bytes) const {
    const std::size_t all = rounded_up(bytes, block_bytes);
    const std::size_t first = std::min(all, quickly_pinned_bytes);
    return time_for(first, host_.pinned_allocation_bytes_per_second) +
           time_for(all - first, host_.pinned_allocation_large_bytes_per_second);
}

AllocationCost::Time AllocationCost::free_pinned(std::size_t bytes) const {
    return host_.pinned_free + time_for(rounded_up(bytes, block_bytes), host_.pinned_free_bytes_per_second);
}

AllocationCost::Time AllocationCost::register_host(std::size_t bytes) const {
    return host_.registration + time_for(bytes, host_.registration_bytes_per_second);
}

AllocationCost::Time AllocationCost::unregister_host(std::size_t bytes) const {
    return host_.unregistration + time_for(bytes, host_.unregistration_bytes_per_second);
}

}  // namespace simulator
