// Random programs in which every conflicting pair of accesses is ordered: whatever is not gets an ordering step first.
#pragma once

#include <cstddef>
#include <functional>
#include <random>

#include "generated/oracle.hpp"
#include "generated/program.hpp"

namespace simulator::generated {

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}  // the same seed, the same program

    Program ordered_program(std::size_t accesses);

private:
    using Add = std::function<void(Step)>;

    unsigned pick(std::size_t count) { return static_cast<unsigned>(random_() % count); }
    unsigned buffer_at(Place place);
    Bytes shape();
    Bytes placed(Bytes shape, unsigned buffer);
    Step random_step(unsigned known_graphs);
    Step random_access();
    Step random_kernel();
    Step random_copy();
    Steps graph_body(const Program& program, unsigned graph);
    Step random_step_of_a_graph();
    void order(unsigned stream, const Step& next, const Add& add);

    std::mt19937 random_;
    unsigned last_id_ = 0;
};

}  // namespace simulator::generated
