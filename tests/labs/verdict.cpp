// Whether a check program says of a lab program what it has to say:
//   verdict --expect passed|failed|refused [--source FILE.cu] -- CHECK_PROGRAM ARGUMENT...
// passed   every check passed, exit status 0 (a reference solution)
// failed   exit status 1, by checks and not by a crash (an untouched starter)
// refused  exit status 1, and the check named in the first lines of FILE.cu fails for the cause named there; only it
//          and typical_size are run:
//              // Refused by: <check id>
//              // Cause: <cause id>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checks/causes.hpp"
#include "checks/results.hpp"
#include "course/process.hpp"
#include "course/temporary_directory.hpp"

namespace {

using checks::CheckResult;
using checks::Verdict;

struct Judged {
    int exit_status = 0;
    std::string output;
    checks::Results results;
};

Judged judge(std::vector<std::string> command) {
    const course::TemporaryDirectory folder;
    const std::filesystem::path results = folder.path() / "results.json";
    command.insert(command.end(), {"--results", results.string()});
    const course::ProcessResult run = course::run_captured({command, {}, {}});
    if (!std::filesystem::exists(results)) {
        throw std::runtime_error("the check program left no results, status " + std::to_string(run.exit_status) + ":\n" +
                                 run.output);
    }
    return {run.exit_status, run.output, checks::read_results(results)};
}

std::string summary(const checks::Results& results) {
    std::string lines;
    for (const CheckResult& check : results.checks) {
        lines += std::string("  ") + checks::name_of(check.verdict) + " " + check.id +
                 (check.cause.empty() ? "" : ": " + check.cause) + "\n";
    }
    return lines;
}

// The value after "// <key>: " in the first lines of a file.
std::string header_value(const std::filesystem::path& source, const std::string& key) {
    std::ifstream file(source);
    const std::string wanted = "// " + key + ": ";
    for (std::string line; std::getline(file, line) && line.starts_with("//");) {
        if (line.starts_with(wanted)) {
            return line.substr(wanted.size());
        }
    }
    throw std::runtime_error(source.string() + ": expected a line \"" + wanted + "...\" in its first comment");
}

// Each returns what is wrong, or nothing.
std::optional<std::string> not_passed(const Judged& judged) {
    if (judged.exit_status == 0 && judged.results.passed() && !judged.results.checks.empty()) {
        return std::nullopt;
    }
    return "expected every check to pass and status 0, found status " + std::to_string(judged.exit_status);
}

bool ended_by_itself(const std::string& cause) {
    namespace id = checks::cause;
    return cause == id::crashed || cause == id::cannot_start || cause == id::exited_early ||
           cause == id::never_returned || cause == id::malformed_reply;
}

std::optional<std::string> not_failed_by_checks(const Judged& judged) {
    const auto& checks = judged.results.checks;
    const bool failed = std::any_of(checks.begin(), checks.end(),
                                    [](const CheckResult& check) { return check.verdict == Verdict::fail; });
    if (judged.exit_status != 1 || !failed) {
        return "expected failed checks and status 1, found status " + std::to_string(judged.exit_status);
    }
    for (const CheckResult& check : checks) {
        if (ended_by_itself(check.cause)) {
            return "expected the program to be judged, but in " + check.id + " it ended: " + check.cause;
        }
    }
    return std::nullopt;
}

std::optional<std::string> not_refused_as_stated(const Judged& judged, const std::filesystem::path& source) {
    const std::string refused_by = header_value(source, "Refused by");
    const std::string cause = header_value(source, "Cause");
    const auto& checks = judged.results.checks;
    const bool as_stated = std::any_of(checks.begin(), checks.end(), [&](const CheckResult& check) {
        return check.id == refused_by && check.verdict == Verdict::fail && check.cause == cause;
    });
    if (judged.exit_status == 1 && as_stated) {
        return std::nullopt;
    }
    return "expected status 1 and that " + refused_by + " fails because of " + cause + ", found status " +
           std::to_string(judged.exit_status);
}

std::optional<std::string> fault(const Judged& judged, const std::string& expected, const std::filesystem::path& source) {
    if (expected == "passed") {
        return not_passed(judged);
    }
    return expected == "failed" ? not_failed_by_checks(judged) : not_refused_as_stated(judged, source);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Whether a check program says of a lab program what it has to say.");
    std::string expected;
    std::filesystem::path source;
    std::vector<std::string> command;
    app.add_option("--expect", expected)->required()->check(CLI::IsMember({"passed", "failed", "refused"}));
    app.add_option("--source", source)->check(CLI::ExistingFile);
    app.add_option("command", command)->required();
    CLI11_PARSE(app, argc, argv);
    try {
        if (expected == "refused") {  // by this check; what the others say of it is not needed, and takes most of the time
            command.push_back("--gtest_filter=*.typical_size:*." + header_value(source, "Refused by"));
        }
        const Judged judged = judge(command);
        const auto wrong = fault(judged, expected, source);
        std::printf("%s", summary(judged.results).c_str());
        if (wrong) {
            std::printf("%s\n\n%s", wrong->c_str(), judged.output.c_str());
        }
        return wrong ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
