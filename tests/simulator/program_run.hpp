// Runs a program that was compiled for the simulated device, and reads what it left behind.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "device/trace.hpp"

namespace simulator {

// A program of tests/simulator/programs, with the source whose markers ("// at: name") name its lines.
class Program {
public:
    // `name` without its folder and its ".cu"; built beside the test.
    explicit Program(const std::string& name);

    // Any other program, with the source that holds its markers.
    Program(const std::filesystem::path& executable, const std::filesystem::path& source);

    // The line that ends in the marker `name`; a failed expectation and 0 when there is none, or more than one.
    int line(const std::string& name) const;

    const std::string& executable() const { return executable_; }

private:
    std::string executable_;
    std::map<std::string, std::vector<int>> markers_;
};

struct ProgramRun {
    int exit_status = 0;  // 128 + the signal's number after a signal
    std::string output;   // standard output and standard error
    std::string trace_bytes;
    device::Trace trace;
    const Program* program = nullptr;

    // The only operation, or call of the host, that was made at a marker.
    const device::Operation& operation(const std::string& marker) const;
    const device::HostCall& call(const std::string& marker) const;

    std::vector<device::Finding> findings(const std::string& kind) const;
};

using Environment = std::map<std::string, std::string>;

// Runs `program` with `arguments`; its trace is read if it left one.
ProgramRun run(const Program& program, const std::vector<std::string>& arguments, const Environment& environment = {});

// A profile of src/device/profiles.
std::string profile_file(const std::string& name);

}  // namespace simulator
