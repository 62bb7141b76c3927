#include "simulator/ordering/vector_clock.hpp"

#include <gtest/gtest.h>

namespace simulator {
namespace {

TEST(VectorClock, StartsBeforeEverything) {
    const VectorClock clock;
    EXPECT_EQ(clock.time(7), 0u);
    EXPECT_TRUE(clock.covers({7, 0}));
    EXPECT_FALSE(clock.covers({7, 1}));
}

TEST(VectorClock, AdvanceTouchesOneAgent) {
    VectorClock clock;
    EXPECT_EQ(clock.advance(3), (Epoch{3, 1}));
    EXPECT_EQ(clock.advance(3), (Epoch{3, 2}));
    EXPECT_TRUE(clock.covers({3, 2}));
    EXPECT_FALSE(clock.covers({3, 3}));
    EXPECT_FALSE(clock.covers({2, 1}));
    EXPECT_FALSE(clock.covers({4, 1}));
}

TEST(VectorClock, JoinTakesTheLaterMomentOfEachAgent) {
    VectorClock left;
    left.advance(0);
    left.advance(0);
    VectorClock right;
    right.advance(0);
    right.advance(5);
    const VectorClock before = right;
    left.join(right);
    EXPECT_EQ(left.time(0), 2u);
    EXPECT_EQ(left.time(5), 1u);
    right.join(left);
    EXPECT_EQ(right.time(0), 2u);
    EXPECT_EQ(before.time(0), 1u) << "a copy of a clock must not follow the original";
}

}  // namespace
}  // namespace simulator
