#include "checks/describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "checks/causes.hpp"

namespace {

using namespace checks;
using messages::Language;

const std::vector<Language> languages{Language::english, Language::simplified_chinese};

// Every cause, with the arguments that causes.hpp promises.
const std::vector<std::pair<std::string, Arguments>> causes{
    {cause::cannot_start, {{"program", "lab"}, {"reason", "No such file"}}},
    {cause::crashed, {{"signal", "SIGSEGV"}, {"during", "run"}}},
    {cause::exited_early, {{"code", "0"}, {"during", "run"}}},
    {cause::never_returned, {{"seconds", "10"}, {"during", "run"}}},
    {cause::malformed_reply, {{"bytes", "3"}, {"during", "run"}}},
    {cause::forged_reply, {{"during", "run"}}},
    {cause::returned_error, {{"error", "cudaErrorInvalidValue"}, {"during", "run"}}},
    {cause::no_host_input, {}},
    {cause::no_host_output, {}},
    {cause::refused, {{"reason", "out_of_order"}, {"error", ""}, {"during", "run"}}},
    {cause::wrong_values, {{"wrong", "1"}, {"elements", "9"}, {"first", "3"}, {"got", "4"}, {"expected", "5"}}},
    {cause::never_written, {{"elements", "9"}}},
    {cause::partly_unwritten, {{"wrong", "1"}, {"elements", "9"}, {"first", "3"}, {"got", "4"}, {"expected", "5"}}},
    {cause::last_chunk_missing, {{"wrong", "1"}, {"first", "3"}, {"chunk_elements", "4"}}},
    {cause::output_is_input, {{"wrong", "1"}}},
    {cause::wrong_offset, {{"wrong", "1"}, {"elements", "9"}, {"from", "3"}, {"to", "4"}}},
    {cause::stale_values, {{"wrong", "1"}}},
    {cause::output_read_early, {{"operations", "1"}, {"name", "cudaMemcpyAsync"}}},
    {cause::unordered_access, {{"count", "1"}}},
    {cause::copy_out_of_bounds, {{"count", "1"}}},
    {cause::device_finding, {{"count", "1"}, {"kind", "use_after_free"}}},
    {cause::pageable_copies, {{"copies", "1"}, {"of", "2"}}},
    {cause::synchronous_copies, {{"copies", "1"}, {"of", "2"}, {"call", "cudaMemcpy"}}},
    {cause::no_copies, {{"direction", "H2D"}, {"bytes", "0"}, {"required", "8"}}},
    {cause::not_in_chunks, {{"kernels", "1"}, {"chunks", "16"}}},
    {cause::one_stream, {{"operations", "48"}}},
    {cause::legacy_default_stream, {{"operations", "1"}, {"of", "48"}}},
    {cause::device_wide_sync_in_loop, {{"calls", "15"}, {"call", "cudaDeviceSynchronize"}}},
    {cause::stream_sync_in_loop, {{"calls", "15"}, {"call", "cudaStreamSynchronize"}}},
    {cause::no_overlap, {{"first", "H2D"}, {"second", "kernel"}, {"share", "0"}, {"required", "25"}}},
    {cause::no_kernel, {}},
    {cause::no_wait, {}},
    {cause::too_little_kernel_work, {{"share", "10"}, {"required", "80"}}},
    {cause::too_slow, {{"speedup", "1.0"}, {"required", "1.5"}, {"attainable", "2.0"}}},
    {cause::speed_inconclusive, {{"pairs", "31"}, {"low", "0.5"}, {"high", "0.7"}, {"required_share", "0.60"}}},
    {cause::leaked_device_memory, {{"count", "1"}}},
    {cause::leaked_host_memory, {{"count", "1"}}},
    {cause::leaked_stream, {{"count", "1"}}},
    {cause::leaked_event, {{"count", "1"}}},
    {cause::unchecked_error, {{"count", "1"}}},
    {cause::error_ignored, {{"call", "cudaMemcpy"}, {"n", "1"}, {"calls", "9"}}},
    {cause::crashed_after_error, {{"n", "1"}, {"calls", "9"}, {"signal", "SIGSEGV"}}},
    {cause::never_returned_after_error, {{"n", "1"}, {"calls", "9"}}},
    {cause::leaked_after_error, {{"call", "cudaMemcpy"}, {"n", "1"}, {"calls", "9"}, {"count", "2"}}},
    {cause::needs, {{"check", "typical_size"}}},
    {cause::only_simulated, {}},
    {cause::cannot_check, {{"reason", "no baseline"}}},
    {cause::assertion, {{"message", "2 + 2"}}},
};

CheckResult failed(const std::string& cause, const Arguments& arguments) {
    CheckResult check;
    check.id = "typical_size";
    check.verdict = Verdict::fail;
    check.cause = cause;
    check.arguments = arguments;
    return check;
}

TEST(Describe, every_cause_has_a_sentence_in_both_languages) {
    for (const auto& [id, arguments] : causes) {
        EXPECT_TRUE(messages::known("cause." + id)) << id;
        for (const Language language : languages) {
            EXPECT_NO_THROW({
                const auto lines = describe(failed(id, arguments), language);
                EXPECT_GE(lines.size(), 2u) << id;
                EXPECT_EQ(lines[1].find('{'), std::string::npos) << lines[1];
            }) << id;
        }
    }
}

TEST(Describe, a_needed_check_is_called_by_its_name) {
    const std::string text = what_happened(failed(cause::needs, {{"check", "typical_size"}}), Language::english);
    EXPECT_NE(text.find(check_name("typical_size", Language::english)), std::string::npos);
}

TEST(Describe, an_error_with_advice_of_its_own_gets_that) {
    const auto advice = [](const std::string& error) {
        return what_to_try(failed(cause::returned_error, {{"error", error}, {"during", "run"}}), Language::english);
    };
    EXPECT_NE(advice("cudaErrorNotReady").find("cudaEventSynchronize"), std::string::npos);
    EXPECT_EQ(advice("cudaErrorInvalidValue").find("cudaEventSynchronize"), std::string::npos);
    EXPECT_NE(advice("cudaErrorInvalidValue"), "");
}

TEST(Describe, a_stage_has_its_name_in_each_language) {
    const CheckResult check =
        failed(cause::no_overlap, {{"first", "H2D"}, {"second", "kernel"}, {"share", "1"}, {"required", "60"}});
    EXPECT_NE(what_happened(check, Language::english).find("kernel"), std::string::npos);
    EXPECT_EQ(what_happened(check, Language::simplified_chinese).find("kernel"), std::string::npos);
    EXPECT_NE(what_happened(check, Language::simplified_chinese).find("核函数"), std::string::npos);
}

TEST(Describe, a_known_line_comes_first) {
    CheckResult check = failed(cause::one_stream, {{"operations", "48"}});
    check.source = {"lab.cu", 61};
    EXPECT_EQ(what_happened(check, Language::english).find("lab.cu:61: "), 0u);
}

TEST(Describe, what_the_program_printed_is_shown) {
    const auto lines = describe(
        failed(cause::crashed, {{"signal", "SIGSEGV"}, {"during", "run"}, {"output", "chunk 3"}}), Language::english);
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                            [](const std::string& line) { return line.find("chunk 3") != std::string::npos; }));
}

TEST(Describe, a_passed_check_has_its_name_alone) {
    CheckResult check;
    check.id = "typical_size";
    EXPECT_EQ(describe(check, Language::english).size(), 1u);
}

TEST(Describe, an_unknown_cause_is_shown_by_its_id) {
    EXPECT_EQ(what_happened(failed("made_up", {}), Language::english), "made_up");
}

}  // namespace
