// The commands of `course`. Each takes its options as parsed and returns the exit status:
// 0 all well, 1 something was checked and failed. What could not be done at all is thrown as CannotProceed (exit 2).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "course/project.hpp"

namespace course {

enum class DeviceChoice { automatic, gpu, simulated };

// What every command that runs a program on a device takes.
struct DeviceOptions {
    DeviceChoice device = DeviceChoice::automatic;
    std::string profile;  // a name in src/device/profiles, or a file; empty: the default one
};

struct StatusOptions {};

struct CheckOptions {
    std::string lab;
    bool solution = false;
    DeviceOptions on;
    std::optional<std::filesystem::path> file;  // check this file instead of the lab's
    std::optional<std::filesystem::path> json;  // write the results here too
    std::optional<std::uint64_t> seed;          // of the inputs; otherwise the check program's default
};

// What a compiler is told beside the file, as its own options say it.
struct BuildOptions {
    std::vector<std::filesystem::path> more_sources;
    std::vector<std::string> include_directories;  // -I
    std::vector<std::string> definitions;          // -D
    std::string standard = "c++20";                // -std=
};

struct RunOptions {
    std::string target;  // a lab, or a file
    bool solution = false;
    DeviceOptions on;
    BuildOptions build;
    std::optional<std::uint64_t> fail_call;  // this call of those that can fail, from 1, fails
    bool fail_each = false;                  // one run for each call that can fail
    std::vector<std::string> arguments;      // for the program
};

struct TimelineOptions {
    std::string target;
    bool solution = false;
    DeviceOptions on;
    std::optional<std::filesystem::path> svg;
    std::optional<std::filesystem::path> trace;
};

struct HintOptions {
    std::string lab;
    std::string check;  // empty: the one that the last result asks for
};

struct ResetOptions {
    std::string lab;
};

struct DoctorOptions {};

struct CalibrateOptions {
    std::string name = "this-gpu";
};

struct ExperimentOptions {
    std::vector<std::string> names;
    bool all = false;
    DeviceOptions on;
    bool record = false;                               // keep the results beside the chapters
    bool ledger = false;                               // write the ledger of claims
    std::optional<std::filesystem::path> record_from;  // a folder with the results of run-all.sh
    std::optional<std::filesystem::path> build;        // a folder for programs to be carried to a GPU
    std::string architecture = "all";                  // of these programs
    std::vector<std::string> arguments;                // for the program
};

struct PagesOptions {
    std::vector<std::string> checks;  // empty: all
    bool write = false;               // first write into the pages what comes from files
    bool draw = false;                // first draw the pictures from their data
};

struct SlidesOptions {
    bool html = false;  // no PDF
};

struct TestOptions {
    std::vector<std::string> arguments;  // for `meson test`
};

using Request = std::variant<StatusOptions, CheckOptions, RunOptions, TimelineOptions, HintOptions, ResetOptions,
                             DoctorOptions, CalibrateOptions, ExperimentOptions, PagesOptions, SlidesOptions, TestOptions>;

int execute(const Project& project, const StatusOptions& options);
int execute(const Project& project, const CheckOptions& options);
int execute(const Project& project, const RunOptions& options);
int execute(const Project& project, const TimelineOptions& options);
int execute(const Project& project, const HintOptions& options);
int execute(const Project& project, const ResetOptions& options);
int execute(const Project& project, const DoctorOptions& options);
int execute(const Project& project, const CalibrateOptions& options);
int execute(const Project& project, const ExperimentOptions& options);
int execute(const Project& project, const PagesOptions& options);
int execute(const Project& project, const SlidesOptions& options);
int execute(const Project& project, const TestOptions& options);

}  // namespace course
