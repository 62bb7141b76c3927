// A lab program started by hand: one typical problem, judged in one line. The checks judge far more.
#include <cstdio>
#include <string>
#include <vector>

#include "device/hooks.h"
#include "lab/harness_interface.h"
#include "messages/messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/reference_work.hpp"

namespace lab::harness {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr unsigned rounds_like_a_copy = 850;  // on an H200, the kernel of such a chunk takes as long as its copy
constexpr Problem typical{32 * mebibyte / sizeof(Element), 2 * mebibyte / sizeof(Element), rounds_like_a_copy};

void say(const char* id, const messages::Arguments& arguments) {
    std::printf("%s\n", messages::text(id, arguments).c_str());
}

// Frees the pipeline on every path.
class Pipeline {
public:
    explicit Pipeline(const Adapter& adapter) : adapter_(adapter), self_(adapter.create()) {}
    ~Pipeline() { adapter_.destroy(self_); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    void* get() const { return self_; }

private:
    const Adapter& adapter_;
    void* self_;
};

bool succeeded(const Outcome& outcome, const char* function) {
    if (outcome.code != 0) {
        say("hand.error", {{"function", function}, {"error", outcome.name}});
    }
    return outcome.code == 0;
}

// Different in every element, so that a chunk in the wrong place is seen.
Element input_at(std::size_t index) {
    return static_cast<Element>(index * 2654435761u + 12345u);
}

std::size_t count_wrong(const Element* output) {
    const protocol::Jump expected = protocol::jump(typical.rounds);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < typical.elements; ++i) {
        wrong += output[i] != expected(input_at(i));
    }
    return wrong;
}

std::string milliseconds(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(nanoseconds) / 1e6);
    return text;
}

void fill(Element* input, Element* output) {
    const std::size_t bytes = typical.elements * sizeof(Element);
    device_hooks_host_writes(input, bytes, "host_input");
    device_hooks_host_writes(output, bytes, "host_output");
    for (std::size_t i = 0; i < typical.elements; ++i) {
        input[i] = input_at(i);
        output[i] = protocol::poison;
    }
}

bool run_and_judge(const Adapter& adapter, void* self) {
    Element* const input = adapter.host_input(self);
    Element* const output = adapter.host_output(self);
    if (input == nullptr || output == nullptr) {
        say(input == nullptr ? "hand.no_host_input" : "hand.no_host_output", {});
        return false;
    }
    fill(input, output);
    device_hooks_range_begin("run");
    const std::uint64_t begin = device_hooks_clock_ns();
    const Outcome outcome = adapter.run(self, typical);
    const std::uint64_t elapsed = device_hooks_clock_ns() - begin;
    device_hooks_range_end();
    if (!succeeded(outcome, "run")) {
        return false;
    }
    device_hooks_host_reads(output, typical.elements * sizeof(Element), "host_output");
    const std::size_t wrong = count_wrong(output);
    say(wrong == 0 ? "hand.right" : "hand.wrong",
        {{"wrong", std::to_string(wrong)},
         {"elements", std::to_string(typical.elements)},
         {"ms", milliseconds(elapsed)},
         {"kind", messages::text(device_hooks_simulated() ? "hand.simulated" : "hand.measured")}});
    return wrong == 0;
}

}  // namespace

int run_by_hand(const Adapter& adapter) {
    const Pipeline pipeline(adapter);
    const bool right =
        succeeded(adapter.allocate(pipeline.get(), typical), "allocate") && run_and_judge(adapter, pipeline.get());
    const bool released = succeeded(adapter.release(pipeline.get()), "release");
    return right && released ? 0 : 1;
}

}  // namespace lab::harness
