// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// A plan that runs, fits and keeps the limits, as little of it as ranking needs.
struct RankedPlan {
    std::array<double, 2> scores{}; ///< of the objectives, as ranked; smaller is better
    int changes = 0;
    std::uint64_t index = 0;

    /// The order of the answer; total, so that it does not depend on the order of arrival.
    friend bool operator<(const RankedPlan& a, const RankedPlan& b);
};

/// The least of the values seen so far, at most a given number of them.
template <class T>
class LeastValues {
public:
    explicit LeastValues(std::size_t most)
        : most_(most) {}
    void add(const T& value) {
        if (heap_.size() < most_) {
            heap_.push_back(value);
            std::push_heap(heap_.begin(), heap_.end());
        } else if (most_ > 0 && value < heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = value;
            std::push_heap(heap_.begin(), heap_.end());
        }
    }
    void add(const LeastValues& other) {
        for (const T& each : other.heap_)
            add(each);
    }
    /// Least first.
    std::vector<T> sorted() const {
        std::vector<T> out = heap_;
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    std::size_t most_;
    std::vector<T> heap_; ///< the greatest one in front
};

/// The best plans seen so far, best first.
using BestList = LeastValues<RankedPlan>;

/// The plans that no other one beats in both objectives. Of plans with equal scores the first in order stays.
class ParetoFront {
public:
    void add(const RankedPlan& plan);
    void add(const ParetoFront& other);
    /// By the first objective.
    const std::vector<RankedPlan>& plans() const { return plans_; }

private:
    std::vector<RankedPlan> plans_; ///< first score ascending, second descending
};

/// A sample that is spread evenly over a space: the plans whose indices have the least hashes. It depends on
/// which plans were added, not on their order.
class PlanSample {
public:
    explicit PlanSample(std::size_t most)
        : least_(most) {}
    void add(const SampledPlan& plan);
    void add(const PlanSample& other) { least_.add(other.least_); }
    /// By index.
    std::vector<SampledPlan> plans() const;

private:
    struct Hashed {
        std::uint64_t hash;
        SampledPlan plan;
        friend bool operator<(const Hashed& a, const Hashed& b) { return a.hash < b.hash; }
    };
    LeastValues<Hashed> least_;
};

/// Plans that failed, by reason. Messages that differ only in their numbers are one reason.
class RejectionList {
public:
    /// \param count of plans that failed for this reason, one after the other from `index` on
    void add(std::string_view message, std::uint64_t index, std::uint64_t count = 1);
    /// Adds plans that failed for one reason, and the first ones of them.
    void add(const Rejection& rejection);
    void add(const RejectionList& other);
    /// Most frequent first; examples are to be filled in.
    std::vector<Rejection> sorted() const;

private:
    /// The entry of a message; a new one counts nothing yet.
    Rejection& entryOf(std::string_view why);

    std::vector<Rejection> entries_;
    std::map<std::string, std::size_t> byKey_; ///< the message without its numbers
    std::string key_;                          ///< of the message at hand
    struct Recent {
        std::string message;
        std::size_t entry = 0;
    };
    std::array<Recent, 4> recent_; ///< many plans in a row fail for a few reasons
    std::size_t oldest_ = 0;
};

} // namespace alidade
