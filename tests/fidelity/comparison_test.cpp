#include "fidelity/comparison.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "course/temporary_directory.hpp"

namespace {

using fidelity::Set;
using fidelity::Table;

Table table(const std::string& lines) {
    const course::TemporaryDirectory folder;
    std::ofstream(folder.path() / "table.csv") << lines;
    return fidelity::read_table(folder.path() / "table.csv");
}

const char* const measured =
    "# device: a GPU\n"
    "group,case,set,time_ns,median_ns,low_ns,high_ns\n"
    "copy,large,judge,1000000,1000000,990000,1010000\n"
    "copy,larger,judge,2000000,2400000,1500000,2500000\n"
    "copy,short,judge,99999,99999,99999,99999\n"
    "copy,other,fit,3000000,3000000,3000000,3000000\n";

TEST(Comparison, leaves_out_short_cases_and_the_other_set) {
    const Table simulated = table("copy,large,judge,1050000\ncopy,larger,judge,3000000\ncopy,other,fit,3000000\n");
    const auto compared = fidelity::compare(simulated, table(measured), Set::judge);
    ASSERT_EQ(compared.size(), 2u);
    const fidelity::Figures figures = fidelity::figures_of(compared);
    EXPECT_EQ(figures.cases, 2u);
    EXPECT_DOUBLE_EQ(figures.within_10_percent, 0.5);
    EXPECT_DOUBLE_EQ(figures.within_20_percent, 0.5);
    EXPECT_EQ(figures.worst.name.second, "larger");
    EXPECT_NEAR(figures.worst.error(), 0.5, 1e-9);
    EXPECT_EQ(fidelity::compare(simulated, table(measured), Set::fit).size(), 1u);
}

TEST(Comparison, knows_what_the_gpu_itself_does_not_repeat) {
    const Table simulated = table("copy,large,judge,1050000\ncopy,larger,judge,3000000\n");
    const auto steady = fidelity::steady(fidelity::compare(simulated, table(measured), Set::judge));
    ASSERT_EQ(steady.size(), 1u);
    EXPECT_EQ(steady.front().name.second, "large");
    EXPECT_NEAR(fidelity::figures_of(steady).median_error, 0.05, 1e-9);
}

TEST(Comparison, measures_the_distance_from_what_the_gpu_showed) {
    const Table simulated = table("copy,large,judge,1000000\ncopy,larger,judge,3000000\n");
    const auto compared = fidelity::compare(simulated, table(measured), Set::judge);
    const fidelity::Figures figures = fidelity::figures_of(compared, &fidelity::Compared::distance);
    EXPECT_DOUBLE_EQ(figures.within_10_percent, 0.5);
    EXPECT_EQ(figures.worst.name.second, "larger");
    EXPECT_NEAR(figures.worst.distance(), 0.2, 1e-9);  // from 2.5 ms
    const auto below =
        fidelity::compare(table("copy,large,judge,1\ncopy,larger,judge,1200000\n"), table(measured), Set::judge);
    EXPECT_NEAR(below.back().distance(), 0.2, 1e-9);  // from 1.5 ms
}

TEST(Comparison, measures_the_distance_from_the_median_too) {
    const Table simulated = table("copy,large,judge,1000000\ncopy,larger,judge,3000000\n");
    const auto compared = fidelity::compare(simulated, table(measured), Set::judge);
    EXPECT_NEAR(fidelity::figures_of(compared).worst.error(), 0.5, 1e-9);
    EXPECT_NEAR(fidelity::figures_of(fidelity::against_median(compared)).worst.error(), 0.25, 1e-9);
}

TEST(Comparison, takes_one_process_for_its_own_range) {
    const Table once = table("group,case,set,time_ns,least_ns,greatest_ns\ncopy,large,judge,1000000,1,9000000\n");
    EXPECT_DOUBLE_EQ(once.cases.begin()->second.median_ns, 1000000);
    EXPECT_DOUBLE_EQ(once.cases.begin()->second.low_ns, 1000000);
    EXPECT_DOUBLE_EQ(once.cases.begin()->second.high_ns, 1000000);
}

TEST(Comparison, refuses_what_is_incomplete) {
    EXPECT_THROW(fidelity::compare(table("copy,large,judge,1050000\n"), table(measured), Set::judge),
                 std::runtime_error);
    EXPECT_THROW(table("copy,large,sometimes,1\n"), std::runtime_error);
    EXPECT_THROW(fidelity::figures_of({}), std::runtime_error);
    EXPECT_THROW(fidelity::read_table("/nonexistent/table.csv"), std::runtime_error);
}

}  // namespace
