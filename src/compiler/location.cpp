#include "compiler/location.hpp"

#include <cstdlib>
#include <system_error>
#include <utility>

#include "compiler/configuration.hpp"
#include "device/environment.hpp"

namespace compiler {
namespace {

namespace fs = std::filesystem;

bool is_source_root(const fs::path& directory) {
    std::error_code ignored;
    return !directory.empty() && fs::exists(directory / "src/simulator/include/cuda_runtime.h", ignored);
}

bool is_build_root(const fs::path& directory) {
    std::error_code ignored;
    return fs::exists(directory / "meson-info", ignored) && fs::exists(directory / "src/compiler", ignored);
}

fs::path build_root_of_this_program() {
    std::error_code ignored;
    for (fs::path directory = fs::read_symlink("/proc/self/exe", ignored).parent_path(); directory.has_relative_path();
         directory = directory.parent_path()) {
        if (is_build_root(directory)) {
            return directory;
        }
    }
    return {};
}

fs::path find_build_root(const fs::path& source_root) {
    if (const fs::path found = build_root_of_this_program(); !found.empty()) {
        return found;
    }
    const fs::path moved = (source_root / configuration::build_from_source).lexically_normal();
    return !source_root.empty() && is_build_root(moved) ? moved : fs::path(configuration::build_root);
}

fs::path find_source_root(const fs::path& build_root) {
    const fs::path beside = (build_root / configuration::source_from_build).lexically_normal();
    return is_source_root(beside) ? beside : fs::path(configuration::source_root);
}

}  // namespace

Location locate(fs::path source_root, fs::path build_root) {
    if (const char* const root = std::getenv(device::environment::root); source_root.empty() && root != nullptr) {
        source_root = root;
    }
    if (build_root.empty()) {
        build_root = find_build_root(source_root);
    }
    if (source_root.empty()) {
        source_root = find_source_root(build_root);
    }
    return {std::move(source_root), std::move(build_root)};
}

}  // namespace compiler
