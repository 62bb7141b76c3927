// Damaged sources: whatever the text, the rewriting ends, keeps every line and touches nothing but launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "simulator/launch_syntax/rewrite.hpp"

namespace {

std::string read_program(const std::string& name) {
    std::ifstream stream(std::string(PROGRAM_DIRECTORY) + "/" + name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_FALSE(text.empty()) << name;
    return text;
}

const std::vector<std::string>& fragments() {
    static const std::vector<std::string> list{"<<<",      ">>>",
                                               "<",        ">",
                                               "(",        ")",
                                               "{",        "}",
                                               "[",        "]",
                                               ";",        ",",
                                               "\"",       "'",
                                               "R\"x(",    ")x\"",
                                               "/*",       "*/",
                                               "//",       "\\\n",
                                               "\n",       "#if 0\n",
                                               "#endif\n", "#define A ",
                                               "::",       "extern __shared__ ",
                                               "0",        "NULL",
                                               "k",        "\r\n",
                                               "operator", "template"};
    return list;
}

class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutate(std::string text) {
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            change(text);
        }
        return text;
    }

    std::string piece_of(const std::string& text) {
        const std::size_t start = below(text.size());
        return text.substr(start, 1 + below(400));
    }

private:
    // mt19937 is the same everywhere, the standard distributions are not.
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

    void change(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = std::min<std::size_t>(below(8), text.size() - at);
        switch (below(4)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, fragments()[below(fragments().size())]);
                break;
            case 2:
                text.insert(below(text.size() + 1), text.substr(at, length));
                break;
            default:
                text.replace(at, length, fragments()[below(fragments().size())]);
        }
    }

    std::mt19937 random_;
};

const std::string directive = "#line 1 \"f.cu\"\n";

// Takes back what a rewrite inserts; without launches and dynamic shared memory this is the whole source.
bool is_subsequence_of(const std::string& part, const std::string& whole) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < whole.size() && found < part.size(); ++i) {
        found += whole[i] == part[found] ? 1 : 0;
    }
    return found == part.size();
}

// The source without what a rewrite may remove.
std::string without_syntax(std::string source) {
    for (const std::string removed : {"<<<", ">>>", "extern", "__shared__", "__align__", "static", "alignas"}) {
        for (std::size_t at = source.find(removed); at != std::string::npos; at = source.find(removed)) {
            source.erase(at, removed.size());
        }
    }
    return source;
}

void expect_well_behaved(const std::string& source) {
    const auto result = simulator::rewrite_launches(source, "f.cu");
    if (!result.ok()) {
        EXPECT_TRUE(result.text.empty());
        const auto lines = static_cast<int>(std::count(source.begin(), source.end(), '\n')) + 1;
        for (const auto& error : result.errors) {
            EXPECT_TRUE(error.message.starts_with("expected ")) << error.message;
            EXPECT_TRUE(error.line >= 1 && error.line <= lines && error.column >= 1) << source;
        }
        return;
    }
    ASSERT_TRUE(result.text.starts_with(directive));
    const std::string text = result.text.substr(directive.size());
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n')) << source;
    if (!result.changed) {
        EXPECT_EQ(text, source);
    } else if (source.find("__shared__") == std::string::npos) {
        EXPECT_TRUE(is_subsequence_of(without_syntax(source), text)) << source;
    }
}

class Mutation : public testing::TestWithParam<const char*> {};

TEST_P(Mutation, OfWholePrograms) {
    const std::string program = read_program(GetParam());
    Mutator mutator(1);
    for (int i = 0; i < 600 && !HasFailure(); ++i) {
        expect_well_behaved(mutator.mutate(program));
    }
}

TEST_P(Mutation, OfPieces) {
    const std::string program = read_program(GetParam());
    Mutator mutator(2);
    for (int i = 0; i < 6000 && !HasFailure(); ++i) {
        expect_well_behaved(mutator.mutate(mutator.piece_of(program)));
    }
}

TEST_P(Mutation, EveryTruncation) {
    const std::string program = read_program(GetParam());
    for (std::size_t length = 0; length < program.size() && !HasFailure(); length += 3) {
        expect_well_behaved(program.substr(0, length));
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, Mutation, testing::Values("arguments.cu", "configuration.cu"), [](const auto& info) {
    const std::string name = info.param;
    return name.substr(0, name.find('.'));
});

}  // namespace
