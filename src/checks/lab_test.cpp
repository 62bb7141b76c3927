#include "checks/lab_test.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>

#include "checks/causes.hpp"
#include "checks/describe.hpp"
#include "checks/results.hpp"

namespace checks {
namespace {

// GoogleTest makes the fixtures itself, so what they work on has to be found from outside.
Session* current_session = nullptr;

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

std::string running_check() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
}

// The first of the needed checks that was run and did not pass.
std::optional<std::string> unmet(const Results& results, const std::vector<std::string>& needs) {
    for (const CheckResult& earlier : results.checks) {
        if (earlier.verdict != Verdict::pass && std::find(needs.begin(), needs.end(), earlier.id) != needs.end()) {
            return earlier.id;
        }
    }
    return std::nullopt;
}

void set_reason(CheckResult& result, Verdict verdict, Failure reason) {
    result.verdict = verdict;
    result.points = 0;
    result.cause = std::move(reason.cause);
    result.arguments = std::move(reason.arguments);
    result.source = std::move(reason.source);
    result.findings = std::move(reason.findings);
}

// Records a plain GoogleTest assertion that failed outside of judge().
class AssertionRecorder : public testing::EmptyTestEventListener {
public:
    explicit AssertionRecorder(Results& results) : results_(results) {}

private:
    void OnTestEnd(const testing::TestInfo& test) override {
        if (!test.result()->Failed()) {
            return;
        }
        CheckResult& result = entry(test.name());
        if (result.verdict == Verdict::pass) {
            set_reason(result, Verdict::fail, {cause::assertion, {{"message", first_message(test)}}, {}, {}});
        }
    }

    CheckResult& entry(const std::string& id) {
        const auto found = std::find_if(results_.checks.begin(), results_.checks.end(),
                                        [&](const CheckResult& check) { return check.id == id; });
        if (found != results_.checks.end()) {
            return *found;
        }
        results_.checks.push_back({});
        results_.checks.back().id = id;
        return results_.checks.back();
    }

    static std::string first_message(const testing::TestInfo& test) {
        for (int i = 0; i < test.result()->total_part_count(); ++i) {
            const testing::TestPartResult& part = test.result()->GetTestPartResult(i);
            if (part.failed()) {
                return part.message();
            }
        }
        return {};
    }

    Results& results_;
};

bool any(const Results& results, Verdict verdict) {
    return std::any_of(results.checks.begin(), results.checks.end(),
                       [verdict](const CheckResult& check) { return check.verdict == verdict; });
}

int exit_status(const Results& results) {
    if (any(results, Verdict::fail)) {
        return 1;
    }
    if (any(results, Verdict::inconclusive)) {
        return 2;
    }
    return any(results, Verdict::pass) ? 0 : 77;
}

struct CommandLine {
    Options options;
    std::string device = "sim";
    std::optional<std::uint64_t> seed;
    double time_limit = 10;
};

void describe_options(CLI::App& app, CommandLine& arguments) {
    Options& options = arguments.options;
    app.add_option("--program", options.program, "The student's program")->required()->check(CLI::ExistingFile);
    app.add_option("--baseline", options.baseline, "The serial version, for the same device")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--device", arguments.device, "The device both are built for")->check(CLI::IsMember({"sim", "gpu"}));
    app.add_option("--ordering-program", options.ordering_program, "The student's program for the simulated device")
        ->check(CLI::ExistingFile);
    app.add_option("--ordering-baseline", options.ordering_baseline, "The serial version for the simulated device")
        ->check(CLI::ExistingFile);
    app.add_option("--other-profile", options.other_profiles, "Another simulated device to judge on (may be repeated)")
        ->check(CLI::ExistingFile);
    app.add_option("--profile", options.profile, "The simulated device's profile")->check(CLI::ExistingFile);
    app.add_option("--seed", arguments.seed, "The seed of all inputs");
    app.add_option("--results", options.results, "Write the results (JSON) here");
    app.add_option("--trace", options.trace, "Keep the trace of the typical run here");
    app.add_option("--time-limit", arguments.time_limit, "Seconds that a program may take for one answer")
        ->check(CLI::PositiveNumber);
}

Options finished(const std::string& lab, CommandLine arguments) {
    Options options = std::move(arguments.options);
    options.lab = lab;
    options.simulated = arguments.device == "sim";
    const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.time_limit * 1000));
    options.limits = {limit, limit};
    // On the simulated device two checks of one program shall print the same.
    options.seed = arguments.seed      ? *arguments.seed
                   : options.simulated ? seed_of(options.program)
                                       : (std::uint64_t{std::random_device{}()} << 32 | std::random_device{}());
    return options;
}

int run_with(Options options) {
    Session session(std::move(options));
    std::printf("lab %s, device %s, seed %llu\n", session.options().lab.c_str(),
                session.options().simulated ? "sim" : "gpu", static_cast<unsigned long long>(session.options().seed));
    session.require_device();
    const int status = run_selected(session);
    if (session.options().results && status != 99) {
        write_results(*session.options().results, session.results());
    }
    return status;
}

}  // namespace

Session& LabTest::session() {
    if (current_session == nullptr) {
        throw CannotCheck("no programs to check: run this through main_of_lab()");
    }
    return *current_session;
}

LabTest::SessionInstead::SessionInstead(Session& other) : before_(std::exchange(current_session, &other)) {}

LabTest::SessionInstead::~SessionInstead() {
    current_session = before_;
}

void LabTest::require(std::optional<Failure> failure) {
    if (failure) {
        throw CheckFailed(std::move(*failure));
    }
}

void LabTest::judge(const Check& check, const std::function<void()>& body) {
    CheckResult result;
    result.id = running_check();
    result.max_points = check.points;
    try {
        if (const auto missing = unmet(session().results(), check.needs)) {
            throw NotJudged(NotJudged::Kind::skipped, {cause::needs, {{"check", *missing}}, {}, {}});
        }
        body();
        result.points = awarded_.value_or(check.points);
    } catch (const CheckFailed& failed) {
        set_reason(result, Verdict::fail, failed.failure());
    } catch (const NotJudged& not_judged) {
        const bool skipped = not_judged.kind() == NotJudged::Kind::skipped;
        set_reason(result, skipped ? Verdict::skip : Verdict::inconclusive, not_judged.reason());
    } catch (const std::exception& error) {
        // Ours, not the student's: CannotCheck, a full disk, no memory.
        set_reason(result, Verdict::inconclusive, {cause::cannot_check, {{"reason", error.what()}}, {}, {}});
    }
    session().results().checks.push_back(result);
    if (result.verdict == Verdict::fail) {
        ADD_FAILURE() << joined(describe(result));
    } else if (result.verdict != Verdict::pass) {
        GTEST_SKIP() << joined(describe(result));
    }
}

int run_selected(Session& session) {
    current_session = &session;
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    auto* recorder = new AssertionRecorder(session.results());  // GoogleTest owns it until it is released below
    listeners.Append(recorder);
    // Its status knows failures alone; ours is made from the verdicts.
    [[maybe_unused]] const int failures = RUN_ALL_TESTS();
    delete listeners.Release(recorder);
    current_session = nullptr;
    add_up(session.results());
    return testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 99 : exit_status(session.results());
}

int main_of_lab(const std::string& lab, int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (GTEST_FLAG_GET(list_tests)) {
        return RUN_ALL_TESTS();
    }
    CLI::App app{"The checks of lab " + lab};
    CommandLine arguments;
    describe_options(app, arguments);
    try {
        app.parse(argc, argv);
        return run_with(finished(lab, std::move(arguments)));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : (app.exit(error), 2);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

}  // namespace checks
