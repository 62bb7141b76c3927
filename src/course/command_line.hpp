// From arguments to a request.
#pragma once

#include <string>
#include <variant>

#include "course/commands.hpp"

namespace course {

// The user asked for help; this is it.
struct HelpText {
    std::string text;
};

// Throws CannotProceed with one line when the arguments make no sense.
std::variant<Request, HelpText> parse(int count, const char* const* arguments);

}  // namespace course
