#include "simulator/ordering/instrumentation.hpp"

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <type_traits>
#include <vector>

#include "simulator/ordering/raw_memory.hpp"

namespace simulator {

constinit thread_local InstrumentationState instrumentation [[gnu::tls_model("initial-exec")]];

namespace {

// Ranges beside the arenas, joined where they overlap, so that a search finds the only one that can hold an address.
class ExtraRanges {
public:
    void add(AddressRange range) {
        added_.push_back(range);
        join();
    }

    void remove(AddressRange range) {
        const auto known = std::ranges::find(added_, range);
        if (known != added_.end()) {
            added_.erase(known);
            join();
        }
    }

    const std::vector<AddressRange>& joined() const { return joined_; }

private:
    void join() {
        std::ranges::sort(added_, {}, &AddressRange::begin);
        joined_.clear();
        for (const AddressRange& range : added_) {
            if (!joined_.empty() && range.begin <= joined_.back().end) {
                joined_.back().end = std::max(joined_.back().end, range.end);
            } else {
                joined_.push_back(range);
            }
        }
    }

    std::vector<AddressRange> added_;
    std::vector<AddressRange> joined_;
};

// Never destroyed: instrumented code still runs while the program's own objects are destroyed.
ExtraRanges& extra_ranges() {
    static ExtraRanges& ranges = *new ExtraRanges;
    return ranges;
}

struct PublishedRanges {
    AddressRange around;  // from the first range to the last
    std::vector<AddressRange> ranges;
};
const PublishedRanges no_ranges;

struct TrackedMemory {
    AddressRange device;
    AddressRange pinned;
    std::atomic<const PublishedRanges*> extra{&no_ranges};
    HostTouchesDeviceMemory host_touches_device_memory = nullptr;
};
constinit TrackedMemory tracked;

// Another thread may be searching the ranges published before: they are kept until a later change, which comes long
// after such a search.
void publish_extra_ranges() {
    static std::deque<std::unique_ptr<const PublishedRanges>>& published =
        *new std::deque<std::unique_ptr<const PublishedRanges>>;
    constexpr std::size_t kept = 64;
    const std::vector<AddressRange>& ranges = extra_ranges().joined();
    const AddressRange around = ranges.empty() ? AddressRange{} : AddressRange{ranges.front().begin, ranges.back().end};
    published.push_back(std::make_unique<const PublishedRanges>(PublishedRanges{around, ranges}));
    tracked.extra.store(published.back().get(), std::memory_order_release);
    if (published.size() > kept) {
        published.pop_front();
    }
}

bool overlaps_extra_range(const PublishedRanges& extra, std::uintptr_t address, std::size_t bytes) {
    const auto ends_before = [](const AddressRange& range, std::uintptr_t value) { return range.end <= value; };
    const auto range = std::lower_bound(extra.ranges.begin(), extra.ranges.end(), address, ends_before);
    return range != extra.ranges.end() && range->begin < address + bytes;
}

[[gnu::noinline]] void touch_device_from_host(std::uintptr_t address, std::size_t bytes, Access kind,
                                              std::uintptr_t pc) {
    const RecordingPaused paused;
    if (tracked.host_touches_device_memory == nullptr || tracked.host_touches_device_memory(address, kind, pc)) {
        paused.recorder()->record(address, bytes, kind, pc);
    }
}

[[gnu::noinline]] void touch_extra(const PublishedRanges& extra, std::uintptr_t address, std::size_t bytes, Access kind,
                                   std::uintptr_t pc) {
    if (overlaps_extra_range(extra, address, bytes)) {
        instrumentation.recorder->record(address, bytes, kind, pc);
    }
}

// What is rare is a call in tail position, so that the usual path saves no registers.
[[gnu::always_inline]] inline void touch_here(std::uintptr_t address, std::size_t bytes, Access kind,
                                              std::uintptr_t pc) {
    AccessRecorder* const recorder = instrumentation.recorder;
    if (recorder == nullptr) {
        return;
    }
    const bool on_device = tracked.device.contains(address);
    if (on_device && instrumentation.running == Running::host_code) [[unlikely]] {
        return touch_device_from_host(address, bytes, kind, pc);
    }
    if (on_device || tracked.pinned.contains(address)) {
        return recorder->record(address, bytes, kind, pc);
    }
    const PublishedRanges& extra = *tracked.extra.load(std::memory_order_acquire);
    if (address < extra.around.end && address + bytes > extra.around.begin) {
        return touch_extra(extra, address, bytes, kind, pc);
    }
}

// For the accesses that kernels are made of: a copy of the code for each, with constant size and kind.
[[gnu::always_inline]] inline void touch_hot(const void* address, std::size_t bytes, Access kind, void* pc) {
    touch_here(reinterpret_cast<std::uintptr_t>(address), bytes, kind, reinterpret_cast<std::uintptr_t>(pc));
}

// For all others.
[[gnu::noinline]] void touch(const volatile void* address, std::size_t bytes, Access kind, void* pc) {
    touch_here(reinterpret_cast<std::uintptr_t>(address), bytes, kind, reinterpret_cast<std::uintptr_t>(pc));
}

// The recorder of a kernel that accesses device memory, or nullptr.
AccessRecorder* kernel_recorder(const volatile void* address) {
    const bool in_kernel = instrumentation.running == Running::device_code &&
                           tracked.device.contains(reinterpret_cast<std::uintptr_t>(address));
    return in_kernel ? instrumentation.recorder : nullptr;
}

// A structure is read, or bytes are copied from there.
[[gnu::noinline]] void touch_whole(const void* address, std::size_t bytes, void* pc) {
    touch(address, bytes, Access::read, pc);
    if (AccessRecorder* const recorder = kernel_recorder(address)) {
        recorder->note_whole_read(reinterpret_cast<std::uintptr_t>(address), bytes);
    }
}

[[gnu::noinline]] void touch_atomic_set(const volatile void* address, std::size_t bytes, void* pc) {
    if (AccessRecorder* const recorder = kernel_recorder(address)) {
        recorder->note_set(reinterpret_cast<std::uintptr_t>(address), bytes);
    }
    touch(address, bytes, Access::atomic, pc);
}

}  // namespace

void set_recorder(AccessRecorder* recorder, Running running) {
    instrumentation.running = running;
    instrumentation.recorder = recorder;
}

void set_arenas(AddressRange device, AddressRange pinned) {
    tracked.device = device;
    tracked.pinned = pinned;
}

void add_tracked_range(AddressRange range) {
    extra_ranges().add(range);
    publish_extra_ranges();
}

void remove_tracked_range(AddressRange range) {
    extra_ranges().remove(range);
    publish_extra_ranges();
}

namespace {

std::atomic<void (*)()> host_publishes{nullptr};

// An atomic of host code may let another thread go on.
void before_atomic() {
    void (*const publishes)() = host_publishes.load(std::memory_order_relaxed);
    if (publishes != nullptr && instrumentation.running == Running::host_code) {
        publishes();
    }
}

std::atomic<bool (*)()> device_goes_on{nullptr};
std::atomic<void (*)()> host_observes{nullptr};

// The variable that this thread's host code loaded last, and how often without doing anything else with one.
struct LoadedAgain {
    const volatile void* address = nullptr;
    unsigned times = 0;
};
constinit thread_local LoadedAgain loaded_again;

}  // namespace

bool let_device_go_on() {
    bool (*const goes_on)() = device_goes_on.load();
    const bool went_on = goes_on != nullptr && goes_on();
    if (void (*const observes)() = host_observes.load(); went_on && observes != nullptr) {
        observes();
    }
    return went_on;
}

namespace {

[[gnu::noinline]] void host_polls() {
    loaded_again.times = 0;
    let_device_go_on();
}

// Many loads, so that a variable which another thread is about to change lets no simulated time pass.
void after_load(const volatile void* address) {
    constexpr unsigned loads_of_a_waiting_loop = 10'000;
    if (instrumentation.running != Running::host_code || instrumentation.recorder == nullptr) {
        return;
    }
    if (void (*const observes)() = host_observes.load(std::memory_order_relaxed)) {
        observes();
    }
    if (loaded_again.address != address) {
        loaded_again = {address, 0};
    } else if (++loaded_again.times == loads_of_a_waiting_loop) {
        host_polls();
    }
}

void before_volatile_write() {
    loaded_again = {};
}

}  // namespace

void set_host_observes(void (*observes)()) {
    host_observes.store(observes);
}

void set_device_goes_on(bool (*goes_on)()) {
    device_goes_on.store(goes_on);
}

void set_host_publishes(void (*publishes)()) {
    host_publishes.store(publishes);
}

void set_host_touches_device_memory(HostTouchesDeviceMemory handler) {
    tracked.host_touches_device_memory = handler;
}

void record_access(const volatile void* address, std::size_t bytes, Access kind, std::uintptr_t pc) {
    touch_here(reinterpret_cast<std::uintptr_t>(address), bytes, kind, pc);
}

void record_atomic_set(const volatile void* address, std::size_t bytes, std::uintptr_t pc) {
    touch_atomic_set(address, bytes, reinterpret_cast<void*>(pc));
}

}  // namespace simulator

using simulator::Access;
using simulator::touch;
using simulator::touch_atomic_set;
using simulator::touch_whole;
using simulator::after_load;
using simulator::before_atomic;
using simulator::before_volatile_write;
using simulator::touch_hot;

// The names below are fixed by the compilers. Each is called before the access it announces.
#define CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __sanitizer_cov_trace_pc() {
    ++simulator::instrumentation.basic_blocks;
}

#define PLAIN_ACCESS(size)                                      \
    void __tsan_read##size(void* address) {                     \
        touch_hot(address, size, Access::read, CALLER);         \
    }                                                           \
    void __tsan_write##size(void* address) {                    \
        touch_hot(address, size, Access::write, CALLER);        \
    }                                                           \
    void __tsan_read##size##_pc(void* address, void* pc) {      \
        touch(address, size, Access::read, pc);                 \
    }                                                           \
    void __tsan_write##size##_pc(void* address, void* pc) {     \
        touch(address, size, Access::write, pc);                \
    }                                                           \
    void __tsan_volatile_read##size(void* address) {            \
        after_load(address);                                    \
        touch(address, size, Access::read, CALLER);             \
    }                                                           \
    void __tsan_volatile_write##size(void* address) {           \
        before_volatile_write();                                \
        touch(address, size, Access::write, CALLER);            \
    }                                                           \
    void __tsan_unaligned_read##size(void* address) {           \
        touch(address, size, Access::read, CALLER);             \
    }                                                           \
    void __tsan_unaligned_write##size(void* address) {          \
        touch(address, size, Access::write, CALLER);            \
    }                                                           \
    void __tsan_unaligned_volatile_read##size(void* address) {  \
        touch(address, size, Access::read, CALLER);             \
    }                                                           \
    void __tsan_unaligned_volatile_write##size(void* address) { \
        touch(address, size, Access::write, CALLER);            \
    }                                                           \
    void __tsan_read_write##size(void* address) {               \
        touch(address, size, Access::read, CALLER);             \
        touch(address, size, Access::write, CALLER);            \
    }                                                           \
    void __tsan_unaligned_read_write##size(void* address) {     \
        touch(address, size, Access::read, CALLER);             \
        touch(address, size, Access::write, CALLER);            \
    }

PLAIN_ACCESS(1)
PLAIN_ACCESS(2)
PLAIN_ACCESS(4)
PLAIN_ACCESS(8)
PLAIN_ACCESS(16)

void __tsan_read_range(void* address, unsigned long bytes) {
    touch_whole(address, bytes, CALLER);
}
void __tsan_write_range(void* address, unsigned long bytes) {
    touch(address, bytes, Access::write, CALLER);
}
void __tsan_read_range_pc(void* address, unsigned long bytes, void* pc) {
    touch_whole(address, bytes, pc);
}
void __tsan_write_range_pc(void* address, unsigned long bytes, void* pc) {
    touch(address, bytes, Access::write, pc);
}

void __tsan_vptr_read(void** address) {
    touch(address, sizeof(void*), Access::read, CALLER);
}
void __tsan_vptr_update(void** address, void*) {
    touch(address, sizeof(void*), Access::write, CALLER);
}

// Every atomic runs sequentially consistent, which is never weaker than what the program asked for.
#define ATOMIC_UPDATE(bits, type, name)                                          \
    type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
        touch(address, sizeof(type), Access::atomic, CALLER);                    \
        before_atomic();                                                         \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                \
    }

#define ATOMIC_COMPARE_EXCHANGE(bits, type, strength)                                                                \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* address, type* expected, type desired, int, \
                                                          int) {                                                     \
        touch(address, sizeof(type), Access::atomic, CALLER);                                                        \
        before_atomic();                                                                                             \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    }

#define ATOMIC(bits, type)                                                                                           \
    type __tsan_atomic##bits##_load(const volatile type* address, int) {                                             \
        after_load(address);                                                                                         \
        touch(address, sizeof(type), Access::atomic, CALLER);                                                        \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                \
    void __tsan_atomic##bits##_store(volatile type* address, type value, int) {                                      \
        touch_atomic_set(address, sizeof(type), CALLER);                                                             \
        before_atomic();                                                                                             \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                          \
    }                                                                                                                \
    type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) {                                   \
        touch_atomic_set(address, sizeof(type), CALLER);                                                             \
        before_atomic();                                                                                             \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                \
    }                                                                                                                \
    ATOMIC_UPDATE(bits, type, fetch_add)                                                                             \
    ATOMIC_UPDATE(bits, type, fetch_sub)                                                                             \
    ATOMIC_UPDATE(bits, type, fetch_and)                                                                             \
    ATOMIC_UPDATE(bits, type, fetch_or)                                                                              \
    ATOMIC_UPDATE(bits, type, fetch_xor)                                                                             \
    ATOMIC_UPDATE(bits, type, fetch_nand)                                                                            \
    ATOMIC_COMPARE_EXCHANGE(bits, type, strong)                                                                      \
    ATOMIC_COMPARE_EXCHANGE(bits, type, weak)                                                                        \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected, type desired, int, int) { \
        touch(address, sizeof(type), Access::atomic, CALLER);                                                        \
        before_atomic();                                                                                             \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        return expected;                                                                                             \
    }

ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// clang++ 16 and newer.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
    touch_whole(from, bytes, CALLER);
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_copy(to, from, bytes);
    return to;
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
    touch_whole(from, bytes, CALLER);
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_move(to, from, bytes);
    return to;
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_fill(to, static_cast<std::byte>(value), bytes);
    return to;
}

// Where the program is linked with --wrap, its calls of memcpy, memmove, memset and memcmp arrive here.
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
    touch_whole(from, bytes, CALLER);
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_copy(to, from, bytes);
    return to;
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
    touch_whole(from, bytes, CALLER);
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_move(to, from, bytes);
    return to;
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
    touch(to, bytes, Access::write, CALLER);
    simulator::raw_fill(to, static_cast<std::byte>(value), bytes);
    return to;
}

int __wrap_memcmp(const void* left, const void* right, std::size_t bytes) {
    touch(left, bytes, Access::read, CALLER);
    touch(right, bytes, Access::read, CALLER);
    return simulator::raw_compare(left, right, bytes);
}
int __wrap_bcmp(const void* left, const void* right, std::size_t bytes) {  // what clang++ makes of memcmp(...) == 0
    touch(left, bytes, Access::read, CALLER);
    touch(right, bytes, Access::read, CALLER);
    return simulator::raw_compare(left, right, bytes);
}

// So do its calls of these: functions of the C library, which is not instrumented.
[[gnu::weak]] char* __real_strcpy(char*, const char*);
[[gnu::weak]] char* __real_strncpy(char*, const char*, std::size_t);
[[gnu::weak]] char* __real_strcat(char*, const char*);
[[gnu::weak]] std::size_t __real_strlen(const char*);
[[gnu::weak]] int __real_strcmp(const char*, const char*);
[[gnu::weak]] int __real_strncmp(const char*, const char*, std::size_t);
[[gnu::weak]] void* __real_memchr(const void*, int, std::size_t);
[[gnu::weak]] std::size_t __real_fread(void*, std::size_t, std::size_t, std::FILE*);
[[gnu::weak]] std::size_t __real_fwrite(const void*, std::size_t, std::size_t, std::FILE*);
[[gnu::weak]] ssize_t __real_read(int, void*, std::size_t);
[[gnu::weak]] ssize_t __real_write(int, const void*, std::size_t);
[[gnu::weak]] void* __real__ZNSo5writeEPKcl(void*, const char*, long);  // std::ostream::write, of the library's own code
[[gnu::weak]] void* __real__ZNSi4readEPcl(void*, char*, long);          // std::istream::read

char* __wrap_strcpy(char* to, const char* from) {
    const std::size_t bytes = __real_strlen(from) + 1;
    touch(from, bytes, Access::read, CALLER);
    touch(to, bytes, Access::write, CALLER);
    return __real_strcpy(to, from);
}
char* __wrap_strncpy(char* to, const char* from, std::size_t bytes) {
    touch(from, strnlen(from, bytes), Access::read, CALLER);
    touch(to, bytes, Access::write, CALLER);
    return __real_strncpy(to, from, bytes);
}
char* __wrap_strcat(char* to, const char* from) {
    const std::size_t before = __real_strlen(to);
    const std::size_t bytes = __real_strlen(from) + 1;
    touch(to, before + 1, Access::read, CALLER);
    touch(from, bytes, Access::read, CALLER);
    touch(to + before, bytes, Access::write, CALLER);
    return __real_strcat(to, from);
}
std::size_t __wrap_strlen(const char* text) {
    const std::size_t bytes = __real_strlen(text);
    touch(text, bytes + 1, Access::read, CALLER);
    return bytes;
}
int __wrap_strcmp(const char* left, const char* right) {
    touch(left, __real_strlen(left) + 1, Access::read, CALLER);
    touch(right, __real_strlen(right) + 1, Access::read, CALLER);
    return __real_strcmp(left, right);
}
int __wrap_strncmp(const char* left, const char* right, std::size_t bytes) {
    touch(left, strnlen(left, bytes), Access::read, CALLER);
    touch(right, strnlen(right, bytes), Access::read, CALLER);
    return __real_strncmp(left, right, bytes);
}
void* __wrap_memchr(const void* text, int value, std::size_t bytes) {
    void* const found = __real_memchr(text, value, bytes);
    const auto looked_at =
        found == nullptr ? bytes : static_cast<const char*>(found) - static_cast<const char*>(text) + 1;
    touch(text, static_cast<std::size_t>(looked_at), Access::read, CALLER);
    return found;
}
std::size_t __wrap_fread(void* to, std::size_t size, std::size_t count, std::FILE* file) {
    const std::size_t done = __real_fread(to, size, count, file);
    touch(to, size * done, Access::write, CALLER);
    return done;
}
std::size_t __wrap_fwrite(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
    touch(from, size * count, Access::read, CALLER);
    return __real_fwrite(from, size, count, file);
}
void* __wrap__ZNSo5writeEPKcl(void* stream, const char* from, long bytes) {
    touch(from, bytes > 0 ? static_cast<std::size_t>(bytes) : 0, Access::read, CALLER);
    return __real__ZNSo5writeEPKcl(stream, from, bytes);
}
void* __wrap__ZNSi4readEPcl(void* stream, char* to, long bytes) {
    touch(to, bytes > 0 ? static_cast<std::size_t>(bytes) : 0, Access::write, CALLER);
    return __real__ZNSi4readEPcl(stream, to, bytes);
}
ssize_t __wrap_read(int file, void* to, std::size_t bytes) {
    const ssize_t done = __real_read(file, to, bytes);
    touch(to, done > 0 ? static_cast<std::size_t>(done) : 0, Access::write, CALLER);
    return done;
}
ssize_t __wrap_write(int file, const void* from, std::size_t bytes) {
    touch(from, bytes, Access::read, CALLER);
    return __real_write(file, from, bytes);
}

}  // extern "C"
