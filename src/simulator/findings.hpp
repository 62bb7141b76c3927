// What the simulated device found wrong, each finding once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "device/trace.hpp"

namespace simulator {

class FindingLog {
public:
    // Keeps `finding` and, unless `quiet`, prints it to stderr as `file:line: message`. Findings of the same kind at
    // the same pair of lines are kept once; where no line is known, those that say the same.
    void add(device::Finding finding);

    void set_quiet(bool quiet) { quiet_ = quiet; }
    bool quiet() const { return quiet_; }
    const std::vector<device::Finding>& all() const { return findings_; }

private:
    std::vector<device::Finding> findings_;
    std::set<std::tuple<std::string, std::string, int, std::string, int, std::map<std::string, std::string>>> known_;
    bool quiet_ = false;
};

}  // namespace simulator
