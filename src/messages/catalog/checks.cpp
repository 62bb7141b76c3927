#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"checks.language", "English", "简体中文"},
};

}  // namespace

std::span<const Entry> checks() { return entries; }

}  // namespace messages::catalog
