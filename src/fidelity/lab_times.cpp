// Times of the labs' serial versions and solutions on either device, as further cases of the fidelity experiment: the
// same lines of CSV as fidelity.cu writes.
//   lab_times [--simulated] --csv FILE LAB SERIAL SOLUTION [LAB SERIAL SOLUTION ...]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "checks/session.hpp"

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t slots = 6;  // chunks of device memory for a lab whose data do not fit

struct Options {
    bool simulated = false;
    std::string csv;
    unsigned repeats = 0;
    std::vector<std::string> labs;
};

struct Size {
    std::size_t total_mib;
    std::size_t chunk_mib;
    unsigned rounds;  // 900: on an H200 about as long as the copy of the same bytes
};

// In turn for the fit and for the judgement; where the serial version is for the fit, the solution is for the other.
constexpr Size sizes[] = {{8, 1, 900}, {12, 1, 900}, {16, 2, 450}, {24, 2, 450}, {32, 4, 900}, {48, 4, 900}};

checks::Problem problem_of(const Size& size, bool has_producer) {
    checks::Problem problem;
    problem.elements = size.total_mib * mib / sizeof(checks::Element);
    problem.chunk_elements = size.chunk_mib * mib / sizeof(checks::Element);
    problem.rounds = size.rounds;
    problem.host_work = std::chrono::microseconds(40 * size.total_mib);
    if (has_producer) {
        problem.host_copy = std::chrono::microseconds(25 * size.chunk_mib);
        problem.device_bytes = slots * size.chunk_mib * mib;
        problem.rounds = 3 * size.rounds;
    }
    return problem;
}

void measure(std::ofstream& file, checks::Session& session, const std::string& program, const std::string& name,
             const checks::Problem& problem, const Options& options, bool fit) {
    std::vector<double> times;
    for (unsigned i = 0; i < options.repeats; ++i) {
        checks::Session::Plan plan;
        plan.problem = problem;
        plan.warm_up = !options.simulated;
        const checks::Solved solved = session.solve(program, plan);
        if (solved.wrong) {
            throw std::runtime_error(name + ": expected right values, found wrong ones");
        }
        times.push_back(static_cast<double>(solved.elapsed.count()));
    }
    std::sort(times.begin(), times.end());
    char line[256];
    std::snprintf(line, sizeof line, "labs,%s,%s,%.0f,%.0f,%.0f\n", name.c_str(), fit ? "fit" : "judge",
                  times[times.size() / 2], times.front(), times.back());
    file << line << std::flush;
}

void measure_lab(std::ofstream& file, const std::string& lab, const std::string& serial, const std::string& solution,
                 const Options& options) {
    checks::Options judged;
    judged.lab = lab;
    judged.program = solution;
    judged.baseline = serial;
    judged.simulated = options.simulated;
    checks::Session session(judged);
    bool fit = true;
    for (const Size& size : sizes) {
        const checks::Problem problem = problem_of(size, lab.starts_with("05"));
        session.reserve(problem);
        const std::string with = "/" + std::to_string(size.total_mib) + "MiB/chunk=" + std::to_string(size.chunk_mib) +
                                 "MiB/rounds=" + std::to_string(problem.rounds);
        measure(file, session, serial, lab + "_serial" + with, problem, options, fit);
        measure(file, session, solution, lab + "_solution" + with, problem, options, !fit);
        fit = !fit;
    }
}

void run(const Options& options) {
    std::ofstream file(options.csv);
    file << "group,case,set,time_ns,least_ns,greatest_ns\n";
    for (std::size_t i = 0; i + 2 < options.labs.size(); i += 3) {
        measure_lab(file, options.labs[i], options.labs[i + 1], options.labs[i + 2], options);
    }
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + options.csv);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Times the labs' serial versions and solutions, to compare the simulated device with a real one."};
    app.add_flag("--simulated", options.simulated, "the programs are built for the simulated device");
    app.add_option("--csv", options.csv, "write the times to this file")->required();
    app.add_option("--repeats", options.repeats, "runs per case; the median counts")->check(CLI::Range(1, 101));
    app.add_option("LABS", options.labs, "lab, serial version, solution; as often as wanted")->required();
    try {
        app.parse(argc, argv);
        options.repeats = options.repeats != 0 ? options.repeats : options.simulated ? 1 : 11;
        run(options);
    } catch (const CLI::ParseError& usage) {
        return app.exit(usage) == 0 ? 0 : 2;
    } catch (const checks::CheckFailed& failed) {
        std::fprintf(stderr, "lab_times: %s\n", failed.failure().cause.c_str());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lab_times: %s\n", error.what());
        return 2;
    }
    return 0;
}
