#include "checks/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "checks/trace_judgements.hpp"
#include "device/environment.hpp"
#include "device/profile.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using namespace std::chrono_literals;
using protocol::Action;

// After a program hung once, it is not given the whole limit again and again.
constexpr std::chrono::milliseconds limit_after_hang = 1s;

// Enough for what the labs ask of a GPU; pages that nobody touches take no memory.
constexpr std::size_t first_memory_bytes = std::size_t{1} << 29;

std::filesystem::path new_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "course-checks-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw CannotCheck("cannot make a temporary directory " + pattern);
    }
    return pattern;
}

std::size_t aligned(std::size_t bytes) {
    return (bytes + 4095) / 4096 * 4096;
}

// The virtual length of the last run() as the trace tells it.
std::chrono::nanoseconds traced_run_time(const device::Trace& trace) {
    const auto run = std::find_if(trace.ranges.rbegin(), trace.ranges.rend(),
                                  [](const device::Range& range) { return range.name == "run"; });
    return run == trace.ranges.rend() ? std::chrono::nanoseconds(0) : run->end - run->start;
}

Results empty_results(const Options& options) {
    Results results;
    results.lab = options.lab;
    results.simulated = options.simulated;
    results.seed = options.seed;
    if (options.simulated && options.profile) {
        results.profile = device::load_profile(*options.profile).name;
    }
    return results;
}

}  // namespace

Session::Session(Options options)
    : options_(std::move(options)),
      results_(empty_results(options_)),
      directory_(new_directory()),
      memory_(protocol::SharedMemory::create(first_memory_bytes)) {}

Session::~Session() {
    std::error_code ignored;  // a temporary directory left behind is no reason to fail
    std::filesystem::remove_all(directory_, ignored);
}

std::optional<std::filesystem::path> Session::simulated_program() const {
    return options_.simulated ? std::optional(options_.program) : options_.ordering_program;
}

std::optional<Options> Session::options_for(const std::filesystem::path& profile) const {
    const auto program = simulated_program();
    const auto baseline = options_.simulated ? std::optional(options_.baseline) : options_.ordering_baseline;
    if (!program || !baseline) {
        return std::nullopt;
    }
    Options other = options_;
    other.simulated = true;
    other.program = *program;
    other.baseline = *baseline;
    other.profile = profile;
    other.trace.reset();
    return other;
}

const protocol::Measurement& Session::measurement(std::size_t chunk_elements, unsigned rounds) {
    const auto known = measurements_.find({chunk_elements, rounds});
    if (known != measurements_.end()) {
        return known->second;
    }
    protocol::Request request;
    request.action = Action::measure;
    request.measure = {chunk_elements, rounds, 0};
    try {
        const auto baseline = process_for(options_.baseline);
        const protocol::Measurement measured = baseline->demand(request).measurement;
        results_.device = measured.device;
        return measurements_.emplace(std::pair(chunk_elements, rounds), measured).first->second;
    } catch (const CheckFailed& failed) {
        std::string reason = "the baseline program cannot measure the device: " + failed.failure().cause;
        for (const auto& [name, value] : failed.failure().arguments) {
            reason += ", " + name + " " + value;
        }
        throw CannotCheck(reason);
    }
}

Solved Session::solve(const std::filesystem::path& program, const Plan& plan) {
    std::optional<std::filesystem::path> trace_file;
    if (plan.traced == Traced::yes) {
        trace_file = temporary_file("trace-" + std::to_string(runs_started_) + ".json");
    }
    reserve(plan.problem);
    Solved solved;
    watched([&] {
        const auto process = trace_file ? start(program, trace_file) : process_for(program);
        try {
            drive(*process, plan, solved);
            if (trace_file || options_.simulated) {
                process->quit();
            }
        } catch (const CheckFailed& failed) {
            forget_processes();
            if (trace_file && failed.failure().cause == cause::returned_error) {
                explain_error(*process, *trace_file);
            }
            throw;
        }
    });
    if (trace_file) {
        if (!std::filesystem::exists(*trace_file)) {
            throw CheckFailed(cause::exited_early, {{"code", "0"}, {"during", "exit"}});
        }
        solved.trace = device::read_trace(*trace_file);
        // One virtual clock: a program that sets it back between the two readings tells two lengths.
        if (solved.trace->simulated && traced_run_time(*solved.trace) != solved.elapsed) {
            throw CheckFailed(cause::forged_reply, {{"during", during(Action::run)}});
        }
        add_findings(*solved.trace);
        if (plan.warm_up) {
            solved.trace = timeline::without_earlier(*solved.trace, "run");
        }
    }
    return solved;
}

void Session::drive(LabProcess& process, const Plan& plan, Solved& solved) {
    std::optional<std::uint64_t> previous;
    for (int cycle = 0; cycle < plan.cycles; ++cycle) {
        for (int run = 0; run < plan.runs + (plan.warm_up ? 1 : 0); ++run) {
            const std::uint64_t seed = fresh_inputs(plan.problem);
            process.demand(request(run == 0 ? Action::prepare : Action::refill, plan.problem));
            const protocol::Reply reply = process.demand(request(Action::run, plan.problem));
            solved.elapsed =
                process.simulated() ? std::chrono::nanoseconds(reply.elapsed_ns) : process.latest_wall_time();
            solved.host_work = std::chrono::nanoseconds(reply.host_work_ns);
            solved.reported_ms = reply.reported_ms;
            process.demand(request(Action::collect, plan.problem));
            if (!solved.wrong) {
                solved.wrong = judge_outputs(plan.problem, seed, outputs(plan.problem), previous);
            }
            previous = seed;
        }
        if (plan.measure_stages) {
            const protocol::Reply reply = process.demand(request(Action::measure_stages, plan.problem));
            solved.stages = {reply.stage_ms[0], reply.stage_ms[1], reply.stage_ms[2]};
        }
        process.demand(request(Action::release, plan.problem));
    }
}

void Session::explain_error(LabProcess& process, const std::filesystem::path& trace_file) {
    process.ask(request(Action::release, {}));
    process.quit();
    if (!std::filesystem::exists(trace_file)) {
        return;
    }
    const device::Trace trace = device::read_trace(trace_file);
    add_findings(trace);
    if (const auto seen = judge_accesses(trace.findings)) {
        throw CheckFailed(*seen);
    }
}

std::unique_ptr<LabProcess> Session::start(const std::filesystem::path& program,
                                           const std::optional<std::filesystem::path>& trace) {
    Launch launch;
    launch.program = program;
    launch.environment[device::environment::quiet] = "1";
    launch.environment[device::environment::fail_call] = "";
    launch.environment[device::environment::trace_file] = trace ? trace->string() : "";
    if (options_.profile) {
        launch.environment[device::environment::profile_file] = options_.profile->string();
    }
    launch.limits = options_.limits;
    if (hung_ && program != options_.baseline) {  // ours never hangs, and may need its time on a busy machine
        launch.limits.request = std::min(launch.limits.request, limit_after_hang);
        launch.limits.quit = std::min(launch.limits.quit, limit_after_hang);
    }
    return std::make_unique<LabProcess>(launch, memory_);
}

std::shared_ptr<LabProcess> Session::process_for(const std::filesystem::path& program) {
    if (options_.simulated) {
        return start(program);
    }
    std::shared_ptr<LabProcess>& kept = kept_[program];
    if (!kept) {
        kept = start(program);
    }
    return kept;
}

std::uint64_t Session::fresh_inputs(const Problem& problem) {
    const std::uint64_t seed = options_.seed + 0xD1B54A32D192ED03u * ++runs_started_;
    fill_inputs(seed, {reinterpret_cast<Element*>(memory_.data()), problem.elements});
    return seed;
}

protocol::Request Session::request(Action action, const Problem& problem) const {
    protocol::Request request;
    request.action = action;
    request.problem.elements = problem.elements;
    request.problem.chunk_elements = problem.chunk_elements;
    request.problem.rounds = problem.rounds;
    request.problem.host_work_ns = static_cast<std::uint64_t>(problem.host_work.count());
    request.problem.host_copy_ns = static_cast<std::uint64_t>(problem.host_copy.count());
    request.problem.device_bytes = problem.device_bytes;
    request.problem.input_offset = 0;
    request.problem.output_offset = aligned(problem.bytes());
    return request;
}

std::span<const Element> Session::outputs(const Problem& problem) const {
    return {reinterpret_cast<const Element*>(memory_.data() + aligned(problem.bytes())), problem.elements};
}

void Session::add_findings(const device::Trace& trace) {
    for (const device::Finding& finding : trace.findings) {
        if (std::find(findings_.begin(), findings_.end(), finding) == findings_.end()) {
            findings_.push_back(finding);
        }
    }
}

void Session::note(const Failure& failure) {
    hung_ = hung_ || failure.cause == cause::never_returned;
}

void Session::reserve(const Problem& problem) {
    const std::size_t needed = 2 * aligned(problem.bytes());
    if (needed > memory_.bytes()) {
        forget_processes();
        memory_ = protocol::SharedMemory::create(needed);
    }
}

std::uint64_t seed_of(const std::filesystem::path& program) {
    std::ifstream in(program, std::ios::binary);
    if (!in) {
        throw CannotCheck(program.string() + ": cannot be read");
    }
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (std::istreambuf_iterator<char> byte(in), end; byte != end; ++byte) {
        hash = (hash ^ static_cast<unsigned char>(*byte)) * 0x100000001B3u;
    }
    return hash;
}

}  // namespace checks
