// What the launch-syntax pass promises for every text, CUDA or not.
#pragma once

#include <string>
#include <string_view>

namespace fuzz {

// Rewrites `source` and says which promise was broken; empty when all were kept.
std::string broken_promise(std::string_view source);

}  // namespace fuzz
