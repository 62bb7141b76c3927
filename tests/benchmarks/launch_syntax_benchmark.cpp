// How fast the launch-syntax pass is.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "simulator/launch_syntax/rewrite.hpp"

namespace benchmarks {
namespace {

// A solution of the course, again and again.
std::string source_of(std::size_t bytes) {
    std::ifstream file(LAUNCH_SYNTAX_SOURCE, std::ios::binary);
    const std::string once{std::istreambuf_iterator<char>(file), {}};
    if (once.empty()) {
        throw std::runtime_error("expected a CUDA program to rewrite, found nothing in " LAUNCH_SYNTAX_SOURCE);
    }
    std::string source;
    while (source.size() < bytes) {
        source += once;
    }
    return source;
}

void launch_syntax(benchmark::State& state) {
    const std::string source = source_of(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        const auto result = simulator::rewrite_launches(source, "benchmark.cu");
        if (!result.ok() || !result.changed) {
            state.SkipWithError("expected a program with launches, found none or errors");
            return;
        }
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.size()));
    state.SetComplexityN(static_cast<std::int64_t>(source.size()));
}

BENCHMARK(launch_syntax)->RangeMultiplier(10)->Range(10'000, 10'000'000)->Unit(benchmark::kMillisecond)->Complexity();

}  // namespace
}  // namespace benchmarks
