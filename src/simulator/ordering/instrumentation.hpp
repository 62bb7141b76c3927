// Our own runtime for the compiler's thread-sanitizer and trace-pc instrumentation: it notes which tracked memory the
// program touches, and counts basic blocks. How programs must be compiled and linked for it: simulator_program_cpp_args
// and simulator_program_link_args in meson.build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/ordering/access_recorder.hpp"

namespace simulator {

struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    constexpr bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
    bool operator==(const AddressRange&) const = default;
};

enum class Running : std::uint8_t { device_code, host_code };

// What each thread is doing. Threads that were given no recorder pass through at the cost of one comparison.
struct InstrumentationState {
    AccessRecorder* recorder = nullptr;
    std::uint64_t basic_blocks = 0;  // executed by this thread so far
    Running running = Running::device_code;
};
// The model spares the hot functions a call that finds the variable.
extern constinit thread_local InstrumentationState instrumentation [[gnu::tls_model("initial-exec")]];

// Told when host code touches the device arena. Returns true if the access is to be recorded all the same.
using HostTouchesDeviceMemory = bool (*)(std::uintptr_t address, Access kind, std::uintptr_t pc);

// From now on this thread's accesses of tracked memory go to `recorder`; nullptr: nowhere.
void set_recorder(AccessRecorder* recorder, Running running = Running::device_code);

// While it lives, this thread records nothing: for the simulator's own work in between.
class RecordingPaused {
public:
    RecordingPaused() : recorder_(instrumentation.recorder) { instrumentation.recorder = nullptr; }
    ~RecordingPaused() { instrumentation.recorder = recorder_; }
    RecordingPaused(const RecordingPaused&) = delete;
    RecordingPaused& operator=(const RecordingPaused&) = delete;

    AccessRecorder* recorder() const { return recorder_; }  // the one that waits

private:
    AccessRecorder* recorder_;
};

// The address ranges from which the simulator hands out device and pinned memory.
void set_arenas(AddressRange device, AddressRange pinned);

// Other memory that takes part, such as registered or pageable buffers. A range may be added several times and then
// counts until it is removed as often; ranges may overlap.
void add_tracked_range(AddressRange range);
void remove_tracked_range(AddressRange range);

// Called before an atomic write of host code, by which one thread may let another go on; nullptr: nothing.
void set_host_publishes(void (*publishes)());

// A loop of host code that loads one atomic or volatile variable again and again waits for what the device will do: a host
// function, or a kernel that writes to host memory. `goes_on` lets the device go on to what happens next, and says whether
// there was anything. nullptr: nobody is asked.
void set_device_goes_on(bool (*goes_on)());
bool let_device_go_on();

// Called before host code loads an atomic or volatile variable, by which it may learn of a host function; nullptr: nothing.
void set_host_observes(void (*observes)());

void set_host_touches_device_memory(HostTouchesDeviceMemory handler);

// Notes an access by the simulator's own device functions (atomicAdd and the like), before it happens.
// `pc` is the return address of the call in the program: __builtin_return_address(0).
void record_access(const volatile void* address, std::size_t bytes, Access kind, std::uintptr_t pc);

// The same for an atomic that sets the bytes whatever they were.
void record_atomic_set(const volatile void* address, std::size_t bytes, std::uintptr_t pc);

}  // namespace simulator
