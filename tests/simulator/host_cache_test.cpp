// When pageable data come from the host's cache and when from its memory.
#include "simulator/host_cache.hpp"

#include <gtest/gtest.h>

namespace {

using simulator::HostCache;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t capacity = 48 * mib;
constexpr std::uintptr_t input = 0x10000000, output = 0x40000000;

TEST(HostCache, holds_what_fits) {
    HostCache cache(capacity);
    EXPECT_TRUE(cache.holds(input, 48 * mib));
    EXPECT_TRUE(cache.holds(input, 48 * mib));
    EXPECT_FALSE(cache.holds(output, 64 * mib));
}

TEST(HostCache, loses_what_was_copied_long_ago) {
    HostCache cache(capacity);
    EXPECT_TRUE(cache.holds(input, 32 * mib));
    EXPECT_TRUE(cache.holds(output, 32 * mib));
    EXPECT_FALSE(cache.holds(input, 32 * mib));  // 32 MiB of output since
}

// 64 MiB in chunks are not faster than in one piece: the later chunks were written with the first.
TEST(HostCache, takes_chunks_for_parts_of_one_buffer) {
    HostCache cache(capacity);
    constexpr std::size_t chunk = 16 * mib;
    EXPECT_TRUE(cache.holds(input, chunk));
    EXPECT_TRUE(cache.holds(input + chunk, chunk));
    EXPECT_TRUE(cache.holds(input + 2 * chunk, chunk));
    EXPECT_FALSE(cache.holds(input + 3 * chunk, chunk));
    EXPECT_FALSE(cache.holds(input, chunk));
}

TEST(HostCache, takes_another_buffer_for_just_written) {
    HostCache cache(capacity);
    EXPECT_FALSE(cache.holds(input, 64 * mib));
    EXPECT_TRUE(cache.holds(output, 16 * mib));
}

}  // namespace
