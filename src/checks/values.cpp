#include "checks/values.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "checks/causes.hpp"
#include "messages/messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/reference_work.hpp"

namespace checks {
namespace {

constexpr std::size_t shown = 5;      // wrong elements that are listed
constexpr std::size_t searched = 64;  // wrong elements whose origin is looked for

// What the patterns are read from.
struct Evidence {
    const Problem& problem;
    std::uint64_t seed;
    std::optional<std::uint64_t> previous_seed;
    std::span<const Element> outputs;
    protocol::Jump reference;
    std::vector<std::size_t> wrong;

    Element expected(std::size_t index) const { return reference(input_at(seed, index)); }
    bool poisoned(std::size_t index) const { return outputs[index] == protocol::poison; }
};

// Calls work(part, begin, end) for parts of [0, elements), each in a thread of its own where there are many elements.
template <typename Work>
void in_parts(std::size_t elements, std::size_t parts, Work work) {
    const std::size_t size = (elements + parts - 1) / parts;
    std::vector<std::jthread> threads;
    for (std::size_t part = 1; part < parts; ++part) {
        threads.emplace_back(work, part, std::min(elements, part * size), std::min(elements, (part + 1) * size));
    }
    work(std::size_t{0}, std::size_t{0}, std::min(elements, size));
}

std::size_t parts_for(std::size_t elements) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 20;
    return std::clamp<std::size_t>(elements / worth_a_thread, 1, std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<std::size_t> wrong_elements(const Evidence& evidence) {
    const std::size_t parts = parts_for(evidence.outputs.size());
    std::vector<std::vector<std::size_t>> found(parts);
    in_parts(evidence.outputs.size(), parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (evidence.outputs[i] != evidence.expected(i)) {
                found[part].push_back(i);
            }
        }
    });
    std::vector<std::size_t> wrong;
    for (const std::vector<std::size_t>& of_part : found) {
        wrong.insert(wrong.end(), of_part.begin(), of_part.end());
    }
    return wrong;
}

bool all_wrong(const Evidence& evidence, auto&& holds) {
    return std::all_of(evidence.wrong.begin(), evidence.wrong.end(), holds);
}

bool only_last_chunk(const Evidence& evidence) {
    const std::size_t rest = evidence.problem.elements % evidence.problem.chunk_elements;
    const std::size_t begin = evidence.problem.elements - rest;
    return rest != 0 && begin != 0 && evidence.wrong.size() == rest && evidence.wrong.front() >= begin;
}

bool holds_inputs(const Evidence& evidence) {
    return all_wrong(evidence, [&](std::size_t i) { return evidence.outputs[i] == input_at(evidence.seed, i); });
}

bool holds_previous_results(const Evidence& evidence) {
    return evidence.previous_seed && all_wrong(evidence, [&](std::size_t i) {
               return evidence.outputs[i] == evidence.reference(input_at(*evidence.previous_seed, i));
           });
}

// Some of the wrong elements that were written, spread over all of them.
std::vector<std::size_t> sample_of_written(const Evidence& evidence) {
    std::vector<std::size_t> written;
    for (const std::size_t i : evidence.wrong) {
        if (!evidence.poisoned(i)) {
            written.push_back(i);
        }
    }
    std::vector<std::size_t> sample;
    const std::size_t step = std::max<std::size_t>(1, written.size() / searched);
    for (std::size_t i = 0; i < written.size(); i += step) {
        sample.push_back(written[i]);
    }
    return sample;
}

struct Moved {
    std::size_t from;
    std::size_t to;
};

// Where most of the wrong elements hold the right result of another element: the first such pair.
std::optional<Moved> moved_results(const Evidence& evidence) {
    const std::vector<std::size_t> sample = sample_of_written(evidence);
    std::unordered_map<Element, std::size_t> places;
    for (const std::size_t i : sample) {
        places.emplace(evidence.outputs[i], i);
    }
    std::optional<Moved> first;
    std::size_t found = 0;
    for (std::size_t from = 0; !sample.empty() && from < evidence.problem.elements; ++from) {
        const auto place = places.find(evidence.expected(from));
        if (place != places.end() && place->second != from) {
            ++found;
            if (!first || place->second < first->to) {
                first = Moved{from, place->second};
            }
        }
    }
    return found * 2 > sample.size() ? first : std::nullopt;
}

Failure named(const Evidence& evidence) {
    const auto poisoned = [&](std::size_t i) { return evidence.poisoned(i); };
    const auto because = [](const char* cause, Arguments arguments = {}) {
        return Failure{cause, std::move(arguments), {}, {}};
    };
    if (evidence.wrong.size() == evidence.problem.elements && all_wrong(evidence, poisoned)) {
        return because(cause::never_written);
    }
    if (only_last_chunk(evidence)) {
        return because(cause::last_chunk_missing);
    }
    if (holds_inputs(evidence)) {
        return because(cause::output_is_input);
    }
    if (holds_previous_results(evidence)) {
        return because(cause::stale_values);
    }
    if (const auto moved = moved_results(evidence)) {
        return because(cause::wrong_offset, {{"from", std::to_string(moved->from)}, {"to", std::to_string(moved->to)}});
    }
    const bool unwritten = std::any_of(evidence.wrong.begin(), evidence.wrong.end(), poisoned);
    return because(unwritten ? cause::partly_unwritten : cause::wrong_values);
}

// "12: got 3735928559, expected 17; ..."
constexpr Element device_poison = 0xA5A5A5A5u;  // what the simulated device fills fresh memory with

// A number, and for a fill pattern what it means.
std::string shown_value(Element value) {
    const bool unwritten = value == protocol::poison || value == device_poison;
    return std::to_string(value) + (unwritten ? " (" + messages::text("value.never_written") + ")" : "");
}

std::string first_wrong(const Evidence& evidence) {
    std::string text;
    for (std::size_t n = 0; n < std::min(shown, evidence.wrong.size()); ++n) {
        const std::size_t i = evidence.wrong[n];
        text += (n == 0 ? "" : "; ") + ("[" + std::to_string(i) + "] " + shown_value(evidence.outputs[i]) + " != ") +
                std::to_string(evidence.expected(i));
    }
    return text;
}

}  // namespace

Element input_at(std::uint64_t seed, std::uint64_t index) {
    // SplitMix64's finalizer over seed and counter (Steele, Lea, Flood 2014).
    std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<Element>((z ^ (z >> 31)) >> 16);
}

void fill_inputs(std::uint64_t seed, std::span<Element> inputs) {
    in_parts(inputs.size(), parts_for(inputs.size()), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            inputs[i] = input_at(seed, i);
        }
    });
}

std::optional<Failure> judge_outputs(const Problem& problem, std::uint64_t seed, std::span<const Element> outputs,
                                     std::optional<std::uint64_t> previous_seed) {
    Evidence evidence{problem, seed, previous_seed, outputs, protocol::jump(problem.rounds), {}};
    evidence.wrong = wrong_elements(evidence);
    if (evidence.wrong.empty()) {
        return std::nullopt;
    }
    Failure failure = named(evidence);
    failure.arguments["wrong"] = std::to_string(evidence.wrong.size());
    failure.arguments["elements"] = std::to_string(problem.elements);
    failure.arguments["chunk_elements"] = std::to_string(problem.chunk_elements);
    failure.arguments["first"] = std::to_string(evidence.wrong.front());
    failure.arguments["got"] = std::to_string(outputs[evidence.wrong.front()]);
    failure.arguments["expected"] = std::to_string(evidence.expected(evidence.wrong.front()));
    failure.arguments["examples"] = first_wrong(evidence);
    return failure;
}

}  // namespace checks
