// The fixture and main() of check programs, seen from outside: sample_checks is run on the fake lab program.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "checks/causes.hpp"
#include "checks/results.hpp"

namespace {

using namespace checks;

class SampleChecks : public ::testing::Test {
protected:
    ~SampleChecks() override { std::filesystem::remove(file_); }

    // Runs the selected checks on the fake lab program in that mode, and returns the exit status.
    int run(const std::string& mode, const std::string& filter, const std::string& more = "") {
        ::setenv("FAKE_LAB", mode.c_str(), 1);
        return shell(std::string("--program ") + FAKE_LAB_PROGRAM + " --baseline " + FAKE_LAB_PROGRAM + " --results " +
                     file_.string() + " --gtest_filter=" + filter + " " + more);
    }

    static int shell(const std::string& arguments) {
        const int status =
            std::system((std::string(SAMPLE_CHECKS_PROGRAM) + " " + arguments + " >/dev/null 2>&1").c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    Results results() const { return read_results(file_); }

    CheckResult result(const std::string& id) const {
        for (const CheckResult& check : results().checks) {
            if (check.id == id) {
                return check;
            }
        }
        throw std::runtime_error("no result for " + id);
    }

    const std::filesystem::path file_ =
        std::filesystem::path(::testing::TempDir()) /
        (std::string("sample-") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

TEST_F(SampleChecks, passes_give_their_points) {
    EXPECT_EQ(run("", "*typical:*small:*fast:*faster"), 0);
    EXPECT_DOUBLE_EQ(results().points, 6 + 2 + 2.5 + 1);
    EXPECT_DOUBLE_EQ(results().max_points, 6 + 2 + 4 + 1);
    EXPECT_TRUE(results().passed());
}

TEST_F(SampleChecks, a_failed_check_skips_what_needs_it_and_nothing_else) {
    EXPECT_EQ(run("last_chunk", "*typical:*small:*fast:*faster"), 1);
    EXPECT_EQ(result("typical").cause, cause::last_chunk_missing);
    EXPECT_EQ(result("fast").verdict, Verdict::skip);
    EXPECT_EQ(result("fast").arguments.at("check"), "typical");
    EXPECT_EQ(result("faster").verdict, Verdict::skip);
    EXPECT_DOUBLE_EQ(results().points, 0);
    EXPECT_DOUBLE_EQ(results().max_points, 13);
}

TEST_F(SampleChecks, the_next_check_runs_after_a_crash) {
    EXPECT_EQ(run("crash", "*typical:*small"), 1);
    EXPECT_EQ(result("typical").cause, cause::crashed);
    EXPECT_EQ(result("small").cause, cause::crashed);
}

TEST_F(SampleChecks, too_much_noise_is_neither_pass_nor_fail) {
    EXPECT_EQ(run("", "*small:*noisy"), 2);
    EXPECT_EQ(result("noisy").verdict, Verdict::inconclusive);
}

TEST_F(SampleChecks, all_skipped_is_77) {
    EXPECT_EQ(run("", "*no_device"), 77);
}

TEST_F(SampleChecks, none_selected_is_99) {
    EXPECT_EQ(run("", "*there_is_no_such_check"), 99);
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SampleChecks, a_plain_assertion_is_recorded) {
    EXPECT_EQ(run("", "*plain"), 1);
    EXPECT_EQ(result("plain").cause, cause::assertion);
    EXPECT_NE(result("plain").arguments.at("message").find("a plain assertion"), std::string::npos);
}

TEST_F(SampleChecks, the_seed_is_kept_or_given) {
    EXPECT_EQ(run("", "*small"), 0);
    const std::uint64_t seed = results().seed;
    EXPECT_EQ(run("", "*small"), 0);
    EXPECT_EQ(results().seed, seed);
    EXPECT_EQ(run("", "*small", "--seed 42"), 0);
    EXPECT_EQ(results().seed, 42u);
}

TEST_F(SampleChecks, a_device_that_cannot_be_used_is_2_and_no_fault_of_the_student) {
    EXPECT_EQ(run("no_device", "*small"), 2);
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SampleChecks, wrong_usage_is_2) {
    EXPECT_EQ(shell(""), 2);
    EXPECT_EQ(shell("--program /nowhere/lab --baseline /nowhere/lab"), 2);
    EXPECT_EQ(run("", "*small", "--device abacus"), 2);
    EXPECT_EQ(run("", "*small", "--time-limit 0"), 2);
}

}  // namespace
