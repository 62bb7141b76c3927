// Rewritten programs compile with each C++ compiler there is, and their launches do what CUDA's do.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "compiler/child_process.hpp"
#include "compiler/work_directory.hpp"
#include "simulator/launch_syntax/rewrite.hpp"

namespace {

using compiler::run_child;

const std::string tests = TEST_DIRECTORY;
const std::string repository = REPOSITORY;

bool is_installed(const std::string& program) {
    return run_child({"/usr/bin/env", "which", program}).exit_status == 0;
}

std::string rewritten(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_FALSE(text.empty()) << path;
    const auto result = simulator::rewrite_launches(text, path);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : describe(result.errors.front(), path));
    return result.text;
}

class LaunchProgram : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(LaunchProgram, CompilesAndRuns) {
    const auto [compiler_name, program] = GetParam();
    if (!is_installed(compiler_name)) {
        GTEST_SKIP() << compiler_name << " is not installed";
    }
    const compiler::WorkDirectory work;
    const std::string source = work.path() / "program.cpp";
    const std::string executable = work.path() / "program";
    std::ofstream(source) << rewritten(tests + "/programs/" + program + ".cu");
    const auto compiled =
        run_child({compiler_name, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-I", tests + "/fake_device",
                   "-I", repository + "/src/simulator/include", source, "-o", executable});
    ASSERT_EQ(compiled.exit_status, 0) << compiled.output;
    const auto result = run_child({executable});
    EXPECT_EQ(result.exit_status, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Compilers, LaunchProgram,
                         testing::Combine(testing::Values("g++", "clang++"),
                                          testing::Values("arguments", "configuration")),
                         [](const auto& info) {
                             const std::string compiler_name = std::get<0>(info.param);
                             return compiler_name.substr(0, compiler_name.find('+')) + "_" + std::get<1>(info.param);
                         });

// The program counts what the instrumented code records; its hooks are compiled without instrumentation.
TEST(LaunchProgram, RecordsTheKernelsAccessesAlone) {
    for (const std::string name : {"g++", "clang++"}) {
        if (!is_installed(name)) {
            continue;
        }
        const compiler::WorkDirectory work;
        const std::string source = work.path() / "program.cpp";
        const std::string executable = work.path() / "program";
        std::ofstream(source) << rewritten(tests + "/programs/recorded.cu");
        auto command =
            std::vector<std::string>{name, "-std=c++20", "-O1", "-fsanitize=thread", "-fsanitize-coverage=trace-pc"};
        const auto without_entries = name == "g++"
                                         ? std::vector<std::string>{"--param", "tsan-instrument-func-entry-exit=0"}
                                         : std::vector<std::string>{"-mllvm", "-tsan-instrument-func-entry-exit=0"};
        command.insert(command.end(), without_entries.begin(), without_entries.end());
        const std::vector<std::string> rest{"-I", tests + "/fake_device", "-I", repository + "/src/simulator/include",
                                            "-I", tests + "/programs",    "-c", source,
                                            "-o", source + ".o"};
        command.insert(command.end(), rest.begin(), rest.end());
        const auto compiled = run_child(command);
        ASSERT_EQ(compiled.exit_status, 0) << compiled.output;
        const auto linked =
            run_child({name, "-std=c++20", "-I", tests + "/fake_device", "-I", repository + "/src/simulator/include",
                       source + ".o", tests + "/programs/recording_hooks.cpp", "-o", executable});
        ASSERT_EQ(linked.exit_status, 0) << linked.output;
        const auto result = run_child({executable});
        EXPECT_EQ(result.exit_status, 0) << name << ": " << result.output;
    }
}

}  // namespace
