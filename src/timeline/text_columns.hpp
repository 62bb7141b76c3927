// Text as a terminal shows it: East Asian wide characters take two columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace timeline {

// How many columns `text` (UTF-8) takes. Bytes that are no UTF-8 count one each.
std::size_t columns(std::string_view text);

// `text` followed by spaces up to `width` columns; text that is wider is left as it is.
std::string padded(std::string text, std::size_t width);

// `text` without control characters and without bytes that are no UTF-8 (each becomes U+FFFD): names come from
// programs, and must neither steer the terminal nor break an SVG file.
std::string printable(std::string_view text);

}  // namespace timeline
