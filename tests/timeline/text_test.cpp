#include <gtest/gtest.h>

#include "timeline/scale.hpp"
#include "timeline/text_columns.hpp"

namespace {

using namespace std::chrono_literals;

TEST(TextColumns, EastAsianWideCharactersTakeTwo) {
    EXPECT_EQ(timeline::columns(""), 0U);
    EXPECT_EQ(timeline::columns("H2D"), 3U);
    EXPECT_EQ(timeline::columns("核函数"), 6U);
    EXPECT_EQ(timeline::columns("流 1，2"), 7U);
    EXPECT_EQ(timeline::columns("µs ━█"), 5U);
    EXPECT_EQ(timeline::columns("😀"), 2U);
}

TEST(TextColumns, PaddingCountsColumns) {
    EXPECT_EQ(timeline::padded("主机", 6), "主机  ");
    EXPECT_EQ(timeline::padded("host", 6), "host  ");
    EXPECT_EQ(timeline::padded("kernel", 3), "kernel");
}

TEST(TextColumns, ControlCharactersAndBrokenBytesAreReplaced) {
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(timeline::printable("scale<int> 核"), "scale<int> 核");
    EXPECT_EQ(timeline::printable("a\033[31mb\n"), "a" + mark + "[31mb" + mark);
    EXPECT_EQ(timeline::printable("\xFFx\xE6\xA0"), mark + "x" + mark + mark);
    EXPECT_EQ(timeline::printable("\xC0\x80"), mark + mark);                // overlong
    EXPECT_EQ(timeline::printable("\xED\xA0\x80"), mark + mark + mark);     // surrogate
    EXPECT_EQ(timeline::printable("\xC2\x9B"), mark);                       // a C1 control
    EXPECT_EQ(timeline::printable("\xF4\x90\x80\x80").substr(0, 3), mark);  // beyond Unicode
}

TEST(Scale, TimesHaveUnitsAndThreeDigits) {
    EXPECT_EQ(timeline::time_text(0ns), "0 ns");
    EXPECT_EQ(timeline::time_text(999ns), "999 ns");
    EXPECT_EQ(timeline::time_text(1500ns), "1.50 µs");
    EXPECT_EQ(timeline::time_text(900us), "900 µs");
    EXPECT_EQ(timeline::time_text(900us, true), "900 us");
    EXPECT_EQ(timeline::time_text(5774us), "5.77 ms");
    EXPECT_EQ(timeline::time_text(14600us), "14.6 ms");
    EXPECT_EQ(timeline::time_text(2345ms), "2.35 s");
    EXPECT_EQ(timeline::time_text(1h), "3600 s");
}

std::string texts(const std::vector<timeline::Mark>& marks) {
    std::string result;
    for (const auto& mark : marks) {
        result += mark.text + "|";
    }
    return result;
}

TEST(Scale, MarksAreRound) {
    EXPECT_EQ(texts(timeline::marks(600us, 6)), "0|200|400|600 µs|");
    EXPECT_EQ(texts(timeline::marks(1700us, 4)), "0|0.5|1|1.5 ms|");
    EXPECT_EQ(texts(timeline::marks(1700us, 9)), "0|0.2|0.4|0.6|0.8|1|1.2|1.4|1.6 ms|");
    EXPECT_EQ(texts(timeline::marks(0ns, 6)), "0 ns|");
    EXPECT_EQ(texts(timeline::marks(3ns, 2)), "0|2 ns|");
}

TEST(Scale, MarksStayWithinLengthAndNumber) {
    for (std::int64_t length = 1; length < 4'000'000'000'000; length = length * 7 + 3) {
        for (int most = 2; most < 20; ++most) {
            const auto marks = timeline::marks(std::chrono::nanoseconds(length), most);
            ASSERT_GE(marks.size(), 1U);
            ASSERT_LE(marks.size(), static_cast<std::size_t>(most));
            ASSERT_EQ(marks.front().at, 0ns);
            ASSERT_LE(marks.back().at.count(), length);
        }
    }
}

}  // namespace
