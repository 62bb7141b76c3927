// The simulated device, on the half of the fidelity experiment's cases that no constant was fitted to, against what an
// NVIDIA H200 measured (src/fidelity/measured).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

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
    std::erase_if(table.cases, [](const auto& entry) { return entry.first.first == "labs"; });  // run as labs are
    return table;
}

TEST(Fidelity, is_as_near_to_an_h200_as_promised) {
    const auto all = fidelity::compare(simulate(), on_h200(), fidelity::Set::judge);
    const auto steady = fidelity::steady(all);
    const fidelity::Figures of_all = fidelity::figures_of(all);
    const fidelity::Figures of_steady = fidelity::figures_of(steady);
    EXPECT_GT(of_all.cases, 400u);
    EXPECT_GT(of_steady.cases, 9 * of_all.cases / 10 - 60);  // the unsteady ones are the exception
    EXPECT_LT(of_all.median_error, 0.05);
    EXPECT_GE(of_all.within_10_percent, 0.90);
    EXPECT_GE(of_all.within_20_percent, 0.98) << of_all.worst.name.first << ", " << of_all.worst.name.second;
    EXPECT_EQ(of_steady.within_20_percent, 1.0)
        << of_steady.worst.name.first << ", " << of_steady.worst.name.second << ": " << of_steady.worst.ratio();
}

}  // namespace
