#include "compiler/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <future>
#include <string_view>
#include <system_error>
#include <utility>

#include "compiler/child_process.hpp"
#include "compiler/commands.hpp"
#include "compiler/location.hpp"
#include "compiler/rewritten_sources.hpp"
#include "compiler/text_file.hpp"
#include "compiler/work_directory.hpp"

namespace compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t parallel_compilations = 2;
constexpr int does_not_compile = 1;
constexpr int cannot_be_tried = 2;

// Ends a build; build_program() turns it into its result.
struct BuildFailure {
    int exit_status;
    std::string diagnostics;
};

[[noreturn]] void refuse(std::string message) {
    throw BuildFailure{cannot_be_tried, "error: " + std::move(message) + "\n"};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// A path as a prerequisite of a make rule.
std::string escaped_for_make(std::string_view path) {
    std::string escaped;
    for (const char c : path) {
        if (c == ' ' || c == '#') {
            escaped += '\\';
        } else if (c == '$') {
            escaped += '$';
        }
        escaped += c;
    }
    return escaped;
}

bool is_source(const fs::path& file) {
    const fs::path ending = file.extension();
    return ending == ".cu" || ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

class Build {
public:
    explicit Build(const BuildRequest& request)
        : request_(request), location_(locate(request.source_root, request.build_root)) {}

    BuildResult run() {
        check_request();
        for (const fs::path& source : request_.sources) {
            units_.push_back(prepare(source));
        }
        BuildResult result;
        compile(result);
        if (result.exit_status == 0) {
            link(result);
        }
        if (result.exit_status == 0 && !request_.depfile.empty()) {
            write_depfile();
        }
        result.ok = result.exit_status == 0;
        return result;
    }

private:
    void check_request() const {
        if (request_.sources.empty() || request_.output.empty()) {
            refuse("expected at least one source file and an output file");
        }
        for (const fs::path& source : request_.sources) {
            if (!fs::exists(source) || fs::is_directory(source)) {
                refuse(fmt::format("no such file: '{}'", source.string()));
            }
            // The compiler would take any other name for a library.
            if (!is_source(source)) {
                refuse(fmt::format("expected a file whose name ends in .cu, found '{}'", source.string()));
            }
        }
        if (request_.device == Device::gpu && find_nvcc().empty()) {
            refuse("no nvcc found: building for a GPU needs the CUDA Toolkit (or use the simulated device)");
        }
    }

    static std::string unit_name(std::size_t index) { return fmt::format("source{}", index); }

    Unit prepare(const fs::path& source) {
        const std::string name = unit_name(units_.size());
        Unit unit;
        unit.source = source;
        unit.input = source;
        unit.object = work_.path() / (name + ".o");
        unit.cuda = source.extension() == ".cu";
        if (!request_.depfile.empty()) {
            unit.dependencies = work_.path() / (name + ".d");
        }
        if (request_.device == Device::simulated && unit.cuda) {
            rewrite(unit, work_.path() / name);
        }
        return unit;
    }

    void rewrite(Unit& unit, const fs::path& directory) {
        RewrittenSources rewritten = rewrite_sources(unit.source, directory, include_directories(request_, location_));
        if (!rewritten.errors.empty()) {
            throw BuildFailure{does_not_compile, std::move(rewritten.errors)};
        }
        unit.input = rewritten.files.front().copy;
        unit.copies = directory;
        unit.bit_fields = rewritten.bit_fields;
        for (const RewrittenFile& file : rewritten.files) {
            unit.header_directories.push_back(file.original.parent_path());
            rewritten_.push_back(file);
        }
    }

    // Puts the user's files in the place of their copies, which lie at the same absolute paths below the work
    // directory.
    template <class Spelling>
    void name_originals(std::string& text, Spelling spelling) const {
        for (const RewrittenFile& file : rewritten_) {
            replace_all(text, spelling(file.copy.string()), spelling(file.original.string()));
        }
        for (std::size_t i = 0; i < units_.size(); ++i) {
            replace_all(text, spelling((work_.path() / unit_name(i)).string()) + "/", "/");
        }
    }

    ChildResult run_command(const Command& command) const {
        try {
            ChildResult result = run_child(command);
            name_originals(result.output, [](std::string_view path) { return std::string(path); });
            return result;
        } catch (const std::system_error& error) {
            refuse(fmt::format("cannot run the compiler: {}", error.what()));
        }
    }

    static void add(BuildResult& result, const ChildResult& child) {
        result.diagnostics += child.output;
        if (child.exit_status != 0) {
            result.exit_status = does_not_compile;
        }
    }

    void compile(BuildResult& result) {
        for (std::size_t first = 0; first < units_.size(); first += parallel_compilations) {
            std::vector<std::future<ChildResult>> running;
            for (std::size_t i = first; i < std::min(first + parallel_compilations, units_.size()); ++i) {
                running.push_back(std::async(std::launch::async, [this, i] {
                    return run_command(compile_command(request_, location_, units_[i]));
                }));
            }
            for (auto& compilation : running) {
                add(result, compilation.get());
            }
        }
    }

    void link(BuildResult& result) const {
        for (const fs::path& library : linked_libraries(request_, location_)) {
            if (!fs::exists(library)) {
                refuse(fmt::format("the library '{}' is missing: build the project first", library.string()));
            }
        }
        // A program that is running, or that another build is reading, must not change under it.
        const fs::path fresh = fmt::format("{}.{}.new", request_.output.string(), getpid());
        const ChildResult child = run_command(link_command(request_, location_, units_, fresh));
        add(result, child);
        std::error_code error;
        if (child.exit_status == 0) {
            fs::rename(fresh, request_.output, error);
        }
        if (error) {
            fs::remove(fresh);
            refuse(fmt::format("cannot write '{}': {}", request_.output.string(), error.message()));
        }
    }

    // One rule for the program, with the prerequisites of all its sources.
    void write_depfile() const {
        std::string rule = escaped_for_make(request_.output.string()) + ":";
        for (const Unit& unit : units_) {
            std::string text = read_text_file(unit.dependencies);
            name_originals(text, escaped_for_make);
            text = text.substr(text.find(": ") + 1);
            while (text.ends_with('\n')) {
                text.pop_back();
            }
            rule += text;
        }
        write_text_file(request_.depfile, rule + "\n");
    }

    const BuildRequest& request_;
    Location location_;
    WorkDirectory work_;
    std::vector<Unit> units_;
    std::vector<RewrittenFile> rewritten_;
};

}  // namespace

BuildResult build_program(const BuildRequest& request) {
    try {
        return Build(request).run();
    } catch (const BuildFailure& failure) {
        return {false, failure.exit_status, failure.diagnostics};
    } catch (const std::exception& error) {
        return {false, cannot_be_tried, fmt::format("error: {}\n", error.what())};
    }
}

}  // namespace compiler
