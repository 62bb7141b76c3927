#include "checks/lab_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "programs.hpp"

namespace {

using namespace checks;
using testing_programs::fake_lab;
using testing_programs::impatient;

protocol::Request request(protocol::Action action) {
    protocol::Request result;
    result.action = action;
    result.problem.elements = 16;
    result.problem.chunk_elements = 4;
    result.problem.output_offset = 2048;
    return result;
}

// Runs one problem and says how it failed.
Failure failure_of(const Launch& launch) {
    const auto memory = protocol::SharedMemory::create(4096);
    try {
        LabProcess process(launch, memory);
        for (const auto action :
             {protocol::Action::prepare, protocol::Action::run, protocol::Action::collect, protocol::Action::release}) {
            process.demand(request(action));
        }
        process.quit();
    } catch (const CheckFailed& failed) {
        return failed.failure();
    }
    return {};
}

TEST(LabProcess, a_program_that_behaves_fails_nothing) {
    EXPECT_EQ(failure_of(fake_lab("")).cause, "");
}

TEST(LabProcess, a_program_that_does_not_exist_cannot_start) {
    const Failure failure = failure_of({"/nowhere/lab", {}, {}});
    EXPECT_EQ(failure.cause, cause::cannot_start);
    EXPECT_EQ(failure.arguments.at("program"), "/nowhere/lab");
}

TEST(LabProcess, a_crash_names_its_signal_and_place) {
    const Failure failure = failure_of(fake_lab("crash"));
    EXPECT_EQ(failure.cause, cause::crashed);
    EXPECT_EQ(failure.arguments.at("signal"), "SIGSEGV");
    EXPECT_EQ(failure.arguments.at("during"), "run");
}

TEST(LabProcess, printing_a_pass_and_leaving_is_an_early_exit) {
    const Failure failure = failure_of(fake_lab("fake_pass"));
    EXPECT_EQ(failure.cause, cause::exited_early);
    EXPECT_EQ(failure.arguments.at("code"), "0");
    EXPECT_NE(failure.arguments.at("output").find("PASSED"), std::string::npos);
}

TEST(LabProcess, a_hang_ends_at_the_limit) {
    const Failure failure = failure_of(fake_lab("hang", impatient));
    EXPECT_EQ(failure.cause, cause::never_returned);
    EXPECT_EQ(failure.arguments.at("seconds"), "0.3");
    EXPECT_EQ(failure.arguments.at("during"), "run");
}

TEST(LabProcess, a_hang_at_exit_ends_at_the_limit) {
    const Failure failure = failure_of(fake_lab("hang_at_exit", impatient));
    EXPECT_EQ(failure.cause, cause::never_returned);
    EXPECT_EQ(failure.arguments.at("during"), "exit");
}

TEST(LabProcess, endless_output_neither_blocks_nor_fills_memory) {
    const Failure failure = failure_of(fake_lab("prints_for_ever", impatient));
    EXPECT_EQ(failure.cause, cause::never_returned);
    EXPECT_LE(failure.arguments.at("output").size(), 4096u);
    EXPECT_NE(failure.arguments.at("output").find("still busy"), std::string::npos);
}

TEST(LabProcess, a_reply_before_its_request_is_forged) {
    EXPECT_EQ(failure_of(fake_lab("early_reply")).cause, cause::forged_reply);
}

TEST(LabProcess, a_reply_with_another_nonce_is_forged) {
    EXPECT_EQ(failure_of(fake_lab("wrong_nonce")).cause, cause::forged_reply);
}

TEST(LabProcess, a_reply_of_another_size_is_malformed) {
    const Failure failure = failure_of(fake_lab("wrong_size"));
    EXPECT_EQ(failure.cause, cause::malformed_reply);
    EXPECT_EQ(failure.arguments.at("bytes"), "10");
}

TEST(LabProcess, an_error_of_the_student_is_named) {
    const Failure failure = failure_of(fake_lab("error"));
    EXPECT_EQ(failure.cause, cause::returned_error);
    EXPECT_EQ(failure.arguments.at("error"), "cudaErrorMemoryAllocation");
}

TEST(LabProcess, a_missing_buffer_is_named) {
    EXPECT_EQ(failure_of(fake_lab("no_output")).cause, cause::no_host_output);
}

TEST(LabProcess, no_process_outlives_its_object) {
    const auto memory = protocol::SharedMemory::create(4096);
    {
        LabProcess process(fake_lab(""), memory);
        EXPECT_TRUE(process.simulated());
    }
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
}

}  // namespace
