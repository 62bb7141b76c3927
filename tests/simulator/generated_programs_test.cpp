// Random programs against an oracle that knows nothing of the simulator. Programs that the oracle finds ordered must
// run without a finding and compute what they compute step by step; with one ordering step taken out, or one event
// recorded too early, exactly the pairs of accesses that the oracle names must be found.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "device/environment.hpp"
#include "generated/generator.hpp"
#include "generated/oracle.hpp"
#include "generated/simulation.hpp"

namespace simulator::generated {
namespace {

// --- what is found against what there is ---

std::string verb(Access kind) {
    return kind == Access::read ? "reads" : "writes";
}

// Whether one side of a finding is this step's access. Host accesses that the instrumentation saw have a line, which
// these programs lack, and no name.
bool is_access_of(const device::Finding& finding, const std::string& side, const Step& step, Access kind) {
    const std::string& what = finding.details.at(side);
    if (!what.ends_with(verb(kind))) {
        return false;
    }
    const auto name = finding.details.find(side + ".name");
    return name != finding.details.end() ? name->second == step.name() : what.starts_with("access.host_");
}

bool is_within(const device::Finding& finding, const Interval& bytes) {
    if (place_of(bytes.buffer) == Place::pageable) {
        return true;  // no allocation is known there, so that no place within one is named
    }
    const bool on_device = place_of(bytes.buffer) == Place::device;
    const unsigned origin = (on_device ? bytes.buffer : bytes.buffer - device_buffers) * buffer_bytes;
    return finding.details.at("range") == (on_device ? "range.device" : "range.host") &&
           std::stoul(finding.details.at("range.begin")) >= origin + bytes.begin &&
           std::stoul(finding.details.at("range.end")) < origin + bytes.end;
}

bool names(const device::Finding& finding, const Race& race) {
    return is_access_of(finding, "first", race.earlier, race.earlier_kind) &&
           is_access_of(finding, "second", race.later, race.later_kind);
}

// CUDA does not promise it, but here the host waits for these: what comes later is only warned of.
bool is_waited_for_in_practice(const Step& step) {
    const bool from_pageable = place_of(step.from.buffer) == Place::pageable;
    const bool to_pageable = place_of(step.to.buffer) == Place::pageable;
    return (step.kind == Kind::copy && to_pageable && place_of(step.from.buffer) == Place::device) ||
           (step.kind == Kind::sync_copy && from_pageable);
}

// What is wrong with the findings, given the races that there are; nothing if all is well.
std::optional<std::string> disagreement(const std::vector<device::Finding>& findings, const std::vector<Race>& races) {
    std::vector<const Race*> named;
    for (const device::Finding& finding : findings) {
        const auto is_true = [&](const Race& race) {
            const char* const kind =
                is_waited_for_in_practice(race.earlier) ? "order_not_promised" : "unordered_access";
            return finding.kind == kind && names(finding, race) && is_within(finding, race.bytes);
        };
        if (std::ranges::none_of(races, is_true)) {
            std::string text = "accused without reason: " + finding.kind;
            for (const auto& [key, value] : finding.details) {
                text.append("\n  ").append(key).append(" = ").append(value);
            }
            return text;
        }
        for (const Race& race : races) {
            if (names(finding, race)) {
                named.push_back(&race);
            }
        }
    }
    // On each byte that is raced for, some pair is found. Not every pair: after one, the order of the rest is lost.
    std::vector<std::bitset<buffer_bytes>> found(buffers);
    for (const Race* const race : named) {
        for (unsigned byte = race->bytes.begin; byte < race->bytes.end; ++byte) {
            found[race->bytes.buffer].set(byte);
        }
    }
    for (const Race& race : races) {
        for (unsigned byte = race.bytes.begin; byte < race.bytes.end; ++byte) {
            if (!found[race.bytes.buffer][byte]) {
                return "missed: " + race.earlier.name() + " (" + verb(race.earlier_kind) + ") and " +
                       race.later.name() + " (" + verb(race.later_kind) + "), byte " + std::to_string(byte) +
                       " of buffer " + std::to_string(race.bytes.buffer);
            }
        }
    }
    return std::nullopt;
}

// What is wrong with a run of the program. Its data must be right when everything in it is ordered.
std::optional<std::string> disagreement(const Program& program, const std::vector<Race>& races,
                                        const device::Profile& profile) {
    const bool has_right_data = races.empty();
    Simulation simulation(profile, program);
    Reference reference(program);
    for (const Step& step : program.steps) {
        if (has_right_data) {
            reference.run(step);
        }
        simulation.run(step, has_right_data ? &reference : nullptr);
    }
    const auto wrong = disagreement(simulation.finish(), races);
    return wrong || !has_right_data ? wrong : simulation.wrong_data(reference);
}

// The program with as few steps as still show a disagreement, for people to read.
Program reduced(Program program, const device::Profile& profile) {
    for (std::size_t i = program.steps.size(); i-- > 0;) {
        Program fewer = program;
        fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(i));
        if (disagreement(fewer, races_in(fewer), profile)) {
            program = fewer;
        }
    }
    return program;
}

// --- programs that lack some order ---

bool is_chosen(const Step& step) {
    return step.id % 2 == 0;
}

// Every second ordering step left out, in turn: of the program, and (the forks and joins apart) of its graphs.
std::vector<Program> with_one_order_less(const Program& program) {
    std::vector<Program> found;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        if (program.steps[i].orders() && is_chosen(program.steps[i])) {
            Program& fewer = found.emplace_back(program);
            fewer.steps.erase(fewer.steps.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    for (std::size_t graph = 0; graph < program.bodies.size(); ++graph) {
        for (std::size_t i = 0; i < program.bodies[graph].size(); ++i) {
            if (program.bodies[graph][i].kind == Kind::wait && is_chosen(program.bodies[graph][i])) {
                Steps& body = found.emplace_back(program).bodies[graph];
                body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
    return found;
}

// Every second event recorded before the last work of its stream instead of behind it, in turn.
std::vector<Program> with_an_event_too_early(const Program& program) {
    std::vector<Program> found;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const Step& record = program.steps[i];
        if (record.kind != Kind::record || !is_chosen(record)) {
            continue;
        }
        for (std::size_t before = i; before-- > 0;) {
            const Step& step = program.steps[before];
            if (!step.orders() && !step.on_host() && step.stream == record.stream) {
                Steps& steps = found.emplace_back(program).steps;
                steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
                steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(before), record);
                break;
            }
        }
    }
    return found;
}

// --- programs that once were judged wrongly ---

constexpr Bytes whole(unsigned buffer) {
    return {buffer, 0, buffer_bytes, buffer_bytes, 1};
}
constexpr unsigned on_device = 0;
constexpr unsigned on_device_too = 1;
constexpr unsigned pinned = device_buffers;
constexpr unsigned pinned_too = device_buffers + 1;

class ReducedProgram : public testing::Test {
protected:
    ReducedProgram() { setenv(device::environment::quiet, "1", 1); }

    // Adds a step; its number is its place.
    void add(Step step) {
        step.id = ++last_id_;
        program_.steps.push_back(step);
    }
    void add_to_graph(Step step) {
        program_.bodies.resize(1);
        step.id = ++last_id_;
        program_.bodies[0].push_back(step);
    }

    void expect_races(std::size_t count) const {
        const std::vector<Race> races = races_in(program_);
        EXPECT_EQ(races.size(), count);
        for (const std::string name : {"h200-pcie5", "one-copy-engine"}) {
            const device::Profile profile =
                device::load_profile(std::filesystem::path(PROFILE_DIRECTORY) / (name + ".json"));
            EXPECT_EQ(disagreement(program_, races, profile).value_or(""), "") << program_.text();
        }
    }

private:
    Program program_;
    unsigned last_id_ = 0;
};

// Its kernel ran in another branch of a graph: nothing that had an order of its own came from the stream itself.
TEST_F(ReducedProgram, the_default_stream_waits_for_graphs_launched_in_a_destroyed_stream) {
    add_to_graph({.kind = Kind::fill, .stream = 1, .to = whole(on_device), .value = 1});
    add({.kind = Kind::launch_graph, .stream = 1});
    add({.kind = Kind::allocation});
    add({.kind = Kind::renew_stream, .stream = 1});
    add({.kind = Kind::fill, .stream = 0, .to = whole(on_device), .value = 2});
    expect_races(0);
}

TEST_F(ReducedProgram, the_default_stream_waits_for_what_a_destroyed_stream_waited_for) {
    add({.kind = Kind::fill, .stream = 3, .to = whole(on_device), .value = 1});
    add({.kind = Kind::record, .stream = 3});
    add({.kind = Kind::wait, .stream = 1});
    add({.kind = Kind::allocation});
    add({.kind = Kind::renew_stream, .stream = 1});
    add({.kind = Kind::fill, .stream = 0, .to = whole(on_device), .value = 2});
    expect_races(0);
}

// The destination of a copy is poisoned when the copy is issued, which earlier work must not see.
TEST_F(ReducedProgram, host_functions_and_kernels_read_pinned_memory_before_a_later_copy_overwrites_it) {
    for (const Kind reader : {Kind::host_function, Kind::kernel}) {
        add({.kind = Kind::host_write, .to = whole(pinned), .value = 3});
        add({.kind = reader, .stream = 1, .from = whole(pinned), .to = whole(pinned_too), .value = 1});
        add({.kind = Kind::copy, .stream = 1, .from = whole(on_device), .to = whole(pinned)});
        add({.kind = Kind::copy, .stream = 1, .from = whole(pinned_too), .to = whole(on_device_too)});
        add({.kind = Kind::synchronize_device});
        add({.kind = Kind::host_read, .from = whole(pinned_too)});
    }
    expect_races(0);
}

TEST_F(ReducedProgram, what_is_copied_filled_or_computed_before_a_later_copy_overwrites_it_can_be_read_in_between) {
    add({.kind = Kind::fill, .stream = 1, .to = whole(on_device), .value = 7});
    add({.kind = Kind::copy, .stream = 1, .from = whole(on_device), .to = whole(pinned)});
    add({.kind = Kind::host_function, .stream = 1, .from = whole(pinned), .to = whole(pinned_too), .value = 1});
    add({.kind = Kind::kernel, .stream = 1, .from = whole(pinned_too), .to = whole(pinned), .value = 1});
    add({.kind = Kind::host_function, .stream = 1, .from = whole(pinned), .to = whole(pinned_too), .value = 1});
    add({.kind = Kind::fill, .stream = 1, .to = {pinned, 10, 20, 20, 1}, .value = 4});
    add({.kind = Kind::kernel, .stream = 1, .from = whole(pinned), .to = whole(on_device_too), .value = 1});
    add({.kind = Kind::copy, .stream = 1, .from = whole(on_device), .to = {pinned, 0, buffer_bytes, buffer_bytes, 1}});
    expect_races(0);
}

TEST_F(ReducedProgram, a_copy_from_pageable_memory_comes_after_earlier_work_that_writes_there) {
    add({.kind = Kind::copy, .stream = 1, .from = whole(on_device), .to = whole(pageable_buffer)});
    add({.kind = Kind::sync_copy, .from = whole(pageable_buffer), .to = whole(on_device_too)});
    expect_races(0);
    add({.kind = Kind::copy, .stream = 3, .from = whole(on_device), .to = whole(pageable_buffer)});
    add({.kind = Kind::sync_copy, .from = whole(pageable_buffer), .to = whole(on_device_too)});
    expect_races(1);
}

// The first of them comes before the copy in the device's time, and is judged when the copy begins.
TEST_F(ReducedProgram, trusted_code_is_named_by_what_it_was_then) {
    add({.kind = Kind::kernel, .stream = 1, .from = whole(on_device), .to = whole(on_device_too), .value = 1});
    add({.kind = Kind::copy, .stream = 1, .from = whole(on_device_too), .to = whole(pinned)});
    add({.kind = Kind::host_read, .from = whole(pinned)});
    add({.kind = Kind::host_read, .from = whole(pinned_too)});
    add({.kind = Kind::host_read, .from = whole(pinned_too), .by_hooks = true});
    add({.kind = Kind::synchronize_device});
    expect_races(1);
}

// --- tests ---

class GeneratedPrograms : public testing::TestWithParam<std::tuple<std::string, unsigned>> {
protected:
    static constexpr unsigned programs = 1300;
    static constexpr std::size_t accesses = 24;

    GeneratedPrograms() { setenv(device::environment::quiet, "1", 1); }

    template <class Function>
    void for_each_program(Function function) const {
        for (unsigned i = 0; i < programs && !HasFailure(); ++i) {
            const unsigned seed = std::get<1>(GetParam()) + i;
            SCOPED_TRACE("seed " + std::to_string(seed));
            function(Generator(seed).ordered_program(accesses));
        }
    }

    // Whether the program lacks an order that matters.
    bool expect_agreement(const Program& program) const {
        const std::vector<Race> races = races_in(program);
        if (const auto wrong = disagreement(program, races, profile_)) {
            const Program small = reduced(program, profile_);
            ADD_FAILURE() << *wrong << "\nreduced: " << disagreement(small, races_in(small), profile_).value_or("")
                          << "\n"
                          << small.text();
        }
        return !races.empty();
    }

    const device::Profile profile_ =
        device::load_profile(std::filesystem::path(PROFILE_DIRECTORY) / (std::get<0>(GetParam()) + ".json"));
};

TEST_P(GeneratedPrograms, in_order_compute_the_same_as_step_by_step_and_nothing_is_found) {
    std::size_t steps_run = 0;
    unsigned run = 0;
    for_each_program([&](const Program& program) {
        EXPECT_FALSE(expect_agreement(program)) << "the generator orders everything";
        steps_run += program.steps.size();
        ++run;
    });
    std::printf("%u ordered programs of %zu steps in all\n", run, steps_run);
    EXPECT_EQ(run, programs);
}

TEST_P(GeneratedPrograms, with_one_order_less_are_found_exactly_when_it_mattered) {
    unsigned mattered = 0;
    unsigned did_not = 0;
    for_each_program([&](const Program& program) {
        for (const Program& fewer : with_one_order_less(program)) {
            ++(expect_agreement(fewer) ? mattered : did_not);
        }
    });
    std::printf("%u removals that mattered, %u that did not\n", mattered, did_not);
    EXPECT_GT(mattered, 3 * programs);
    EXPECT_GT(did_not, programs);
}

TEST_P(GeneratedPrograms, with_an_event_recorded_too_early_are_found_exactly_when_it_mattered) {
    unsigned mattered = 0;
    unsigned did_not = 0;
    for_each_program([&](const Program& program) {
        for (const Program& early : with_an_event_too_early(program)) {
            ++(expect_agreement(early) ? mattered : did_not);
        }
    });
    std::printf("%u early recordings that mattered, %u that did not\n", mattered, did_not);
    EXPECT_GT(mattered, programs);
    EXPECT_GT(did_not, programs);
}

std::string test_name(const testing::TestParamInfo<std::tuple<std::string, unsigned>>& info) {
    const auto& [profile, seed] = info.param;
    return std::string(profile.front() == 'h' ? "two_copy_engines" : "one_copy_engine") + "_from_seed_" +
           std::to_string(seed);
}

// In all: 5,200 programs.
INSTANTIATE_TEST_SUITE_P(Profiles, GeneratedPrograms,
                         testing::Values(std::tuple("h200-pcie5", 1U), std::tuple("h200-pcie5", 10'001U),
                                         std::tuple("one-copy-engine", 20'001U),
                                         std::tuple("one-copy-engine", 30'001U)),
                         test_name);

}  // namespace
}  // namespace simulator::generated
