#include "fidelity/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace fidelity {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

// Where the columns of a table are, by its heading.
struct Columns {
    std::size_t time = 3;
    std::optional<std::size_t> median;
    std::optional<std::size_t> low;
    std::optional<std::size_t> high;
};

Columns columns_of(const std::string& heading) {
    const std::vector<std::string> names = fields_of(heading);
    const auto place = [&names](const char* name) -> std::optional<std::size_t> {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
    };
    return {place("time_ns").value_or(3), place("median_ns"), place("low_ns"), place("high_ns")};
}

void read_case(Table& table, const Columns& columns, const std::string& line, const std::filesystem::path& file) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 4 || (fields[2] != "fit" && fields[2] != "judge")) {
        throw std::runtime_error(
            fmt::format("{}: expected group, case, fit or judge, and a time, found \"{}\"", file.string(), line));
    }
    Case& read = table.cases[{fields[0], fields[1]}];
    read.fit = fields[2] == "fit";
    read.time_ns = std::stod(fields.at(columns.time));
    const auto at = [&](const std::optional<std::size_t>& column) {
        return column ? std::stod(fields.at(*column)) : read.time_ns;
    };
    read.median_ns = at(columns.median);
    read.low_ns = at(columns.low);
    read.high_ns = at(columns.high);
}

double share_within(const std::vector<double>& errors, double limit) {
    const auto within = std::count_if(errors.begin(), errors.end(), [limit](double error) { return error <= limit; });
    return static_cast<double>(within) / static_cast<double>(errors.size());
}

}  // namespace

Table read_table(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) {
        throw std::runtime_error(file.string() + ": expected the fidelity experiment's table, found no readable file");
    }
    Table table;
    Columns columns;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("# ")) {
            table.facts.push_back(line.substr(2));
        } else if (line.starts_with("group,")) {
            columns = columns_of(line);
        } else if (!line.empty()) {
            read_case(table, columns, line, file);
        }
    }
    return table;
}

double Compared::error() const {
    return std::abs(ratio() - 1);
}

double Compared::distance() const {
    return std::abs(simulated_ns / std::clamp(simulated_ns, low_ns, high_ns) - 1);
}

std::vector<Compared> compare(const Table& simulated, const Table& measured, Set set) {
    std::vector<Compared> result;
    for (const auto& [name, on_gpu] : measured.cases) {
        if (on_gpu.fit != (set == Set::fit) || on_gpu.time_ns < shortest_ns) {
            continue;
        }
        const auto found = simulated.cases.find(name);
        if (found == simulated.cases.end()) {
            throw std::runtime_error(
                fmt::format("expected a simulated time of {}, {}, found none", name.first, name.second));
        }
        result.push_back({name, found->second.time_ns, on_gpu.time_ns, on_gpu.median_ns, on_gpu.low_ns, on_gpu.high_ns});
    }
    return result;
}

Figures figures_of(const std::vector<Compared>& cases, double (Compared::*error)() const) {
    if (cases.empty()) {
        throw std::runtime_error("expected cases to compare, found none");
    }
    std::vector<double> errors;
    for (const Compared& compared : cases) {
        errors.push_back((compared.*error)());
    }
    std::sort(errors.begin(), errors.end());
    const auto worst = std::max_element(cases.begin(), cases.end(), [error](const Compared& a, const Compared& b) {
        return (a.*error)() < (b.*error)();
    });
    return {cases.size(), errors[errors.size() / 2], share_within(errors, 0.10), share_within(errors, 0.20), *worst};
}

std::vector<Compared> steady(const std::vector<Compared>& cases) {
    std::vector<Compared> result;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(result),
                 [](const Compared& compared) { return compared.steady(); });
    return result;
}

std::vector<Compared> against_median(std::vector<Compared> cases) {
    for (Compared& compared : cases) {
        compared.measured_ns = compared.median_ns;
    }
    return cases;
}

}  // namespace fidelity
