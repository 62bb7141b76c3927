// Which accesses of a program come before which, by CUDA's documented semantics alone: a graph of what each step comes
// after. It shares nothing with the simulator's own bookkeeping.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "generated/program.hpp"

namespace simulator::generated {

// Two accesses of the same bytes, at least one of which writes, without an order between them.
struct Race {
    Step earlier;  // in order of issue
    Access earlier_kind = Access::read;
    Step later;
    Access later_kind = Access::read;
    Interval bytes;
};

class Oracle {
public:
    explicit Oracle(const std::vector<Steps>& bodies) : bodies_(&bodies) {}

    void add(const Step& step);

    // From now on steps are those of a graph that is launched in `stream`, and streams and events are the graph's own.
    void begin_graph(unsigned graph, unsigned stream);
    void end_graph();

    // Streams (within a graph: branches) with work that would have to come before `step` and does not, were it added
    // now.
    std::vector<unsigned> unordered_streams(const Step& step) const;

    const std::vector<Race>& races() const { return races_; }

private:
    static constexpr std::size_t most_nodes = 768;
    using Past = std::bitset<most_nodes>;
    using Node = std::size_t;

    struct Noted {
        Node node;
        Step step;
        StepAccess access;
    };
    struct GraphLaunch {
        unsigned graph = 0;
        unsigned stream = 0;
        Node first = 0;
        std::array<Node, branches> tails{};
        std::map<unsigned, Node> recordings;
    };

    Node new_node(const std::vector<Node>& after);
    Node after_everything();
    std::vector<Node> with_stream(unsigned stream, std::vector<Node> after) const;
    Node in_stream(unsigned stream, std::vector<Node> after);
    void add_in_graph(const Step& step);
    void add_sync_copy(const Step& step);
    void add_async_copy(const Step& step);
    void note(const Step& step, Node node);
    void note(const Step& step, const StepAccess& access, Node node);

    const std::vector<Steps>* bodies_;
    std::vector<Past> pasts_{Past{}};  // the first node is the start of the program
    Node host_ = 0;
    std::array<Node, streams> tails_{};
    std::vector<Node> retired_;  // the ends of blocking streams that were destroyed
    std::array<std::optional<Node>, events> recordings_{};
    std::array<Node, graphs> launched_{};  // the end of the last launch
    std::optional<GraphLaunch> launch_;
    std::map<Node, unsigned> streams_;
    std::vector<Noted> noted_;
    std::vector<Race> races_;
};

std::vector<Race> races_in(const Program& program);

}  // namespace simulator::generated
