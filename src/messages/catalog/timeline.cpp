// The drawn trace: rows, scale, title and facts.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"timeline.simulated", "{device}, simulated, profile {profile}", "{device}，模拟设备，配置 {profile}"},
};

}  // namespace

std::span<const Entry> timeline() { return entries; }

}  // namespace messages::catalog
