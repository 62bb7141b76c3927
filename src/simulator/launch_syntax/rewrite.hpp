// Rewrites the syntax that only a CUDA compiler knows into plain C++, so that g++ and clang++ can compile a .cu file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simulator {

// Where a rewrite failed; line and column count from 1, the column in bytes.
struct RewriteError {
    int line = 0;
    int column = 0;
    std::string message;
    bool operator==(const RewriteError&) const = default;
};

struct RewriteResult {
    std::string text;                          // the rewritten text; empty when there are errors
    std::vector<RewriteError> errors;          // in the order of the source
    bool changed = false;                      // something was rewritten
    bool bit_fields = false;                   // something looks like one: NAME : WIDTH;
    std::vector<std::string> quoted_includes;  // NAME of each #include "NAME", for who rewrites headers too
    [[nodiscard]] bool ok() const { return errors.empty(); }
};

// Rewrites kernel launches, k<<<grid, block>>>(arguments), and declarations of dynamic shared memory,
// extern __shared__ T name[];, to the C++ that simulator/launch.hpp defines. Comments, literals, skipped `#if 0` groups
// and every other token stay as they are, and each line keeps its number: the text starts with #line 1 "file_name".
RewriteResult rewrite_launches(std::string_view source, std::string_view file_name);

// "file:line:column: error: message", as compilers print it.
std::string describe(const RewriteError& error, std::string_view file_name);

}  // namespace simulator
