// `course`, the one command of the repository. See commands.hpp for what it can do.
#include <exception>
#include <iostream>

#include "course/command_line.hpp"
#include "course/commands.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"

namespace {

constexpr int cannot_proceed = 2;

int run(int count, const char* const* arguments) {
    const auto parsed = course::parse(count, arguments);
    if (const auto* help = std::get_if<course::HelpText>(&parsed)) {
        std::cout << help->text;
        return 0;
    }
    const course::Project project = course::find_project();
    return std::visit([&](const auto& options) { return course::execute(project, options); },
                      std::get<course::Request>(parsed));
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count, arguments);
    } catch (const course::DoesNotCompile& error) {
        std::cout.flush();
        std::cerr << error.diagnostics() << "course: " << error.what() << '\n';
        return cannot_proceed;
    } catch (const std::exception& error) {
        std::cout.flush();
        std::cerr << "course: " << error.what() << '\n';
        return cannot_proceed;
    }
}
