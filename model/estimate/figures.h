// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/visit.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// One number of the documented estimate.
template <class N>
struct FigureT {
    std::string path; ///< dotted: "training.layers.1.ops.3.seconds"
    N value{};
    Dimension dimension = Dimension::number;
    std::string_view meaning; ///< a few words; lives as long as the program
    bool computed = false;    ///< by the model; else a count, an index, or a number of the scenario
};

/// A visitor that knows the dotted path of what it is shown and hands each number to a function.
template <class N, class F>
class FigureVisitor {
public:
    explicit FigureVisitor(F take)
        : take_(std::move(take)) {}

    void beginObject(std::string_view key) { open(key, false); }
    void beginArray(std::string_view key) { open(key, true); }
    void endObject() { close(); }
    void endArray() { close(); }
    void number(std::string_view key, const N& value, Dimension dimension, std::string_view meaning) {
        give(key, value, dimension, meaning, true);
    }
    void constant(std::string_view key, double value, Dimension dimension, std::string_view meaning) {
        give(key, N(value), dimension, meaning, false);
    }
    void integer(std::string_view key, std::int64_t value, std::string_view meaning) {
        give(key, N(static_cast<double>(value)), Dimension::number, meaning, false);
    }
    void text(std::string_view, std::string_view) { count(); }
    void flag(std::string_view, bool) { count(); }
    void null(std::string_view) { count(); }
    void architecture(std::string_view, const Architecture&) { count(); }

private:
    struct Level {
        std::size_t prefix = 0; ///< length of the path up to this level
        bool array = false;
        int index = 0; ///< of the next element
    };

    std::string pathOf(std::string_view key) const {
        std::string path = prefix_;
        if (levels_.empty())
            return path;
        if (!path.empty())
            path += '.';
        return levels_.back().array ? path + std::to_string(levels_.back().index) : path.append(key);
    }
    void count() {
        if (!levels_.empty())
            ++levels_.back().index;
    }
    void open(std::string_view key, bool array) {
        std::string path = pathOf(key);
        count();
        levels_.push_back({prefix_.size(), array, 0});
        prefix_ = std::move(path);
    }
    void close() {
        prefix_.resize(levels_.back().prefix);
        levels_.pop_back();
    }
    void give(std::string_view key, const N& value, Dimension dimension, std::string_view meaning,
              bool computed) {
        take_(FigureT<N>{pathOf(key), value, dimension, meaning, computed});
        count();
    }

    F take_;
    std::string prefix_;
    std::vector<Level> levels_;
};

/// Calls `take(FigureT<N>)` for each number of the document, in its order.
template <class N, class F>
void forEachFigure(const EstimateT<N>& estimate, F take) {
    visitEstimate(estimate, FigureVisitor<N, F>(std::move(take)));
}

/// The same, and the figures of questions of one sequence, which the document leaves out as those of a
/// request: so that one sample compares with several.
template <class N, class F>
void forEachFigureOfQuestions(const EstimateT<N>& estimate, F take) {
    forEachFigure(estimate, std::ref(take));
    if (!estimate.serving || !estimate.serving->testTime || estimate.serving->testTime->asked)
        return;
    FigureVisitor<N, std::reference_wrapper<F>> visitor(std::ref(take));
    visitor.beginObject("");
    visitor.beginObject("serving");
    visitTestTime(*estimate.serving->testTime, visitor);
    visitor.endObject();
    visitor.endObject();
}

/// The number at a path, of questions as well; absent if there is none.
template <class N>
std::optional<FigureT<N>> findFigure(const EstimateT<N>& estimate, std::string_view path) {
    std::optional<FigureT<N>> found;
    forEachFigureOfQuestions(estimate, [&](FigureT<N> figure) {
        if (figure.path == path)
            found = std::move(figure);
    });
    return found;
}

} // namespace alidade
