// A check's result in words.
#pragma once

#include <string>
#include <vector>

#include "checks/results.hpp"
#include "messages/messages.hpp"

namespace checks {

// The check's name: "Right on a problem of typical size".
std::string check_name(const std::string& id, messages::Language language = messages::language_from_environment());

// What happened, one sentence; with its line of the student's file in front where it is known. Empty when passed.
std::string what_happened(const CheckResult& check,
                          messages::Language language = messages::language_from_environment());

// What to try next; empty when there is nothing to say.
std::string what_to_try(const CheckResult& check, messages::Language language = messages::language_from_environment());

// All of it in lines: name, what happened, wrong elements, the simulated device's findings, what the program printed
// before it ended, what to try next.
std::vector<std::string> describe(const CheckResult& check,
                                  messages::Language language = messages::language_from_environment());

}  // namespace checks
