// A small check program around the fake lab program, for lab_test_test.cpp.
#include "checks/causes.hpp"
#include "checks/lab_test.hpp"

namespace {

class Sample : public checks::LabTest {
protected:
    static void right(std::size_t elements) {
        const auto solved =
            session().solve(session().options().program, {{elements, 128, 37}, 1, 1, checks::Traced::yes});
        require(solved.wrong);
    }
};

TEST_F(Sample, typical) {
    judge({.points = 6, .needs = {}}, [] { right(1000); });
}

TEST_F(Sample, small) {
    judge({.points = 2, .needs = {}}, [] { right(3); });
}

TEST_F(Sample, fast) {
    judge({.points = 4, .needs = {"typical"}}, [this] { award(2.5); });
}

TEST_F(Sample, faster) {
    judge({.points = 1, .needs = {"fast"}}, [] {});
}

TEST_F(Sample, noisy) {
    judge({.points = 1, .needs = {}}, [] {
        throw checks::NotJudged(checks::NotJudged::Kind::inconclusive,
                                {checks::cause::speed_inconclusive,
                                 {{"pairs", "31"}, {"low", "0.5"}, {"high", "0.7"}, {"required_share", "0.60"}},
                                 {},
                                 {}});
    });
}

TEST_F(Sample, no_device) {
    judge({.points = 1, .needs = {}}, [] {
        throw checks::NotJudged(checks::NotJudged::Kind::skipped, {checks::cause::only_simulated, {}, {}, {}});
    });
}

TEST_F(Sample, plain) {
    EXPECT_EQ(2 + 2, 5) << "a plain assertion";
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("sample", argc, argv);
}
