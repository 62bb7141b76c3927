#include "compiler/rewritten_sources.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "compiler/text_file.hpp"
#include "simulator/launch_syntax/rewrite.hpp"

namespace compiler {
namespace {

namespace fs = std::filesystem;

struct File {
    fs::path original;
    simulator::RewriteResult result;
    std::vector<fs::path> headers;  // canonical paths
    bool copied = false;
};

// Editors on Windows begin a file with a byte order mark; a compiler takes one only as the very first bytes.
std::string without_byte_order_mark(std::string text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

class Sources {
public:
    explicit Sources(const std::vector<fs::path>& include_directories) : include_directories_(include_directories) {}

    // Reads `path` and all headers below it; returns its canonical path.
    fs::path add(const fs::path& path) {
        const fs::path key = fs::canonical(path);
        if (files_.contains(key)) {
            return key;
        }
        const auto result = simulator::rewrite_launches(without_byte_order_mark(read_text_file(path)), path.string());
        files_[key] = {path, result, {}, result.changed};
        order_.push_back(key);
        for (const std::string& name : result.quoted_includes) {
            if (const fs::path header = find(name, path.parent_path()); !header.empty()) {
                const fs::path header_key = add(header);
                files_[key].headers.push_back(header_key);
            }
        }
        return key;
    }

    // A copy's #include finds other copies, an original's does not: whoever includes a copy is copied.
    void spread_copies() {
        for (bool again = true; std::exchange(again, false);) {
            for (auto& [key, file] : files_) {
                const bool includes_copy =
                    std::any_of(file.headers.begin(), file.headers.end(),
                                [this](const fs::path& header) { return files_[header].copied; });
                again = again || (includes_copy && !file.copied);
                file.copied = file.copied || includes_copy;
            }
        }
    }

    [[nodiscard]] std::string errors() const {
        std::string text;
        for (const fs::path& key : order_) {
            const File& file = files_.at(key);
            for (const auto& error : file.result.errors) {
                text += simulator::describe(error, file.original.string()) + "\n";
            }
        }
        return text;
    }

    [[nodiscard]] bool have_bit_fields() const {
        return std::ranges::any_of(files_, [](const auto& file) { return file.second.result.bit_fields; });
    }

    // Copies keep their places relative to each other, so that #include "../x.cuh" finds the copy of x.cuh.
    std::vector<RewrittenFile> write(const fs::path& source, const fs::path& directory) {
        files_[source].copied = true;
        spread_copies();
        std::vector<RewrittenFile> written;
        for (const fs::path& key : order_) {
            const File& file = files_[key];
            if (file.copied) {
                const fs::path copy = copy_of(key, directory);
                fs::create_directories(copy.parent_path());
                write_text_file(copy, file.result.text);
                written.push_back({file.original, copy});
            }
        }
        return written;
    }

private:
    // As the compiler looks for a header in quotes; empty when it is not among the program's own.
    fs::path find(const std::string& name, const fs::path& folder) const {
        if (fs::is_regular_file(folder / name)) {
            return folder / name;
        }
        for (const fs::path& directory : include_directories_) {
            if (fs::is_regular_file(directory / name)) {
                return directory / name;
            }
        }
        return {};
    }

    const std::vector<fs::path>& include_directories_;
    std::map<fs::path, File> files_;  // by canonical path
    std::vector<fs::path> order_;     // in which they were read
};

}  // namespace

fs::path copy_of(const fs::path& original, const fs::path& directory) {
    return directory / fs::weakly_canonical(original).relative_path();
}

RewrittenSources rewrite_sources(const fs::path& source, const fs::path& directory,
                                 const std::vector<fs::path>& include_directories) {
    Sources sources(include_directories);
    const fs::path key = sources.add(source);
    if (std::string errors = sources.errors(); !errors.empty()) {
        return {{}, std::move(errors)};
    }
    return {sources.write(key, directory), {}, sources.have_bit_fields()};
}

}  // namespace compiler
