// A lab's starter as students get it, which is not always the file in labs/: that one is theirs to edit.
//
// It is taken from git by the id of its content, which the root meson.build records: HEAD would be wrong as soon as
// students commit their work.
#pragma once

#include <string>
#include <string_view>

#include "course/project.hpp"

namespace course {

// The git id that the root meson.build records. Throws CannotProceed when there is no such lab.
std::string starter_id(std::string_view lab);

// Whether the lab's file is the recorded starter.
bool starter_is_untouched(const Project& project, std::string_view lab);

// The content that git keeps under the recorded id. Throws CannotProceed when it keeps none or this is no git checkout.
std::string recorded_starter(const Project& project, std::string_view lab);

// What tests take for the starter: the recorded one, or the file as it is where there is no git checkout to ask.
std::string starter_for_tests(const Project& project, std::string_view lab);

// A file's bytes. Throws CannotProceed when there is no such file.
std::string content_of(const std::filesystem::path& path);

}  // namespace course
