// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

// Every mutant of a folder in one program, for packaging/mutate, which writes these names into a copy of the
// sources: a * b becomes a * Times{3, 4} * b, which is a / b in mutant 3, a in mutant 4, and a * b otherwise.
// ALIDADE_MUTANT is the number of the mutant that runs. ALIDADE_MUTANTS_REACHED is a file to which a program
// writes, when it ends, the byte 1 for each mutant whose code ran, and 2 where the change would not compile.
namespace mutate {

constexpr int mostMutants = 1 << 16;
inline unsigned char reached[mostMutants];

struct WritesReached {
    ~WritesReached() {
        const char* name = std::getenv("ALIDADE_MUTANTS_REACHED");
        if (std::FILE* file = name ? std::fopen(name, "wb") : nullptr) {
            std::fwrite(reached, 1, sizeof reached, file);
            std::fclose(file);
        }
    }
};

inline const int running = [] {
    static const WritesReached writer;
    const char* number = std::getenv("ALIDADE_MUTANT");
    return number ? std::atoi(number) : 0;
}();

/// Whether a mutant is the one that runs. What the compiler computes is never mutated.
constexpr bool on(int mutant) {
    if (std::is_constant_evaluated() || mutant == 0)
        return false;
    reached[mutant] |= 1;
    return mutant == running;
}

constexpr void doesNotCompile(int mutant) {
    if (!std::is_constant_evaluated() && mutant != 0)
        reached[mutant] |= 2;
}

template <class T>
constexpr T constant(int mutant, T value, T other) {
    return on(mutant) ? other : value;
}

/// The same where the compiler must not know the value.
template <class T>
T variable(int mutant, T value, T other) {
    return on(mutant) ? other : value;
}

/// The left operand of an operator that may be another one.
template <class A, class Operator>
struct Left {
    A&& a;
    Operator point;
};

#define MUTATE_OPERATOR(Name, sign, other)                                                                   \
    struct Name {                                                                                            \
        int changed;                                                                                         \
        int dropped = 0;                                                                                     \
    };                                                                                                       \
    template <class A>                                                                                       \
    constexpr Left<A, Name> operator sign(A && a, Name point) {                                              \
        return {std::forward<A>(a), point};                                                                  \
    }                                                                                                        \
    template <class A, class B>                                                                              \
    constexpr auto operator sign(Left<A, Name> left, B&& b)                                                  \
        ->decltype(std::declval<A>() sign std::declval<B>()) {                                               \
        using R = decltype(std::declval<A>() sign std::declval<B>());                                        \
        if constexpr (requires {                                                                             \
                          { std::declval<A>() other std::declval<B>() } -> std::convertible_to<R>;           \
                      }) {                                                                                   \
            if (on(left.point.changed)) {                                                                    \
                return static_cast<R>(std::forward<A>(left.a) other std::forward<B>(b));                     \
            }                                                                                                \
        } else {                                                                                             \
            doesNotCompile(left.point.changed);                                                              \
        }                                                                                                    \
        if constexpr (std::convertible_to<A, R>) {                                                           \
            if (on(left.point.dropped)) {                                                                    \
                return static_cast<R>(std::forward<A>(left.a));                                              \
            }                                                                                                \
        } else {                                                                                             \
            doesNotCompile(left.point.dropped);                                                              \
        }                                                                                                    \
        return std::forward<A>(left.a) sign std::forward<B>(b);                                              \
    }

MUTATE_OPERATOR(Times, *, /)
MUTATE_OPERATOR(Over, /, *)
MUTATE_OPERATOR(Plus, +, -)
MUTATE_OPERATOR(Minus, -, +)
MUTATE_OPERATOR(Less, <, >=)
MUTATE_OPERATOR(More, >, <=)
MUTATE_OPERATOR(AtMost, <=, >)
MUTATE_OPERATOR(AtLeast, >=, <)
MUTATE_OPERATOR(Unequal, !=, ==)
#undef MUTATE_OPERATOR

/// a == b, written a != Equal{5} != b: of operator== the compiler would also try the reversed form.
struct Equal {
    int changed;
};
template <class A>
constexpr Left<A, Equal> operator!=(A&& a, Equal point) {
    return {std::forward<A>(a), point};
}
template <class A, class B>
constexpr bool operator!=(Left<A, Equal> left, B&& b) {
    const bool equal = std::forward<A>(left.a) == std::forward<B>(b);
    return on(left.point.changed) ? !equal : equal;
}

template <class B, class Operator>
struct Right {
    B&& b;
    int changed;
};

#define MUTATE_ASSIGNMENT(Name, sign, other)                                                                 \
    struct Name {                                                                                            \
        int changed;                                                                                         \
        template <class B>                                                                                   \
        constexpr Right<B, Name> operator=(B&& b) const {                                                    \
            return {std::forward<B>(b), changed};                                                            \
        }                                                                                                    \
    };                                                                                                       \
    template <class A, class B>                                                                              \
    constexpr A& operator sign(A & a, Right<B, Name> right) {                                                \
        if constexpr (requires { a other std::declval<B>(); }) {                                             \
            if (on(right.changed)) {                                                                         \
                a other std::forward<B>(right.b);                                                            \
                return a;                                                                                    \
            }                                                                                                \
        } else {                                                                                             \
            doesNotCompile(right.changed);                                                                   \
        }                                                                                                    \
        a sign std::forward<B>(right.b);                                                                     \
        return a;                                                                                            \
    }

MUTATE_ASSIGNMENT(Add, +=, -=)
MUTATE_ASSIGNMENT(Subtract, -=, +=)
MUTATE_ASSIGNMENT(Multiply, *=, /=)
MUTATE_ASSIGNMENT(Divide, /=, *=)
#undef MUTATE_ASSIGNMENT

/// Types that have only one of the two, as overloads of their own.
template <class A, class B>
concept HasBoth = requires(const A& a, const B& b) { a < b; } || requires(const A& a, const B& b) {
    min(a, b);
    max(a, b);
};

template <class A, class B>
constexpr auto largest(int mutant, const A& a, const B& b) {
    using std::max, std::min;
    if constexpr (HasBoth<A, B>) {
        if (on(mutant))
            return min(a, b);
    } else {
        doesNotCompile(mutant);
    }
    return max(a, b);
}
template <class A, class B>
constexpr auto smallest(int mutant, const A& a, const B& b) {
    using std::max, std::min;
    if constexpr (HasBoth<A, B>) {
        if (on(mutant))
            return max(a, b);
    } else {
        doesNotCompile(mutant);
    }
    return min(a, b);
}
template <class T>
constexpr T largest(int mutant, std::initializer_list<T> values) {
    return on(mutant) ? std::min(values) : std::max(values);
}
template <class T>
constexpr T smallest(int mutant, std::initializer_list<T> values) {
    return on(mutant) ? std::max(values) : std::min(values);
}

} // namespace mutate
