#include "checks/values.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "checks/causes.hpp"
#include "protocol/messages.hpp"
#include "protocol/reference_work.hpp"

namespace {

using namespace checks;

constexpr Problem problem{1000, 128, 37};
constexpr std::uint64_t seed = 11;
constexpr std::uint64_t previous_seed = 12;

Element result_at(std::size_t index, std::uint64_t of_seed = seed) {
    return protocol::reference_work(input_at(of_seed, index), problem.rounds);
}

std::vector<Element> right_outputs() {
    std::vector<Element> outputs(problem.elements);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs[i] = result_at(i);
    }
    return outputs;
}

std::string cause_of(const std::vector<Element>& outputs) {
    const auto failure = judge_outputs(problem, seed, outputs, previous_seed);
    return failure ? failure->cause : "";
}

TEST(ReferenceWork, a_jump_is_that_many_steps) {
    std::uint32_t value = 123456789;
    for (std::uint32_t rounds = 0; rounds < 300; ++rounds) {
        EXPECT_EQ(protocol::reference_work(123456789, rounds), value);
        value = 1664525u * value + 1013904223u;
    }
}

TEST(Inputs, differ_within_a_run_and_between_runs) {
    std::set<Element> seen;
    for (std::size_t i = 0; i < 1000; ++i) {
        seen.insert(input_at(seed, i));
        seen.insert(input_at(previous_seed, i));
    }
    EXPECT_GT(seen.size(), 1995u);
}

TEST(Outputs, right_ones_pass) {
    EXPECT_EQ(cause_of(right_outputs()), "");
}

TEST(Outputs, none_are_needed_for_an_empty_problem) {
    EXPECT_FALSE(judge_outputs({0, 128, 37}, seed, {}, std::nullopt));
}

TEST(Outputs, one_wrong_bit_is_found_and_shown) {
    auto outputs = right_outputs();
    outputs[700] ^= 1u;
    const auto failure = judge_outputs(problem, seed, outputs, previous_seed);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, cause::wrong_values);
    EXPECT_EQ(failure->arguments.at("wrong"), "1");
    EXPECT_EQ(failure->arguments.at("first"), "700");
    EXPECT_EQ(failure->arguments.at("got"), std::to_string(outputs[700]));
    EXPECT_EQ(failure->arguments.at("expected"), std::to_string(result_at(700)));
}

TEST(Outputs, at_most_five_are_listed) {
    auto outputs = right_outputs();
    for (std::size_t i = 300; i < 310; ++i) {
        outputs[i] += 1;
    }
    const auto failure = judge_outputs(problem, seed, outputs, previous_seed);
    ASSERT_TRUE(failure);
    const std::string& examples = failure->arguments.at("examples");
    EXPECT_NE(examples.find("[304]"), std::string::npos);
    EXPECT_EQ(examples.find("[305]"), std::string::npos);
}

TEST(Outputs, all_poison_was_never_written) {
    EXPECT_EQ(cause_of(std::vector<Element>(problem.elements, protocol::poison)), cause::never_written);
}

TEST(Outputs, some_poison_is_partly_unwritten) {
    auto outputs = right_outputs();
    for (std::size_t i = 0; i < 128; ++i) {
        outputs[i] = protocol::poison;
    }
    EXPECT_EQ(cause_of(outputs), cause::partly_unwritten);
}

TEST(Outputs, only_the_short_last_chunk_is_a_case_of_its_own) {
    auto outputs = right_outputs();
    for (std::size_t i = 896; i < 1000; ++i) {
        outputs[i] = protocol::poison;
    }
    EXPECT_EQ(cause_of(outputs), cause::last_chunk_missing);
}

TEST(Outputs, inputs_in_their_place_were_not_computed) {
    auto outputs = right_outputs();
    for (std::size_t i = 128; i < 256; ++i) {
        outputs[i] = input_at(seed, i);
    }
    EXPECT_EQ(cause_of(outputs), cause::output_is_input);
}

TEST(Outputs, results_of_the_run_before_are_stale) {
    auto outputs = right_outputs();
    for (std::size_t i = 128; i < 256; ++i) {
        outputs[i] = result_at(i, previous_seed);
    }
    EXPECT_EQ(cause_of(outputs), cause::stale_values);
}

TEST(Outputs, results_of_another_chunk_are_a_wrong_offset) {
    auto outputs = right_outputs();
    for (std::size_t i = 128; i < 256; ++i) {
        outputs[i] = result_at(i - 128);
    }
    const auto failure = judge_outputs(problem, seed, outputs, previous_seed);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, cause::wrong_offset);
    EXPECT_EQ(failure->arguments.at("from"), "0");
    EXPECT_EQ(failure->arguments.at("to"), "128");
}

TEST(Outputs, moved_results_with_holes_are_still_a_wrong_offset) {
    std::vector<Element> outputs(problem.elements, protocol::poison);
    for (std::size_t i = 0; 4 * i < outputs.size(); ++i) {
        outputs[4 * i] = result_at(i);
    }
    EXPECT_EQ(cause_of(outputs), cause::wrong_offset);
}

}  // namespace
