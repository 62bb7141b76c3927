// The launch-syntax pass over a .cu file and over the headers beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace compiler {

// A file in the form that the C++ compiler reads.
struct RewrittenFile {
    std::filesystem::path original;  // as the user named it, or as it was included
    std::filesystem::path copy;
};

struct RewrittenSources {
    std::vector<RewrittenFile> files;  // the source first, then the headers that had to be rewritten
    std::string errors;                // one compiler message a line; empty when all is well
    bool bit_fields = false;           // one of them, or of the headers that were left, seems to have some
};

// Rewrites `source` and writes it below `directory`, at its absolute path. A header that it includes in quotes, found
// beside it or in one of `include_directories`, is written there too when it holds CUDA's syntax or includes one that
// does; all others are left where they are. Throws std::runtime_error when a file cannot be read or written.
RewrittenSources rewrite_sources(const std::filesystem::path& source, const std::filesystem::path& directory,
                                 const std::vector<std::filesystem::path>& include_directories);

// Where the copy of `original`, a file or a folder, lies below `directory`.
std::filesystem::path copy_of(const std::filesystem::path& original, const std::filesystem::path& directory);

}  // namespace compiler
