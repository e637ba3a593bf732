// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// How figures explain themselves.
//
// The cost model is written once, as templates over the number type. With `double` it is the fast path that a
// search runs thousands of times; with `Traced` the same code does the same arithmetic in the same order and
// leaves a graph of its steps, so that an explanation can never differ from the figure that it explains.
// Nothing is recorded unless a person asks: named() is free for doubles.
//
// Invariants: both paths give the same value within rounding (tests compare them); a Trace outlives every
// Traced that points into it; a node only refers to nodes before it, so the graph has no cycle; branches are
// taken by values alone (valueOf). What is computed without a trace enters as a leaf (derivedLeaf).
// Threads: a Trace belongs to one thread. Evaluations on several threads have a Trace each and share nothing.
namespace alidade {

/// The origin of an input of the model, shown with every figure that uses it.
enum class SourceKind : std::uint8_t { catalog, fitted, assumed, user, derived };

/// One node of the trace of an evaluation.
enum class NodeOp : std::uint8_t {
    leaf,
    add,
    subtract,
    multiply,
    divide,
    maximum,
    minimum,
    squareRoot,
    power,
    exponential,
    alias
};

struct TraceNode {
    NodeOp op = NodeOp::leaf;
    double value = 0;
    std::uint32_t left = 0, right = 0; ///< operands; 0 = none
    std::string name{};                ///< identifier; empty for an unnamed step
    std::string source{};              ///< of a leaf: source of the value; of a formula: its reference
    Dimension dimension = Dimension::number;
    SourceKind kind = SourceKind::derived;
};

/// The trace of one evaluation. Grows while traced numbers are computed; not thread-safe.
class Trace {
public:
    Trace() { nodes_.emplace_back(); } // node 0 means "none"
    std::uint32_t add(TraceNode node) {
        nodes_.push_back(std::move(node));
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const TraceNode& operator[](std::uint32_t i) const { return nodes_[i]; }
    TraceNode& operator[](std::uint32_t i) { return nodes_[i]; }
    std::size_t size() const { return nodes_.size(); }

private:
    std::vector<TraceNode> nodes_;
};

/// A double that records its derivation. The cost model is written once, as templates over the number type:
/// `double` is the fast path; `Traced` performs the same operations in the same order and records them in a
/// Trace. A Traced made from a plain double is a literal and needs no Trace.
class Traced {
public:
    Traced(double literal = 0)
        : value_(literal) {} // implicit: literals appear in formulas
    Traced(Trace& trace, std::uint32_t node)
        : value_(trace[node].value)
        , trace_(&trace)
        , node_(node) {}

    static Traced leaf(Trace& trace, double value, std::string name, Dimension dimension, std::string source,
                       SourceKind kind);

    double value() const { return value_; }
    explicit operator double() const { return value_; }
    const Trace* trace() const { return trace_; }
    std::uint32_t node() const { return node_; } ///< 0 for a literal

    friend Traced operator+(const Traced& a, const Traced& b) {
        return make(NodeOp::add, a.value_ + b.value_, a, b);
    }
    friend Traced operator-(const Traced& a, const Traced& b) {
        return make(NodeOp::subtract, a.value_ - b.value_, a, b);
    }
    friend Traced operator*(const Traced& a, const Traced& b) {
        return make(NodeOp::multiply, a.value_ * b.value_, a, b);
    }
    friend Traced operator/(const Traced& a, const Traced& b) {
        return make(NodeOp::divide, a.value_ / b.value_, a, b);
    }
    Traced& operator+=(const Traced& b) { return *this = *this + b; }
    Traced& operator-=(const Traced& b) { return *this = *this - b; }
    Traced& operator*=(const Traced& b) { return *this = *this * b; }
    friend auto operator<=>(const Traced& a, const Traced& b) { return a.value_ <=> b.value_; }
    friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }

    friend Traced max(const Traced& a, const Traced& b) {
        return make(NodeOp::maximum, std::max(a.value_, b.value_), a, b);
    }
    friend Traced min(const Traced& a, const Traced& b) {
        return make(NodeOp::minimum, std::min(a.value_, b.value_), a, b);
    }
    friend Traced sqrt(const Traced& a) { return make(NodeOp::squareRoot, std::sqrt(a.value_), a, Traced()); }
    friend Traced exp(const Traced& a) { return make(NodeOp::exponential, std::exp(a.value_), a, Traced()); }
    friend Traced pow(const Traced& a, const Traced& b) {
        return make(NodeOp::power, std::pow(a.value_, b.value_), a, b);
    }
    friend Traced named(const Traced& x, const char* name, Dimension dimension, const char* source);

private:
    static Traced make(NodeOp op, double value, const Traced& a, const Traced& b);

    double value_ = 0;
    Trace* trace_ = nullptr;
    std::uint32_t node_ = 0;
};

/// Gives a step of a formula a name, a unit and (optionally) the reference of its formula. An explanation
/// stops at named steps, so each figure is explained in terms that users know. Free for plain doubles.
/// \param name identifier: letters, digits and underscores
inline double named(double x, const char* /*name*/, Dimension /*dimension*/, const char* /*source*/ = "") {
    return x;
}
Traced named(const Traced& x, const char* name, Dimension dimension, const char* source = "");

/// A number computed outside the traced operations (a count, a rounded value, a quantile) that enters as a
/// leaf; `like` provides the number type and its trace.
inline double derivedLeaf(double /*like*/, double value, const char*, Dimension, const char*) {
    return value;
}
Traced derivedLeaf(const Traced& like, double value, const char* name, Dimension dimension,
                   const char* source);

inline double valueOf(double x) { return x; }
inline double valueOf(const Traced& x) { return x.value(); }

/// One figure of a formula for display: a term (a named step, or an input).
struct ExplainedTerm {
    std::string name; ///< identifier used in the formula
    double value = 0;
    Dimension dimension = Dimension::number;
    std::string source;
    SourceKind kind = SourceKind::derived;
};

/// The derivation of a figure. `formula` is an arithmetic expression over the names of `terms` (+ - * / max
/// min sqrt exp pow and parentheses) that evaluates to `value` within 1e-9; `inputs` are all values in it
/// that come from a catalog, a profile or the scenario.
struct Explanation {
    std::string path;
    double value = 0;
    Dimension dimension = Dimension::number;
    std::string name;
    std::string source; ///< reference of the formula, or of the value if it is an input
    std::string formula;
    std::vector<ExplainedTerm> terms;
    std::vector<ExplainedTerm> inputs;
};

/// Explains a traced number down to the nearest named steps.
Explanation explain(const Traced& x);

} // namespace alidade
