// What tests expect of the findings of a program's run.
#pragma once

#include <gtest/gtest.h>

#include "program_run.hpp"

namespace simulator {

inline void expect_line(const Program& program, const device::SourceLine& found, const std::string& marker) {
    EXPECT_EQ(found.line, program.line(marker)) << found.file << ", expected the line marked '" << marker << "'";
}

// The program's case does what it expects of itself, and nothing is found.
inline ProgramRun expect_clean(const Program& program, const std::string& name, const Environment& environment = {}) {
    ProgramRun result = run(program, {name}, environment);
    EXPECT_EQ(result.exit_status, 0) << name << ":\n" << result.output;
    EXPECT_TRUE(result.trace.findings.empty()) << name << ":\n" << result.output;
    return result;
}

// One finding, of `kind`, at `at`; `other` names the line of the other access, where there is one.
inline device::Finding expect_finding(const Program& program, const std::string& name, const std::string& kind,
                                      const std::string& at, const std::string& other = "") {
    const ProgramRun result = run(program, {name});
    EXPECT_EQ(result.exit_status, 0) << name << ":\n" << result.output;
    EXPECT_EQ(result.trace.findings.size(), 1U) << name << ":\n" << result.output;
    if (result.trace.findings.empty()) {
        return {};
    }
    const device::Finding finding = result.trace.findings.front();
    EXPECT_EQ(finding.kind, kind) << result.output;
    expect_line(program, finding.at, at);
    if (!other.empty()) {
        expect_line(program, finding.other, other);
    }
    return finding;
}

// Lets each call of the program's case that can fail do so, in turn: it must report that (exit status 10) and give back
// what it holds. Returns how many calls there are.
inline int failing_calls(const Program& program, const std::string& name) {
    for (int nth = 1; nth < 100; ++nth) {
        const ProgramRun result = run(program, {name}, {{"COURSE_FAIL_CALL", std::to_string(nth)}});
        for (const device::Finding& finding : result.trace.findings) {
            EXPECT_EQ(finding.kind, "injected_failure") << "call " << nth << ":\n" << result.output;
        }
        if (result.exit_status == 0) {
            return nth - 1;
        }
        EXPECT_EQ(result.exit_status, 10) << "call " << nth << ":\n" << result.output;
    }
    ADD_FAILURE() << "expected an end of the calls that can fail";
    return -1;
}

}  // namespace simulator
