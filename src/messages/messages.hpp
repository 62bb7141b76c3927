// Every sentence that people see. Code names a message by its id; the catalogs (catalog/*.cpp) hold its English and its
// Simplified Chinese side by side, with named placeholders: "{bytes} bytes were never given back".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "device/trace.hpp"

namespace messages {

enum class Language { english, simplified_chinese };

// The value of each placeholder. Values that a message does not name are ignored.
using Arguments = std::map<std::string, std::string, std::less<>>;

// COURSE_LANG ("en", "zh", "zh-CN"), else the first of LC_ALL, LC_MESSAGES, LANG that is set: zh... is Chinese,
// anything else English. A COURSE_LANG with another value counts as not set.
Language language_from_environment();

// The message with its placeholders filled in. Throws std::logic_error naming the id when there is no such message, and
// naming the placeholder when an argument is missing.
std::string text(std::string_view id, const Arguments& arguments = {}, Language language = language_from_environment());

// Whether a catalog holds this id.
bool known(std::string_view id);

// How people read a stream's number in a trace: "1", or "0 (legacy default)". For {stream} placeholders.
std::string stream_number(std::uint32_t stream, Language language = language_from_environment());

// What is known of a finding, as lines "file:line: message": what happened, where the other access is, what to try.
// A detail whose value is a message's id ("order" = "order.stream_synchronize") is replaced by that message in
// `language`; its arguments are the details named "<detail>.<placeholder>" ("first" = "access.copy_writes",
// "first.name" = "cudaMemcpyAsync H2D", "first.stream" = "1"). Other details are shown as they are.
// A kind that no catalog knows is shown by its name and details.
std::vector<std::string> describe(const device::Finding& finding, Language language = language_from_environment());

}  // namespace messages
