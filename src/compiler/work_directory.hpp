// A private directory for intermediate files.
#pragma once

#include <filesystem>

namespace compiler {

// Made below TMPDIR (or /tmp), readable by its owner alone, removed with this object.
class WorkDirectory {
public:
    WorkDirectory();  // throws std::system_error
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    ~WorkDirectory();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace compiler
