#include "course/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>

#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

// Turns the name of a device into its number, which is how CLI11 reads an enumeration.
CLI::Validator device_name() {
    const auto convert = [](std::string& name) {
        const std::map<std::string, DeviceChoice> choices{
            {"auto", DeviceChoice::automatic}, {"gpu", DeviceChoice::gpu}, {"sim", DeviceChoice::simulated}};
        const auto found = choices.find(name);
        if (found == choices.end()) {
            return text("course.bad_device", {{"device", name}});
        }
        name = std::to_string(static_cast<int>(found->second));
        return std::string();
    };
    return CLI::Validator(convert, "");
}

// CLI11 takes "-1" for the largest number.
CLI::Validator seed_number() {
    const auto refuse = [](const std::string& given) {
        std::uint64_t seed = 0;
        const char* const end = given.data() + given.size();
        const auto [stopped, error] = std::from_chars(given.data(), end, seed);
        return error == std::errc() && stopped == end ? std::string() : text("course.bad_seed", {{"seed", given}});
    };
    return CLI::Validator(refuse, "");
}

// One line, whatever the library says.
std::string single_line(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    while (!message.empty() && message.back() == ' ') {
        message.pop_back();
    }
    return message;
}

class Parser {
public:
    Parser() : app_(text("course.help.about"), "./course") {
        app_.require_subcommand(0, 1);
        app_.set_help_flag("-h,--help", text("course.help.help"));
        add_check();
        add_run();
        add_timeline();
        add_hint();
        add_reset();
        add_doctor();
        add_calibrate();
        add_experiment();
        add_pages();
        add_slides();
        add_test();
    }

    std::variant<Request, HelpText> parse(int count, const char* const* arguments) {
        std::vector<std::string> given = with_own_arguments_aside({arguments + 1, arguments + count});
        std::reverse(given.begin(), given.end());  // CLI11 takes a vector from its end
        try {
            app_.parse(std::move(given));
        } catch (const CLI::CallForHelp&) {
            return HelpText{help()};
        } catch (const CLI::ParseError& error) {
            throw CannotProceed(explain(error));
        }
        return chosen_ ? chosen_() : Request(StatusOptions{});
    }

private:
    // After "--" follows what belongs to the program that is run; "-std=" is how compilers spell it.
    std::vector<std::string> with_own_arguments_aside(std::vector<std::string> given) {
        const auto dashes = std::find(given.begin(), given.end(), "--");
        const bool runs_a_program = !given.empty() && (given.front() == "run" || given.front() == "experiment");
        if (runs_a_program && dashes != given.end()) {
            auto& arguments = given.front() == "run" ? run_.arguments : experiment_.arguments;
            arguments.assign(dashes + 1, given.end());
            given.erase(dashes, given.end());
        }
        for (std::string& argument : given) {
            if (argument.starts_with("-std=")) {
                argument.insert(0, "-");
            }
        }
        return given;
    }

    // Registers a subcommand whose options live in `options`; it becomes the request when it was named.
    template <typename Options>
    CLI::App* add(const std::string& name, Options& options) {
        CLI::App* command = app_.add_subcommand(name, text("course.help." + name));
        command->callback([this, &options] { chosen_ = [&options] { return Request(options); }; });
        return command;
    }

    static void add_device(CLI::App* command, DeviceOptions& on) {
        command->add_option("--device", on.device, text("course.help.device"))
            ->transform(device_name())
            ->type_name("auto|gpu|sim");
        command->add_option("--profile", on.profile, text("course.help.profile"))->type_name("NAME");
    }

    template <typename Value>
    static void add_file(CLI::App* command, const std::string& name, Value& value, const std::string& help) {
        command->add_option(name, value, text(help))->type_name("FILE");
    }

    void add_check() {
        CLI::App* command = add("check", check_);
        command->add_option("LAB", check_.lab, text("course.help.lab"))->required()->type_name("");
        command->add_flag("--solution", check_.solution, text("course.help.solution"));
        add_device(command, check_.on);
        add_file(command, "--file", check_.file, "course.help.file");
        add_file(command, "--json", check_.json, "course.help.json");
        command->add_option("--seed", check_.seed, text("course.help.seed"))->check(seed_number())->type_name("N");
    }

    void add_run() {
        CLI::App* command = add("run", run_);
        command->add_option("TARGET", run_.target, text("course.help.target"))->required()->type_name("");
        command->add_flag("--solution", run_.solution, text("course.help.solution"));
        add_device(command, run_.on);
        BuildOptions& build = run_.build;
        command->add_option("MORE", build.more_sources, text("course.help.more_sources"))->type_name("");
        command->add_option("-I", build.include_directories, text("course.help.include"))
            ->allow_extra_args(false)
            ->type_name("DIR");
        command->add_option("-D", build.definitions, text("course.help.define"))
            ->allow_extra_args(false)
            ->type_name("NAME");
        command->add_option("--std", build.standard, text("course.help.standard"))->type_name("NAME");
        CLI::Option* const one = command->add_option("--fail-call", run_.fail_call, text("course.help.fail_call"));
        one->check(CLI::PositiveNumber)->type_name("N");
        command->add_flag("--fail-each", run_.fail_each, text("course.help.fail_each"))->excludes(one);
        command->footer(text("course.help.arguments"));
    }

    void add_timeline() {
        CLI::App* command = add("timeline", timeline_);
        command->add_option("TARGET", timeline_.target, text("course.help.timeline_target"))->required()->type_name("");
        command->add_flag("--solution", timeline_.solution, text("course.help.solution"));
        add_device(command, timeline_.on);
        add_file(command, "--svg", timeline_.svg, "course.help.svg");
        add_file(command, "--trace", timeline_.trace, "course.help.trace");
    }

    void add_hint() {
        CLI::App* command = add("hint", hint_);
        command->add_option("LAB", hint_.lab, text("course.help.lab"))->required()->type_name("");
        command->add_option("CHECK", hint_.check, text("course.help.check_id"))->type_name("");
    }

    void add_reset() {
        add("reset", reset_)->add_option("LAB", reset_.lab, text("course.help.lab"))->required()->type_name("");
    }

    void add_doctor() { add("doctor", doctor_); }

    void add_calibrate() {
        add("calibrate", calibrate_)->add_option("--name", calibrate_.name, text("course.help.profile_name"))->type_name("NAME");
    }

    void add_experiment() {
        CLI::App* command = add("experiment", experiment_);
        CLI::Option* const names =
            command->add_option("NAME", experiment_.names, text("experiment.help.names"))->type_name("");
        command->add_flag("--all", experiment_.all, text("experiment.help.all"))->excludes(names);
        add_device(command, experiment_.on);
        command->add_flag("--record", experiment_.record, text("experiment.help.record"));
        command->add_flag("--ledger", experiment_.ledger, text("experiment.help.ledger"));
        CLI::Option* const build = command->add_option("--build", experiment_.build, text("experiment.help.build"));
        build->type_name("DIR");
        command->add_option("--arch", experiment_.architecture, text("experiment.help.arch"))
            ->needs(build)
            ->type_name("sm_NN");
        command->add_option("--record-from", experiment_.record_from, text("experiment.help.record_from"))
            ->excludes(build)
            ->type_name("DIR");
        command->footer(text("experiment.help.arguments"));
    }

    void add_pages() {
        CLI::App* command = add("pages", pages_);
        command->add_option("CHECK", pages_.checks, text("course.help.page_checks"))->type_name("");
        command->add_flag("--write", pages_.write, text("course.help.write_pages"));
        command->add_flag("--draw", pages_.draw, text("course.help.draw_pages"));
    }

    void add_slides() {
        add("slides", slides_)->add_flag("--html", slides_.html, text("course.help.html_slides"));
    }

    void add_test() {
        CLI::App* command = add("test", test_);
        command->prefix_command();  // everything after it is Meson's
        command->callback([this, command] {
            test_.arguments = command->remaining();
            chosen_ = [this] { return Request(test_); };
        });
    }

    const CLI::App& asked() const {
        const auto named = app_.get_subcommands();
        return named.empty() ? app_ : *named.front();
    }

    std::string help() const { return app_.get_subcommands().empty() ? app_.help() : asked().help("./course"); }

    std::string command_names() const {
        std::string names;
        for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
            names += (names.empty() ? "" : ", ") + command->get_name();
        }
        return names;
    }

    std::string explain(const CLI::ParseError& error) const {
        const std::vector<std::string> unexpected = app_.remaining(true);
        const bool in_command = !app_.get_subcommands().empty();
        if (unexpected.empty()) {
            return text(in_command ? "course.usage" : "course.usage_general",
                        {{"reason", single_line(error.what())}, {"command", asked().get_name()}});
        }
        if (!in_command) {
            return text("course.unknown_command", {{"command", unexpected.front()}, {"commands", command_names()}});
        }
        return text("course.unexpected_argument",
                    {{"argument", unexpected.front()}, {"command", asked().get_name()}});
    }

    CLI::App app_;
    CheckOptions check_;
    RunOptions run_;
    TimelineOptions timeline_;
    HintOptions hint_;
    ResetOptions reset_;
    DoctorOptions doctor_;
    CalibrateOptions calibrate_;
    ExperimentOptions experiment_;
    PagesOptions pages_;
    SlidesOptions slides_;
    TestOptions test_;
    std::function<Request()> chosen_;
};

}  // namespace

std::variant<Request, HelpText> parse(int count, const char* const* arguments) {
    return Parser().parse(count, arguments);
}

}  // namespace course
