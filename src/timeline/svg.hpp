// A trace as an SVG picture: one file without scripts or outside resources, readable on light and on dark pages.
#pragma once

#include <string>

#include "device/trace.hpp"
#include "messages/messages.hpp"
#include "timeline/layout.hpp"

namespace timeline {

struct SvgOptions {
    int width = 960;  // pixels; at least 400 are used
    Grouping grouping = Grouping::engine;
    messages::Language language = messages::language_from_environment();
    std::string title;  // above the picture; empty: the device, the range and the time
    std::string range;  // draw this range alone ("run"); empty: the whole trace
};

// The SVG document (UTF-8). The same trace and options give the same bytes. Each operation is a bar in its stream's
// colour (in rows of streams: its kind's) and says its name, stream, bytes and times when pointed at; bars too narrow
// to be seen apart are drawn as one. Throws std::invalid_argument when the trace has no range of the name asked for.
std::string render_svg(const device::Trace& trace, const SvgOptions& options = {});

}  // namespace timeline
