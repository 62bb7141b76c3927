// Numbers as the messages show them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace checks {

// With so many digits after the point.
inline std::string decimals(double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
}

// A share of 1 in percent, without the sign.
inline std::string percent(double share) {
    return decimals(100 * share, 0);
}

}  // namespace checks
