#include "simulator/ordering_checker.hpp"

#include <algorithm>
#include <iterator>

#include "simulator/ordering/symbols.hpp"

namespace simulator {
namespace {

const OperationRecord& record_of(const std::vector<OperationRecord>& operations, std::uint64_t id) {
    return operations[id - 1];
}

std::string access_text(const OperationRecord& record, Access kind) {
    if (record.role != OperationRole::on_device) {
        return record.role == OperationRole::allocation ? "access.allocation" : "access.free";
    }
    const std::string verb = kind == Access::read ? "reads" : "writes";
    switch (record.operation.kind) {
        case device::OperationKind::kernel:
            return "access.kernel_" + verb;
        case device::OperationKind::memset:
            return "access.memset_writes";
        case device::OperationKind::host_function:
            return "access.host_function_" + verb;
        default:
            return "access.copy_" + verb;
    }
}

}  // namespace

void OrderingChecker::operation_accesses(std::uint64_t id, Epoch epoch, const VectorClock& clock,
                                         const std::vector<AccessInterval>& intervals) {
    note_copied_nothing(id, intervals);
    access({epoch, id, record_of(operations_, id).called_from, 0}, clock, intervals);
}

void OrderingChecker::kernel_accesses(std::uint64_t id, Epoch epoch, const VectorClock& clock,
                                      const std::vector<AccessInterval>& intervals, const AccessRecorder& recorder) {
    const AccessRecorder::FirstReads reads = recorder.first_reads();
    find_unwritten_values(id, intervals, reads.values, recorder);
    find_unwritten_wholes(id, reads.wholes);
    access({epoch, id, record_of(operations_, id).called_from, 0}, clock, intervals);
}

// --- memory that nobody wrote ---

std::vector<ShadowMemory::Stretch> OrderingChecker::unwritten(std::uintptr_t begin, std::uintptr_t end) const {
    return shadow_.unwritten(begin, end, [this](const AccessOwner& writer) {
        if (writer.operation == 0) {
            return true;
        }
        const OperationRecord& record = record_of(operations_, writer.operation);
        return record.role == OperationRole::on_device && !record.copies_nothing;
    });
}

bool OrderingChecker::is_unwritten(std::uintptr_t begin, std::uintptr_t end) const {
    const std::vector<ShadowMemory::Stretch> found = unwritten(begin, end);
    return found.size() == 1 && found.front().begin == begin && found.front().end == end;
}

// Copies are judged as a whole: a buffer that is copied may have a part that is not in use.
void OrderingChecker::note_copied_nothing(std::uint64_t id, const std::vector<AccessInterval>& intervals) {
    OperationRecord& record = operations_[id - 1];
    const auto is_read = [this](const AccessInterval& interval) {
        return interval.kind != Access::write && memory_.device_arena().contains(interval.begin);
    };
    record.copies_nothing = record.role == OperationRole::on_device && std::ranges::any_of(intervals, is_read) &&
                            std::ranges::all_of(intervals, [&](const AccessInterval& interval) {
                                return !is_read(interval) || is_unwritten(interval.begin, interval.end);
                            });
    copied_nothing_ |= record.copies_nothing;
}

// Bytes behind written ones may be the padding of a structure, which is read along.
bool OrderingChecker::is_padding(const ShadowMemory::Stretch& stretch,
                                 const std::vector<AccessInterval>& intervals) const {
    constexpr std::size_t largest_padding_bytes = 15;
    if (stretch.end - stretch.begin > largest_padding_bytes) {
        return false;
    }
    const std::uintptr_t before = stretch.begin - 1;
    auto own = std::ranges::upper_bound(intervals, before, {}, &AccessInterval::begin);
    for (int overlapping = 0; overlapping < 2 && own != intervals.begin(); ++overlapping) {
        --own;
        if (own->kind != Access::read && before < own->end) {
            return true;
        }
    }
    return !is_unwritten(before, stretch.begin);
}

// Single values that a kernel reads are judged by the byte.
void OrderingChecker::find_unwritten_values(std::uint64_t id, const std::vector<AccessInterval>& intervals,
                                            const std::vector<AccessInterval>& read, const AccessRecorder& recorder) {
    for (const AccessInterval& interval : read) {
        if (!memory_.device_arena().contains(interval.begin)) {
            continue;
        }
        for (const ShadowMemory::Stretch& stretch : unwritten(interval.begin, interval.end)) {
            if (interval.kind == Access::atomic || !is_padding(stretch, intervals)) {
                add_unwritten(id, stretch, recorder.pc_of(stretch.begin, stretch.end, interval.kind));
            }
        }
    }
}

// A structure that a kernel reads is judged as a whole: of a union, of a text or of an array in it a part may not be in
// use. Those without a gap are looked up at once, and are one finding.
void OrderingChecker::find_unwritten_wholes(std::uint64_t id, const std::vector<AccessInterval>& read) {
    for (auto first = read.begin(); first != read.end();) {
        const auto gap = std::adjacent_find(first, read.end(), [](const AccessInterval& a, const AccessInterval& b) {
            return a.end != b.begin || a.pc != b.pc;
        });
        const auto behind = gap == read.end() ? gap : std::next(gap);
        if (memory_.device_arena().contains(first->begin)) {
            for (const ShadowMemory::Stretch& stretch : unwritten(first->begin, std::prev(behind)->end)) {
                // Those that lie in the stretch, to their last byte.
                const auto inside = std::ranges::lower_bound(first, behind, stretch.begin, {}, &AccessInterval::begin);
                const auto outside =
                    std::ranges::upper_bound(inside, behind, stretch.end, {}, &AccessInterval::end);
                if (inside != outside) {
                    add_unwritten(id, {inside->begin, std::prev(outside)->end}, inside->pc);
                }
            }
        }
        first = behind;
    }
}

void OrderingChecker::add_unwritten(std::uint64_t id, const ShadowMemory::Stretch& stretch, std::uintptr_t pc) {
    const OperationRecord& record = record_of(operations_, id);
    if (memory_.find(stretch.begin) == nullptr || unwritten_reads_.contains({pc, record.called_from})) {
        return;
    }
    UnwrittenRead read{id, {}};
    read.finding.kind = "unwritten_memory_read";
    read.finding.severity = device::Severity::warning;
    read.finding.at = source_line(pc);
    read.finding.other = source_line(record.called_from);
    describe(read.finding, "first", {{}, id, record.called_from, 0}, Access::read);
    read.finding.details["bytes"] = std::to_string(stretch.end - stretch.begin);
    describe_range(read.finding, stretch.begin, stretch.end);
    unwritten_reads_.try_emplace({pc, record.called_from}, std::move(read));
}

void OrderingChecker::find_unwritten_on_host(const AccessInterval& interval, const std::string& label) {
    for (const AccessOwner& writer : shadow_.last_writers(interval.begin, interval.end)) {
        if (writer.operation == 0 || !record_of(operations_, writer.operation).copies_nothing) {
            continue;
        }
        UnwrittenRead read{writer.operation, {}};
        read.finding.kind = "unwritten_memory_copied";
        read.finding.severity = device::Severity::warning;
        read.finding.at = line_of({{}, 0, interval.pc, 0});
        read.finding.other = line_of(writer);
        if (read.finding.at.line == 0) {
            std::swap(read.finding.at, read.finding.other);
        }
        describe(read.finding, "first", writer, Access::write);
        describe(read.finding, "second", {{}, 0, interval.pc, interval.pc == 0 ? number_of(label) : 0}, Access::read);
        unwritten_reads_.try_emplace({interval.pc, writer.pc}, std::move(read));
    }
}

void OrderingChecker::report_unwritten_reads() {
    for (auto& [lines, read] : unwritten_reads_) {
        if (!unordered_.contains(read.operation)) {
            findings_.add(std::move(read.finding));
        }
    }
    unwritten_reads_.clear();
}

// --- order ---

void OrderingChecker::host_accesses(Epoch epoch, const VectorClock& clock, const std::vector<AccessInterval>& intervals,
                                    const std::string& label) {
    access({epoch, 0, 0, number_of(label)}, clock, intervals);
    for (const AccessInterval& interval : intervals) {
        if (copied_nothing_ && interval.kind == Access::read) {
            find_unwritten_on_host(interval, label);
        }
    }
}

std::uint32_t OrderingChecker::number_of(const std::string& label) {
    const auto known = std::ranges::find(labels_, label);
    if (known == labels_.end()) {
        labels_.push_back(label);
        return static_cast<std::uint32_t>(labels_.size() - 1);
    }
    return static_cast<std::uint32_t>(known - labels_.begin());
}

void OrderingChecker::access(const AccessOwner& owner, const VectorClock& clock,
                             const std::vector<AccessInterval>& intervals) {
    std::vector<Conflict> conflicts;
    for (const AccessInterval& interval : intervals) {
        AccessOwner by = owner;
        if (by.operation == 0) {
            by.pc = interval.pc;
            by.label = interval.pc == 0 ? owner.label : 0;
        }
        shadow_.access(interval.begin, interval.end, interval.kind, by, clock, conflicts);
    }
    for (Conflict& conflict : conflicts) {
        if (conflict.later_kind != Access::read && conflict.earlier.operation != 0 && overwritten_) {
            overwritten_(conflict.earlier.operation);
        }
        const bool both_issued = conflict.earlier.operation != 0 && conflict.later.operation != 0;
        if (conflict.earlier.operation == 0 ||
            (both_issued && conflict.earlier.operation > conflict.later.operation)) {
            // The host acted before the operation's virtual start, but after issuing it; or two operations ran the
            // other way round than they were issued: the program means, and advice is given for, the order of issue.
            std::swap(conflict.earlier, conflict.later);
            std::swap(conflict.earlier_kind, conflict.later_kind);
        }
        unordered_.insert({conflict.earlier.operation, conflict.later.operation});
        report(conflict);
    }
}

std::optional<std::uintptr_t> OrderingChecker::written_without_copy(std::uintptr_t begin, std::uintptr_t end) const {
    for (const AccessOwner& writer : shadow_.last_writers(begin, end)) {
        if (writer.operation == 0 ? writer.pc != 0
                                  : record_of(operations_, writer.operation).operation.kind !=
                                        device::OperationKind::device_to_host) {
            return writer.pc;
        }
    }
    return std::nullopt;
}

std::optional<std::uintptr_t> OrderingChecker::written_by_host(std::uintptr_t begin, std::uintptr_t end) const {
    for (const AccessOwner& writer : shadow_.last_writers(begin, end)) {
        if (writer.operation == 0 && writer.pc != 0) {
            return writer.pc;
        }
    }
    return std::nullopt;
}

device::SourceLine OrderingChecker::line_of(const AccessOwner& owner) const {
    return owner.pc == 0 ? device::SourceLine{} : source_line(owner.pc);
}

void OrderingChecker::describe(device::Finding& finding, const std::string& detail, const AccessOwner& owner,
                               Access kind) const {
    if (owner.operation != 0) {
        const OperationRecord& record = record_of(operations_, owner.operation);
        const device::Operation& operation = record.operation;
        finding.details[detail] = access_text(record, kind);
        finding.details[detail + ".name"] = operation.name;
        finding.details[detail + ".stream"] = std::to_string(operation.stream);
    } else if (owner.pc == 0) {
        // A label is a buffer that the check accesses, or a function that accesses the program's.
        const std::string who =
            labels_[owner.label].find("::") == std::string::npos ? "access.check_" : "access.function_";
        finding.details[detail] = who + (kind == Access::read ? "reads" : "writes");
        finding.details[detail + ".name"] = labels_[owner.label];
    } else {
        finding.details[detail] = kind == Access::read ? "access.host_reads" : "access.host_writes";
    }
}

void OrderingChecker::describe_range(device::Finding& finding, std::uintptr_t begin, std::uintptr_t end) const {
    // Addresses differ from run to run; the place within an allocation does not.
    const Allocation* const allocation = memory_.find(begin);
    const std::uintptr_t origin = allocation != nullptr ? allocation->begin : begin;
    finding.details["range"] = memory_.is_device(begin) ? "range.device" : "range.host";
    finding.details["range.begin"] = std::to_string(begin - origin);
    finding.details["range.end"] = std::to_string(end - 1 - origin);  // the last byte
}

// Which call would order the two; an event that was there and did not is worth a word.
void OrderingChecker::describe_order(device::Finding& finding, const Conflict& conflict) const {
    const auto [first, second] = std::minmax(conflict.earlier.operation, conflict.later.operation);
    if (first == 0) {
        finding.details["order"] = "order.stream_synchronize";
        return;
    }
    const std::uint32_t awaited = record_of(operations_, first).operation.stream;
    const std::uint32_t waiting = record_of(operations_, second).operation.stream;
    const auto waits_before_second_for = [&, second = second](std::uint32_t stream) {
        const auto wait = first_waits_.find({waiting, stream});
        return wait != first_waits_.end() && wait->second < second;
    };
    if (waits_before_second_for(awaited)) {
        finding.details["order"] = "order.event_recorded_too_early";
    } else if (waits_before_second_for(waiting)) {
        finding.details["order"] = "order.event_recorded_where_it_waits";
    } else {
        finding.details["order"] = "order.event_between_streams";
        return;
    }
    finding.details["order.waiting"] = std::to_string(waiting);
    finding.details["order.awaited"] = std::to_string(awaited);
}

void OrderingChecker::report(const Conflict& conflict) {
    if (conflict.earlier.operation == 0 && conflict.later.operation == 0) {
        return;  // two host threads: how they are kept in order is not for this device to say
    }
    if (!reported_
             .emplace(conflict.earlier.pc, conflict.earlier.label, conflict.later.pc, conflict.later.label,
                      conflict.earlier_kind, conflict.later_kind)
             .second) {
        return;
    }
    const auto waited_for = [this](const AccessOwner& owner) {
        return owner.operation != 0 && record_of(operations_, owner.operation).waited_for_in_practice;
    };
    device::Finding finding;
    const bool works_in_practice = waited_for(conflict.earlier);
    finding.kind = works_in_practice ? "order_not_promised" : "unordered_access";
    finding.severity = works_in_practice ? device::Severity::warning : device::Severity::error;
    finding.at = line_of(conflict.later);
    finding.other = line_of(conflict.earlier);
    if (finding.at.line == 0) {
        std::swap(finding.at, finding.other);
    }
    describe(finding, "first", conflict.earlier, conflict.earlier_kind);
    describe(finding, "second", conflict.later, conflict.later_kind);
    finding.details["bytes"] = std::to_string(conflict.end - conflict.begin);
    describe_range(finding, conflict.begin, conflict.end);
    describe_order(finding, conflict);
    findings_.add(std::move(finding));
}

}  // namespace simulator
