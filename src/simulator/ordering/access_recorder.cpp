#include "simulator/ordering/access_recorder.hpp"

#include <algorithm>
#include <bit>
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

AccessRecorder::Lines* AccessRecorder::fresh_lines() {
    if (lines_used_ == lines_.size()) {
        lines_.push_back(std::make_unique<Lines>());
    } else {
        *lines_[lines_used_] = Lines{};
    }
    return lines_[lines_used_++].get();
}

AccessRecorder::Pages::Stretch* AccessRecorder::Pages::find_stretch(std::uintptr_t number) {
    const RecordingPaused paused;  // the recorder's own memory may lie where the program's once was
    std::unique_ptr<Stretch>& stretch = stretches_[number];
    if (stretch == nullptr) {
        stretch = std::make_unique<Stretch>();
    }
    return stretch.get();
}

std::vector<std::pair<std::uintptr_t, AccessRecorder::Page*>> AccessRecorder::Pages::in_order() {
    std::vector<std::pair<std::uintptr_t, Page*>> pages;
    pages.reserve(accessed_.size());
    for (const std::uintptr_t number : accessed_) {
        pages.emplace_back(number, &(*this)[number]);
    }
    std::ranges::sort(pages);
    return pages;
}

std::vector<std::pair<std::uintptr_t, const AccessRecorder::Page*>> AccessRecorder::Pages::in_order() const {
    std::vector<std::pair<std::uintptr_t, const Page*>> pages;
    pages.reserve(accessed_.size());
    for (const std::uintptr_t number : accessed_) {
        pages.emplace_back(number, &(*stretches_.at(number / pages_per_stretch))[number % pages_per_stretch]);
    }
    std::ranges::sort(pages);
    return pages;
}

void AccessRecorder::Pages::clear() {
    for (const std::uintptr_t number : accessed_) {
        (*this)[number] = Page{};
    }
    accessed_.clear();
}

AccessRecorder::Lines* AccessRecorder::lines_of(std::uintptr_t number, Access kind) {
    const auto index = static_cast<std::size_t>(kind);
    CachedPage& cached = cache_[index][cache_slot(number)];
    if (cached.number == number) {
        return cached.lines;
    }
    Page& page = pages_[number];
    if (page.lines[index] == nullptr) {
        start_lines(page, number, kind);
    }
    const std::uintptr_t begin = number * page_bytes;
    if (!is_watched(begin, begin + page_bytes)) {
        cached = {number, page.lines[index]};
    }
    return page.lines[index];
}

void AccessRecorder::start_lines(Page& page, std::uintptr_t number, Access kind) {
    const RecordingPaused paused;  // as above
    if (page.lines == decltype(page.lines){}) {
        pages_.add(number);
    }
    page.lines[static_cast<std::size_t>(kind)] = fresh_lines();
    if (save_pages_ && kind != Access::read && page.saved == nullptr) {
        page.saved = pool_->take();
        raw_copy(page.saved->data(), reinterpret_cast<const void*>(number * page_bytes), page_bytes);
    }
}

void AccessRecorder::record_across_lines(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc) {
    accessed_bytes_ += bytes;
    if (is_watched(address, address + bytes)) [[unlikely]] {
        watched_touched_();
    }
    while (bytes > 0) {
        Lines* const lines = lines_of(address / page_bytes, kind);
        std::size_t rest_of_page = std::min(bytes, page_bytes - address % page_bytes);
        bytes -= rest_of_page;
        while (rest_of_page > 0) {
            const std::size_t offset = address % line_bytes;
            const std::size_t count = std::min(rest_of_page, line_bytes - offset);
            lines->mark(address / line_bytes % lines_per_page, offset, count, pc);
            address += count;
            rest_of_page -= count;
        }
    }
}

std::vector<AccessInterval> AccessRecorder::intervals() const {
    std::array<std::vector<AccessInterval>, kinds> found;
    const auto add_page = [&found](std::uintptr_t begin, Access kind, const Lines& lines, const Lines* hidden) {
        std::vector<AccessInterval>& of_kind = found[static_cast<std::size_t>(kind)];
        for (std::size_t index = 0; index < lines_per_page; ++index, begin += line_bytes) {
            const std::uint64_t bits = lines.touched[index] & ~(hidden == nullptr ? 0 : hidden->touched[index]);
            for_each_run(bits, [&](std::size_t first, std::size_t count) {
                append(of_kind, {begin + first, begin + first + count, kind, lines.pc[index]});
            });
        }
    };
    for (const auto& [number, page] : pages_.in_order()) {
        const Lines* const written = page->lines[static_cast<std::size_t>(Access::write)];
        for (const Access kind : {Access::read, Access::write, Access::atomic}) {
            if (const Lines* const lines = page->lines[static_cast<std::size_t>(kind)]) {
                add_page(number * page_bytes, kind, *lines, kind == Access::write ? nullptr : written);
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

std::uint64_t AccessRecorder::bytes_read() const {
    std::uint64_t sum = 0;
    for (const auto& [number, page] : pages_.in_order()) {
        for (std::size_t index = 0; index < lines_per_page; ++index) {
            sum += static_cast<std::uint64_t>(std::popcount(page->touched(Access::read, index)));
        }
    }
    return sum;
}

std::uint64_t AccessRecorder::bytes_written() const {
    std::uint64_t sum = 0;
    for (const auto& [number, page] : pages_.in_order()) {
        for (std::size_t index = 0; index < lines_per_page; ++index) {
            const std::uint64_t written = page->touched(Access::write, index) | page->touched(Access::atomic, index);
            sum += static_cast<std::uint64_t>(std::popcount(written));
        }
    }
    return sum;
}

void AccessRecorder::clear() {
    if (empty()) {
        return;
    }
    for (const auto& [number, page] : pages_.in_order()) {
        if (page->saved != nullptr) {
            pool_->give_back(std::move(page->saved));
        }
    }
    pages_.clear();
    cache_ = {};
    lines_used_ = 0;
    accessed_bytes_ = 0;
}

bool AccessRecorder::is_watched(std::uintptr_t begin, std::uintptr_t end) const {
    return std::ranges::any_of(watched_, [=](const Watched& range) { return begin < range.end && range.begin < end; });
}

void AccessRecorder::watch(std::vector<Watched> ranges, std::function<void()> touched) {
    watched_ = std::move(ranges);
    watched_touched_ = std::move(touched);
    cache_ = {};
}

DeferredWrites AccessRecorder::take_back_writes() {
    DeferredWrites taken;
    taken.pool_ = pool_;
    for (const auto& [number, page] : pages_.in_order()) {
        const Lines* const written = page->lines[static_cast<std::size_t>(Access::write)];
        if (written == nullptr) {
            continue;
        }
        if (page->saved == nullptr) {
            throw std::logic_error("take_back_writes() needs save_pages(true) before the first access, and runs once");
        }
        const std::size_t first_run = taken.runs_.size();
        append_runs(taken, *written);
        taken.pages_.push_back({number * page_bytes, std::move(page->saved)});
        for (std::size_t run = first_run; run < taken.runs_.size(); ++run) {
            taken.exchange(taken.runs_[run]);
        }
    }
    return taken;
}

// The written runs of the page that `taken` gets next.
void AccessRecorder::append_runs(DeferredWrites& taken, const Lines& written) {
    const auto page = static_cast<std::uint32_t>(taken.pages_.size());
    std::vector<DeferredWrites::Run>& runs = taken.runs_;
    const std::size_t first_run = runs.size();
    for (std::size_t line = 0; line < lines_per_page; ++line) {
        for_each_run(written.touched[line], [&](std::size_t first, std::size_t count) {
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
