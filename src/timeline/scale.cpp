#include "timeline/scale.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace timeline {
namespace {

using std::chrono::nanoseconds;

// The smallest of 1, 2, 5, 10, 20, 50 ... that divides `length` into fewer than `most` parts.
std::int64_t round_step(std::int64_t length, int most) {
    for (std::int64_t power = 1;; power *= 10) {
        for (const std::int64_t factor : {1, 2, 5}) {
            if (length / (factor * power) < most) {
                return factor * power;
            }
        }
    }
}

std::string number_text(nanoseconds time, nanoseconds unit) {
    return fmt::format("{}", static_cast<double>(time.count()) / static_cast<double>(unit.count()));
}

}  // namespace

TimeUnit unit_for(nanoseconds time, bool ascii) {
    using namespace std::chrono_literals;
    if (time < 1us) {
        return {1ns, "ns"};
    }
    if (time < 1ms) {
        return {1us, ascii ? "us" : "µs"};
    }
    return time < 1s ? TimeUnit{1ms, "ms"} : TimeUnit{1s, "s"};
}

std::string time_text(nanoseconds time, bool ascii) {
    const TimeUnit unit = unit_for(time, ascii);
    if (unit.length == nanoseconds(1)) {
        return fmt::format("{} {}", time.count(), unit.name);
    }
    const double value = static_cast<double>(time.count()) / static_cast<double>(unit.length.count());
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit.name);
}

std::vector<Mark> marks(nanoseconds length, int most, bool ascii) {
    const TimeUnit unit = unit_for(length, ascii);
    const std::int64_t step = round_step(length.count(), most);
    std::vector<Mark> result;
    for (std::int64_t at = 0; at <= length.count(); at += step) {
        result.push_back({nanoseconds(at), number_text(nanoseconds(at), unit.length)});
    }
    result.back().text += " " + unit.name;
    return result;
}

}  // namespace timeline
