// Which bytes one operation (a kernel, or the host code between two API calls) read and wrote, and from where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
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
        const std::uintptr_t number = address / stretch_bytes;
        const CachedStretch& cached = cache_[cache_slot(number)];
        const std::size_t offset = address % line_bytes;
        // bytes - 1 makes an empty access fail the comparison too.
        if (cached.number == number && bytes - 1 < line_bytes - offset) [[likely]] {
            const std::size_t line = line_of(address);
            if (cached.stretch->touched[static_cast<std::size_t>(kind)][line] != 0) [[likely]] {
                cached.stretch->mark(line, kind, bits(offset, bytes));
                accessed_bytes_ += bytes;
                return;
            }
        }
        record_slowly(address, bytes, kind, pc);
    }

    // Notes that these bytes are read as one, as a copy of a structure does. Call record() too.
    void note_whole_read(std::uintptr_t address, std::size_t bytes);

    // Notes that an atomic sets these bytes whatever they were. Call it before record().
    void note_set(std::uintptr_t address, std::size_t bytes);

    // Calls function(begin, end, Access, pc) for every interval in ascending order of address. A byte that was both
    // read and written is reported as written alone; atomic and written, as written; atomic and read, as both.
    template <typename Function>
    void for_each(Function&& function) const {
        for (const AccessInterval& interval : intervals()) {
            function(interval.begin, interval.end, interval.kind, interval.pc);
        }
    }
    std::vector<AccessInterval> intervals() const;

    // What the operation found in memory: bytes that it had not set itself when it read them, or updated them by an
    // atomic. Reads of single values are joined; of what was read as one, each is an interval of its own.
    struct FirstReads {
        std::vector<AccessInterval> values;
        std::vector<AccessInterval> wholes;
    };
    FirstReads first_reads() const;

    // The return address of an access among [begin, end), of which intervals() shows one as `kind`.
    std::uintptr_t pc_of(std::uintptr_t begin, std::uintptr_t end, Access kind) const;

    std::uint64_t bytes_read() const;                                 // distinct bytes, plain reads
    std::uint64_t bytes_written() const;                              // distinct bytes, plain writes and atomics
    std::uint64_t accessed_bytes() const { return accessed_bytes_; }  // the sum over all calls
    bool empty() const { return accessed_bytes_ == 0; }

    // Forgets all accesses; keeps the memory for the next operation, and the choice made with save_pages().
    void clear();

    // From now on, keep the old bytes of each page that is written. Change it only while the recorder is empty.
    void save_pages(bool save) { save_pages_ = save; }

    // From now on, what is kept of a return address is what `find` says of it, as long as the access is about to be made:
    // the call in the user's own code, say. It is asked once for each line of memory.
    void find_return_addresses_by(std::uintptr_t (*find)(std::uintptr_t pc)) { find_return_address_ = find; }

    // Bytes [begin, end).
    struct Watched {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };

    // From now on, calls `touched` before each access of `ranges`, with its return address. Such accesses are slow.
    // clear() leaves it set.
    void watch(std::vector<Watched> ranges, std::function<void(std::uintptr_t pc)> touched);

    // Puts the old bytes back wherever the operation wrote plainly, and returns the new ones. Atomics stay applied.
    // Needs save_pages(true). Call it once per operation, and clear() before the next one.
    DeferredWrites take_back_writes();

private:
    static constexpr std::size_t page_bytes = recorder_page_bytes;
    static constexpr std::size_t line_bytes = 64;  // one bit per byte in one word
    static constexpr std::size_t lines_per_page = page_bytes / line_bytes;
    static constexpr std::size_t pages_per_stretch = 512;
    static constexpr std::size_t stretch_bytes = pages_per_stretch * page_bytes;
    static constexpr std::size_t lines_per_stretch = pages_per_stretch * lines_per_page;
    static constexpr std::size_t kinds = 3;
    static constexpr unsigned cache_bits = 6;

    struct Page {
        std::uint32_t saved = 0;  // its place in saved_, counted from 1
        std::uint16_t kinds = 0;  // of the accesses to it: a bit for each
        bool has_wholes = false;
        bool has_set = false;
    };

    // What is noted about 2 MiB of memory: which bytes were touched, and by which access each line first. A word lies
    // where the address says, so that a kernel that jumps from page to page finds it at once, and the words that are
    // needed again and again lie close together. It comes zeroed from the system, and only what is used takes memory.
    struct Stretch {
        template <class Word>
        using PerLine = std::array<std::array<Word, lines_per_stretch>, kinds>;

        PerLine<std::uint64_t> touched;
        PerLine<std::uintptr_t> pc;
        std::array<std::uint64_t, lines_per_stretch> read_first;  // bytes that were written after they had been read
        std::array<std::uint64_t, lines_per_stretch> joined;  // bytes that were read as one with the byte before them
        std::array<std::uint64_t, lines_per_stretch> set_first;  // bytes that an atomic set before they were accessed
        std::array<Page, pages_per_stretch> pages;

        void mark(std::size_t line, Access kind, std::uint64_t bytes) {
            std::uint64_t& known = touched[static_cast<std::size_t>(kind)][line];
            if (kind == Access::write) {
                if (const std::uint64_t after = bytes & ~known & touched[static_cast<std::size_t>(Access::read)][line]) {
                    read_first[line] |= after;
                }
            }
            known |= bytes;
        }
    };
    struct Unmap {
        void operator()(Stretch* stretch) const;
    };

    struct CachedStretch {
        std::uintptr_t number = ~std::uintptr_t{0};
        Stretch* stretch = nullptr;
    };

    struct AccessedPage {
        std::uintptr_t number = 0;
        Stretch* stretch = nullptr;

        std::uintptr_t address() const { return number * page_bytes; }
        Page& page() const { return stretch->pages[number % pages_per_stretch]; }
        bool has(Access kind) const { return (page().kinds >> static_cast<unsigned>(kind) & 1) != 0; }
        std::span<std::uint64_t, lines_per_page> touched(Access kind) const { return part(stretch->touched, kind); }
        std::span<std::uintptr_t, lines_per_page> pc(Access kind) const { return part(stretch->pc, kind); }
        std::span<std::uint64_t, lines_per_page> read_first() const { return part(stretch->read_first); }
        std::span<std::uint64_t, lines_per_page> joined() const { return part(stretch->joined); }
        std::span<std::uint64_t, lines_per_page> set_first() const { return part(stretch->set_first); }
        std::uint64_t found(std::size_t line, Access kind) const;

    private:
        template <class Word>
        std::span<Word, lines_per_page> part(std::array<Word, lines_per_stretch>& words) const {
            Word* const first = words.data() + number % pages_per_stretch * lines_per_page;
            return std::span<Word, lines_per_page>(first, lines_per_page);
        }
        template <class Word>
        std::span<Word, lines_per_page> part(Stretch::PerLine<Word>& words, Access kind) const {
            return part(words[static_cast<std::size_t>(kind)]);
        }
    };

    // Multiplicative hashing: equally aligned arrays that are walked in step must not share a slot.
    static std::size_t cache_slot(std::uintptr_t number) {
        return static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u >> (64 - cache_bits);
    }
    static std::size_t line_of(std::uintptr_t address) { return address / line_bytes % lines_per_stretch; }
    static std::uint64_t bits(std::size_t offset, std::size_t bytes) {
        return ~std::uint64_t{0} >> (line_bytes - bytes) << offset;
    }

    template <typename Function>
    void for_each_line(std::uintptr_t address, std::size_t bytes, Function&& function);
    class Wholes;
    template <typename BitsOfLine>
    static void append_wholes(Wholes& wholes, const AccessedPage& page, BitsOfLine&& bits_of);
    void record_slowly(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc);
    Stretch& stretch_at(std::uintptr_t address);
    void start_line(Stretch& stretch, std::uintptr_t address, Access kind, std::uintptr_t pc);
    std::vector<AccessedPage> pages_in_order() const;
    static void clear(const AccessedPage& accessed);
    template <typename BitsOfLine>
    static void append_lines(std::vector<AccessInterval>& found, const AccessedPage& page, Access kind,
                             BitsOfLine&& bits_of);
    static void append_runs(DeferredWrites& taken, std::span<const std::uint64_t> written);

    std::array<CachedStretch, std::size_t{1} << cache_bits> cache_{};
    // They stay when everything is forgotten, for the next operation.
    std::unordered_map<std::uintptr_t, std::unique_ptr<Stretch, Unmap>> stretches_;
    std::vector<std::uintptr_t> accessed_;  // the numbers of the pages
    std::vector<std::unique_ptr<PageBytes>> saved_;
    std::uint64_t accessed_bytes_ = 0;
    bool save_pages_ = false;
    std::uintptr_t (*find_return_address_)(std::uintptr_t pc) = nullptr;
    std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
    bool is_watched(std::uintptr_t begin, std::uintptr_t end) const;
    std::vector<Watched> watched_;  // their stretches never enter the cache, so that record() need not look at them
    std::function<void(std::uintptr_t)> watched_touched_;
};

}  // namespace simulator
