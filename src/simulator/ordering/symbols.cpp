#include "simulator/ordering/symbols.hpp"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace simulator {

namespace {

// Collects, outermost first, the inlined calls below `parent` that hold `address`. Returns whether a function holds it.
// (dwarf_getscopes() of elfutils 0.188 finds nothing in what clang++ writes.)
bool find_inlined_calls(Dwarf_Die parent, Dwarf_Addr address, std::vector<Dwarf_Die>& calls) {
    Dwarf_Die die;
    for (int more = dwarf_child(&parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
        const int tag = dwarf_tag(&die);
        const bool has_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        // Functions of local and other types, and what is in functions whose own code lies elsewhere (lambdas).
        const bool has_functions = tag == DW_TAG_namespace || tag == DW_TAG_lexical_block ||
                                   tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_subprogram;
        if (has_code && dwarf_haspc(&die, address) > 0) {
            if (tag == DW_TAG_inlined_subroutine) {
                calls.push_back(die);
            }
            find_inlined_calls(die, address, calls);
            return true;
        }
        if (has_functions && find_inlined_calls(die, address, calls)) {
            return true;
        }
    }
    return false;
}

// Debug information lies in the program itself. The standard search might ask a server for that of system libraries.
int find_no_separate_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}

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
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = find_unit(module, address, bias);
        if (unit == nullptr) {
            return {};
        }
        std::vector<device::SourceLine> found;
        Dwarf_Attribute attribute;
        const char* const directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
        append_line(unit, address - bias, directory, found);
        append_inlined_calls(unit, address - bias, directory, found);
        return found;
    }

    std::string symbol(Dwarf_Addr address) {
        Dwfl_Module* const module = find_module(address);
        const char* const name = module != nullptr ? dwfl_module_addrname(module, address) : nullptr;
        return name != nullptr ? name : "";
    }

private:
    struct End {
        void operator()(Dwfl* session) const { dwfl_end(session); }
    };

    static constexpr Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = find_no_separate_file,
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

    // The compilation unit that holds `address`; its own addresses are lower by `bias`.
    static Dwarf_Die* find_unit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
        if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) {
            return unit;
        }
        // clang++ writes no table from addresses to units, so ask each unit.
        Dwarf_Die* unit = nullptr;
        while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
            if (dwarf_haspc(unit, address - bias) > 0) {
                return unit;
            }
        }
        return nullptr;
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

    static void append_line(Dwarf_Die* unit, Dwarf_Addr address, const char* directory,
                            std::vector<device::SourceLine>& found) {
        Dwarf_Line* const line = dwarf_getsrc_die(unit, address);
        int number = 0;
        if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) {
            return;
        }
        if (const char* const file = dwarf_linesrc(line, nullptr, nullptr)) {
            found.push_back({as_recorded(file, directory), number});
        }
    }

    static void append_inlined_calls(Dwarf_Die* unit, Dwarf_Addr address, const char* directory,
                                     std::vector<device::SourceLine>& found) {
        Dwarf_Files* files = nullptr;
        if (dwarf_getsrcfiles(unit, &files, nullptr) != 0) {
            return;
        }
        std::vector<Dwarf_Die> calls;
        find_inlined_calls(*unit, address, calls);
        std::ranges::reverse(calls);
        for (Dwarf_Die& call : calls) {
            Dwarf_Attribute attribute;
            Dwarf_Word file = 0;
            Dwarf_Word line = 0;
            if (dwarf_formudata(dwarf_attr(&call, DW_AT_call_file, &attribute), &file) != 0 ||
                dwarf_formudata(dwarf_attr(&call, DW_AT_call_line, &attribute), &line) != 0) {
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

bool is_users_file(std::string_view recorded) {
    // clang++ records "/usr/bin/../lib/gcc/..."
    const std::string file = std::filesystem::path(recorded).lexically_normal().generic_string();
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

namespace {

// Never destroyed: findings are still written while the program's own objects are destroyed.
std::mutex& information_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

DebugInformation& debug_information() {
    static DebugInformation& information = *new DebugInformation;
    return information;
}

}  // namespace

std::vector<device::SourceLine> source_lines(std::uintptr_t return_address) {
    static auto& known = *new std::unordered_map<std::uintptr_t, std::vector<device::SourceLine>>;
    if (return_address == 0) {
        return {};
    }
    const std::scoped_lock lock(information_mutex());
    const auto cached = known.find(return_address);
    if (cached != known.end()) {
        return cached->second;
    }
    // The call ends just before the address it returns to, which may belong to the next line already.
    std::vector<device::SourceLine> lines = debug_information().lines(return_address - 1);
    return known.emplace(return_address, std::move(lines)).first->second;
}

bool is_in_loaded_object(std::uintptr_t address) {
    Dl_info object{};
    return dladdr(reinterpret_cast<const void*>(address), &object) != 0;
}

std::string function_symbol(std::uintptr_t address) {
    const std::scoped_lock lock(information_mutex());
    return debug_information().symbol(address);
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
