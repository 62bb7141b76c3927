// The clocks that a program reads are those of the simulated device.
#include <gtest/gtest.h>

#include <string>

#include "device/profile.hpp"
#include "program_run.hpp"

namespace {

using simulator::profile_file;
using simulator::Program;
using simulator::run;

class Clock : public testing::TestWithParam<const char*> {};

double printed(const std::string& name) {
    const Program program("clocks");
    const auto result = run(program, {name}, {{"COURSE_PROFILE", profile_file("h200-pcie5")}});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return std::stod(result.output);
}

TEST_P(Clock, ShowsTheSimulatedTimeOfACopy) {
    const auto profile = device::load_profile(profile_file("h200-pcie5"));
    const double expected_ms = 64.0 * 1024 * 1024 / profile.host_to_device.pinned_bytes_per_second * 1e3;
    EXPECT_NEAR(printed(GetParam()), expected_ms, 0.02 * expected_ms);
}

INSTANTIATE_TEST_SUITE_P(Clocks, Clock,
                         testing::Values("steady_clock", "system_clock", "high_resolution_clock", "posix_clock",
                                         "time_of_day", "processor_time"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Clocks, SleepingPassesVirtualTime) {
    EXPECT_NEAR(printed("sleeping"), 3600e3 + 500 + 2000 + 250, 0.01);
}

TEST(Clocks, PollingEnds) {
    const double readings = printed("polling");
    EXPECT_GT(readings, 1000);
    EXPECT_LT(readings, 1e6);
}

TEST(Clocks, TheDeviceWorksOnWhileTheHostPolls) {
    EXPECT_EQ(printed("polling_beside_a_copy"), 1);
}

TEST(Clocks, TwoRunsSeeTheSameDate) {
    EXPECT_EQ(printed("the_date"), printed("the_date"));
}

}  // namespace
