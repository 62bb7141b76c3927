// The table of the fidelity experiment (src/fidelity/fidelity.cu, lab_times.cpp), and how near two of them are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fidelity {

struct Case {
    bool fit = false;  // one of those that constants are fitted to; otherwise they are judged on it
    double time_ns = 0;
    // Where several processes were measured (merge.py), their median and what they lie between; otherwise the time itself.
    double median_ns = 0;
    double low_ns = 0;
    double high_ns = 0;
};

using Name = std::pair<std::string, std::string>;  // group, case

struct Table {
    std::vector<std::string> facts;  // the lines above the table: device, date, ...
    std::map<Name, Case> cases;
};

// Reads a table. Throws std::runtime_error with one line that names the file and what was expected.
Table read_table(const std::filesystem::path& file);

enum class Set { fit, judge };

// Shorter cases are left out: what counts there is the processor of the host, not the device.
inline constexpr double shortest_ns = 100'000;
// A case whose time the GPU itself does not repeat within this factor from one process to the next says nothing about
// a deviation of that size.
inline constexpr double steady_spread = 1.10;

struct Compared {
    Name name;
    double simulated_ns = 0;
    double measured_ns = 0;
    double median_ns = 0;
    double low_ns = 0;
    double high_ns = 0;

    double ratio() const { return simulated_ns / measured_ns; }
    double error() const;     // 0.1: ten per cent too fast or too slow
    double distance() const;  // the same, from the nearest of the times that the GPU showed; 0 between them
    bool steady() const { return high_ns <= steady_spread * low_ns; }
};

// The cases of `set` that take shortest_ns or more on the GPU. Throws std::runtime_error where one of them was not
// simulated.
std::vector<Compared> compare(const Table& simulated, const Table& measured, Set set);

struct Figures {
    std::size_t cases = 0;
    double median_error = 0;
    double within_10_percent = 0;  // shares of the cases
    double within_20_percent = 0;
    Compared worst;
};

// By `error`: Compared::error or Compared::distance. Throws std::runtime_error when there is no case.
Figures figures_of(const std::vector<Compared>& cases, double (Compared::*error)() const = &Compared::error);

// Only the steady ones.
std::vector<Compared> steady(const std::vector<Compared>& cases);

// The same cases, with the median of the processes for what was measured.
std::vector<Compared> against_median(std::vector<Compared> cases);

}  // namespace fidelity
