// The fixture of every lab's checks, and their main().
//
//   class Streams : public checks::LabTest {};
//   TEST_F(Streams, overlap) {
//       judge({.points = 10, .needs = {"typical_size"}}, [&] { require(checks::judge_overlap(...)); });
//   }
//   int main(int argc, char** argv) { return checks::main_of_lab("03_streams", argc, argv); }
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checks/failure.hpp"
#include "checks/session.hpp"

namespace checks {

class LabTest : public testing::Test {
protected:
    struct Check {
        double points = 0;
        std::vector<std::string> needs;  // ids of checks that must have passed
    };

    // The check's id is the test's name. Runs `body` unless something that it needs did not pass, turns what it throws
    // into a verdict, and records it.
    void judge(const Check& check, const std::function<void()>& body);

    // In the body: fails the check when there is a failure.
    static void require(std::optional<Failure> failure);

    // In the body: fewer points than the check is worth, for a pass that could be better.
    void award(double points) { awarded_ = points; }

    static Session& session();

    // In the body: for as long as it lives, session() is another one.
    class SessionInstead {
    public:
        explicit SessionInstead(Session& other);
        ~SessionInstead();
        SessionInstead(const SessionInstead&) = delete;
        SessionInstead& operator=(const SessionInstead&) = delete;

    private:
        Session* before_;
    };

private:
    std::optional<double> awarded_;
};

// Runs the selected checks. Exit status: 0 all passed, 1 some failed, 2 it could not be checked (bad usage, no
// baseline, too much noise), 77 all were skipped, 99 no check was selected.
int main_of_lab(const std::string& lab, int argc, char** argv);

// Runs the tests that GoogleTest has selected on `session`: for tests of the fixture itself.
int run_selected(Session& session);

}  // namespace checks
