// Times for people: units, and round marks for an axis.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace timeline {

// A unit of time and its name ("µs"; "us" where only ASCII may be shown).
struct TimeUnit {
    std::chrono::nanoseconds length;
    std::string name;
};

// The unit in which a time of this length has 1 to 4 digits before its point, seconds at most.
TimeUnit unit_for(std::chrono::nanoseconds time, bool ascii = false);

// A time with its unit: "5.77 ms", "14.6 ms", "900 µs".
std::string time_text(std::chrono::nanoseconds time, bool ascii = false);

// A mark on the axis. The last one's text has the unit.
struct Mark {
    std::chrono::nanoseconds at;
    std::string text;
};

// Marks from 0 up to `length` at 1, 2 or 5 times a power of ten, at most `most` of them (most >= 2), so that the first
// is 0. A length of 0 has the mark 0 alone.
std::vector<Mark> marks(std::chrono::nanoseconds length, int most, bool ascii = false);

}  // namespace timeline
