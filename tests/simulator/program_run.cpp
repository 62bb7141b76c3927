#include "program_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "compiler/child_process.hpp"
#include "device/environment.hpp"

namespace simulator {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

template <class Record>
const Record& only_one_at(const std::vector<Record>& records, int line, const std::string& marker) {
    static const Record none{};
    const Record* found = nullptr;
    int count = 0;
    for (const Record& record : records) {
        if (record.at.line == line) {
            found = &record;
            ++count;
        }
    }
    EXPECT_EQ(count, 1) << "at the line marked '" << marker << "'";
    return found != nullptr ? *found : none;
}

}  // namespace

Program::Program(const std::string& name)
    : Program(fs::path(PROGRAM_BUILD_DIRECTORY) / name, fs::path(PROGRAM_SOURCE_DIRECTORY) / (name + ".cu")) {}

Program::Program(const fs::path& executable, const fs::path& source_file) : executable_(executable) {
    std::ifstream source(source_file);
    const std::regex marker("// at: (.+)$");
    int number = 0;
    for (std::string text; std::getline(source, text);) {
        ++number;
        if (std::smatch match; std::regex_search(text, match, marker)) {
            markers_[match[1]].push_back(number);
        }
    }
    EXPECT_GT(number, 0) << "expected the source " << source_file;
}

int Program::line(const std::string& name) const {
    const auto found = markers_.find(name);
    if (found == markers_.end() || found->second.size() != 1) {
        ADD_FAILURE() << "expected one line marked '" << name << "'";
        return 0;
    }
    return found->second.front();
}

const device::Operation& ProgramRun::operation(const std::string& marker) const {
    return only_one_at(trace.operations, program->line(marker), marker);
}

const device::HostCall& ProgramRun::call(const std::string& marker) const {
    return only_one_at(trace.host_calls, program->line(marker), marker);
}

std::vector<device::Finding> ProgramRun::findings(const std::string& kind) const {
    std::vector<device::Finding> found;
    for (const device::Finding& finding : trace.findings) {
        if (finding.kind == kind) {
            found.push_back(finding);
        }
    }
    return found;
}

ProgramRun run(const Program& program, const std::vector<std::string>& arguments, const Environment& environment) {
    const fs::path trace_file = fs::path(testing::TempDir()) / ("trace-" + std::to_string(getpid()) + ".json");
    fs::remove(trace_file);
    std::vector<std::string> command{"env",
                                     "-u",
                                     device::environment::profile_file,
                                     "-u",
                                     device::environment::fail_call,
                                     std::string(device::environment::trace_file) + "=" + trace_file.string(),
                                     std::string(device::environment::language) + "=en"};
    for (const auto& [name, value] : environment) {
        command.push_back(name + "=" + value);
    }
    command.push_back(program.executable());
    command.insert(command.end(), arguments.begin(), arguments.end());

    const compiler::ChildResult result = compiler::run_child(command);
    ProgramRun run;
    run.exit_status = result.exit_status;
    run.output = result.output;
    run.program = &program;
    if (fs::exists(trace_file)) {
        run.trace_bytes = contents(trace_file);
        run.trace = device::read_trace(trace_file);
        fs::remove(trace_file);
    }
    return run;
}

std::string profile_file(const std::string& name) {
    return fs::path(PROFILE_DIRECTORY) / (name + ".json");
}

}  // namespace simulator
