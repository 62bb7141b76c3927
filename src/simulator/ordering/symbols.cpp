#include "simulator/ordering/symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

namespace simulator {

namespace {

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

// The scopes that hold an address or a die, innermost first; libdw hands out one malloc'ed array.
class Scopes {
public:
    static Scopes of_address(Dwarf_Die& unit, Dwarf_Addr address) {
        Dwarf_Die* dies = nullptr;
        const int count = dwarf_getscopes(&unit, address, &dies);
        return {dies, count};
    }
    static Scopes of_die(Dwarf_Die& die) {
        Dwarf_Die* dies = nullptr;
        const int count = dwarf_getscopes_die(&die, &dies);
        return {dies, count};
    }
    std::span<Dwarf_Die> dies() const { return {dies_.get(), count_}; }

private:
    Scopes(Dwarf_Die* dies, int count) : dies_(dies), count_(count > 0 ? static_cast<std::size_t>(count) : 0) {}

    std::unique_ptr<Dwarf_Die, Free> dies_;
    std::size_t count_;
};

// The debug information of this process.
class DebugInformation {
public:
    DebugInformation() : session_(dwfl_begin(&callbacks)) {
        if (session_ != nullptr) {
            report();
        }
    }

    std::vector<device::SourceLine> lines(Dwarf_Addr address) {
        Dwfl_Module* const module = find_module(address);
        if (module == nullptr) {
            return {};
        }
        std::vector<device::SourceLine> found;
        if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
            int number = 0;
            const char* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
            if (file != nullptr && number > 0) {
                found.push_back({as_recorded(file, dwfl_line_comp_dir(line)), number});
            }
        }
        append_inlined_calls(module, address, found);
        return found;
    }

private:
    struct End {
        void operator()(Dwfl* session) const { dwfl_end(session); }
    };

    static constexpr Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = nullptr,
        .debuginfo_path = nullptr,
    };

    void report() {
        dwfl_report_begin_add(session_.get());
        dwfl_linux_proc_report(session_.get(), getpid());
        dwfl_report_end(session_.get(), nullptr, nullptr);
    }

    // A library may have been loaded since the last report.
    Dwfl_Module* find_module(Dwarf_Addr address) {
        if (session_ == nullptr) {
            return nullptr;
        }
        Dwfl_Module* module = dwfl_addrmodule(session_.get(), address);
        if (module == nullptr) {
            report();
            module = dwfl_addrmodule(session_.get(), address);
        }
        return module;
    }

    // libdw puts the compiler's working directory before relative names; the program's user never wrote it.
    static std::string as_recorded(std::string_view file, const char* directory) {
        if (directory != nullptr) {
            const std::string prefix = std::string(directory) + '/';
            if (file.starts_with(prefix)) {
                file.remove_prefix(prefix.size());
            }
        }
        return std::string(file);
    }

    static void append_inlined_calls(Dwfl_Module* module, Dwarf_Addr address, std::vector<device::SourceLine>& found) {
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
        if (unit == nullptr) {
            return;
        }
        Dwarf_Files* files = nullptr;
        const Scopes around = Scopes::of_address(*unit, address - bias);
        if (around.dies().empty() || dwarf_getsrcfiles(unit, &files, nullptr) != 0) {
            return;
        }
        // The scopes of the address name the places where inlined functions are *defined*; the scopes of the
        // innermost die name the places where they were inlined.
        Dwarf_Attribute attribute;
        const char* const directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
        const Scopes inlined = Scopes::of_die(around.dies().front());
        for (Dwarf_Die& die : inlined.dies()) {
            if (dwarf_tag(&die) != DW_TAG_inlined_subroutine) {
                continue;
            }
            Dwarf_Word file = 0;
            Dwarf_Word line = 0;
            if (dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &attribute), &file) != 0 ||
                dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attribute), &line) != 0) {
                continue;
            }
            if (const char* const name = dwarf_filesrc(files, file, nullptr, nullptr)) {
                found.push_back({as_recorded(name, directory), static_cast<int>(line)});
            }
        }
    }

    std::unique_ptr<Dwfl, End> session_;
};

}  // namespace

bool is_users_file(std::string_view file) {
    for (const std::string_view system : {"/usr/include/", "/usr/lib/", "/usr/local/cuda", "<"}) {
        if (file.starts_with(system)) {
            return false;
        }
    }
    for (const std::string_view ours : {"src/simulator/", "src/lab/"}) {
        if (file.find(ours) != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

std::vector<device::SourceLine> source_lines(std::uintptr_t return_address) {
    // Never destroyed: findings are still written while the program's own objects are destroyed.
    static std::mutex& mutex = *new std::mutex;
    static auto& known = *new std::unordered_map<std::uintptr_t, std::vector<device::SourceLine>>;
    static DebugInformation& information = *new DebugInformation;
    if (return_address == 0) {
        return {};
    }
    const std::scoped_lock lock(mutex);
    const auto cached = known.find(return_address);
    if (cached != known.end()) {
        return cached->second;
    }
    // The call ends just before the address it returns to, which may belong to the next line already.
    std::vector<device::SourceLine> lines = information.lines(return_address - 1);
    return known.emplace(return_address, std::move(lines)).first->second;
}

device::SourceLine source_line(std::uintptr_t return_address, const FilePredicate& accept) {
    const std::vector<device::SourceLine> lines = source_lines(return_address);
    for (const device::SourceLine& line : lines) {
        if (accept(line.file)) {
            return line;
        }
    }
    return lines.empty() ? device::SourceLine{} : lines.front();
}

}  // namespace simulator
