// A folder that exists as long as the object.
#pragma once

#include <filesystem>

namespace course {

class TemporaryDirectory {
public:
    // Throws CannotProceed when none can be made.
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace course
