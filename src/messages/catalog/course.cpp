#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"course.language", "English", "简体中文"},
};

}  // namespace

std::span<const Entry> course() { return entries; }

}  // namespace messages::catalog
