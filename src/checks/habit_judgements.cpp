#include "checks/habit_judgements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "checks/causes.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using device::HostCall;
using device::Operation;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

constexpr double tolerated_small_share = 0.25;  // of the bytes: a short last chunk, a short first one

// An event is recorded a little before the first operation starts and after the last one has ended.
constexpr double tolerated_time_share = 0.05;
constexpr nanoseconds tolerated_time{10'000};

const std::set<std::string> allocating_calls{
    "cudaMalloc",          "cudaMallocPitch",   "cudaMallocManaged", "cudaFree",
    "cudaMallocHost",      "cudaHostAlloc",     "cudaFreeHost",      "cudaHostRegister",
    "cudaHostUnregister",  "cudaStreamCreate",  "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",             "cudaStreamDestroy", "cudaEventCreate",
    "cudaEventCreateWithFlags",                 "cudaEventDestroy"};

Trace run_of(const Trace& trace) {
    return timeline::restrict_to_range(trace, "run");
}

std::vector<Operation> link_copies(const Trace& trace) {
    std::vector<Operation> copies;
    std::copy_if(trace.operations.begin(), trace.operations.end(), std::back_inserter(copies), timeline::crosses_the_link);
    return copies;
}

// From the start of the first operation to the end of the last.
nanoseconds time_of_operations(const Trace& run) {
    if (run.operations.empty()) {
        return {};
    }
    const auto [first, ignored] = std::minmax_element(
        run.operations.begin(), run.operations.end(),
        [](const Operation& a, const Operation& b) { return a.start < b.start; });
    const auto last = std::max_element(run.operations.begin(), run.operations.end(),
                                       [](const Operation& a, const Operation& b) { return a.end < b.end; });
    return last->end - first->start;
}

std::string milliseconds(double ns) {
    return fmt::format("{:.3f}", ns / 1e6);
}

std::string shown(std::uint64_t bytes) {
    constexpr std::uint64_t kibibyte = 1024;
    constexpr std::uint64_t mebibyte = 1024 * kibibyte;
    if (bytes >= mebibyte) {
        return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / static_cast<double>(mebibyte));
    }
    return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / static_cast<double>(kibibyte));
}

// The size in which most bytes move; 0 without copies.
std::uint64_t usual_size(const std::vector<Operation>& copies) {
    std::map<std::uint64_t, std::uint64_t> bytes_in;
    for (const Operation& copy : copies) {
        bytes_in[copy.bytes] += copy.bytes;
    }
    const auto most = std::max_element(bytes_in.begin(), bytes_in.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == bytes_in.end() ? 0 : most->first;
}

}  // namespace

std::optional<Failure> judge_allocations(const Trace& trace) {
    const Trace run = run_of(trace);
    std::size_t calls = 0;
    const HostCall* first = nullptr;
    for (const HostCall& call : run.host_calls) {
        if (allocating_calls.contains(call.name)) {
            ++calls;
            first = first == nullptr ? &call : first;
        }
    }
    if (first == nullptr) {
        return std::nullopt;
    }
    return because(cause::allocation_in_run, {{"calls", std::to_string(calls)}, {"call", first->name}}, first->at);
}

CopyLimits copy_limits(const std::vector<CopyRate>& rates, double required_rate, double allowed_fill) {
    if (rates.empty()) {
        throw std::invalid_argument("copy_limits: expected at least one rate, found none");
    }
    const auto rate_of = [](const CopyRate& rate) {
        return static_cast<double>(rate.bytes) / static_cast<double>(rate.time.count());
    };
    double best = 0;
    for (const CopyRate& rate : rates) {
        best = std::max(best, rate_of(rate));
    }
    CopyLimits limits;
    for (const CopyRate& rate : rates) {
        if (rate_of(rate) < required_rate * best) {
            limits.too_small = std::max(limits.too_small, rate.bytes);
        }
        if (rate.fill_share > allowed_fill) {
            limits.too_large = std::min(limits.too_large, rate.bytes);
        }
    }
    return limits;
}

std::optional<Failure> judge_copy_sizes(const Trace& trace, const CopyLimits& limits) {
    const std::vector<Operation> copies = link_copies(run_of(trace));
    std::uint64_t all_bytes = 0;
    std::uint64_t small_bytes = 0;
    std::size_t small_copies = 0;
    const Operation* first_small = nullptr;
    const Operation* first_large = nullptr;
    for (const Operation& copy : copies) {
        all_bytes += copy.bytes;
        if (copy.bytes <= limits.too_small) {
            small_bytes += copy.bytes;
            ++small_copies;
            first_small = first_small == nullptr ? &copy : first_small;
        }
        first_large = first_large == nullptr && copy.bytes >= limits.too_large ? &copy : first_large;
    }
    if (static_cast<double>(small_bytes) > tolerated_small_share * static_cast<double>(all_bytes)) {
        return because(cause::copies_too_small,
                       {{"copies", std::to_string(small_copies)},
                        {"of", std::to_string(copies.size())},
                        {"size", shown(first_small->bytes)},
                        {"limit", shown(limits.too_small)}},
                       first_small->at);
    }
    if (first_large != nullptr) {
        return because(cause::copies_too_large, {{"size", shown(first_large->bytes)}, {"limit", shown(limits.too_large)}},
                       first_large->at);
    }
    return std::nullopt;
}

std::optional<Failure> judge_stream_count(const Trace& trace) {
    const Trace run = run_of(trace);
    const std::size_t streams = timeline::operations_by_stream(run).size();
    const std::size_t needed = std::min(run.copy_engines, 2U) + 1;  // data cross the link in two directions
    if (streams >= needed) {
        return std::nullopt;
    }
    return because(cause::too_few_streams, {{"streams", std::to_string(streams)}, {"needed", std::to_string(needed)}});
}

std::optional<Failure> judge_directions(const Trace& trace) {
    const Trace run = run_of(trace);
    const std::vector<Operation> copies = link_copies(run);
    if (run.copy_engines < 2 || copies.empty()) {
        return std::nullopt;
    }
    const Operation& first = copies.front();
    if (std::any_of(copies.begin(), copies.end(), [&](const Operation& copy) { return copy.stream != first.stream; })) {
        return std::nullopt;
    }
    return because(cause::one_stream_for_both_directions, {{"copies", std::to_string(copies.size())}}, first.at);
}

std::optional<Failure> judge_reported_time(const Trace& trace, float reported_ms) {
    const Trace run = run_of(trace);
    const auto traced = static_cast<double>(time_of_operations(run).count());
    const double reported = static_cast<double>(reported_ms) * 1e6;
    const Arguments figures{{"reported", milliseconds(reported)}, {"traced", milliseconds(traced)}};
    if (timeline::count_calls(run, "cudaEventElapsedTime") == 0) {
        return because(cause::timed_by_host_clock, figures);
    }
    const double tolerance = tolerated_time_share * traced + static_cast<double>(tolerated_time.count());
    if (std::abs(reported - traced) <= tolerance) {
        return std::nullopt;
    }
    return because(cause::wrong_reported_time, figures);
}

std::optional<Failure> judge_choice(const Trace& trace) {
    const Trace tried = timeline::restrict_to_range(trace, "allocate");
    std::set<std::uint64_t> sizes;
    for (const Operation& copy : link_copies(tried)) {
        sizes.insert(copy.bytes);
    }
    const std::size_t timings = timeline::count_calls(tried, "cudaEventElapsedTime");
    if (sizes.size() < 2 || timings < 2) {
        return because(cause::not_measured,
                       {{"sizes", std::to_string(sizes.size())}, {"timings", std::to_string(timings)}});
    }
    const std::uint64_t chosen = usual_size(link_copies(run_of(trace)));
    if (sizes.contains(chosen)) {
        return std::nullopt;
    }
    return because(cause::choice_not_measured, {{"size", shown(chosen)}, {"sizes", std::to_string(sizes.size())}});
}

}  // namespace checks
