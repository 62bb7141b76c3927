#include "simulator/pending_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace simulator {
namespace {

TEST(PendingReads, are_found_by_their_bytes) {
    PendingReads reads;
    EXPECT_FALSE(reads.any_in(0, 1000));
    reads.add(100, 200);
    EXPECT_TRUE(reads.any_in(199, 300));
    EXPECT_TRUE(reads.any_in(50, 101));
    EXPECT_TRUE(reads.any_in(0, 1000));
    EXPECT_TRUE(reads.any_in(150, 151));
    EXPECT_FALSE(reads.any_in(200, 300));
    EXPECT_FALSE(reads.any_in(50, 100));
}

TEST(PendingReads, stay_until_the_last_one_of_the_same_bytes_is_taken_back) {
    PendingReads reads;
    reads.add(100, 200);
    reads.add(100, 200);
    reads.add(150, 250);
    reads.remove(100, 200);
    EXPECT_TRUE(reads.any_in(100, 101));
    reads.remove(100, 200);
    EXPECT_FALSE(reads.any_in(100, 150));
    EXPECT_TRUE(reads.any_in(150, 151));
    reads.remove(150, 250);
    EXPECT_EQ(reads.entries(), 0u);
}

TEST(PendingReads, of_no_bytes_are_none) {
    PendingReads reads;
    reads.add(100, 100);
    EXPECT_EQ(reads.entries(), 0u);
    EXPECT_FALSE(reads.any_in(0, 1000));
}

TEST(PendingReads, agree_with_a_count_for_each_byte) {
    constexpr std::uintptr_t bytes = 64;
    std::mt19937 random(3);
    PendingReads reads;
    std::vector<int> counts(bytes);
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> added;
    const auto any_place = [&] { return static_cast<std::uintptr_t>(random() % (bytes + 1)); };
    for (int step = 0; step < 20'000; ++step) {
        if (added.size() < 12 && random() % 2 == 0) {
            const auto [begin, end] = std::minmax({any_place(), any_place()});
            added.emplace_back(begin, end);
            reads.add(begin, end);
            std::for_each(&counts[0] + begin, &counts[0] + end, [](int& count) { ++count; });
        } else if (!added.empty()) {
            std::swap(added[random() % added.size()], added.back());
            const auto [begin, end] = added.back();
            added.pop_back();
            reads.remove(begin, end);
            std::for_each(&counts[0] + begin, &counts[0] + end, [](int& count) { --count; });
        }
        const auto [begin, end] = std::minmax({any_place(), any_place()});
        const bool expected = std::any_of(&counts[0] + begin, &counts[0] + end, [](int count) { return count > 0; });
        ASSERT_EQ(reads.any_in(begin, end), expected) << begin << " to " << end << " at step " << step;
        ASSERT_LE(reads.entries(), 2 * added.size());
    }
}

// A program may queue a million copies before the first is done.
TEST(PendingReads, of_the_same_bytes_take_no_more_place_however_many) {
    PendingReads reads;
    for (int i = 0; i < 100'000; ++i) {
        reads.add(4096, 8192);
        reads.add(8192 + 64, 8192 + 128);
    }
    EXPECT_EQ(reads.entries(), 4u);
}

}  // namespace
}  // namespace simulator
