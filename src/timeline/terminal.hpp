// A trace drawn with characters: a row for each engine or stream, time to the right, facts below.
#pragma once

#include <string>

#include "device/trace.hpp"
#include "messages/messages.hpp"
#include "timeline/layout.hpp"

namespace timeline {

struct TerminalOptions {
    std::size_t width = 80;  // columns; at least 40 are used
    bool color = false;      // ANSI colours by stream (in rows of streams: by kind)
    bool unicode = true;     // line and block characters; otherwise ASCII alone (apart from names and Chinese text)
    std::string range;       // draw this range alone ("run"); empty: the whole trace
    Grouping grouping = Grouping::engine;
    messages::Language language = messages::language_from_environment();
};

// The picture as lines, each ended by a newline. The same trace and options give the same text.
// Each operation begins with its stream's digit or letter (its kind's letter in rows of streams); a row with more
// operations than can be told apart shows how busy it is instead. Throws std::invalid_argument when the trace has no
// range of the name asked for.
std::string render_terminal(const device::Trace& trace, const TerminalOptions& options = {});

}  // namespace timeline
