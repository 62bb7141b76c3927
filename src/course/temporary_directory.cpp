#include "course/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {

TemporaryDirectory::TemporaryDirectory() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "course-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
        const std::string reason = error ? error.message() : std::strerror(errno);
        throw CannotProceed(text("course.cannot_write", {{"path", name}, {"reason", reason}}));
    }
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace course
