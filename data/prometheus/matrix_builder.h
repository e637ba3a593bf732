// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace alidade::data {

/// The part of a grid that one request asks for.
struct GridPart {
    std::size_t first = 0; ///< point
    std::size_t count = 0; ///< points
};

/// Gathers the samples of one query from the replies to its parts, in whatever order they come. A series has
/// one row, also where it appears in some of the parts only; a sample outside the part that was asked for is
/// left out, so that nothing is doubled at the seams. What was left out is told in the warnings.
class MatrixBuilder {
public:
    /// \param grid start and step in whole milliseconds
    MatrixBuilder(const TimeGrid& grid, const ReplyLimits& limits);

    /// The samples that follow answer this part.
    void beginPart(const GridPart& part);
    /// Of an instant query: whatever time is there is the only one.
    void beginInstant();

    void beginSeries();
    void sample(std::int64_t milliseconds, double value);
    /// A sample whose value is not a number.
    void unreadable() { ++unreadable_; }
    /// A piece of a label was cut off.
    void labelCut() { ++labelsCut_; }
    /// \param labels sorted
    void endSeries(Labels&& labels);
    void nativeHistogram(const Labels& labels);

    void warn(std::string warning);
    void setPartial() { matrix_.partial = true; }
    void setText(std::string text) { matrix_.text = std::move(text); }

    std::size_t series() const { return matrix_.series.size(); }

    /// Rows in the server's order: of the earliest part that has a series, and its place there.
    Matrix take();

private:
    double* rowOf(Labels&& labels);
    void sortRows();
    void tellWhatWasLeftOut();

    Matrix matrix_;
    ReplyLimits limits_;
    std::int64_t start_ = 0; ///< ms, of the part
    std::int64_t step_ = 1;  ///< ms
    std::int64_t tolerance_ = 1;
    GridPart part_;
    bool instant_ = false;
    std::vector<double> points_;                             ///< of the series that is read
    std::unordered_multimap<std::size_t, std::size_t> rows_; ///< hash of the labels: row
    std::vector<std::pair<std::size_t, std::size_t>>
        places_; ///< of each row: part's first point, place there
    std::size_t place_ = 0;
    std::size_t leftOutOfPart_ = 0;
    std::size_t offGrid_ = 0, outside_ = 0, doubled_ = 0, doubledSeries_ = 0, unreadable_ = 0, labelsCut_ = 0;
    std::size_t histograms_ = 0;
    std::size_t warningsLeftOut_ = 0;
};

/// "name{a="b"}", as PromQL writes it; at most `longest` bytes.
std::string labelText(const Labels& labels, std::size_t longest = 200);

} // namespace alidade::data
