// Which bytes one operation (a kernel, or the host code between two API calls) read and wrote, and from where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simulator {

enum class Access : std::uint8_t { read, write, atomic };

// Bytes [begin, end) accessed in one way; `pc` is the return address of an access among the first of them.
struct AccessInterval {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    Access kind = Access::read;
    std::uintptr_t pc = 0;
    bool operator==(const AccessInterval&) const = default;
};

inline constexpr std::size_t recorder_page_bytes = 4096;

using PageBytes = std::array<std::byte, recorder_page_bytes>;

// Page buffers that wait to be used again, shared by a recorder and the writes taken from it.
class PagePool {
public:
    std::unique_ptr<PageBytes> take();
    void give_back(std::unique_ptr<PageBytes> page) { pages_.push_back(std::move(page)); }

private:
    std::vector<std::unique_ptr<PageBytes>> pages_;
};

// The bytes that an operation wrote, held back until the operation takes effect.
class DeferredWrites {
public:
    DeferredWrites() = default;
    DeferredWrites(DeferredWrites&&) = default;
    DeferredWrites& operator=(DeferredWrites&&) = default;

    // Puts the new bytes into memory. Nothing is held back afterwards.
    void apply();

    // Fills the places of the bytes held back; apply() still puts the new bytes there.
    void poison(std::byte value) const;

    // Gives up the bytes held back inside [begin, end): that memory is gone or belongs to someone else.
    void forget(std::uintptr_t begin, std::uintptr_t end);

    std::size_t bytes() const;
    bool empty() const { return runs_.empty(); }

private:
    friend class AccessRecorder;

    struct Page {
        std::uintptr_t address = 0;
        std::unique_ptr<PageBytes> bytes;
    };
    struct Run {  // bytes of one page
        std::uint32_t page = 0;
        std::uint16_t offset = 0;
        std::uint16_t bytes = 0;
    };

    void exchange(const Run& run);
    std::byte* target(const Run& run) const;
    const std::byte* held_back(const Run& run) const;

    std::vector<Page> pages_;
    std::vector<Run> runs_;
    std::shared_ptr<PagePool> pool_;
};

class AccessRecorder {
public:
    // Notes an access of `bytes` bytes. Call it before the access happens: save_pages() copies the old bytes then.
    void record(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc) {
        const std::uintptr_t number = address / page_bytes;
        const CachedPage& cached = cache_[static_cast<std::size_t>(kind)][cache_slot(number)];
        const std::size_t offset = address % line_bytes;
        // bytes - 1 makes an empty access fail the comparison too.
        if (cached.number == number && bytes - 1 < line_bytes - offset) [[likely]] {
            cached.lines->mark(address / line_bytes % lines_per_page, offset, bytes, pc);
            accessed_bytes_ += bytes;
            return;
        }
        record_across_lines(address, bytes, kind, pc);
    }

    // Calls function(begin, end, Access, pc) for every interval in ascending order of address. A byte that was both
    // read and written is reported as written alone; atomic and written, as written; atomic and read, as both.
    template <typename Function>
    void for_each(Function&& function) const {
        for (const AccessInterval& interval : intervals()) {
            function(interval.begin, interval.end, interval.kind, interval.pc);
        }
    }
    std::vector<AccessInterval> intervals() const;

    std::uint64_t bytes_read() const;                                 // distinct bytes, plain reads
    std::uint64_t bytes_written() const;                              // distinct bytes, plain writes and atomics
    std::uint64_t accessed_bytes() const { return accessed_bytes_; }  // the sum over all calls
    bool empty() const { return accessed_bytes_ == 0; }

    // Forgets all accesses; keeps the memory for the next operation, and the choice made with save_pages().
    void clear();

    // From now on, keep the old bytes of each page that is written. Change it only while the recorder is empty.
    void save_pages(bool save) { save_pages_ = save; }

    // Bytes [begin, end).
    struct Watched {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };

    // From now on, calls `touched` before each access of `ranges`. Such accesses are slow. clear() leaves it set.
    void watch(std::vector<Watched> ranges, std::function<void()> touched);

    // Puts the old bytes back wherever the operation wrote plainly, and returns the new ones. Atomics stay applied.
    // Needs save_pages(true). Call it once per operation, and clear() before the next one.
    DeferredWrites take_back_writes();

private:
    static constexpr std::size_t page_bytes = recorder_page_bytes;
    static constexpr std::size_t line_bytes = 64;  // one bit per byte in one word
    static constexpr std::size_t lines_per_page = page_bytes / line_bytes;
    static constexpr std::size_t kinds = 3;
    static constexpr unsigned cache_bits = 6;

    // The accesses of one kind to a page: which bytes, and the first access of each line. Apart, since a line that is
    // touched again needs its bits alone: half the memory that passes through the processor's cache.
    struct Lines {
        std::array<std::uint64_t, lines_per_page> touched{};
        std::array<std::uintptr_t, lines_per_page> pc{};

        void mark(std::size_t line, std::size_t offset, std::size_t bytes, std::uintptr_t by) {
            if (touched[line] == 0) {
                pc[line] = by;
            }
            touched[line] |= ~std::uint64_t{0} >> (line_bytes - bytes) << offset;
        }
    };

    static constexpr std::uintptr_t no_page = ~std::uintptr_t{0};

    struct Page {
        std::array<Lines*, kinds> lines{};
        std::unique_ptr<PageBytes> saved;

        std::uint64_t touched(Access kind, std::size_t line) const {
            const Lines* const of_kind = lines[static_cast<std::size_t>(kind)];
            return of_kind == nullptr ? 0 : of_kind->touched[line];
        }
    };

    // The pages that were accessed. Neighbours lie side by side in a stretch: a kernel that jumps from page to page
    // finds each without a search. Stretches stay when everything is forgotten, for the next operation.
    class Pages {
    public:
        // Empty for one that was not accessed. The reference stays good.
        Page& operator[](std::uintptr_t number) {
            const std::uintptr_t stretch = number / pages_per_stretch;
            CachedStretch& cached = cache_[stretch % cache_.size()];
            if (cached.number != stretch) [[unlikely]] {
                cached = {stretch, find_stretch(stretch)};
            }
            return (*cached.pages)[number % pages_per_stretch];
        }
        // Says that page `number` was accessed, once.
        void add(std::uintptr_t number) { accessed_.push_back(number); }
        std::vector<std::pair<std::uintptr_t, Page*>> in_order();
        std::vector<std::pair<std::uintptr_t, const Page*>> in_order() const;
        void clear();

    private:
        static constexpr std::size_t pages_per_stretch = 512;
        using Stretch = std::array<Page, pages_per_stretch>;
        struct CachedStretch {
            std::uintptr_t number = no_page;
            Stretch* pages = nullptr;
        };

        Stretch* find_stretch(std::uintptr_t number);

        std::array<CachedStretch, 16> cache_{};
        std::unordered_map<std::uintptr_t, std::unique_ptr<Stretch>> stretches_;
        std::vector<std::uintptr_t> accessed_;
    };

    struct CachedPage {
        std::uintptr_t number = no_page;
        Lines* lines = nullptr;
    };

    // Multiplicative hashing: equally aligned arrays that are walked in step must not share a slot.
    static std::size_t cache_slot(std::uintptr_t number) {
        return static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u >> (64 - cache_bits);
    }

    void record_across_lines(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc);
    Lines* lines_of(std::uintptr_t number, Access kind);
    void start_lines(Page& page, std::uintptr_t number, Access kind);
    Lines* fresh_lines();
    static void append_runs(DeferredWrites& taken, const Lines& written);

    std::array<std::array<CachedPage, std::size_t{1} << cache_bits>, kinds> cache_{};
    Pages pages_;
    std::vector<std::unique_ptr<Lines>> lines_;  // the first lines_used_ are in use
    std::size_t lines_used_ = 0;
    std::uint64_t accessed_bytes_ = 0;
    bool save_pages_ = false;
    std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
    bool is_watched(std::uintptr_t begin, std::uintptr_t end) const;
    std::vector<Watched> watched_;  // their pages never enter the cache, so that record() need not look at them
    std::function<void()> watched_touched_;
};

}  // namespace simulator
