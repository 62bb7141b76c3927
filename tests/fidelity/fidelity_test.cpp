// The simulated device, on the half of the fidelity experiment's cases that no constant was fitted to, against what an
// NVIDIA H200 measured (src/fidelity/measured).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/child_process.hpp"
#include "course/temporary_directory.hpp"
#include "fidelity/comparison.hpp"

namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr) {
        throw std::runtime_error(std::string("expected the environment variable ") + name + ", found none");
    }
    return value;
}

fidelity::Table simulate() {
    const course::TemporaryDirectory folder;
    const fs::path csv = folder.path() / "simulated.csv";
    const auto run = compiler::run_child(
        {"/usr/bin/env", "COURSE_QUIET=1", from_environment("FIDELITY_PROGRAM"), "--set", "judge", "--csv", csv});
    EXPECT_EQ(run.exit_status, 0) << run.output;
    return fidelity::read_table(csv);
}

fidelity::Table on_h200() {
    fidelity::Table table =
        fidelity::read_table(fs::path(from_environment("COURSE_ROOT")) / "src/fidelity/measured/nvidia_h200.csv");
    return table;
}

// The labs' programs are run by another program: their cases are compared in a test of their own.
fidelity::Table only_labs(fidelity::Table table, bool labs) {
    std::erase_if(table.cases, [labs](const auto& entry) { return (entry.first.first == "labs") != labs; });
    return table;
}

fidelity::Table simulate_labs() {
    const course::TemporaryDirectory folder;
    const fs::path csv = folder.path() / "labs.csv";
    std::vector<std::string> command{"/usr/bin/env", "COURSE_QUIET=1", from_environment("LAB_TIMES"),
                                     "--simulated",  "--csv",          csv};
    std::istringstream programs(from_environment("LAB_PROGRAMS"));
    for (std::string word; programs >> word;) {
        command.push_back(word);
    }
    const auto run = compiler::run_child(command);
    EXPECT_EQ(run.exit_status, 0) << run.output;
    return fidelity::read_table(csv);
}

TEST(Fidelity, is_as_near_to_an_h200_as_promised) {
    const auto all = fidelity::compare(simulate(), only_labs(on_h200(), false), fidelity::Set::judge);
    const fidelity::Figures of_all = fidelity::figures_of(all);
    const fidelity::Figures of_steady = fidelity::figures_of(fidelity::steady(all));
    const fidelity::Figures of_median = fidelity::figures_of(fidelity::against_median(all));
    const fidelity::Figures from_range = fidelity::figures_of(all, &fidelity::Compared::distance);
    EXPECT_GT(of_all.cases, 400u);
    EXPECT_GT(of_steady.cases, of_all.cases / 2);
    EXPECT_LT(of_all.median_error, 0.05);
    EXPECT_GE(of_all.within_10_percent, 0.90);
    EXPECT_EQ(of_all.within_20_percent, 1.0)
        << of_all.worst.name.first << ", " << of_all.worst.name.second << ": " << of_all.worst.ratio();
    EXPECT_LT(of_median.median_error, 0.05);
    EXPECT_GE(of_median.within_20_percent, 0.98);
    EXPECT_GE(of_steady.within_10_percent, 0.95);
    EXPECT_EQ(of_steady.within_20_percent, 1.0)
        << of_steady.worst.name.first << ", " << of_steady.worst.name.second << ": " << of_steady.worst.ratio();
    EXPECT_GE(from_range.within_10_percent, 0.90);
    EXPECT_EQ(from_range.within_20_percent, 1.0)
        << from_range.worst.name.first << ", " << from_range.worst.name.second << ": " << from_range.worst.ratio();
}

TEST(Fidelity, labs_take_as_long_as_on_an_h200) {
    const auto labs = fidelity::compare(simulate_labs(), only_labs(on_h200(), true), fidelity::Set::judge);
    const fidelity::Figures figures = fidelity::figures_of(labs);
    EXPECT_GE(figures.cases, 12u);  // of each of the six labs its serial version once and its solution once
    EXPECT_LT(figures.median_error, 0.05);
    EXPECT_EQ(figures.within_20_percent, 1.0) << figures.worst.name.second << ": " << figures.worst.ratio();
}

}  // namespace
