#include "simulator/launch_syntax/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using simulator::describe;
using simulator::rewrite_launches;
using simulator::RewriteError;

// The rewritten text without the #line directive in front of it.
std::string rewritten(const std::string& source) {
    const auto result = rewrite_launches(source, "f.cu");
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : describe(result.errors.front(), "f.cu"));
    const std::string directive = "#line 1 \"f.cu\"\n";
    EXPECT_TRUE(result.text.starts_with(directive));
    return result.ok() ? result.text.substr(directive.size()) : "";
}

struct Example {
    const char* name;
    const char* source;
    const char* expected;
};

std::ostream& operator<<(std::ostream& stream, const Example& example) {
    return stream << example.name;
}

std::string name_of(const testing::TestParamInfo<Example>& info) {
    return info.param.name;
}

class Rewrite : public testing::TestWithParam<Example> {};

TEST_P(Rewrite, GivesPlainCpp) {
    EXPECT_EQ(rewritten(GetParam().source), GetParam().expected);
}

TEST_P(Rewrite, KeepsTheNumberOfLines) {
    const std::string source = GetParam().source;
    const std::string text = rewritten(source);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
}

INSTANTIATE_TEST_SUITE_P(
    Launch, Rewrite,
    testing::Values(
        Example{"plain", "k<<<1, 2>>>(a, b);", R"(SIMULATOR_KERNEL("k", k).with(1, 2)(a, b);)"},
        Example{"no_arguments", "k<<<g, b, s, st>>>();", R"(SIMULATOR_KERNEL("k", k).with(g, b, s, st)();)"},
        Example{"template_arguments", "k<float, 4><<<1, 2>>>(a);",
                R"(SIMULATOR_KERNEL("k", k<float, 4>).with(1, 2)(a);)"},
        Example{"nested_template_arguments", "k<A<B<int>>><<<1, 2>>>(a);",
                R"(SIMULATOR_KERNEL("k", k<A<B<int>>>).with(1, 2)(a);)"},
        Example{"shift_in_template_argument", "k<(1 >> 2), 1 << 2><<<1, 2>>>(a);",
                R"(SIMULATOR_KERNEL("k", k<(1 >> 2), 1 << 2>).with(1, 2)(a);)"},
        Example{"qualified", "return ::a::b<int>::k<<<1, 2>>>(a);",
                R"(return SIMULATOR_KERNEL("k", ::a::b<int>::k).with(1, 2)(a);)"},
        Example{"after_a_condition", "if (x) (p)<<<1, 2>>>(a); else k<<<1, 2>>>();",
                R"(if (x) SIMULATOR_KERNEL("p", (p)).with(1, 2)(a); else SIMULATOR_KERNEL("k", k).with(1, 2)();)"},
        Example{"expression", "o->t.list[f(2)](3)<<<1, 2>>>(a);",
                R"(SIMULATOR_KERNEL("o", o->t.list[f(2)](3)).with(1, 2)(a);)"},
        Example{"over_lines", "k<\n int><<<1,\n 2\n>>>\n(\na);\n",
                "SIMULATOR_KERNEL(\"k\", k<\n int>).with(1,\n 2\n)\n(\na);\n"},
        Example{"comments_inside", "k/*<<<*/<<<1, // >>>\n 2>>>/**/(a);",
                "SIMULATOR_KERNEL(\"k\", k/*<<<*/).with(1, // >>>\n 2)/**/(a);"},
        Example{"shifts_in_configuration", "k<<<n >> 8, 1 << 3>>>(a >> 1, b << 2);",
                R"(SIMULATOR_KERNEL("k", k).with(n >> 8, 1 << 3)(a >> 1, b << 2);)"},
        Example{"closing_templates_in_configuration", "k<<<f<g<h<int>>>(), 2>>>(a);",
                R"(SIMULATOR_KERNEL("k", k).with(f<g<h<int>>>(), 2)(a);)"},
        Example{"comparison_in_configuration", "k<<<a < b ? 1 : 2, 2>>>(a);",
                R"(SIMULATOR_KERNEL("k", k).with(a < b ? 1 : 2, 2)(a);)"},
        Example{"many_template_arguments_in_configuration", "k<<<f<1, 2, 3, 4, 5>(), 2>>>();",
                R"(SIMULATOR_KERNEL("k", k).with(f<1, 2, 3, 4, 5>(), 2)();)"},
        Example{
            "zeros", "k<<<1, 2>>>(0, NULL, a, 0);",
            R"(SIMULATOR_KERNEL("k", k).with(1, 2)(::simulator::Zero(0), ::simulator::Zero(NULL), a, ::simulator::Zero(0));)"},
        Example{"zeros_inside_arguments", "k<<<1, 2>>>(f(0), {0, 1}, 0 + a);",
                R"(SIMULATOR_KERNEL("k", k).with(1, 2)(f(0), {0, 1}, 0 + a);)"},
        Example{"zero_among_template_arguments", "k<<<1, 2>>>(f<a, 0, b>(x));",
                R"(SIMULATOR_KERNEL("k", k).with(1, 2)(f<a, 0, b>(x));)"},
        Example{
            "launch_in_an_argument", "k<<<1, 2>>>([&] { j<<<3, 4>>>(0); });",
            R"(SIMULATOR_KERNEL("k", k).with(1, 2)([&] { SIMULATOR_KERNEL("j", j).with(3, 4)(::simulator::Zero(0)); });)"},
        Example{"macro_argument", "CHECK(k<<<1, 2>>>(a));", R"(CHECK(SIMULATOR_KERNEL("k", k).with(1, 2)(a));)"},
        Example{"carriage_returns", "k<<<1,\r\n2>>>(a);\r\n", "SIMULATOR_KERNEL(\"k\", k).with(1,\r\n2)(a);\r\n"},
        Example{"directives_inside", "k<<<1,\n#ifdef X\n2\n#else\n3\n#endif\n>>>(a);",
                "SIMULATOR_KERNEL(\"k\", k).with(1,\n#ifdef X\n2\n#else\n3\n#endif\n)(a);"}),
    name_of);

// libstdc++ 13 writes __attribute__((__noinline__)): a macro of that name would break its headers.
INSTANTIATE_TEST_SUITE_P(
    Noinline, Rewrite,
    testing::Values(Example{"function", "__noinline__ __device__ int f();", "__attribute__((noinline)) __device__ int f();"},
                    Example{"in_a_macro", "#define F static __noinline__\nF int f();",
                            "#define F static __attribute__((noinline))\nF int f();"},
                    Example{"attribute", "__attribute__((__noinline__)) int f();",
                            "__attribute__((__noinline__)) int f();"},
                    Example{"one_of_two_attributes", "__attribute__((cold, __noinline__)) int f();",
                            "__attribute__((cold, __noinline__)) int f();"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    LeftAlone, Rewrite,
    testing::Values(Example{"empty", "", ""}, Example{"line_comment", "// k<<<1>>>\nint x;", "// k<<<1>>>\nint x;"},
                    Example{"continued_line_comment", "// a \\\nk<<<1>>>\nint x;", "// a \\\nk<<<1>>>\nint x;"},
                    Example{"block_comment", "/* k<<<1>>>\n */ int x;", "/* k<<<1>>>\n */ int x;"},
                    Example{"string", R"(f("k<<<1>>> \" <<<");)", R"(f("k<<<1>>> \" <<<");)"},
                    Example{"prefixed_string", R"(f(u8"<<<", L'<', U"<<<"_x);)", R"(f(u8"<<<", L'<', U"<<<"_x);)"},
                    Example{"raw_string", "f(R\"x(k<<<1>>> )\" \\\n )x\");", "f(R\"x(k<<<1>>> )\" \\\n )x\");"},
                    Example{"quote_character", "f('\"', '\\'', \"<<<\");", "f('\"', '\\'', \"<<<\");"},
                    Example{"digit_separator", "int n = 1'000'000; f(\"<<<\");", "int n = 1'000'000; f(\"<<<\");"},
                    Example{"skipped_group", "#if 0\nk<<<1>>> don't \"\n#if X\n#else\n#endif\n<<<\n#endif\nint x;",
                            "#if 0\nk<<<1>>> don't \"\n#if X\n#else\n#endif\n<<<\n#endif\nint x;"},
                    Example{"error_directive", "#error don't <<< do\nint x;", "#error don't <<< do\nint x;"},
                    Example{"nested_templates", "A<B<C<int>>> x; A<B<C<int>>>(1);", "A<B<C<int>>> x; A<B<C<int>>>(1);"},
                    Example{"shift_operator_template", "x.operator<<<int>(3);", "x.operator<<<int>(3);"},
                    Example{"static_shared_memory", "__shared__ float x[4];", "__shared__ float x[4];"},
                    Example{"extern_variable", "extern float x[];", "extern float x[];"},
                    Example{"macro", "#define F(x) \"<<<\" x /* <<< */ \\\n  >> 3\nint x;",
                            "#define F(x) \"<<<\" x /* <<< */ \\\n  >> 3\nint x;"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    AfterSkippedText, Rewrite,
    testing::Values(Example{"else_of_a_skipped_group", "#if 0\n<<<\n#else\nk<<<1, 2>>>();\n#endif\n",
                            "#if 0\n<<<\n#else\nSIMULATOR_KERNEL(\"k\", k).with(1, 2)();\n#endif\n"},
                    Example{"other_group", "#if 01 + X\nk<<<1, 2>>>();\n#endif\n",
                            "#if 01 + X\nSIMULATOR_KERNEL(\"k\", k).with(1, 2)();\n#endif\n"},
                    Example{"comment_with_endif", "#if 0\n/*\n#endif\n*/ <<<\n#endif\nk<<<1, 2>>>();",
                            "#if 0\n/*\n#endif\n*/ <<<\n#endif\nSIMULATOR_KERNEL(\"k\", k).with(1, 2)();"},
                    Example{
                        "literals", "f(R\"()\", '\\\\', \"\\\\\", 1'0, 0x1p-3, .5e+3); k<<<1, 2>>>();",
                        "f(R\"()\", '\\\\', \"\\\\\", 1'0, 0x1p-3, .5e+3); SIMULATOR_KERNEL(\"k\", k).with(1, 2)();"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    DynamicSharedMemory, Rewrite,
    testing::Values(
        Example{"in_a_function", "void k() { extern __shared__ float x[]; }",
                "void k() { auto* x = ::simulator::dynamic_shared_memory<  float >(); }"},
        Example{"aligned", "void k() { extern __shared__ __align__(16) unsigned char x[]; }",
                "void k() { auto* x = ::simulator::dynamic_shared_memory<   unsigned char >(); }"},
        Example{"volatile", "void k() { extern volatile __shared__ T x[]; }",
                "void k() { auto* x = ::simulator::dynamic_shared_memory< volatile  T >(); }"},
        Example{"rows", "void k() { extern __shared__ T x[][8]; }",
                "void k() { auto* x = ::simulator::dynamic_shared_memory<  T [8]>(); }"},
        Example{"over_lines", "void k() {\nextern\n__shared__ T\nx\n[\n]; }",
                "void k() {\nauto* x = ::simulator::dynamic_shared_memory<\n T\n\n\n>(); }"},
        Example{"in_a_namespace", "namespace a::b { extern \"C\" { extern __shared__ int x[]; } }",
                "namespace a::b { extern \"C\" { static constexpr ::simulator::DynamicSharedMemory<  int > x{}; } }"}),
    name_of);

std::string shared(const std::string& type, std::initializer_list<const char*> names) {
    std::string text = "; };";
    for (const std::string name : names) {
        text +=
            " static auto& " + name + " = ::simulator::SharedVariables<" + type + ">::storage.variables." + name + ";";
    }
    return text + " ::simulator::SharedVariables<" + type + ">::enter();";
}

std::string variable(const std::string& name) {
    return " static const ::simulator::DeviceVariable simulator_variable_" + name + "(" + name + ");";
}

TEST(StaticSharedMemory, IsAStructureWithAReferenceToEachVariable) {
    EXPECT_EQ(rewritten("void k() { __shared__ float x[4]; }"),
              "void k() { struct SimulatorShared5 {  float x[4]" + shared("SimulatorShared5", {"x"}) + " }");
    EXPECT_EQ(rewritten("void k() {\nstatic __shared__ __align__(8)\nA<B<int, 2>> x[N][M + 1], *y, z;\n}"),
              "void k() {\nstruct SimulatorShared6 {   __align__(8)\nA<B<int, 2>> x[N][M + 1], *y, z" +
                  shared("SimulatorShared6", {"x", "y", "z"}) + "\n}");
    EXPECT_EQ(rewritten("void k() { __shared__ typename T::U x; volatile __shared__ int y; }"),
              "void k() { struct SimulatorShared5 {  typename T::U x" + shared("SimulatorShared5", {"x"}) +
                  " struct SimulatorShared13 { volatile  int y" + shared("SimulatorShared13", {"y"}) + " }");
    EXPECT_EQ(
        rewritten("void k() { __shared__ typename a::B<int, 3>::C x; }"),
        "void k() { struct SimulatorShared5 {  typename a::B<int, 3>::C x" + shared("SimulatorShared5", {"x"}) + " }");
    // A file's: no block knows of it.
    EXPECT_EQ(rewritten("namespace a { __shared__ float x[4]; }"), "namespace a { __shared__ float x[4]; }");
}

TEST(DeviceVariables, AreAnnouncedBehindTheirDeclaration) {
    for (const auto& [source, names] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"__constant__ float x[4];", {"x"}},
             {"static __device__ int x;", {"x"}},
             {"namespace a { __device__ volatile A<int, 3> x[2][2], *y = nullptr; }", {"x", "y"}},
             {"__constant__ __device__ const float x[] = {1, 2, f(3)}, y{4};", {"x", "y"}},
             {"__device__ __align__(16) std::array<float, (3)> x;", {"x"}},
             {"int f() { return 1; }\n__device__ unsigned\nx = 3;", {"x"}}}) {
        std::string expected = source;
        std::string announced;
        for (const std::string& name : names) {
            announced += variable(name);
        }
        expected.insert(expected.rfind(';') + 1, announced);
        EXPECT_EQ(rewritten(source), expected);
    }
}

TEST(DeviceVariables, AreNothingElse) {
    for (const char* const source :
         {"__device__ int f(int x);", "__device__ int f(int x) { return x; }", "extern __device__ int x;",
          "template <class T> __device__ T x;", "struct A { __device__ int f() const; static __device__ int x; };",
          "auto f = [] __device__(int x) { return x; };", "__device__ A::A() : x(1) {}", "__device__ int A::x = 3;",
          "__host__ __device__ constexpr int f() { return 1; }", "__device__ bool operator==(A a, A b);",
          "__device__ A<int> f(B<(1)> x) {}", "__device__", "__device__ int x", "void f() { __device__ int x; }",
          "__device__ auto f(int x) -> decltype(x) { return x; }"}) {
        EXPECT_EQ(rewritten(source), source);
    }
}

TEST(Kernels, AreAnnouncedBehindTheirDefinition) {
    for (const auto& [source, name, offset] : std::vector<std::tuple<std::string, std::string, int>>{
             {"__global__ void k() {}", "k", 16},
             {"namespace a { static __global__ void __launch_bounds__(256, 2) k(int* x) { if (x) { f(); } } }", "k", 63},
             {"__launch_bounds__(N) __global__ void k(A<1> x)\n{\n}", "k", 37},
             {"__global__ void a::k(int (*f)(int)) {}", "a::k", 16}}) {
        std::string expected = source;
        const std::size_t end = expected.rfind(source.ends_with("} }") ? "} }" : "}") + 1;
        expected.insert(end, " [[maybe_unused]] static const bool simulator_kernel_" + std::to_string(offset) +
                                 " = SIMULATOR_ANNOUNCE_KERNEL(" + name + ");");
        EXPECT_EQ(rewritten(source), expected);
    }
}

TEST(Kernels, AreNothingElse) {
    for (const char* const source :
         {"__global__ void k();", "template <class T> __global__ void k(T) {}", "template <> __global__ void k(int) {}",
          "struct A { static __global__ void k() {} };", "__global__", "__global__ void k() {", "__global__ void {}"}) {
        EXPECT_EQ(rewritten(source), source);
    }
}

TEST(Macros, HoldWholeLaunches) {
    for (const auto& [source, expected] : std::vector<std::pair<std::string, std::string>>{
             {"#define RUN(k, n, ...) k<<<(n), 2>>>(__VA_ARGS__)\n",
              "#define RUN(k, n, ...) SIMULATOR_KERNEL(#k, k).with((n), 2)(__VA_ARGS__)\n"},
             {"#define RUN(k) \\\n  do { (k)<<<1, 2>>>(0); k<int><<<1, 2>>>(); } while (0)\n",
              "#define RUN(k) \\\n  do { SIMULATOR_KERNEL(#k, (k)).with(1, 2)(::simulator::Zero(0)); "
              "SIMULATOR_KERNEL(#k, k<int>).with(1, 2)(); } while (0)\n"},
             {"#define RUN scale<<<1, 2>>>(x)\n", "#define RUN SIMULATOR_KERNEL(\"scale\", scale).with(1, 2)(x)\n"},
             {"#define RUN (scale)<<<1, 2>>>(x)\n",
              "#define RUN SIMULATOR_KERNEL(\"scale\", (scale)).with(1, 2)(x)\n"}}) {
        EXPECT_EQ(rewritten(source), expected);
    }
}

TEST(KernelPointers, AreFoundWhereASpecializationIsCast) {
    for (const auto& [source, expected] : std::vector<std::pair<std::string, std::string>>{
             {"f((void*)k<int>, g);", "f(::simulator::kernel_pointer<void*>(k<int>), g);"},
             {"p = (const void *)&a::k<B<4>, (3 > 2)>;",
              "p = ::simulator::kernel_pointer<const void *>(&a::k<B<4>, (3 > 2)>);"},
             {"f(reinterpret_cast<void*>(k<int>), g);", "f(::simulator::kernel_pointer<void*>(k<int>), g);"}}) {
        EXPECT_EQ(rewritten(source), expected);
    }
    for (const char* const source :
         {"f((void*)k, g);", "if ((void*)p < q && r > s) {}", "f((int*)k<int>);", "f((void*)k<int>());", "void* p;",
          "(void*)", "reinterpret_cast", "reinterpret_cast<void*>(k)", "f((void)k<int>);", "(void*)a<"}) {
        EXPECT_EQ(rewritten(source), source);
    }
}

struct Mistake {
    const char* name;
    const char* source;
    RewriteError expected;
};

std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
    return stream << mistake.name;
}

class RewriteMistake : public testing::TestWithParam<Mistake> {};

TEST_P(RewriteMistake, IsReportedWithItsPlace) {
    const auto result = rewrite_launches(GetParam().source, "f.cu");
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_EQ(result.errors[0].message, GetParam().expected.message);
    EXPECT_EQ(result.errors[0].line, GetParam().expected.line);
    EXPECT_EQ(result.errors[0].column, GetParam().expected.column);
    EXPECT_TRUE(result.text.empty());
}

constexpr const char* too_few =
    "expected 2 to 4 launch configuration arguments (grid, block, shared bytes, stream), found ";

INSTANTIATE_TEST_SUITE_P(
    Launch, RewriteMistake,
    testing::Values(
        Mistake{"not_closed",
                "int x;\n  k<<<1, 2;\n",
                {2, 4, "expected '>>>' to close the launch configuration, found ';'"}},
        Mistake{"closed_with_blanks",
                "k<<<1, 2>> >(a);",
                {1, 2, "expected '>>>' to close the launch configuration, found ';'"}},
        Mistake{"file_ends",
                "k<<<1, 2",
                {1, 2, "expected '>>>' to close the launch configuration, found the end of the file"}},
        Mistake{"block_ends", "{ k<<<1, 2 }", {1, 4, "expected '>>>' to close the launch configuration, found '}'"}},
        Mistake{
            "no_arguments", "k<<<1, 2>>>;", {1, 9, "expected '(' and the kernel's arguments after '>>>', found ';'"}},
        Mistake{"arguments_not_closed",
                "k<<<1, 2>>>(a;\n",
                {1, 12, "expected ')' to close the kernel's arguments, found the end of the file"}},
        Mistake{"one_argument", "k<<<1>>>(a);", {1, 2, std::string(too_few) + "1"}},
        Mistake{"empty_configuration", "k<<<>>>(a);", {1, 2, std::string(too_few) + "0"}},
        Mistake{"five_arguments", "k<<<1, 2, 3, 4, 5>>>(a);", {1, 2, std::string(too_few) + "5"}},
        Mistake{"no_name", "x = <<<1, 2>>>(a);", {1, 5, "expected a kernel's name before '<<<', found '='"}},
        Mistake{"keyword_for_a_name",
                "return <<<1, 2>>>(a);",
                {1, 8, "expected a kernel's name before '<<<', found 'return'"}},
        Mistake{"first_thing_in_the_file",
                "<<<1, 2>>>(a);",
                {1, 1, "expected a kernel's name before '<<<', found the start of the file"}},
        Mistake{"merge_conflict",
                "int x;\n<<<<<<< HEAD\n",
                {2, 1, "expected '<<<' behind a kernel's name, found '<<<<<<<' (an unresolved merge conflict?)"}},
        Mistake{
            "macro",
            "int x;\n#define RUN(a) \\\n  k<<<1, 2>>>\n",
            {3, 4,
             "expected the whole kernel launch inside a macro, found a part of one in 'RUN': write it in a function "
             "instead"}},
        Mistake{"shared_memory_with_a_size",
                "void k() { extern __shared__ float x[4]; }",
                {1, 19, "expected 'extern __shared__ TYPE NAME[];' for dynamic shared memory, found 'float x[4];'"}},
        Mistake{
            "two_shared_arrays",
            "void k() { extern __shared__ float x[], y[]; }",
            {1, 19, "expected 'extern __shared__ TYPE NAME[];' for dynamic shared memory, found 'float x[], y[];'"}},
        Mistake{"shared_memory_with_an_initializer",
                "void k() { __shared__ int x = 0; }",
                {1, 12, "expected '__shared__ TYPE NAME;' without an initializer, found 'int x ='"}},
        Mistake{"shared_memory_in_a_macro",
                "#define BUFFER extern __shared__ float x[]\n",
                {1, 23,
                 "expected no dynamic shared memory inside a macro, found '__shared__' in 'BUFFER': declare it in the "
                 "kernel instead"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RewriteErrors, AreAllReportedInTheOrderOfTheSource) {
    const auto result = rewrite_launches("k<<<1>>>();\n#define X a<<<1, 2>>>\nj<<<1, 2>>>;\n", "f.cu");
    ASSERT_EQ(result.errors.size(), 3u);
    EXPECT_EQ(result.errors[0].line, 1);
    EXPECT_EQ(result.errors[1].line, 2);
    EXPECT_EQ(result.errors[2].line, 3);
}

TEST(RewriteErrors, ReadAsACompilersMessage) {
    EXPECT_EQ(describe({3, 7, "expected this, found that"}, "labs/lab.cu"),
              "labs/lab.cu:3:7: error: expected this, found that");
}

TEST(RewriteResult, SaysWhetherSomethingChanged) {
    EXPECT_FALSE(rewrite_launches("int x;", "f.cu").changed);
    EXPECT_TRUE(rewrite_launches("k<<<1, 2>>>();", "f.cu").changed);
}

TEST(RewriteResult, ListsQuotedIncludes) {
    const auto result =
        rewrite_launches("#include <a.h>\n# include \"b/c.cuh\" // d\n#if 0\n#include \"e.h\"\n#endif\n", "f.cu");
    EXPECT_EQ(result.quoted_includes, std::vector<std::string>{"b/c.cuh"});
}

TEST(BitFields, AreSeen) {
    for (const char* const source : {"struct S { unsigned a : 3; };", "struct S { int a : 3, b : WIDTH; };",
                                     "struct S { int a : 3 = 0; };", "struct S { const int x = 1; T a : 4; };"}) {
        EXPECT_TRUE(rewrite_launches(source, "f.cu").bit_fields) << source;
    }
    for (const char* const source : {"int x = a ? b : 3;", "f(a ? b : 3, 4);", "switch (x) { case A: y = 3; }",
                                     "switch (x) { default: return; }", "for (int a : values) { use(a); }",
                                     "S::S() : a(3) {}", "struct A : B {};", "struct S { public: int a; };"}) {
        EXPECT_FALSE(rewrite_launches(source, "f.cu").bit_fields) << source;
    }
}

TEST(RewriteResult, NamesTheFileForTheCompiler) {
    EXPECT_EQ(rewrite_launches("int x;", "a \"b\"\\c.cu").text, "#line 1 \"a \\\"b\\\"\\\\c.cu\"\nint x;");
}

}  // namespace
