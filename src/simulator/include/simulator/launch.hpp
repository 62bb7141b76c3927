// What the launch-syntax pass makes of k<<<grid, block, shared, stream>>>(arguments):
//
//   SIMULATOR_KERNEL("k", k).with(grid, block, shared, stream)(arguments)
//
// Included by cuda_runtime.h behind dim3, cudaStream_t, KernelBody and launch_kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "simulator/barriers.h"

// Code that carries the arguments to the kernel is not the student's: its accesses and basic blocks are not recorded.
#if defined(__clang__)
#define SIMULATOR_UNRECORDED __attribute__((no_sanitize("thread", "coverage")))
#else
#define SIMULATOR_UNRECORDED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#endif

// Two lambdas, since a name that may be overloaded or a template cannot be passed as a value: the first calls it, the
// second finds its parameters and its address where it is a single function. A copy is captured of a variable that holds
// a kernel.
#define SIMULATOR_KERNEL(name, ...)                                                       \
    ::simulator::kernel(                                                                  \
        name,                                                                             \
        [=](const auto&... simulator_arguments)                                           \
            SIMULATOR_UNRECORDED -> decltype(void(__VA_ARGS__(simulator_arguments...))) { \
                __VA_ARGS__(simulator_arguments...);                                      \
            },                                                                            \
        [=](auto simulator_find) SIMULATOR_UNRECORDED -> decltype(simulator_find(__VA_ARGS__)) { \
            return simulator_find(__VA_ARGS__);                                           \
        })

namespace simulator {

// What the pass makes of `extern __shared__ T name[];` within a function.
template <class T>
SIMULATOR_UNRECORDED T* dynamic_shared_memory() {
    return static_cast<T*>(simulator_dynamic_shared_memory());
}

// The same declaration outside of functions: every use asks for the running block's memory.
template <class T>
struct DynamicSharedMemory {
    SIMULATOR_UNRECORDED operator T*() const { return dynamic_shared_memory<T>(); }

    // A cast to another type's pointer, as an array allows it.
    template <class U, class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<U>, std::remove_cv_t<T>>>>
    SIMULATOR_UNRECORDED explicit operator U*() const {
        return (U*)dynamic_shared_memory<T>();
    }
};

// The pass puts the variables of `__shared__ T a[4], b;` into a type V of their own. They are here, and are poisoned when
// the first thread of a block comes by.
template <class V>
struct SharedVariables {
    static_assert(sizeof(V) <= 48 * 1024, "a block has at most 48 KiB of static shared memory");

    struct Storage {
        unsigned char guard_before[SIMULATOR_SHARED_GUARD_BYTES];
        union {
            unsigned char nothing;
            V variables;
        };
        unsigned char guard_behind[SIMULATOR_SHARED_GUARD_BYTES];

        constexpr Storage() : guard_before(), nothing(), guard_behind() {}
    };
    static inline Storage storage;
    static inline std::uint64_t block = 0;  // for which it was poisoned
    // Told before main: what a kernel needs can be asked for before it runs.
    static inline const bool announced = (simulator_announce_shared(typeid(V).name(), sizeof(V)), true);

    SIMULATOR_UNRECORDED static void enter() {
        static_cast<void>(&announced);
        simulator_enter_shared(&storage.variables, sizeof(V), &block);
    }
};

// A literal 0 or NULL among the arguments: a number or a null pointer, as the kernel's parameter wants it.
class Zero {
public:
    template <class T>
    constexpr explicit Zero(T) {}

    template <class T, class = std::enable_if_t<std::is_pointer_v<T> || std::is_convertible_v<int, T>>>
    constexpr operator T() const {
        if constexpr (std::is_pointer_v<T>) {
            return nullptr;
        } else {
            return 0;
        }
    }
};

struct UnknownParameters {};  // of an overloaded name, or of a template whose arguments are deduced

template <class... P>
struct Parameters {};

struct FindParameters {
    template <class... P>
    Parameters<P...> operator()(void (*)(P...)) const;
};

struct FindAddress {
    template <class... P>
    SIMULATOR_UNRECORDED const void* operator()(void (*kernel)(P...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
};

template <std::size_t Index, class T>
struct Argument {
    T value;
};

template <class T, class = void>
struct SizeOf : std::integral_constant<std::size_t, 1> {};  // void, or a type that is not defined here

template <class T>
struct SizeOf<T, std::enable_if_t<(std::is_object<T>::value && sizeof(T) > 0)>>
    : std::integral_constant<std::size_t, sizeof(T)> {};

template <class T>
SIMULATOR_UNRECORDED void visit_pointer(const T&, KernelBody::VisitPointer, void*) {}

template <class T>
SIMULATOR_UNRECORDED std::enable_if_t<!std::is_function_v<T>> visit_pointer(T* const& pointer, KernelBody::VisitPointer visit,
                                                                            void* data) {
    visit(data, const_cast<const void*>(static_cast<const volatile void*>(pointer)), SizeOf<std::remove_cv_t<T>>::value);
}

template <class Call, class Indices, class... Values>
class LaunchedKernel;

// A kernel with the arguments of one launch. Every simulated thread gets its own copies, as a kernel's parameters are.
template <class Call, std::size_t... Index, class... Values>
class LaunchedKernel<Call, std::index_sequence<Index...>, Values...> final : public KernelBody,
                                                                             private Argument<Index, Values>... {
public:
    template <class... Arguments>
    SIMULATOR_UNRECORDED explicit LaunchedKernel(Call call, Arguments&&... arguments)
        : Argument<Index, Values>{std::forward<Arguments>(arguments)}..., call_(std::move(call)) {}

    SIMULATOR_UNRECORDED void run_thread() override {
        call_(static_cast<const Argument<Index, Values>&>(*this).value...);
    }

    SIMULATOR_UNRECORDED void visit_pointers([[maybe_unused]] VisitPointer visit, [[maybe_unused]] void* data) const override {
        (visit_pointer(static_cast<const Argument<Index, Values>&>(*this).value, visit, data), ...);
    }

private:
    Call call_;
};

struct LaunchConfiguration {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    cudaStream_t stream;
    const void* function;  // null where only the call can tell which one it is
};

template <class... Values, class Call, class... Arguments>
SIMULATOR_UNRECORDED void launch_with(const char* name, const LaunchConfiguration& configuration, const Call& call,
                                      std::uintptr_t call_address, Arguments&&... arguments) {
    using Body = LaunchedKernel<Call, std::index_sequence_for<Values...>, Values...>;
    launch_kernel(name, configuration.function, configuration.grid, configuration.block, configuration.shared_bytes, configuration.stream,
                  std::unique_ptr<KernelBody>(new Body(call, std::forward<Arguments>(arguments)...)), call_address);
}

template <class T>
using Stored = std::conditional_t<std::is_same_v<std::decay_t<T>, Zero>, int, std::decay_t<T>>;

template <class Call, class... Arguments>
inline constexpr bool callable = std::is_invocable_v<const Call&, const Stored<Arguments>&...> ||
                                 std::is_invocable_v<const Call&, const std::decay_t<Arguments>&...>;

// Launches a kernel whose parameters only its call can tell: overloaded, deduced or with default arguments.
template <class Call, class... Arguments>
SIMULATOR_UNRECORDED void launch_deduced(const char* name, const LaunchConfiguration& configuration, const Call& call,
                                         std::uintptr_t call_address, Arguments&&... arguments) {
    if constexpr (!std::is_invocable_v<const Call&, const Stored<Arguments>&...> &&
                  std::is_invocable_v<const Call&, const std::decay_t<Arguments>&...>) {
        launch_with<std::decay_t<Arguments>...>(name, configuration, call, call_address,
                                                std::forward<Arguments>(arguments)...);
    } else {
        launch_with<Stored<Arguments>...>(name, configuration, call, call_address,
                                          std::forward<Arguments>(arguments)...);
    }
}

// The call of a configured kernel. It is not inlined, so that its return address is the launch's line.
template <class Call, class Known>
struct ConfiguredKernel {
    template <class... Arguments>
    [[gnu::noinline]] SIMULATOR_UNRECORDED void operator()(Arguments&&... arguments) const {
        launch_deduced(name, configuration, call, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                       std::forward<Arguments>(arguments)...);
    }

    const char* name;
    LaunchConfiguration configuration;
    Call call;
};

template <class Call, class... P>
struct ConfiguredKernel<Call, Parameters<P...>> {
    template <class... Arguments>
    static constexpr bool other_call = sizeof...(Arguments) != sizeof...(P) && callable<Call, Arguments...>;

    template <class... Arguments>
    static constexpr bool unfit = !std::is_invocable_v<void (*)(P...), Arguments...> && !other_call<Arguments...>;

    // The arguments are converted to the kernel's parameters here, once, as at any call.
    [[gnu::noinline]] SIMULATOR_UNRECORDED void operator()(P... arguments) const {
        launch_with<std::remove_cv_t<P>...>(name, configuration, call,
                                            reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                                            std::forward<P>(arguments)...);
    }

    // Default arguments, or another function of an overloaded name.
    template <class... Arguments, std::enable_if_t<other_call<Arguments...>, int> = 0>
    [[gnu::noinline]] SIMULATOR_UNRECORDED void operator()(Arguments&&... arguments) const {
        launch_deduced(name, configuration, call, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                       std::forward<Arguments>(arguments)...);
    }

    // Chosen when nothing else fits, so that the compiler's message is short and names the line of the launch.
    // clang-format off
    template <class... Arguments, std::enable_if_t<unfit<Arguments...>, int> = 0>
    void operator()(Arguments&&...) const = delete;  // the kernel's parameters P do not take these Arguments
    // clang-format on

    const char* name;
    LaunchConfiguration configuration;
    Call call;
};

template <class Call, class Known>
struct Kernel {
    [[nodiscard]] SIMULATOR_UNRECORDED ConfiguredKernel<Call, Known> with(dim3 grid, dim3 block,
                                                                          std::size_t shared_bytes = 0,
                                                                          cudaStream_t stream = nullptr) const {
        return {name, {grid, block, shared_bytes, stream, function}, call};
    }

    const char* name;
    const void* function;
    Call call;
};

template <class Call, class Find>
SIMULATOR_UNRECORDED auto kernel(const char* name, const Call& call, const Find& find) {
    if constexpr (std::is_invocable_v<const Find&, FindParameters>) {
        return Kernel<Call, std::invoke_result_t<const Find&, FindParameters>>{name, find(FindAddress{}), call};
    } else {
        return Kernel<Call, UnknownParameters>{name, nullptr, call};
    }
}

}  // namespace simulator
