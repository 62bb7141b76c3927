// Every rule of CUDA's documented semantics that the course relies on has a test of its timing and one of what the
// ordering checker makes of it. semantics_rows.json names them; they have to exist.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "compiler/child_process.hpp"

namespace simulator {
namespace {

const nlohmann::json& rows() {
    static const nlohmann::json rows = [] {
        std::ifstream file(SEMANTICS_ROWS);
        return nlohmann::json::parse(file);
    }();
    return rows;
}

// The tests of an executable as "Suite.name", and without the profile at their end those that run on each.
std::set<std::string> tests_of(const std::string& name) {
    const compiler::ChildResult listed =
        compiler::run_child({std::string(TEST_DIRECTORY) + "/simulator_" + name + "_test", "--gtest_list_tests"});
    EXPECT_EQ(listed.exit_status, 0) << listed.output;
    std::set<std::string> tests;
    std::istringstream lines(listed.output);
    std::string suite;
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find("  #"));
        if (!line.starts_with("  ")) {
            suite = line;
            continue;
        }
        const std::string test = suite + line.substr(2);
        tests.insert(test);
        tests.insert(test.substr(test.find('/') + 1).substr(0, test.rfind('/') - test.find('/') - 1));
    }
    return tests;
}

void expect_tests_exist(const nlohmann::json& row, const std::string& aspect) {
    static std::map<std::string, std::set<std::string>> known;
    ASSERT_TRUE(row.contains(aspect) && !row.at(aspect).empty()) << row.dump() << " names no test of its " << aspect;
    for (const std::string test : row.at(aspect)) {
        const std::size_t colon = test.find(':');
        ASSERT_NE(colon, std::string::npos) << test << ": expected EXECUTABLE:SUITE.TEST";
        const std::string executable = test.substr(0, colon);
        if (!known.contains(executable)) {
            known[executable] = tests_of(executable);
        }
        EXPECT_TRUE(known.at(executable).contains(test.substr(colon + 1)))
            << test << " is named by a row, but there is no such test";
    }
}

TEST(SemanticsRows, name_tests_that_exist) {
    for (const nlohmann::json& row : rows()) {
        expect_tests_exist(row, "order");
        if (row.contains("call")) {
            expect_tests_exist(row, "timing");
            EXPECT_FALSE(row.at("rule").get<std::string>().empty());
        }
    }
}

TEST(SemanticsRows, are_there_for_every_call_direction_and_kind_of_memory) {
    using Row = std::tuple<std::string, std::string, std::string>;
    std::set<Row> expected;
    for (const std::string call : {"cudaMemcpy", "cudaMemcpyAsync"}) {
        for (const std::string direction : {"H2D", "D2H"}) {
            expected.insert({{call, direction, "pageable"}, {call, direction, "pinned"}});
        }
        expected.insert({{call, "D2D", "device"}, {call, "H2H", "any"}});
    }
    for (const std::string call : {"cudaMemset", "cudaMemsetAsync"}) {
        expected.insert({{call, "", "device"}, {call, "", "pinned"}});
    }
    for (const std::string call :
         {"kernel launch", "cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaHostRegister", "cudaStreamSynchronize",
          "cudaEventSynchronize", "cudaDeviceSynchronize", "cudaStreamQuery", "cudaEventQuery", "cudaEventRecord",
          "cudaStreamWaitEvent", "cudaEventElapsedTime", "cudaStreamDestroy", "cudaLaunchHostFunc",
          "legacy default stream", "per-thread default stream"}) {
        expected.insert({call, "", ""});
    }
    std::set<Row> found;
    std::set<std::string> traps;
    for (const nlohmann::json& row : rows()) {
        if (row.contains("call")) {
            const Row key{row.at("call"), row.value("direction", ""), row.value("memory", "")};
            EXPECT_TRUE(found.insert(key).second) << "twice: " << row.dump();
        } else {
            traps.insert(row.at("trap"));
        }
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(traps.size(), 7U);
}

}  // namespace
}  // namespace simulator
