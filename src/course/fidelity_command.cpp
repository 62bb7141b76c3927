// `course experiment fidelity`: how near the simulated device is to a GPU. Runs the same programs on both when there is
// a GPU, and otherwise compares with what was recorded (src/fidelity/measured).
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/devices.hpp"
#include "course/failure.hpp"
#include "course/fidelity_command.hpp"
#include "course/process.hpp"
#include "course/programs.hpp"
#include "course/temporary_directory.hpp"
#include "course/texts.hpp"
#include "device/environment.hpp"
#include "fidelity/comparison.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using fidelity::Compared;
using fidelity::Figures;
using fidelity::Table;

fs::path recorded(const Project& project) {
    return project.root / "src/fidelity/measured/nvidia_h200.csv";
}

std::map<std::string, std::string> environment_of(const ChosenDevice& device) {
    std::map<std::string, std::string> environment{{device::environment::quiet, "1"}};
    if (device.target == Target::simulated) {
        environment[device::environment::profile_file] = device.profile.string();
    }
    return environment;
}

// Runs a program that writes its times to the file named after --csv.
Table table_of(std::vector<std::string> command, const ChosenDevice& device) {
    const TemporaryDirectory folder;
    const fs::path csv = folder.path() / "times.csv";
    command.insert(command.begin() + 1, {"--csv", csv.string()});
    const ProcessResult run = run_passing_through({command, environment_of(device), {}});
    if (run.exit_status != 0) {
        throw CannotProceed(text("course.run.status", {{"status", std::to_string(run.exit_status)}}));
    }
    return fidelity::read_table(csv);
}

// The labs' serial versions and solutions, each in its own process, as the checks run them.
Table lab_times_on(const Project& project, const ChosenDevice& device) {
    std::vector<std::string> command{(project.build / "src/fidelity/lab_times").string()};
    require_file(command.front());
    if (device.target == Target::simulated) {
        command.emplace_back("--simulated");
    }
    for (const std::string_view lab : lab_names()) {
        command.emplace_back(lab);
        command.push_back(build_program(project, {project.baseline(lab), device.target}).string());
        command.push_back(build_program(project, {project.solution(lab), device.target}).string());
    }
    return table_of(command, device);
}

Table times_on(const Project& project, const ChosenDevice& device) {
    const fs::path source = project.root / "src/fidelity/fidelity.cu";
    require_file(source);
    Table table = table_of({build_program(project, {source, device.target}).string()}, device);
    table.cases.merge(lab_times_on(project, device).cases);
    return table;
}

std::string milliseconds(double ns) {
    return fmt::format("{:.3f}", ns / 1e6);
}
std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string described(const Compared& compared) {
    return text("fidelity.case", {{"case", compared.name.first + ": " + compared.name.second},
                                  {"simulated", milliseconds(compared.simulated_ns)},
                                  {"measured", milliseconds(compared.measured_ns)},
                                  {"ratio", fmt::format("{:.2f}", compared.ratio())}});
}

// One line for each group: all of its cases together, and how far the ratios go apart.
void print_groups(const std::vector<Compared>& cases) {
    std::map<std::string, std::vector<Compared>> groups;
    for (const Compared& compared : cases) {
        groups[compared.name.first].push_back(compared);
    }
    std::cout << text("fidelity.heading") << '\n';
    for (auto& [group, of_group] : groups) {
        double simulated = 0, measured = 0;
        for (const Compared& compared : of_group) {
            simulated += compared.simulated_ns;
            measured += compared.measured_ns;
        }
        std::sort(of_group.begin(), of_group.end(),
                  [](const Compared& a, const Compared& b) { return a.ratio() < b.ratio(); });
        std::cout << fmt::format("  {:<20}{:>6}{:>12}{:>12}{:>9.2f}{:>8.2f}{:>8.2f}\n", group, of_group.size(),
                                 milliseconds(simulated), milliseconds(measured), of_group[of_group.size() / 2].ratio(),
                                 of_group.front().ratio(), of_group.back().ratio());
    }
}

void print_figures(const char* heading, const std::vector<Compared>& cases,
                   double (Compared::*error)() const = &Compared::error) {
    const Figures figures = fidelity::figures_of(cases, error);
    std::cout << '\n'
              << text(heading, {{"cases", std::to_string(figures.cases)}}) << "\n  "
              << text("fidelity.figures", {{"median", percent(figures.median_error)},
                                           {"within_10", percent(figures.within_10_percent)},
                                           {"within_20", percent(figures.within_20_percent)}})
              << "\n  " << text("fidelity.worst", {{"case", described(figures.worst)}}) << '\n';
}

}  // namespace

int compare_fidelity(const Project& project, const DeviceOptions& options) {
    const ChosenDevice chosen = choose_device(project, options);
    DeviceOptions simulated_options = options;
    simulated_options.device = DeviceChoice::simulated;
    const ChosenDevice simulated_device = choose_device(project, simulated_options);
    const bool on_gpu = chosen.target == Target::gpu;
    const Table measured = on_gpu ? times_on(project, chosen) : fidelity::read_table(recorded(project));
    std::cout << text(on_gpu ? "fidelity.measured_now" : "fidelity.recorded",
                      {{"path", recorded(project).string()}, {"profile", simulated_device.profile_name}})
              << '\n';
    for (const std::string& fact : measured.facts) {
        std::cout << "  " << fact << '\n';
    }
    const Table simulated = times_on(project, simulated_device);
    const auto judged = fidelity::compare(simulated, measured, fidelity::Set::judge);
    std::cout << '\n';
    print_groups(judged);
    print_figures("fidelity.fitted", fidelity::compare(simulated, measured, fidelity::Set::fit));
    print_figures("fidelity.judged", judged);
    print_figures("fidelity.steady", fidelity::steady(judged));
    if (!on_gpu) {  // what was recorded comes from several processes
        print_figures("fidelity.median", fidelity::against_median(judged));
        print_figures("fidelity.range", judged, &Compared::distance);
    }
    return 0;
}

}  // namespace course
