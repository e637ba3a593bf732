// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/step_table.h"

namespace alidade {

namespace {

/// Piecewise linear; where the function bends upwards on both sides of a segment, its corner lies where the
/// neighboring segments meet. Continued as a line beyond the last point.
template <class Points>
double read(const Points& p, double x) {
    std::size_t i = 1;
    while (i + 1 < p.size() && p[i].x < x)
        ++i;
    const auto line = [&p, x](std::size_t a, std::size_t b) {
        const double run = p[b].x - p[a].x;
        return run > 0 ? p[a].y + (p[b].y - p[a].y) * (x - p[a].x) / run : p[b].y;
    };
    const double between = line(i - 1, i);
    if (i < 2 || i + 1 >= p.size() || x > p[i].x)
        return between;
    const double fromLeft = line(i - 2, i - 1), fromRight = line(i, i + 1);
    return std::min(between, std::max(fromLeft, fromRight));
}

} // namespace

double StepTable::decode(double batch) const { return read(decode_, batch); }

/// Alongside decodes few tokens cost nothing fixed.
double StepTable::extra(const Curve& curve, double tokens) {
    const Point& first = curve.points.front();
    return tokens >= first.x ? read(curve.points, tokens) : first.y * tokens / first.x;
}

/// Fewer tokens than at the first point: the segment behind it, continued down to what one token takes.
double StepTable::fewAlone(double tokens) const {
    const Point &first = alone_.points[0], &second = alone_.points[1];
    const double slope = (second.y - first.y) / std::max(second.x - first.x, 1e-300);
    const double continued = std::max(least_.y, first.y - slope * (first.x - tokens));
    const double share = (tokens - least_.x) / std::max(first.x - least_.x, 1e-300);
    return std::min(continued, least_.y + std::clamp(share, 0.0, 1.0) * (first.y - least_.y));
}

double StepTable::prefill(double tokens) const {
    return tokens < alone_.points[0].x ? fewAlone(tokens) : extra(alone_, tokens);
}

double StepTable::mixed(double batch, double tokens) const {
    if (batch < 0.5)
        return prefill(tokens);
    const double span = high_.batch - low_.batch;
    const double share = span > 1e-6 * high_.batch ? std::clamp((batch - low_.batch) / span, 0.0, 1.0) : 1;
    const double more = (1 - share) * extra(low_, tokens) + share * extra(high_, tokens);
    return decode(batch) + more;
}

} // namespace alidade
