// `course experiment`: runs the experiments behind the text, holds what they find against what is expected, and keeps
// the results for the ledger of claims.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>

#include "compiler/build.hpp"
#include "course/claims_ledger.hpp"
#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/devices.hpp"
#include "course/experiment_results.hpp"
#include "course/experiments.hpp"
#include "course/failure.hpp"
#include "course/fidelity_command.hpp"
#include "course/process.hpp"
#include "course/programs.hpp"
#include "course/temporary_directory.hpp"
#include "course/texts.hpp"
#include "device/environment.hpp"
#include "device/trace.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;

std::string shown(Verdict verdict) {
    std::string id = name_of(verdict);
    std::replace(id.begin(), id.end(), ' ', '_');
    return text("experiment.verdict." + id);
}

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char date[16] = "";
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    return date;
}

const Experiment& require(const Experiments& all, const std::string& name) {
    const Experiment* const found = all.find(name);
    if (found == nullptr) {
        throw CannotProceed(text("experiment.unknown", {{"experiment", name}}));
    }
    if (!found->written()) {
        throw CannotProceed(
            text("experiment.not_written", {{"experiment", found->name}, {"path", found->source.string()}}));
    }
    return *found;
}

std::vector<const Experiment*> every_written(const Experiments& all) {
    std::vector<const Experiment*> written;
    for (const Experiment& experiment : all.experiments) {
        if (experiment.written()) {
            written.push_back(&experiment);
        }
    }
    if (written.empty()) {
        throw CannotProceed(text("experiment.none_written"));
    }
    return written;
}

std::vector<const Experiment*> chosen(const Experiments& all, const ExperimentOptions& options) {
    if (options.all) {
        return every_written(all);
    }
    std::vector<const Experiment*> found;
    for (const std::string& name : options.names) {
        found.push_back(&require(all, name));
    }
    return found;
}

// ---- The list ----

// "sim, h200": where its results are recorded.
std::string measured_on(const Experiment& experiment) {
    std::string devices;
    for (const auto& [tag, record] : read_records(experiment)) {
        devices += (devices.empty() ? "" : ", ") + tag;
    }
    if (!experiment.written()) {
        return text("experiment.list.not_written");
    }
    return devices.empty() ? text("experiment.list.not_measured")
                           : text("experiment.list.measured", {{"devices", devices}});
}

int list(const Experiments& all) {
    const Console console = standard_output();
    std::string chapter;
    for (const Experiment& experiment : all.experiments) {
        if (experiment.chapter != chapter) {
            std::cout << (chapter.empty() ? "" : "\n") << console.styled(Style::bold, experiment.chapter) << '\n';
            chapter = experiment.chapter;
        }
        std::cout << "  " << experiment.name << "  " << experiment.title.here() << "  "
                  << console.styled(Style::dim, measured_on(experiment)) << '\n';
    }
    std::cout << '\n' << text("fidelity.listed") << "\n\n" << text("experiment.list.how") << '\n';
    return 0;
}

// ---- Running one ----

struct Run {
    ExperimentResults results;
    std::vector<device::Finding> faults;  // what the simulated device found and the experiment does not expect
};

std::vector<device::Finding> unexpected_faults(const fs::path& trace_file, const Experiment& experiment) {
    std::vector<device::Finding> faults;
    if (!fs::exists(trace_file)) {
        return faults;
    }
    const auto& expected = experiment.expected_findings;
    for (const device::Finding& finding : device::read_trace(trace_file).findings) {
        const bool is_expected = std::find(expected.begin(), expected.end(), finding.kind) != expected.end();
        if (!is_expected) {
            faults.push_back(finding);
        }
    }
    return faults;
}

Run run_one(const Project& project, const Experiments& all, const Experiment& experiment, const ChosenDevice& device,
            const std::vector<std::string>& arguments) {
    const fs::path program = build_program(project, {experiment.source, device.target});
    const TemporaryDirectory folder;
    const fs::path results = folder.path() / "results.json";
    const fs::path trace = folder.path() / "trace.json";
    Command command{{program.string(), "--results", results.string()}, {}, {}};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    if (device.target == Target::simulated) {
        command.environment[device::environment::profile_file] = device.profile.string();
        command.environment[device::environment::trace_file] = trace.string();  // on a GPU tracing takes time
        command.environment[device::environment::quiet] = "1";  // some are expected; the others are said below
    }
    std::cout.flush();
    const ProcessResult process = run_passing_through(command);
    if (process.exit_status != 0 || !fs::exists(results)) {
        throw CannotProceed(text("experiment.broke",
                                 {{"experiment", experiment.name}, {"status", std::to_string(process.exit_status)}}));
    }
    Run run{read_results(results, all, experiment), unexpected_faults(trace, experiment)};
    if (device.target == Target::simulated) {
        run.results.on.date = today();  // the program saw the simulated one
    }
    return run;
}

void print_header(const Experiment& experiment, const ChosenDevice& device) {
    std::cout << standard_output().styled(Style::bold, experiment.name + ": " + experiment.title.here()) << '\n';
    if (device.target == Target::simulated) {
        std::cout << text("experiment.on_simulated", {{"profile", device.profile_name}}) << '\n';
    }
}

// What a statement was found to be, and whether that is as expected. What a device cannot show is no fault of the
// statement; the simulated device has to show what it is expected to.
bool judge(const Claim& claim, const ExperimentResults& results) {
    const std::vector<ClaimFinding> findings = results.findings_on(claim.id);
    const Verdict verdict = verdict_of(findings);
    const Verdict expected = results.on.simulated ? claim.expected_on_sim : claim.expected;
    const bool as_expected = verdict == expected || (verdict == Verdict::cannot_be_shown && !results.on.simulated);
    const Console console = standard_output();
    const std::string mark = as_expected ? console.styled(Style::green, "✓") : console.styled(Style::red, "✗");
    std::cout << '\n' << mark << ' ' << wrapped(claim.statement.here(), console.width - 2, 2) << '\n';
    std::cout << "  " << text("experiment.verdict", {{"expected", shown(expected)}, {"here", shown(verdict)}}) << '\n';
    for (const ClaimFinding& finding : findings) {
        std::cout << "  " << console.styled(Style::dim, finding.seen + ": " + finding.decided_by) << '\n';
    }
    if (claim.instead && verdict != Verdict::is_true) {
        std::cout << "  "
                  << wrapped(text("experiment.instead", {{"text", claim.instead->here()}}), console.width - 2, 2)
                  << '\n';
    }
    return as_expected;
}

bool run_and_judge(const Project& project, const Experiments& all, const Experiment& experiment,
                   const ChosenDevice& device, const ExperimentOptions& options) {
    print_header(experiment, device);
    const Run run = run_one(project, all, experiment, device, options.arguments);
    bool as_expected = run.faults.empty();
    if (!run.faults.empty()) {
        std::cout << '\n' << text("experiment.faults", {{"count", std::to_string(run.faults.size())}}) << '\n';
    }
    for (const device::Finding& fault : run.faults) {
        for (const std::string& line : messages::describe(fault)) {
            std::cout << line << '\n';
        }
    }
    for (const Claim* claim : all.claims_of(experiment)) {
        as_expected = judge(*claim, run.results) && as_expected;
    }
    if (options.record) {
        for (const fs::path& file : write_record(experiment, run.results)) {
            std::cout << text("course.written", {{"path", file.string()}}) << '\n';
        }
    }
    return as_expected;
}

int run_chosen(const Project& project, const Experiments& all, const ExperimentOptions& options) {
    const ChosenDevice device = choose_device(project, options.on);
    if (options.record && !options.on.profile.empty()) {
        throw CannotProceed(text("experiment.record_of_profile"));
    }
    std::vector<std::string> unexpected;
    const auto experiments = chosen(all, options);
    for (const Experiment* experiment : experiments) {
        if (experiment != experiments.front()) {
            std::cout << '\n';
        }
        if (!run_and_judge(project, all, *experiment, device, options)) {
            unexpected.push_back(experiment->name);
        }
    }
    std::string names;
    for (const std::string& name : unexpected) {
        names += (names.empty() ? "" : ", ") + name;
    }
    std::cout << '\n'
              << (unexpected.empty() ? text("experiment.as_expected", {{"count", std::to_string(experiments.size())}})
                                     : text("experiment.not_as_expected", {{"experiments", names}}))
              << '\n';
    return unexpected.empty() ? 0 : 1;
}

// ---- For a machine without a compiler ----

// Runs every program in this folder; what each prints and its results go to results/.
constexpr const char* run_all = R"sh(#!/bin/sh
# Runs every experiment here, in order, on this machine's GPU. The results go to results/, for
# `./course experiment --record-from FOLDER` on the machine that built them.
cd "$(dirname "$0")" || exit 2
mkdir -p results || exit 2
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=pcie.link.gen.max,pcie.link.width.max --format=csv,noheader -i 0 |
    sed 's/\([0-9]*\), \([0-9]*\)/PCIe \1 x\2/' >results/link.txt
failed=
while read -r name; do
    started=$(date +%s)
    if timeout 60 "./$name" --results "results/$name.json" >"results/$name.txt" 2>&1; then
        echo "$name: $(($(date +%s) - started)) s"
    else
        echo "$name: failed with status $?"
        failed="$failed $name"
        tail -n 3 "results/$name.txt"
    fi
done <experiments.txt
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
)sh";

void write_run_all(const fs::path& folder, const std::string& names) {
    std::ofstream(folder / "experiments.txt") << names;
    std::ofstream script(folder / "run-all.sh");
    script << run_all;
    script.close();
    if (!script) {
        throw CannotProceed(text("course.cannot_write", {{"path", folder.string()}, {"reason", "-"}}));
    }
    fs::permissions(folder / "run-all.sh", fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                               fs::perms::others_read | fs::perms::others_exec);
}

int build_all(const Project& project, const Experiments& all, const ExperimentOptions& options) {
    const fs::path folder = fs::absolute(*options.build);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw CannotProceed(text("course.cannot_write", {{"path", folder.string()}, {"reason", error.message()}}));
    }
    const auto experiments = options.names.empty() ? every_written(all) : chosen(all, options);
    std::string names;
    for (const Experiment* experiment : experiments) {
        compiler::BuildRequest request;
        request.device = compiler::Device::gpu;
        request.self_contained = true;
        request.sources = {experiment->source};
        request.output = folder / experiment->source.stem();
        request.architecture = options.architecture;
        request.source_root = project.root;
        request.build_root = project.build;
        const compiler::BuildResult result = compiler::build_program(request);
        if (!result.ok) {
            throw DoesNotCompile(text("course.does_not_compile",
                                      {{"path", experiment->source.string()}, {"device", text("course.device.gpu")}}),
                                 result.diagnostics);
        }
        names += request.output.filename().string() + '\n';
    }
    write_run_all(folder, names);
    std::cout << text("experiment.built", {{"count", std::to_string(experiments.size())}, {"path", folder.string()}})
              << '\n';
    return 0;
}

int write_and_name_ledgers(const Project& project, const Experiments& all) {
    for (const fs::path& file : write_ledgers(project, all)) {
        std::cout << text("course.written", {{"path", file.string()}}) << '\n';
    }
    return 0;
}

std::string first_line(const fs::path& file) {
    std::string line;
    std::ifstream in(file);
    std::getline(in, line);
    return line;
}

// Takes the results that run-all.sh left in FOLDER/results.
int record_from(const Project& project, const Experiments& all, const fs::path& folder) {
    bool as_expected = true;
    std::size_t found = 0;
    std::string missing;
    for (const Experiment* experiment : every_written(all)) {
        const fs::path file = folder / "results" / (experiment->source.stem().string() + ".json");
        if (!fs::exists(file)) {
            missing += (missing.empty() ? "" : ", ") + experiment->name;
            continue;
        }
        ++found;
        ExperimentResults results = read_results(file, all, *experiment);
        results.on.link = first_line(folder / "results" / "link.txt");
        std::cout << standard_output().styled(Style::bold, experiment->name) << ": " << results.on.device << '\n';
        for (const Claim* claim : all.claims_of(*experiment)) {
            as_expected = judge(*claim, results) && as_expected;
        }
        write_record(*experiment, results);
        std::cout << '\n';
    }
    if (found == 0) {
        throw CannotProceed(text("experiment.no_results", {{"path", (folder / "results").string()}}));
    }
    write_and_name_ledgers(project, all);
    std::cout << text("experiment.recorded", {{"count", std::to_string(found)}}) << '\n';
    if (!missing.empty()) {
        std::cout << text("experiment.missing_results", {{"experiments", missing}}) << '\n';
    }
    return as_expected && missing.empty() ? 0 : 1;
}

}  // namespace

int execute(const Project& project, const ExperimentOptions& options) {
    const Experiments all = read_experiments(project);
    if (options.build) {
        return build_all(project, all, options);
    }
    if (options.record_from) {
        return record_from(project, all, *options.record_from);
    }
    if (std::find(options.names.begin(), options.names.end(), "fidelity") != options.names.end()) {
        if (options.names.size() > 1 || options.record) {
            throw CannotProceed(text("fidelity.alone"));
        }
        return compare_fidelity(project, options.on);
    }
    if (options.names.empty() && !options.all) {
        return options.ledger ? write_and_name_ledgers(project, all) : list(all);
    }
    const int status = run_chosen(project, all, options);
    if (options.record || options.ledger) {
        write_and_name_ledgers(project, all);
    }
    return status;
}

}  // namespace course
