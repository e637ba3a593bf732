// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/matrix_builder.h"

#include "data/prometheus/reply_reader.h"
#include "model/base/not_measured.h"
#include "model/base/text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace alidade::data {

namespace {

constexpr std::size_t mostHistogramNames = 20;
constexpr std::size_t mostMatrixWarnings = 50;

std::size_t hashOf(const Labels& labels) {
    std::size_t hash = labels.size();
    const auto mix = [&hash](const std::string& text) {
        hash ^= std::hash<std::string>{}(text) + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
    };
    for (const auto& [name, value] : labels) {
        mix(name);
        mix(value);
    }
    return hash;
}

std::string count(std::size_t n, std::string_view one, std::string_view many) {
    return formatCount(static_cast<std::int64_t>(n)) + " " + std::string(n == 1 ? one : many);
}

} // namespace

std::string labelText(const Labels& labels, std::size_t longest) {
    std::string name;
    std::string rest;
    for (const auto& [label, value] : labels)
        if (label == "__name__")
            name = value;
        else if (rest.size() <= longest)
            rest += (rest.empty() ? "" : ",") + label + "=\"" + value.substr(0, longest) + "\"";
    return printableExcerpt(rest.empty() && !name.empty() ? name : name + "{" + rest + "}", longest);
}

MatrixBuilder::MatrixBuilder(const TimeGrid& grid, const ReplyLimits& limits)
    : limits_(limits) {
    matrix_.grid = grid;
    step_ = std::max<std::int64_t>(1, std::llround(grid.step * 1000));
    // A server that rounds times to its own scrape times is believed up to a twentieth of a step.
    tolerance_ = std::min((step_ - 1) / 2, std::max<std::int64_t>(1, step_ / 20));
}

void MatrixBuilder::beginPart(const GridPart& part) {
    part_ = part;
    start_ = std::llround(matrix_.grid.start * 1000) + static_cast<std::int64_t>(part.first) * step_;
    points_.assign(part.count, notMeasured);
    place_ = 0;
    leftOutOfPart_ = 0;
    instant_ = false;
}

void MatrixBuilder::beginInstant() {
    beginPart({0, 1});
    instant_ = true;
}

void MatrixBuilder::beginSeries() { std::fill(points_.begin(), points_.end(), notMeasured); }

void MatrixBuilder::sample(std::int64_t milliseconds, double value) {
    std::int64_t index = 0;
    if (!instant_) {
        const std::int64_t offset = milliseconds - start_ + step_ / 2;
        index = offset >= 0 ? offset / step_ : -1 - (-1 - offset) / step_;
        if (std::abs(milliseconds - start_ - index * step_) > tolerance_) {
            ++offGrid_;
            return;
        }
        if (index < 0 || index >= static_cast<std::int64_t>(points_.size())) {
            ++outside_;
            return;
        }
    }
    double& point = points_[static_cast<std::size_t>(index)];
    if (!std::isnan(point)) {
        ++doubled_;
        return;
    }
    matrix_.infinite += std::isinf(value) ? 1 : 0;
    point = value;
}

double* MatrixBuilder::rowOf(Labels&& labels) {
    const std::size_t hash = hashOf(labels);
    const std::size_t width = matrix_.grid.points;
    const std::size_t place = place_++;
    const auto [from, to] = rows_.equal_range(hash);
    for (auto each = from; each != to; ++each) {
        const std::size_t row = each->second;
        if (matrix_.series[row] != labels)
            continue;
        const std::pair here{part_.first, place};
        doubledSeries_ += places_[row].first == part_.first ? 1 : 0;
        places_[row] = std::min(places_[row], here);
        return matrix_.values.data() + row * width;
    }
    const std::size_t row = matrix_.series.size();
    if (row >= limits_.series || (row + 1) * width > limits_.values) {
        ++leftOutOfPart_;
        matrix_.seriesLeftOut = std::max(matrix_.seriesLeftOut, leftOutOfPart_);
        return nullptr;
    }
    rows_.emplace(hash, row);
    places_.emplace_back(part_.first, place);
    matrix_.series.push_back(std::move(labels));
    matrix_.values.resize((row + 1) * width, notMeasured);
    return matrix_.values.data() + row * width;
}

void MatrixBuilder::endSeries(Labels&& labels) {
    double* row = rowOf(std::move(labels));
    if (row == nullptr)
        return;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        double& point = row[part_.first + i];
        if (std::isnan(point))
            point = points_[i];
    }
}

void MatrixBuilder::nativeHistogram(const Labels& labels) {
    ++histograms_;
    if (matrix_.nativeHistograms.size() < mostHistogramNames) {
        std::string name = labelText(labels);
        if (std::ranges::find(matrix_.nativeHistograms, name) == matrix_.nativeHistograms.end())
            matrix_.nativeHistograms.push_back(std::move(name));
    }
}

void MatrixBuilder::warn(std::string warning) {
    if (std::ranges::find(matrix_.warnings, warning) != matrix_.warnings.end())
        return;
    if (matrix_.warnings.size() < mostMatrixWarnings)
        matrix_.warnings.push_back(std::move(warning));
    else
        ++warningsLeftOut_;
}

void MatrixBuilder::sortRows() {
    if (std::ranges::is_sorted(places_))
        return;
    std::vector<std::size_t> order(places_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [this](std::size_t row) { return places_[row]; });
    const std::size_t width = matrix_.grid.points;
    std::vector<Labels> series;
    std::vector<double> values;
    series.reserve(order.size());
    values.reserve(matrix_.values.size());
    for (const std::size_t row : order) {
        series.push_back(std::move(matrix_.series[row]));
        const auto begin = matrix_.values.begin() + static_cast<std::ptrdiff_t>(row * width);
        values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    matrix_.series = std::move(series);
    matrix_.values = std::move(values);
}

void MatrixBuilder::tellWhatWasLeftOut() {
    std::vector<std::string>& out = matrix_.warnings;
    const auto tell = [&out](std::size_t n, std::string_view one, std::string_view many,
                             const std::string& rest) {
        if (n > 0)
            out.push_back(count(n, one, many) + rest);
    };
    tell(warningsLeftOut_, "further warning", "further warnings", " of the server");
    if (matrix_.partial) {
        out.emplace_back(
            "the server says that its answer is partial: some of its storage nodes did not answer");
    }
    tell(matrix_.seriesLeftOut, "series was", "series were",
         " left out: a query may have " + formatCount(static_cast<std::int64_t>(limits_.series)) +
             " series and " + formatCount(static_cast<std::int64_t>(limits_.values)) +
             " values; choose a job or a longer step");
    tell(
        histograms_, "native histogram was", "native histograms were",
        " skipped: " + (matrix_.nativeHistograms.empty() ? std::string() : matrix_.nativeHistograms.front()) +
            (matrix_.nativeHistograms.size() > 1 ? ", ..." : "") +
            "; histogram_quantile() and histogram_avg() answer numbers");
    tell(offGrid_, "sample was", "samples were",
         " left out: their times are not those requested; choose a step that is a multiple of the server's");
    tell(outside_, "sample was", "samples were", " left out: their times are outside the range");
    tell(doubled_, "sample", "samples", " of a time that was there already; the first counts");
    tell(doubledSeries_, "series came", "series came", " twice; they were put together");
    tell(unreadable_, "value was", "values were", " left out: they are not numbers");
    tell(matrix_.infinite, "value is", "values are", " infinite");
    tell(labelsCut_, "label was", "labels were",
         " cut off after " + formatCount(static_cast<std::int64_t>(limits_.labelBytes)) + " bytes");
}

Matrix MatrixBuilder::take() {
    sortRows();
    tellWhatWasLeftOut();
    return std::move(matrix_);
}

} // namespace alidade::data
