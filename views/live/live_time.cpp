// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_time.h"

#include <algorithm>

namespace alidade::views {
namespace {

constexpr double shortestRange = 10; // s

} // namespace

void LiveTime::setWhole(double start, double end) {
    if (end <= start)
        end = start + 1;
    wholeStart_ = start;
    wholeEnd_ = end;
    if (zoomed_ && start_ < end && end_ > start)
        zoomTo(start_, end_);
    else
        set(start, end, false);
}

void LiveTime::zoomTo(double start, double end) {
    const double length = std::min(std::max(end - start, shortestRange), wholeEnd_ - wholeStart_);
    start = std::clamp(start, wholeStart_, wholeEnd_ - length);
    end = start + length;
    set(start, end, start > wholeStart_ || end < wholeEnd_);
}

void LiveTime::zoomBy(double factor, double about) {
    zoomTo(about - (about - start_) * factor, about + (end_ - about) * factor);
}

void LiveTime::moveBy(double share) {
    const double by = share * (end_ - start_);
    const double start = std::clamp(start_ + by, wholeStart_, wholeEnd_ - (end_ - start_));
    zoomTo(start, start + (end_ - start_));
}

void LiveTime::reset() { set(wholeStart_, wholeEnd_, false); }

void LiveTime::set(double start, double end, bool zoomed) {
    zoomed_ = zoomed;
    if (start == start_ && end == end_)
        return;
    start_ = start;
    end_ = end;
    emit rangeChanged();
}

void LiveTime::setCursor(std::optional<double> at) {
    if (at == cursor_)
        return;
    cursor_ = at;
    emit cursorChanged();
}

} // namespace alidade::views
