// Where the course lives on this machine, and which labs it has.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace course {

// The folders of a checkout. All paths are absolute.
struct Project {
    std::filesystem::path root;
    std::filesystem::path build;

    std::filesystem::path starter(std::string_view lab) const;
    std::filesystem::path solution(std::string_view lab) const;
    std::filesystem::path baseline(std::string_view lab) const;
    std::filesystem::path check_program(std::string_view lab) const;
    std::filesystem::path hints(std::string_view lab) const;
    std::filesystem::path profiles() const;
    std::filesystem::path programs() const;  // compiled lab programs, kept by content
    std::filesystem::path state_file() const;
};

// From COURSE_ROOT, otherwise the folder this program was built from.
// Throws CannotProceed when that is not a checkout of the course.
Project find_project();

// The labs in their order, by full name ("03_streams"), as the root meson.build lists them.
std::span<const std::string_view> lab_names();

// "3", "03", "streams" and "03_streams" all name the same lab, "-" counts as "_". Empty when there is no such lab.
std::string_view find_lab(std::string_view text);

// As find_lab, but throws CannotProceed naming the labs there are.
std::string_view require_lab(std::string_view text);

}  // namespace course
