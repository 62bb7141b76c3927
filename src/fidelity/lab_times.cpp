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

struct Options {
    bool simulated = false;
    std::string csv;
    unsigned repeats = 0;
    std::vector<std::string> labs;
};

struct Size {
    std::size_t total_mib;
    std::size_t chunk_mib;
};

// What a lab's program is given, as its checks do on a GPU. The kernel takes about as long as the copy of the same
// bytes with 900 rounds on an H200.
struct Shape {
    unsigned rounds = 900;
    unsigned host_work_us_per_mib = 0;
    unsigned host_copy_us_per_mib = 0;             // of lab::produce and lab::consume; a host copies more than 4 GB/s
    std::size_t device_chunks = 0;                 // the device memory that may be used; 0: as much as there is
    std::vector<Size> sizes = {{48, 4}, {64, 8}};  // long beside the first call after a pause
};

Shape shape_of(const std::string& lab) {
    if (lab.starts_with("01")) {  // pageable copies of a few MiB, a kernel that is long beside them
        return {14'400, 1500, 0, 0, {{8, 1}, {12, 2}}};
    }
    if (lab.starts_with("02")) {
        return {900, 60};
    }
    if (lab.starts_with("05")) {
        return {18'000, 0, 250, 6, {{48, 4}, {64, 8}}};
    }
    return {};
}

checks::Problem problem_of(const Shape& shape, const Size& size) {
    checks::Problem problem;
    problem.elements = size.total_mib * mib / sizeof(checks::Element);
    problem.chunk_elements = size.chunk_mib * mib / sizeof(checks::Element);
    problem.rounds = shape.rounds;
    problem.host_work = std::chrono::microseconds(shape.host_work_us_per_mib * size.total_mib);
    problem.host_copy = std::chrono::microseconds(shape.host_copy_us_per_mib * size.chunk_mib);
    problem.device_bytes = shape.device_chunks * size.chunk_mib * mib;
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
    judged.limits.request = std::chrono::minutes(5);  // lab 6 tries many sizes, and all of them take real time on sim
    checks::Session session(judged);
    bool fit = true;
    const Shape shape = shape_of(lab);
    for (const Size& size : shape.sizes) {  // in turn for the fit and for the judgement
        const checks::Problem problem = problem_of(shape, size);
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
