// A lab program started by hand: one typical problem, judged in one line. The checks judge far more.
#include <cstdio>
#include <string>
#include <vector>

#include "device/hooks.h"
#include "lab/harness_interface.h"
#include "lab/problem_session.hpp"
#include "messages/messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/reference_work.hpp"

namespace lab::harness {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

protocol::Problem typical_problem() {
    protocol::Problem problem;
    problem.elements = 32 * mebibyte / sizeof(Element);
    problem.chunk_elements = 2 * mebibyte / sizeof(Element);
    problem.rounds = 850;  // on an H200, the kernel of such a chunk takes as long as its copy
    problem.host_work_ns = 1'500'000;
    return problem;
}

// The same for data that go through produce() and consume(), more than the device may hold: a budget of six chunks, and
// a kernel somewhat longer than producing and consuming its chunk together.
protocol::Problem typical_problem_with_producer() {
    protocol::Problem problem = typical_problem();
    problem.device_bytes = 6 * problem.chunk_elements * sizeof(Element);
    problem.host_copy_ns = 50'000;
    problem.rounds = 2300;
    return problem;
}

void say(const char* id, const messages::Arguments& arguments) {
    std::printf("%s\n", messages::text(id, arguments).c_str());
}

bool succeeded(const Outcome& outcome, const char* function) {
    if (outcome.code != 0) {
        say("hand.error", {{"function", function}, {"error", outcome.name}});
    }
    return outcome.code == 0;
}

std::string milliseconds(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

// Different in every element, so that a chunk in the wrong place is seen.
std::vector<Element> inputs_of(const protocol::Problem& problem) {
    std::vector<Element> inputs(problem.elements);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i] = static_cast<Element>(i * 2654435761u + 12345u);
    }
    return inputs;
}

std::size_t count_wrong(const std::vector<Element>& inputs, const std::vector<Element>& results, unsigned rounds) {
    const protocol::Jump expected = protocol::jump(rounds);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        wrong += results[i] != expected(inputs[i]);
    }
    return wrong;
}

std::byte* bytes_of(std::vector<Element>& elements) {
    return reinterpret_cast<std::byte*>(elements.data());
}

bool measure_stages(const Adapter& adapter, const ProblemSession& session) {
    if (adapter.measure_stages == nullptr) {
        return true;
    }
    StageTimes times;
    if (!succeeded(session.measure_stages(times), "measure_stages")) {
        return false;
    }
    say("hand.stages", {{"h2d", milliseconds(times.h2d_ms)},
                        {"kernel", milliseconds(times.kernel_ms)},
                        {"d2h", milliseconds(times.d2h_ms)}});
    return true;
}

bool run_and_judge(ProblemSession& session, const protocol::Problem& problem) {
    if (const protocol::Refusal missing = session.missing_buffer(); missing != protocol::Refusal::none) {
        say(missing == protocol::Refusal::no_host_input ? "hand.no_host_input" : "hand.no_host_output", {});
        return false;
    }
    std::vector<Element> inputs = inputs_of(problem);
    std::vector<Element> results(problem.elements);
    session.fill(bytes_of(inputs), bytes_of(results));
    const std::uint64_t begin = device_hooks_clock_ns();
    const Outcome outcome = session.run();
    const std::uint64_t elapsed_ns = device_hooks_clock_ns() - begin;
    if (!succeeded(outcome, "run")) {
        return false;
    }
    session.collect(bytes_of(results));
    const std::size_t wrong = count_wrong(inputs, results, problem.rounds);
    say(wrong == 0 ? "hand.right" : "hand.wrong",
        {{"wrong", std::to_string(wrong)},
         {"elements", std::to_string(problem.elements)},
         {"ms", milliseconds(static_cast<double>(elapsed_ns) / 1e6)},
         {"kind", messages::text(device_hooks_simulated() ? "hand.simulated" : "hand.measured")}});
    return wrong == 0;
}

}  // namespace

int run_by_hand(const Adapter& adapter) {
    const protocol::Problem problem =
        adapter.host_input == nullptr ? typical_problem_with_producer() : typical_problem();
    ProblemSession session(adapter, problem);
    const bool right = succeeded(session.allocate(), "allocate") && run_and_judge(session, problem) &&
                       measure_stages(adapter, session);
    const bool released = succeeded(session.release(), "release");
    return right && released ? 0 : 1;
}

}  // namespace lab::harness
