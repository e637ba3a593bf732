// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/explain_step.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace alidade {

Traced Traced::leaf(Trace& trace, double value, std::string name, Dimension dimension, std::string source,
                    SourceKind kind) {
    return {trace, trace.add({.value = value,
                              .name = std::move(name),
                              .source = std::move(source),
                              .dimension = dimension,
                              .kind = kind})};
}

Traced Traced::make(NodeOp op, double value, const Traced& a, const Traced& b) {
    Trace* trace = a.trace_ ? a.trace_ : b.trace_;
    if (!trace)
        return Traced(value); // operations on literals yield a literal
    // A sum that starts at zero: leave the zero out of the formula.
    if (op == NodeOp::add && (a.trace_ == nullptr || b.trace_ == nullptr)) {
        if (a.trace_ == nullptr && a.value_ == 0)
            return b;
        if (b.trace_ == nullptr && b.value_ == 0)
            return a;
    }
    const auto nodeOf = [trace](const Traced& x) {
        return x.node_ ? x.node_ : trace->add({.value = x.value_});
    };
    const bool unary = op == NodeOp::squareRoot || op == NodeOp::exponential;
    const std::uint32_t left = nodeOf(a);
    const std::uint32_t right = unary ? 0 : nodeOf(b);
    return {*trace, trace->add({.op = op, .value = value, .left = left, .right = right})};
}

Traced named(const Traced& x, const char* name, Dimension dimension, const char* source) {
    if (!x.trace_)
        return x;
    // A step that already has a name keeps it; the new name becomes an alias for it.
    if ((*x.trace_)[x.node_].name.empty() && (*x.trace_)[x.node_].op != NodeOp::leaf) {
        TraceNode& node = (*x.trace_)[x.node_];
        node.name = name;
        node.dimension = dimension;
        node.source = source;
        return x;
    }
    return {*x.trace_, x.trace_->add({.op = NodeOp::alias,
                                      .value = x.value_,
                                      .left = x.node_,
                                      .name = name,
                                      .source = source,
                                      .dimension = dimension})};
}

Traced derivedLeaf(const Traced& like, double value, const char* name, Dimension dimension,
                   const char* source) {
    if (!like.trace())
        return Traced(value);
    return Traced::leaf(*const_cast<Trace*>(like.trace()), value, name, dimension, source,
                        SourceKind::derived);
}

namespace {

std::string literalText(double v) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
    return v < 0 ? "(" + std::string(buffer, end) + ")" : std::string(buffer, end);
}

/// Prints one formula: everything between a figure and the named steps below it.
class Printer {
public:
    explicit Printer(const Trace& trace)
        : trace_(trace) {}

    std::string text(std::uint32_t i, int parentLevel, bool root = false) {
        const TraceNode& node = trace_[i];
        if (!root && !node.name.empty())
            return term(i);
        switch (node.op) {
        case NodeOp::leaf:
            return node.name.empty() ? literalText(node.value) : term(i);
        case NodeOp::alias:
            return text(node.left, parentLevel);
        case NodeOp::add:
            return binary(node, " + ", 1, 1, parentLevel);
        case NodeOp::subtract:
            return binary(node, " - ", 1, 2, parentLevel);
        case NodeOp::multiply:
            return binary(node, " * ", 2, 2, parentLevel);
        case NodeOp::divide:
            return binary(node, " / ", 2, 3, parentLevel);
        case NodeOp::maximum:
            return call("max", node);
        case NodeOp::minimum:
            return call("min", node);
        case NodeOp::power:
            return call("pow", node);
        case NodeOp::squareRoot:
            return "sqrt(" + text(node.left, 0) + ")";
        case NodeOp::exponential:
            return "exp(" + text(node.left, 0) + ")";
        }
        return {};
    }

    std::vector<ExplainedTerm> terms;
    std::vector<std::uint32_t> nodes; ///< of the terms

private:
    // Left before right, to list terms in the order of the formula.
    std::string binary(const TraceNode& node, const char* sign, int leftLevel, int rightLevel,
                       int parentLevel) {
        std::string out = text(node.left, leftLevel);
        out += sign;
        out += text(node.right, rightLevel);
        return wrap(std::move(out), leftLevel, parentLevel);
    }
    std::string call(const char* function, const TraceNode& node) {
        std::string out = std::string(function) + "(" + text(node.left, 0);
        out += ", " + text(node.right, 0);
        return out + ")";
    }
    static std::string wrap(std::string inner, int level, int parentLevel) {
        return level < parentLevel ? "(" + std::move(inner) + ")" : inner;
    }
    std::string term(std::uint32_t i) {
        if (const auto known = names_.find(i); known != names_.end())
            return known->second;
        const TraceNode& node = trace_[i];
        std::string name = node.name;
        for (int n = 2; used_.contains(name); ++n)
            name = node.name + "_" + std::to_string(n); // another step of the same kind
        used_.insert(name);
        names_[i] = name;
        terms.push_back({name, node.value, node.dimension, node.source, node.kind});
        nodes.push_back(i);
        return name;
    }

    const Trace& trace_;
    std::map<std::uint32_t, std::string> names_;
    std::set<std::string> used_;
};

void collectLeaves(const Trace& trace, std::uint32_t i, std::set<std::uint32_t>& seen,
                   std::vector<ExplainedTerm>& leaves) {
    std::vector<std::uint32_t> stack{i};
    while (!stack.empty()) {
        const std::uint32_t at = stack.back();
        stack.pop_back();
        if (at == 0 || !seen.insert(at).second)
            continue;
        const TraceNode& node = trace[at];
        // Derived counts are terms of their formulas, not inputs of the model.
        if (node.op == NodeOp::leaf && !node.name.empty() && node.kind != SourceKind::derived)
            leaves.push_back({node.name, node.value, node.dimension, node.source, node.kind});
        stack.push_back(node.right);
        stack.push_back(node.left);
    }
}

Explanation explainNode(const Trace& trace, std::uint32_t at) {
    Explanation out;
    const TraceNode& node = trace[at];
    out.value = node.value;
    out.name = node.name;
    out.dimension = node.dimension;
    out.source = node.source;
    Printer printer(trace);
    out.formula = printer.text(at, 0, true);
    out.terms = std::move(printer.terms);
    std::set<std::uint32_t> seen;
    collectLeaves(trace, at, seen, out.inputs);
    std::sort(out.inputs.begin(), out.inputs.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    out.inputs.erase(
        std::unique(out.inputs.begin(), out.inputs.end(),
                    [](const auto& a, const auto& b) { return a.name == b.name && a.value == b.value; }),
        out.inputs.end());
    return out;
}

} // namespace

Explanation explain(const Traced& x) {
    if (x.trace() && x.node() != 0)
        return explainNode(*x.trace(), x.node());
    Explanation out;
    out.value = x.value();
    out.formula = literalText(x.value());
    out.source = "constant";
    return out;
}

std::optional<Explanation> explainStep(const Traced& x, const std::vector<std::string>& steps) {
    if (!x.trace() || x.node() == 0)
        return {};
    std::uint32_t at = x.node();
    for (const std::string& step : steps) {
        Printer printer(*x.trace());
        printer.text(at, 0, true);
        const auto term = std::ranges::find(printer.terms, step, &ExplainedTerm::name);
        if (term == printer.terms.end() || !hasStep(*term))
            return {};
        at = printer.nodes[static_cast<std::size_t>(term - printer.terms.begin())];
    }
    Explanation out = explainNode(*x.trace(), at);
    if ((*x.trace())[at].op == NodeOp::leaf) { // only its value and source are known
        out.formula.clear();
        out.terms.clear();
    }
    return out;
}

} // namespace alidade
