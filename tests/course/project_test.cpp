#include "course/project.hpp"

#include <gtest/gtest.h>

#include "course/failure.hpp"

namespace {

TEST(FindLab, TakesNumberAndName) {
    for (const char* name : {"3", "03", "streams", "03_streams", "03-streams"}) {
        EXPECT_EQ(course::find_lab(name), "03_streams") << name;
    }
}

TEST(FindLab, TakesDashesAsTheNamesOfExperimentsHaveThem) {
    EXPECT_EQ(course::find_lab("sync-memcpy"), "01_sync_memcpy");
}

TEST(FindLab, FindsNothingForOtherText) {
    for (const char* name : {"", "0", "003", "stream", "03_", "_streams", "99"}) {
        EXPECT_EQ(course::find_lab(name), "") << name;
    }
}

TEST(RequireLab, NamesTheLabsThereAre) {
    try {
        course::require_lab("stream");
        FAIL() << "an unknown lab was accepted";
    } catch (const course::CannotProceed& failure) {
        EXPECT_NE(std::string(failure.what()).find("03_streams"), std::string::npos) << failure.what();
    }
}

}  // namespace
