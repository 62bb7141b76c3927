// Turns accesses that nothing orders into findings: what ran, where, and which call would have ordered it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/trace.hpp"
#include "simulator/findings.hpp"
#include "simulator/memory.hpp"
#include "simulator/ordering/access_recorder.hpp"
#include "simulator/ordering/shadow_memory.hpp"
#include "simulator/ordering/vector_clock.hpp"

namespace simulator {

// What an operation is: one on the device, or a call that gives or takes memory in stream order and is no operation of
// the trace.
enum class OperationRole { on_device, allocation, free };

// An operation as the checker knows it.
struct OperationRecord {
    device::Operation operation;
    std::uintptr_t called_from = 0;
    // The host waited for it, although CUDA does not promise that (a copy with pageable memory).
    bool waited_for_in_practice = false;
    OperationRole role = OperationRole::on_device;
    // A copy from device memory of which nothing was ever written.
    bool copies_nothing = false;
};

class OrderingChecker {
public:
    OrderingChecker(std::vector<OperationRecord>& operations, const Memory& memory, FindingLog& findings)
        : operations_(operations), memory_(memory), findings_(findings) {}

    // Operation `id` with the past `clock` accesses memory.
    void operation_accesses(std::uint64_t id, Epoch epoch, const VectorClock& clock,
                            const std::vector<AccessInterval>& intervals);

    // The same for a kernel, whose accesses `recorder` holds: what it reads has to be written.
    void kernel_accesses(std::uint64_t id, Epoch epoch, const VectorClock& clock,
                         const std::vector<AccessInterval>& intervals, const AccessRecorder& recorder);

    // Host code accesses memory. `label` names trusted code that has no line: the buffer that the check
    // accesses, or the qualified name of the function that does (lab::consume).
    void host_accesses(Epoch epoch, const VectorClock& clock, const std::vector<AccessInterval>& intervals,
                       const std::string& label = {});

    // The program ends: reads of device memory that nobody wrote become findings, if no missing order explains them.
    void report_unwritten_reads();

    // What stream `waiting` gets after the operation `latest` waits for an event that was recorded in stream `awaited`.
    void stream_waits(std::uint32_t waiting, std::uint32_t awaited, std::uint64_t latest) {
        first_waits_.try_emplace({waiting, awaited}, latest);
    }

    // Where [begin, end) was last written by the program other than by copies from the device: the first such place.
    // Host code has a line, and an operation that of its call; what trusted code wrote is not the program's doing.
    std::optional<std::uintptr_t> written_without_copy(std::uintptr_t begin, std::uintptr_t end) const;

    // Where host code of the program wrote bytes of [begin, end) last: the first such place.
    std::optional<std::uintptr_t> written_by_host(std::uintptr_t begin, std::uintptr_t end) const;

    void forget(std::uintptr_t begin, std::uintptr_t end) { shadow_.forget(begin, end); }

    // Called with the operation whose bytes were overwritten while it still read them.
    void on_overwritten(std::function<void(std::uint64_t operation)> handler) { overwritten_ = std::move(handler); }

private:
    std::uint32_t number_of(const std::string& label);
    void access(const AccessOwner& owner, const VectorClock& clock, const std::vector<AccessInterval>& intervals);
    void report(const Conflict& conflict);
    bool is_unwritten(std::uintptr_t begin, std::uintptr_t end) const;
    std::vector<ShadowMemory::Stretch> unwritten(std::uintptr_t begin, std::uintptr_t end) const;
    void note_copied_nothing(std::uint64_t id, const std::vector<AccessInterval>& intervals);
    void find_unwritten_values(std::uint64_t id, const std::vector<AccessInterval>& intervals,
                               const std::vector<AccessInterval>& read, const AccessRecorder& recorder);
    void find_unwritten_wholes(std::uint64_t id, const std::vector<AccessInterval>& read);
    bool is_padding(const ShadowMemory::Stretch& stretch, const std::vector<AccessInterval>& intervals) const;
    void add_unwritten(std::uint64_t id, const ShadowMemory::Stretch& stretch, std::uintptr_t pc);
    void find_unwritten_on_host(const AccessInterval& interval, const std::string& label);
    void describe(device::Finding& finding, const std::string& detail, const AccessOwner& owner, Access kind) const;
    device::SourceLine line_of(const AccessOwner& owner) const;
    void describe_range(device::Finding& finding, std::uintptr_t begin, std::uintptr_t end) const;
    void describe_order(device::Finding& finding, const Conflict& conflict) const;

    std::vector<OperationRecord>& operations_;
    const Memory& memory_;
    FindingLog& findings_;
    ShadowMemory shadow_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> first_waits_;  // (waiting, awaited): after which
    std::vector<std::string> labels_{""};                                           // of trusted host code
    std::function<void(std::uint64_t)> overwritten_;
    struct UnwrittenRead {
        std::uint64_t operation = 0;  // that reads, or whose copy host code reads
        device::Finding finding;
    };
    std::map<std::pair<std::uintptr_t, std::uintptr_t>, UnwrittenRead> unwritten_reads_;  // by their lines
    std::set<std::uint64_t> unordered_;  // operations with an access that nothing orders
    bool copied_nothing_ = false;        // at least once
    std::set<std::tuple<std::uintptr_t, std::uint32_t, std::uintptr_t, std::uint32_t, Access, Access>> reported_;
};

}  // namespace simulator
