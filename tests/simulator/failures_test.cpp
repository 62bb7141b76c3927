// Fault injection reaches every function of the simulated runtime that can fail: it returns an error, has no effect, and
// is named in the finding. The functions are those that the headers declare; programs/failures.cu calls each of them.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "program_run.hpp"

namespace simulator {
namespace {

namespace fs = std::filesystem;

const Program& program() {
    static const Program program("failures");
    return program;
}

// Findings go to the trace alone, so that they do not stand between the lines of the program.
ProgramRun run_failures(const std::string& how, Environment environment = {}) {
    environment.emplace("COURSE_QUIET", "1");
    return run(program(), {how}, environment);
}

std::string contents(const fs::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::set<std::string> declared_functions() {
    const std::regex declaration(R"((?:cudaError_t\s+|SIMULATOR_POTENTIAL_BLOCK_SIZE\(|SIMULATOR_SYMBOL_CALL\s+)(cuda\w+)\s*[(,])");
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(SIMULATOR_HEADERS)) {
        if (!entry.is_regular_file()) {
            continue;
        }
        const std::string text = contents(entry.path());
        for (std::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end; ++found) {
            names.insert((*found)[1]);
        }
    }
    return names;
}

struct Call {
    std::string name;
    std::string known_as;
    int line = 0;
};

std::vector<Call> calls_of(const ProgramRun& result) {
    std::vector<Call> calls;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Call call;
        if (std::string first; words >> first && first == "call" && words >> call.name >> call.known_as >> call.line) {
            calls.push_back(call);
        }
    }
    return calls;
}

std::string last_line(const std::string& text) {
    return text.substr(text.rfind("kernels counted"));
}

TEST(Failures, every_declared_function_that_can_fail_is_tried) {
    std::set<std::string> left = declared_functions();
    EXPECT_GT(left.size(), 90u);
    // They tell of errors, and have none of their own.
    for (const char* const name : {"cudaGetLastError", "cudaPeekAtLastError"}) {
        EXPECT_EQ(left.erase(name), 1u) << name;
    }
    std::set<std::string> unknown;
    for (const Call& call : calls_of(run_failures("plain"))) {
        if (left.erase(call.name) == 0 && !declared_functions().contains(call.name)) {
            unknown.insert(call.name);
        }
    }
    EXPECT_EQ(left, std::set<std::string>{}) << "programs/failures.cu should try these too";
    EXPECT_EQ(unknown, std::set<std::string>{}) << "no header declares these";
}

TEST(Failures, return_an_error_and_are_named_at_their_line) {
    const ProgramRun result = run_failures("injected");
    EXPECT_EQ(result.exit_status, 0) << result.output;
    std::vector<Call> expected = calls_of(result);
    expected.insert(expected.end() - 1,
                    {"cudaDeviceReset", "cudaDeviceReset", program().line("the reset that fails")});
    const std::vector<device::Finding> found = result.findings("injected_failure");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].details.at("call"), expected[i].known_as);
        EXPECT_EQ(found[i].at.line, expected[i].line) << expected[i].name;
        EXPECT_EQ(fs::path(found[i].at.file).filename(), "failures.cu");
    }
    EXPECT_EQ(result.trace.findings.size(), found.size()) << result.output;
}

TEST(Failures, have_no_effect) {
    const ProgramRun injected = run_failures("injected");
    const ProgramRun plain = run_failures("plain");
    EXPECT_EQ(plain.exit_status, 0) << plain.output;
    EXPECT_TRUE(plain.trace.findings.empty()) << plain.output;
    EXPECT_EQ(last_line(injected.output), last_line(plain.output));
    ASSERT_EQ(injected.trace.operations.size(), plain.trace.operations.size());
    for (std::size_t i = 0; i < plain.trace.operations.size(); ++i) {
        const device::Operation& a = injected.trace.operations[i];
        const device::Operation& b = plain.trace.operations[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.at.line, b.at.line) << b.name;
        EXPECT_EQ(a.bytes, b.bytes) << b.name;
        EXPECT_EQ(a.stream, b.stream) << b.name;
    }
}

// As `course run FILE.cu --fail-call N` does it.
TEST(Failures, are_counted_from_the_start_of_the_program) {
    const std::vector<Call> calls = calls_of(run_failures("plain"));
    ASSERT_GT(calls.size(), 20u);
    for (const std::size_t n : {std::size_t{1}, std::size_t{20}}) {
        const ProgramRun result = run_failures("plain", {{"COURSE_FAIL_CALL", std::to_string(n)}});
        const std::vector<device::Finding> found = result.findings("injected_failure");
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].details.at("call"), calls[n - 1].known_as);
        EXPECT_EQ(found[0].at.line, calls[n - 1].line);
    }
}

// What the headers do not offer they refuse by name. NVIDIA's header is the list, of the version that they follow.
TEST(RuntimeFunctions, are_offered_or_refused_by_name) {
    const std::string header = contents(NVIDIA_RUNTIME_HEADER);
    if (header.find("#define CUDART_VERSION  13000") == std::string::npos) {
        GTEST_SKIP() << "needs cuda_runtime_api.h of CUDA 13.0";
    }
    std::set<std::string> known = declared_functions();
    known.insert({"cudaGetErrorName", "cudaGetErrorString"});
    const std::string refused = contents(fs::path(SIMULATOR_HEADERS) / "simulator/not_simulated.h");
    const std::regex function(R"(CUDARTAPI\s+(cuda[A-Z]\w+)\()");
    int found = 0;
    for (std::sregex_iterator at(header.begin(), header.end(), function), end; at != end; ++at, ++found) {
        const std::string name = (*at)[1];
        EXPECT_TRUE(known.contains(name) || refused.find("(" + name + ")") != std::string::npos) << name;
    }
    EXPECT_GT(found, 250);
}

}  // namespace
}  // namespace simulator
