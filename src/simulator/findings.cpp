#include "simulator/findings.hpp"

#include <cstdio>

#include "messages/messages.hpp"

namespace simulator {

void FindingLog::add(device::Finding finding) {
    const bool has_line = finding.at.line != 0;
    const bool is_new = known_
                            .emplace(finding.kind, finding.at.file, finding.at.line, finding.other.file,
                                     finding.other.line, has_line ? decltype(finding.details){} : finding.details)
                            .second;
    if (!is_new) {
        return;
    }
    if (!quiet_) {
        for (const std::string& line : messages::describe(finding)) {
            std::fprintf(stderr, "%s\n", line.c_str());
        }
    }
    findings_.push_back(std::move(finding));
}

}  // namespace simulator
