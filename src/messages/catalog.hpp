// The tables behind messages.hpp, one per topic. A new topic is a file in catalog/, a function here and a row in
// all_catalogs().
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace messages {

// One message in both languages, so that neither can be forgotten.
struct Entry {
    std::string_view id;
    std::string_view english;
    std::string_view chinese;
};

namespace catalog {

std::span<const Entry> findings();         // what the simulated device found
std::span<const Entry> checks();           // what a lab's checks say
std::span<const Entry> course();           // the command line
std::span<const Entry> lab_double_buffering();  // a producer, slots used in turn, and a consumer
std::span<const Entry> lab_events();       // what only the checks of the events lab say
std::span<const Entry> lab_sync_memcpy();  // what is said in this lab first: copies and the host's own work
std::span<const Entry> lab_best_practices();  // habits that cost throughput
std::span<const Entry> timeline();         // the drawn trace
std::span<const Entry> fidelity();         // `course experiment fidelity`
std::span<const Entry> experiments();      // `course experiment` and the ledger of claims
std::span<const Entry> lab_pinned_async();  // what is said in this lab first: copy calls, pinning, waits

}  // namespace catalog

struct Topic {
    std::string_view name;
    std::span<const Entry> entries;
};

std::vector<Topic> all_catalogs();

}  // namespace messages
