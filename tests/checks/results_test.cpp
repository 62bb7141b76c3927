#include "checks/results.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

using namespace checks;

class ResultsFile : public ::testing::Test {
protected:
    ~ResultsFile() override { std::filesystem::remove(file_); }

    std::string content() const {
        std::ifstream in(file_);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    void put(const std::string& text) const { std::ofstream(file_) << text; }

    const std::filesystem::path file_ =
        std::filesystem::path(::testing::TempDir()) /
        (std::string("results-") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

Results sample() {
    Results results;
    results.lab = "03_streams";
    results.device = "NVIDIA H200";
    results.simulated = true;
    results.profile = "h200-pcie5";
    results.seed = 0xFFFFFFFFFFFFFFFFu;
    results.speed = SpeedResult{2.38, 1.86, 2.2, 2.61, 0.9, 0.88, 0.91, 0.6, 0.85, 7, 100, 238, 91};
    results.checks.push_back({"typical_size", Verdict::pass, 20, 20, "", {}, {}, {}});
    results.checks.push_back(
        {"overlap",
         Verdict::fail,
         0,
         10,
         "one_stream",
         {{"operations", "48"}},
         {"lab.cu", 61},
         {{"unordered_access", device::Severity::error, {"lab.cu", 1}, {"lab.cu", 2}, {{"bytes", "4"}}}}});
    results.checks.push_back({"speed", Verdict::skip, 0, 10, "needs", {{"check", "overlap"}}, {}, {}});
    add_up(results);
    return results;
}

TEST_F(ResultsFile, come_back_as_they_were) {
    write_results(file_, sample());
    const Results back = read_results(file_);
    EXPECT_EQ(back.lab, "03_streams");
    EXPECT_EQ(back.seed, 0xFFFFFFFFFFFFFFFFu);
    EXPECT_TRUE(back.simulated);
    ASSERT_TRUE(back.speed);
    EXPECT_EQ(back.speed->pairs, 7u);
    EXPECT_DOUBLE_EQ(back.speed->attainable, 2.61);
    ASSERT_EQ(back.checks.size(), 3u);
    EXPECT_EQ(back.checks[1].verdict, Verdict::fail);
    EXPECT_EQ(back.checks[1].arguments.at("operations"), "48");
    EXPECT_EQ(back.checks[1].source, (device::SourceLine{"lab.cu", 61}));
    EXPECT_EQ(back.checks[1].findings, sample().checks[1].findings);
    EXPECT_EQ(back.checks[2].verdict, Verdict::skip);
}

TEST_F(ResultsFile, are_the_same_bytes_when_written_again) {
    write_results(file_, sample());
    const std::string first = content();
    write_results(file_, read_results(file_));
    EXPECT_EQ(content(), first);
}

TEST_F(ResultsFile, output_that_is_not_utf8_is_written_all_the_same) {
    Results results = sample();
    results.checks[1].arguments["output"] = "\xff\xfe";
    write_results(file_, results);
    EXPECT_NO_THROW(read_results(file_));
}

TEST_F(ResultsFile, a_malformed_file_is_named) {
    put("{\"format\": 1}");
    try {
        read_results(file_);
        FAIL() << "expected an error";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(file_.string()), std::string::npos);
    }
}

TEST_F(ResultsFile, an_unknown_verdict_is_refused) {
    write_results(file_, sample());
    std::string text = content();
    text.replace(text.find("\"skip\""), 6, "\"skup\"");
    put(text);
    EXPECT_THROW(read_results(file_), std::runtime_error);
}

TEST(Results, skipped_points_still_count_as_reachable) {
    const Results results = sample();
    EXPECT_DOUBLE_EQ(results.points, 20);
    EXPECT_DOUBLE_EQ(results.max_points, 40);
}

TEST(Results, pass_only_when_every_check_does) {
    Results results = sample();
    EXPECT_FALSE(results.passed());
    results.checks.resize(1);
    EXPECT_TRUE(results.passed());
    results.checks[0].verdict = Verdict::inconclusive;
    EXPECT_FALSE(results.passed());
}

}  // namespace
