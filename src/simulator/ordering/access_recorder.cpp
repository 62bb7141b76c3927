#include "simulator/ordering/access_recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <utility>

#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/raw_memory.hpp"

namespace simulator {

namespace {

// Calls function(first, count) for every run of ones in `bits`.
template <typename Function>
void for_each_run(std::uint64_t bits, Function&& function) {
    std::size_t position = 0;
    if (bits == ~std::uint64_t{0}) {
        function(position, std::size_t{64});
        return;
    }
    while (bits != 0) {
        const auto gap = static_cast<std::size_t>(std::countr_zero(bits));
        const auto count = static_cast<std::size_t>(std::countr_one(bits >> gap));
        function(position + gap, count);
        position += gap + count;
        if (gap + count >= 64) {
            return;
        }
        bits >>= gap + count;
    }
}

void append(std::vector<AccessInterval>& intervals, const AccessInterval& next) {
    if (!intervals.empty() && intervals.back().end == next.begin) {
        intervals.back().end = next.end;  // the first line's pc stands for the whole interval
    } else {
        intervals.push_back(next);
    }
}

}  // namespace

std::unique_ptr<PageBytes> PagePool::take() {
    if (pages_.empty()) {
        return std::make_unique_for_overwrite<PageBytes>();
    }
    std::unique_ptr<PageBytes> page = std::move(pages_.back());
    pages_.pop_back();
    return page;
}

std::byte* DeferredWrites::target(const Run& run) const {
    return reinterpret_cast<std::byte*>(pages_[run.page].address + run.offset);
}

const std::byte* DeferredWrites::held_back(const Run& run) const {
    return pages_[run.page].bytes->data() + run.offset;
}

// Swaps the bytes in memory with those held back.
void DeferredWrites::exchange(const Run& run) {
    PageBytes now;
    std::byte* const held = pages_[run.page].bytes->data() + run.offset;
    raw_copy(now.data(), target(run), run.bytes);
    raw_copy(target(run), held, run.bytes);
    raw_copy(held, now.data(), run.bytes);
}

void DeferredWrites::apply() {
    for (const Run& run : runs_) {
        raw_copy(target(run), held_back(run), run.bytes);
    }
    for (Page& page : pages_) {
        pool_->give_back(std::move(page.bytes));
    }
    runs_.clear();
    pages_.clear();
}

void DeferredWrites::poison(std::byte value) const {
    for (const Run& run : runs_) {
        raw_fill(target(run), value, run.bytes);
    }
}

void DeferredWrites::forget(std::uintptr_t begin, std::uintptr_t end) {
    std::vector<Run> kept;
    for (const Run& run : runs_) {
        const auto run_begin = reinterpret_cast<std::uintptr_t>(target(run));
        const std::uintptr_t run_end = run_begin + run.bytes;
        const std::uintptr_t before = std::min(run_end, std::max(run_begin, begin));
        const std::uintptr_t after = std::max(before, std::max(run_begin, std::min(run_end, end)));
        if (before > run_begin) {
            kept.push_back({run.page, run.offset, static_cast<std::uint16_t>(before - run_begin)});
        }
        if (after < run_end) {
            const auto skipped = static_cast<std::uint16_t>(after - run_begin);
            kept.push_back({run.page, static_cast<std::uint16_t>(run.offset + skipped),
                            static_cast<std::uint16_t>(run_end - after)});
        }
    }
    runs_ = std::move(kept);
}

std::size_t DeferredWrites::bytes() const {
    std::size_t sum = 0;
    for (const Run& run : runs_) {
        sum += run.bytes;
    }
    return sum;
}

void AccessRecorder::Unmap::operator()(Stretch* stretch) const {
    munmap(stretch, sizeof(Stretch));
}

AccessRecorder::Stretch& AccessRecorder::stretch_at(std::uintptr_t address) {
    const std::uintptr_t number = address / stretch_bytes;
    CachedStretch& cached = cache_[cache_slot(number)];
    if (cached.number == number) {
        return *cached.stretch;
    }
    const RecordingPaused paused;  // the recorder's own memory may lie where the program's once was
    auto& stretch = stretches_[number];
    if (stretch == nullptr) {
        void* const zeroed =
            mmap(nullptr, sizeof(Stretch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (zeroed == MAP_FAILED) {
            throw std::bad_alloc();
        }
        stretch.reset(static_cast<Stretch*>(zeroed));
    }
    if (const std::uintptr_t begin = number * stretch_bytes; !is_watched(begin, begin + stretch_bytes)) {
        cached = {number, stretch.get()};
    }
    return *stretch;
}

// The first access of its kind to a line, and perhaps to a page.
void AccessRecorder::start_line(Stretch& stretch, std::uintptr_t address, Access kind, std::uintptr_t pc) {
    stretch.pc[static_cast<std::size_t>(kind)][line_of(address)] =
        find_return_address_ != nullptr ? find_return_address_(pc) : pc;
    Page& page = stretch.pages[address / page_bytes % pages_per_stretch];
    const std::uint32_t bit = 1u << static_cast<unsigned>(kind);
    if ((page.kinds & bit) != 0) {
        return;
    }
    const RecordingPaused paused;  // as above
    if (page.kinds == 0) {
        accessed_.push_back(address / page_bytes);
    }
    page.kinds |= bit;
    if (save_pages_ && kind != Access::read && page.saved == 0) {
        saved_.push_back(pool_->take());
        raw_copy(saved_.back()->data(), reinterpret_cast<const void*>(address / page_bytes * page_bytes), page_bytes);
        page.saved = static_cast<std::uint32_t>(saved_.size());
    }
}

void AccessRecorder::record_slowly(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc) {
    accessed_bytes_ += bytes;
    if (is_watched(address, address + bytes)) [[unlikely]] {
        watched_touched_(pc);
    }
    for_each_line(address, bytes, [&](Stretch& stretch, std::uintptr_t at, std::uint64_t of_line) {
        const std::size_t line = line_of(at);
        if (stretch.touched[static_cast<std::size_t>(kind)][line] == 0) {
            start_line(stretch, at, kind, pc);
        }
        stretch.mark(line, kind, of_line);
    });
}

// Calls function(stretch, address, bits) for the part of the bytes in each line.
template <typename Function>
void AccessRecorder::for_each_line(std::uintptr_t address, std::size_t bytes, Function&& function) {
    while (bytes > 0) {
        const std::size_t offset = address % line_bytes;
        const std::size_t count = std::min(bytes, line_bytes - offset);
        function(stretch_at(address), address, bits(offset, count));
        address += count;
        bytes -= count;
    }
}

void AccessRecorder::note_whole_read(std::uintptr_t address, std::size_t bytes) {
    if (bytes < 2) {
        return;
    }
    for_each_line(address + 1, bytes - 1, [](Stretch& stretch, std::uintptr_t at, std::uint64_t of_line) {
        stretch.joined[line_of(at)] |= of_line;
        stretch.pages[at / page_bytes % pages_per_stretch].has_wholes = true;
    });
}

void AccessRecorder::note_set(std::uintptr_t address, std::size_t bytes) {
    for_each_line(address, bytes, [](Stretch& stretch, std::uintptr_t at, std::uint64_t of_line) {
        const std::size_t line = line_of(at);
        for (const auto& touched : stretch.touched) {
            of_line &= ~touched[line];
        }
        stretch.set_first[line] |= of_line;
        stretch.pages[at / page_bytes % pages_per_stretch].has_set = true;
    });
}

std::vector<AccessRecorder::AccessedPage> AccessRecorder::pages_in_order() const {
    std::vector<AccessedPage> pages;
    pages.reserve(accessed_.size());
    for (const std::uintptr_t number : accessed_) {
        pages.push_back({number, stretches_.at(number / pages_per_stretch).get()});
    }
    std::ranges::sort(pages, {}, &AccessedPage::number);
    return pages;
}

// The bytes of a page as intervals: bits_of(line) has a bit for each.
template <typename BitsOfLine>
void AccessRecorder::append_lines(std::vector<AccessInterval>& found, const AccessedPage& page, Access kind,
                                  BitsOfLine&& bits_of) {
    std::uintptr_t begin = page.address();
    for (std::size_t line = 0; line < lines_per_page; ++line, begin += line_bytes) {
        for_each_run(bits_of(line), [&](std::size_t first, std::size_t count) {
            append(found, {begin + first, begin + first + count, kind, page.pc(kind)[line]});
        });
    }
}

std::vector<AccessInterval> AccessRecorder::intervals() const {
    std::array<std::vector<AccessInterval>, kinds> found;
    for (const AccessedPage& page : pages_in_order()) {
        const auto written = page.touched(Access::write);
        for (const Access kind : {Access::read, Access::write, Access::atomic}) {
            if (page.has(kind)) {
                const auto touched = page.touched(kind);
                append_lines(found[static_cast<std::size_t>(kind)], page, kind, [&](std::size_t line) {
                    return kind == Access::write ? touched[line] : touched[line] & ~written[line];
                });
            }
        }
    }
    std::vector<AccessInterval> all;
    for (const std::vector<AccessInterval>& of_kind : found) {
        all.insert(all.end(), of_kind.begin(), of_kind.end());
    }
    std::ranges::stable_sort(all, {}, &AccessInterval::begin);
    return all;
}

// The bytes of a line that were read, or updated by an atomic, before the operation set them.
std::uint64_t AccessRecorder::AccessedPage::found(std::size_t line, Access kind) const {
    std::uint64_t bits = touched(kind)[line];
    if (has(Access::write)) {
        const std::uint64_t kept = kind == Access::read ? read_first()[line] : 0;
        bits &= ~touched(Access::write)[line] | kept;
    }
    return page().has_set ? bits & ~set_first()[line] : bits;
}

// A whole is a byte and the joined ones behind it; it is in `found` if all of its bytes are.
class AccessRecorder::Wholes {
public:
    explicit Wholes(std::vector<AccessInterval>& found) : found_(found) {}
    ~Wholes() { end(); }
    Wholes(const Wholes&) = delete;
    Wholes& operator=(const Wholes&) = delete;

    void add(std::uintptr_t at, bool joined, bool found, std::uintptr_t pc) {
        if (!joined || at != now_.end) {
            end();
            now_ = {at, at, Access::read, pc};
            all_found_ = true;
        }
        ++now_.end;
        all_found_ = all_found_ && found;
    }

private:
    void end() {
        if (now_.end - now_.begin > 1 && all_found_) {
            found_.push_back(now_);
        }
    }

    std::vector<AccessInterval>& found_;
    AccessInterval now_;
    bool all_found_ = false;
};

template <typename BitsOfLine>
void AccessRecorder::append_wholes(Wholes& wholes, const AccessedPage& page, BitsOfLine&& bits_of) {
    for (std::size_t line = 0; line < lines_per_page; ++line) {
        const std::uint64_t joined = page.joined()[line];
        const std::uint64_t found = page.found(line, Access::read);
        const std::uintptr_t begin = page.address() + line * line_bytes;
        for_each_run(bits_of(line), [&](std::size_t first, std::size_t count) {
            for (std::size_t byte = first; byte < first + count; ++byte) {
                wholes.add(begin + byte, (joined >> byte & 1) != 0, (found >> byte & 1) != 0,
                           page.pc(Access::read)[line]);
            }
        });
    }
}

AccessRecorder::FirstReads AccessRecorder::first_reads() const {
    FirstReads reads;
    std::vector<AccessInterval> atomics;
    Wholes wholes(reads.wholes);
    const std::vector<AccessedPage> pages = pages_in_order();
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const AccessedPage& page = pages[i];
        const bool goes_on = i + 1 < pages.size() && pages[i + 1].number == page.number + 1;
        const std::uint64_t behind = goes_on && pages[i + 1].page().has_wholes ? pages[i + 1].joined()[0] : 0;
        const bool has_wholes = page.page().has_wholes || behind != 0;
        // The bytes of a line that begin a whole or belong to one.
        const auto in_whole = [&](std::size_t line) {
            const auto joined = page.joined();
            return joined[line] | joined[line] >> 1 | (line + 1 < lines_per_page ? joined[line + 1] : behind) << 63;
        };
        if (page.has(Access::read)) {
            const auto touched = page.touched(Access::read);
            append_lines(reads.values, page, Access::read, [&](std::size_t line) {
                return touched[line] == 0 ? 0 : page.found(line, Access::read) & ~(has_wholes ? in_whole(line) : 0);
            });
        }
        if (page.has(Access::atomic)) {
            append_lines(atomics, page, Access::atomic,
                         [&](std::size_t line) { return page.found(line, Access::atomic); });
        }
        if (has_wholes) {
            append_wholes(wholes, page, in_whole);
        }
    }
    if (!atomics.empty()) {
        reads.values.insert(reads.values.end(), atomics.begin(), atomics.end());
        std::ranges::stable_sort(reads.values, {}, &AccessInterval::begin);
    }
    return reads;
}

std::uintptr_t AccessRecorder::pc_of(std::uintptr_t begin, std::uintptr_t end, Access kind) const {
    // The line in which they begin may have been accessed for the bytes before them; the next one was not.
    const std::uintptr_t next_line = (begin / line_bytes + 1) * line_bytes;
    const std::uintptr_t at = begin % line_bytes != 0 && next_line < end ? next_line : begin;
    const auto stretch = stretches_.find(at / stretch_bytes);
    return stretch == stretches_.end() ? 0 : stretch->second->pc[static_cast<std::size_t>(kind)][line_of(at)];
}

std::uint64_t AccessRecorder::bytes_read() const {
    std::uint64_t sum = 0;
    for (const AccessedPage& page : pages_in_order()) {
        for (const std::uint64_t read : page.touched(Access::read)) {
            sum += static_cast<std::uint64_t>(std::popcount(read));
        }
    }
    return sum;
}

std::uint64_t AccessRecorder::bytes_written() const {
    std::uint64_t sum = 0;
    for (const AccessedPage& page : pages_in_order()) {
        for (std::size_t line = 0; line < lines_per_page; ++line) {
            const std::uint64_t written = page.touched(Access::write)[line] | page.touched(Access::atomic)[line];
            sum += static_cast<std::uint64_t>(std::popcount(written));
        }
    }
    return sum;
}

void AccessRecorder::clear() {
    constexpr std::size_t most_stretches_kept = 256;
    if (empty()) {
        return;
    }
    for (std::unique_ptr<PageBytes>& saved : saved_) {
        if (saved != nullptr) {
            pool_->give_back(std::move(saved));
        }
    }
    saved_.clear();
    if (stretches_.size() > most_stretches_kept) {
        cache_ = {};
        stretches_.clear();
    } else {
        for (const std::uintptr_t number : accessed_) {
            clear(AccessedPage{number, &stretch_at(number * page_bytes)});
        }
    }
    accessed_.clear();
    accessed_bytes_ = 0;
}

void AccessRecorder::clear(const AccessedPage& accessed) {
    for (const Access kind : {Access::read, Access::write, Access::atomic}) {
        if (accessed.has(kind)) {
            std::ranges::fill(accessed.touched(kind), 0);
        }
    }
    if (accessed.has(Access::read) && accessed.has(Access::write)) {
        std::ranges::fill(accessed.read_first(), 0);
    }
    if (accessed.page().has_wholes) {
        std::ranges::fill(accessed.joined(), 0);
    }
    if (accessed.page().has_set) {
        std::ranges::fill(accessed.set_first(), 0);
    }
    accessed.page() = {};
}

bool AccessRecorder::is_watched(std::uintptr_t begin, std::uintptr_t end) const {
    return std::ranges::any_of(watched_, [=](const Watched& range) { return begin < range.end && range.begin < end; });
}

void AccessRecorder::watch(std::vector<Watched> ranges, std::function<void(std::uintptr_t pc)> touched) {
    watched_ = std::move(ranges);
    watched_touched_ = std::move(touched);
    cache_ = {};
}

DeferredWrites AccessRecorder::take_back_writes() {
    DeferredWrites taken;
    taken.pool_ = pool_;
    for (const AccessedPage& page : pages_in_order()) {
        if (!page.has(Access::write)) {
            continue;
        }
        if (page.page().saved == 0 || saved_[page.page().saved - 1] == nullptr) {
            throw std::logic_error("take_back_writes() needs save_pages(true) before the first access, and runs once");
        }
        const std::size_t first_run = taken.runs_.size();
        append_runs(taken, page.touched(Access::write));
        taken.pages_.push_back({page.address(), std::move(saved_[page.page().saved - 1])});
        for (std::size_t run = first_run; run < taken.runs_.size(); ++run) {
            taken.exchange(taken.runs_[run]);
        }
    }
    return taken;
}

// The written runs of the page that `taken` gets next.
void AccessRecorder::append_runs(DeferredWrites& taken, std::span<const std::uint64_t> written) {
    const auto page = static_cast<std::uint32_t>(taken.pages_.size());
    std::vector<DeferredWrites::Run>& runs = taken.runs_;
    const std::size_t first_run = runs.size();
    for (std::size_t line = 0; line < lines_per_page; ++line) {
        for_each_run(written[line], [&](std::size_t first, std::size_t count) {
            const std::size_t offset = line * line_bytes + first;
            if (runs.size() > first_run && runs.back().offset + runs.back().bytes == offset) {
                runs.back().bytes = static_cast<std::uint16_t>(runs.back().bytes + count);
            } else {
                runs.push_back({page, static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(count)});
            }
        });
    }
}

}  // namespace simulator
