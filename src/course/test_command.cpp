// `course test`: the project's own tests.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "course/commands.hpp"
#include "course/failure.hpp"
#include "course/process.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

struct Counts {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
};

// Meson writes one JSON object a line, one line a test.
Counts count_results(const std::filesystem::path& log) {
    Counts counts;
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) {
        const std::string result = nlohmann::json::parse(line).at("result").get<std::string>();
        if (result == "OK" || result == "EXPECTEDFAIL") {
            ++counts.passed;
        } else if (result == "SKIP") {
            ++counts.skipped;
        } else {
            ++counts.failed;
        }
    }
    return counts;
}

void build_everything(const Project& project) {
    if (run_passing_through({{"ninja", "-C", project.build.string()}, {}, {}}).exit_status != 0) {
        throw CannotProceed(text("course.test.build_failed"));
    }
}

}  // namespace

int execute(const Project& project, const TestOptions& options) {
    build_everything(project);
    const std::filesystem::path log = project.build / "meson-logs" / "testlog.json";
    std::filesystem::remove(log);  // so that an old result can never be counted as this one
    Command command{{"meson", "test", "-C", project.build.string(), "--no-rebuild", "--print-errorlogs"}, {}, {}};
    command.arguments.insert(command.arguments.end(), options.arguments.begin(), options.arguments.end());
    const int status = run_passing_through(command).exit_status;
    if (!std::filesystem::exists(log)) {
        throw CannotProceed(text("course.test.nothing_ran"));
    }
    const Counts counts = count_results(log);
    if (counts.passed + counts.failed == 0) {
        throw CannotProceed(text("course.test.nothing_ran"));
    }
    std::cout << fmt::format("{} passed, {} failed, {} skipped\n", counts.passed, counts.failed, counts.skipped);
    return status == 0 && counts.failed == 0 ? 0 : 1;
}

}  // namespace course
