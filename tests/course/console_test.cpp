#include "course/console.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
    EXPECT_EQ(course::wrapped("one two three", 9, 2), "one two\n  three");
}

TEST(Wrapped, BreaksBetweenChineseCharactersButNotBeforeASign) {
    EXPECT_EQ(course::wrapped("拷贝和计算", 4, 0), "拷贝\n和计\n算");
    EXPECT_EQ(course::wrapped("拷贝，计算", 4, 0), "拷\n贝，\n计算");
}

TEST(Wrapped, DoesNotEndALineWithAnOpeningSign) {
    EXPECT_EQ(course::wrapped("事件（cudaEvent）", 6, 0), "事件\n（cudaEvent）");
}

TEST(Wrapped, KeepsALongWordWhole) {
    EXPECT_EQ(course::wrapped("a cudaDeviceSynchronize b", 8, 0), "a\ncudaDeviceSynchronize\nb");
}

TEST(Wrapped, KeepsLineEndsAndIndentsWhatFollows) {
    EXPECT_EQ(course::wrapped("one two\nthree\n\nfour\n\n", 9, 2), "one two\n  three\n\n  four");
    EXPECT_EQ(course::wrapped("\n", 9, 2), "");
}

TEST(Wrapped, LeavesTextThatFitsAlone) { EXPECT_EQ(course::wrapped("fits", 80, 4), "fits"); }

TEST(Styled, AddsNothingWithoutColour) {
    EXPECT_EQ((course::Console{false, 80}).styled(course::Style::red, "x"), "x");
    EXPECT_EQ((course::Console{true, 80}).styled(course::Style::red, "x"), "\033[31mx\033[0m");
}

}  // namespace
