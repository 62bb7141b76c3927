// Whole text files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace compiler {

// Both throw std::runtime_error naming the file.
std::string read_text_file(const std::filesystem::path& path);
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace compiler
