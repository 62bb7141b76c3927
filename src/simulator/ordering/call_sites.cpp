#include "simulator/ordering/call_sites.hpp"

#include <unwind.h>

#include <array>
#include <cstddef>

#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/symbols.hpp"

namespace simulator {

namespace {

bool is_users_code(std::uintptr_t return_address) {
    const device::SourceLine line = source_line(return_address);
    return line.line != 0 && is_users_file(line.file);
}

// Code of which no line is known is a library's, if it is code at all.
bool is_librarys_code(std::uintptr_t return_address) {
    const device::SourceLine line = source_line(return_address);
    return line.line != 0 ? !is_users_file(line.file) : is_in_loaded_object(return_address);
}

struct Call {
    std::uintptr_t return_address = 0;
    const std::uintptr_t* kept_at = nullptr;  // the place on the stack that holds it, where that is known
};

// The innermost call on this thread's stack that the user's own code makes.
Call users_call() {
    Call found;
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
            const std::uintptr_t address = _Unwind_GetIP(context);
            if (!is_users_code(address)) {
                return _URC_NO_REASON;
            }
            Call& call = *static_cast<Call*>(data);
            call.return_address = address;
            const auto* const below = reinterpret_cast<const std::uintptr_t*>(_Unwind_GetCFA(context)) - 1;
            call.kept_at = *below == address ? below : nullptr;
            return _URC_END_OF_STACK;
        },
        &found);
    return found;
}

// What was found last for an access from one place. A loop makes many, from a few places in turn, in one call.
struct Last {
    std::uintptr_t accessed_from = 0;
    const void* frame = nullptr;  // nullptr: in the user's own code, whatever called that
    Call call;

    bool still_holds(std::uintptr_t from, const void* at) const {
        return accessed_from == from &&
               (frame == nullptr || (frame == at && call.kept_at != nullptr && *call.kept_at == call.return_address));
    }
};
constexpr unsigned places_bits = 6;
constinit thread_local std::array<Last, std::size_t{1} << places_bits> last_found{};

Last& last_for(std::uintptr_t return_address) {
    return last_found[static_cast<std::uint64_t>(return_address) * 0x9E3779B97F4A7C15u >> (64 - places_bits)];
}

}  // namespace

std::uintptr_t users_return_address(std::uintptr_t return_address) {
    const void* const frame = __builtin_frame_address(0);
    Last& last = last_for(return_address);
    if (!last.still_holds(return_address, frame)) {
        const RecordingPaused paused;
        if (is_librarys_code(return_address)) {
            last = {return_address, frame, users_call()};
        } else {
            last = {return_address, nullptr, {return_address}};
        }
    }
    return last.call.return_address != 0 ? last.call.return_address : return_address;
}

}  // namespace simulator
