// chapters/CLAIMS.md: every statement, and what the recorded experiments say of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/experiments.hpp"
#include "messages/messages.hpp"

namespace course {

// The page in one language, from chapters/*/claims.json and chapters/*/measured.
std::string render_ledger(const Experiments& all, messages::Language language);

std::filesystem::path ledger_file(const Project& project, messages::Language language);

// Writes both languages; returns the files that changed. Throws CannotProceed when they cannot be written.
std::vector<std::filesystem::path> write_ledgers(const Project& project, const Experiments& all);

}  // namespace course
