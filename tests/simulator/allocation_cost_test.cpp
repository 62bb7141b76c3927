#include "simulator/allocation_cost.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using simulator::AllocationCost;

constexpr std::size_t mib = std::size_t{1} << 20;

device::HostCallProfile round_costs() {
    device::HostCallProfile host;
    host.device_allocation = 30us;
    host.device_free = 20us;
    host.small_device_allocation = 1us;
    host.device_allocation_bytes_per_second = host.device_free_bytes_per_second = 1e18;
    host.pinned_allocation_bytes_per_second = 2e6 * mib;        // 2 MiB: 1 us
    host.pinned_allocation_large_bytes_per_second = 1e6 * mib;  // 2 MiB: 2 us
    host.pinned_free = 5us;
    host.pinned_free_bytes_per_second = 2e6 * mib;
    host.registration = 7us;
    host.registration_bytes_per_second = 1e6 * mib;
    host.unregistration = 3us;
    host.unregistration_bytes_per_second = 1e6 * mib;
    return host;
}

TEST(AllocationCost, small_blocks_share_what_was_taken_from_the_device) {
    AllocationCost cost(round_costs());
    EXPECT_EQ(cost.take_device_memory(1, mib), 30us);
    EXPECT_EQ(cost.take_device_memory(2, mib), 1us);
    EXPECT_EQ(cost.take_device_memory(3, mib), 30us);  // the first 2 MiB are full
    EXPECT_EQ(cost.give_device_memory(1, mib), 1us);
    EXPECT_EQ(cost.give_device_memory(2, mib), 20us);  // the last of its block gives it back
    EXPECT_EQ(cost.take_device_memory(1, 512), 1us);
}

TEST(AllocationCost, large_blocks_share_nothing) {
    AllocationCost cost(round_costs());
    EXPECT_EQ(cost.take_device_memory(1, 16 * mib), 30us);
    EXPECT_EQ(cost.take_device_memory(2, 16 * mib), 30us);
    EXPECT_EQ(cost.give_device_memory(1, 16 * mib), 20us);
}

TEST(AllocationCost, pinned_memory_costs_by_2_mib_and_more_beyond_16) {
    const AllocationCost cost(round_costs());
    EXPECT_EQ(cost.pin(1), 1us);
    EXPECT_EQ(cost.pin(2 * mib + 1), 2us);
    EXPECT_EQ(cost.pin(20 * mib), 8us + 4us);
    EXPECT_EQ(cost.free_pinned(1), 5us + 1us);
    EXPECT_EQ(cost.register_host(4 * mib), 7us + 4us);
    EXPECT_EQ(cost.unregister_host(4 * mib), 3us + 4us);
}

}  // namespace
