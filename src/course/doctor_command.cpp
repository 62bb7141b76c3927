// `course doctor`: what this machine can do, and what limits it, one line each.
#include <fmt/format.h>

#include <iostream>
#include <thread>

#include "compiler/commands.hpp"
#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/gpu_probe.hpp"
#include "course/page_checks.hpp"
#include "course/process.hpp"
#include "course/texts.hpp"
#include "timeline/text_columns.hpp"

namespace course {
namespace {

struct Finding {
    bool good = false;
    std::string name;
    std::string value;  // what was found, or what its absence means and the remedy
};

std::string first_line_of(const std::filesystem::path& program, const std::string& argument) {
    const ProcessResult result = run_captured({{program.string(), argument}, {}, {}});
    return result.output.substr(0, result.output.find('\n'));
}

Finding compiler() {
    for (const char* name : {"g++", "clang++"}) {
        const std::filesystem::path program = find_in_path(name);
        if (!program.empty()) {
            return {true, text("course.doctor.compiler"), first_line_of(program, "--version")};
        }
    }
    return {false, text("course.doctor.compiler"), text("course.doctor.no_compiler")};
}

std::string last_line_with(const std::string& output, const std::string& word) {
    const std::size_t at = output.rfind(word);
    return at == std::string::npos ? std::string() : output.substr(at, output.find('\n', at) - at);
}

Finding toolkit() {
    const std::filesystem::path nvcc = compiler::find_nvcc();
    if (nvcc.empty()) {
        return {false, text("course.doctor.toolkit"), text("course.doctor.no_toolkit")};
    }
    const std::string output = run_captured({{nvcc.string(), "--version"}, {}, {}}).output;
    return {true, text("course.doctor.toolkit"), last_line_with(output, "release ") + " (" + nvcc.string() + ")"};
}

Finding gpu() {
    const auto found = find_gpu();
    if (!found) {
        return {false, text("course.doctor.gpu"), text("course.doctor.no_gpu")};
    }
    return {true, text("course.doctor.gpu"),
            text("course.doctor.gpu_found",
                 {{"count", std::to_string(found->count)}, {"name", found->name}, {"driver", found->driver}})};
}

Finding cupti() {
    const std::filesystem::path toolkit = compiler::cuda_home();
    if (!toolkit.empty()) {
        for (const char* place : {"extras/CUPTI/include/cupti.h", "include/cupti.h", "targets/x86_64-linux/include/cupti.h"}) {
            if (std::filesystem::exists(toolkit / place)) {
                return {true, "CUPTI", (toolkit / place).parent_path().string()};
            }
        }
    }
    return {false, "CUPTI", text("course.doctor.no_cupti")};
}

Finding cores() {
    const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    return {true, text("course.doctor.cores"), std::to_string(count)};
}

Finding pages(const Project& project) {
    const ProcessResult result = run_captured(page_checks(project, {"--missing"}));
    const std::string missing = result.output.substr(0, result.output.find('\n'));
    if (result.exit_status == 0 && missing.empty()) {
        return {true, text("course.doctor.pages"), text("course.doctor.pages_ready")};
    }
    return {false, text("course.doctor.pages"), text("course.doctor.pages_missing", {{"packages", missing}})};
}

std::string conclusion(bool compiler_found, bool gpu_usable) {
    if (!compiler_found) {
        return text("course.doctor.cannot_build");
    }
    return text(gpu_usable ? "course.doctor.both_devices" : "course.doctor.simulated_only");
}

}  // namespace

int execute(const Project& project, const DoctorOptions&) {
    const Console console = standard_output();
    const std::vector<Finding> findings{compiler(), toolkit(), gpu(), cupti(), cores(), pages(project)};
    constexpr std::size_t name_column = 16;
    for (const Finding& finding : findings) {
        const std::string mark = finding.good ? console.styled(Style::green, "✓") : console.styled(Style::yellow, "–");
        std::cout << mark << ' ' << timeline::padded(finding.name, name_column)
                  << wrapped(finding.value, console.width, name_column + 2) << '\n';
    }
    const bool gpu_usable = findings[1].good && findings[2].good;
    std::cout << '\n' << wrapped(conclusion(findings[0].good, gpu_usable), console.width, 0) << '\n';
    return findings[0].good ? 0 : 1;
}

}  // namespace course
