// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/used_inputs.h"

#include "model/estimate/figures.h"
#include "model/estimate/resolved_estimate.h"
#include "model/estimate/traced_estimate.h"
#include "model/explain/traced.h"
#include "model/explore/variable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string_view>
#include <vector>

namespace alidade {

namespace {

/// Whether a number of the document is a finding: it lists the assumptions, and repeats the scenario.
bool isFinding(std::string_view path) {
    return !path.starts_with("assumptions") && !path.starts_with("scenario");
}

/// The leaves that figures are made of.
class Leaves {
public:
    explicit Leaves(const Trace& trace)
        : trace_(trace)
        , seen_(trace.size(), false) {}

    void addFrom(std::uint32_t figure) {
        push(figure);
        while (!open_.empty()) {
            const TraceNode& node = trace_[open_.back()];
            open_.pop_back();
            follow(node);
        }
    }
    const std::set<std::string>& names() const { return names_; }

private:
    void push(std::uint32_t at) {
        if (at != 0 && at < seen_.size() && !seen_[at]) {
            seen_[at] = true;
            open_.push_back(at);
        }
    }

    void follow(const TraceNode& node) {
        const double left = trace_[node.left].value, right = trace_[node.right].value;
        switch (node.op) {
        case NodeOp::leaf:
            names_.insert(node.name);
            return;
        case NodeOp::multiply: // nothing of the one is left by a zero of the other
            if (right != 0)
                push(node.left);
            if (left != 0)
                push(node.right);
            return;
        case NodeOp::divide:
            push(node.left);
            if (left != 0)
                push(node.right);
            return;
        case NodeOp::maximum:
            push(left >= right ? node.left : node.right);
            return;
        case NodeOp::minimum:
            push(left <= right ? node.left : node.right);
            return;
        default:
            push(node.left);
            push(node.right);
        }
    }

    const Trace& trace_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> open_;
    std::set<std::string> names_;
};

/// All findings of an estimate, in the order of its document.
std::vector<double> findings(const Scenario& scenario) {
    std::vector<double> out;
    // A played engine takes the same steps as the closed form, from the same numbers.
    forEachFigure(estimateResolved(scenario, {.simulate = false, .loadLimit = false, .fixes = false}),
                  [&out](const FigureT<double>& figure) {
                      if (isFinding(figure.path))
                          out.push_back(figure.value);
                  });
    return out;
}

bool differ(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr double rounding = 1e-12;
    return !std::ranges::equal(a, b, [](double x, double y) {
        return x == y || (std::isnan(x) && std::isnan(y)) ||
               std::abs(x - y) <= rounding * std::max(std::abs(x), std::abs(y));
    });
}

/// Whether another value of an assumption changes a finding.
bool matters(const Scenario& scenario, const AssumptionT<double>& assumption,
             const std::vector<double>& now) {
    constexpr double more = 1.25;
    const Result<Variable> variable = Variable::named(assumption.name, scenario);
    if (!variable || assumption.value == 0)
        return false;
    return std::ranges::any_of(std::initializer_list<double>{more, 1 / more}, [&](double factor) {
        const double value = std::clamp(assumption.value * factor, variable->minimum(), variable->maximum());
        Scenario changed = scenario;
        applyNumbers(changed, {{*variable, variable->valueOf(value)}});
        return differ(now, findings(changed));
    });
}

} // namespace

std::vector<std::string> usedAssumptions(const Scenario& scenario, const Estimate& estimate) {
    Trace trace;
    const EstimateT<Traced> traced = tracedEstimate(scenario, trace);
    Leaves leaves(trace);
    forEachFigure(traced, [&leaves](const FigureT<Traced>& figure) {
        if (isFinding(figure.path))
            leaves.addFrom(figure.value.node());
    });
    const std::vector<double> now = findings(scenario);
    std::vector<std::string> out;
    for (const AssumptionT<double>& each : estimate.assumptions)
        if (leaves.names().contains(each.name) || matters(scenario, each, now))
            out.push_back(each.name);
    return out;
}

} // namespace alidade
