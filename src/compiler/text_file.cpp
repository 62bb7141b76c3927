#include "compiler/text_file.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace compiler {

std::string read_text_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) {
        throw std::runtime_error("cannot read '" + path.string() + "'");
    }
    return text;
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        throw std::runtime_error("cannot write '" + path.string() + "'");
    }
}

}  // namespace compiler
