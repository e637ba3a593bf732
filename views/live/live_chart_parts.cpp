// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_chart_parts.h"

#include "views/kit/multiples.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double air = 0.12;     // of the range, above and below
constexpr double nearZero = 0.4; // low below this share of high: the axis begins at 0
constexpr double outlier = 2.2;  // times the 95th percentile: cut off

/// Round distances in place of the plot library's own, which the map of nodes does not know.
class TimeTicker : public QCPAxisTickerDateTime {
protected:
    double getTickStep(const QCPRange& range) override { return timeTickStep(range.size(), tickCount()); }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return tickText(tick, length_); }
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override {
        length_ = range.size();
        return multiples(range.lower, range.upper, tickStep);
    }

private:
    double length_ = 0;
};

} // namespace

QSharedPointer<QCPAxisTicker> makeTimeTicker() { return QSharedPointer<QCPAxisTicker>(new TimeTicker); }

std::pair<double, double> valueRange(std::span<const double> measured, std::optional<double> low,
                                     std::optional<double> high) {
    std::vector<double> finite;
    std::ranges::copy_if(measured, std::back_inserter(finite), [](double v) { return std::isfinite(v); });
    double from = low.value_or(0), to = high.value_or(1);
    if (!finite.empty()) {
        const auto place =
            finite.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(finite.size() - 1) * 0.95);
        std::nth_element(finite.begin(), place, finite.end());
        const double usual = *place;
        const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
        const double top = usual > 0 ? std::min(*most, outlier * usual) : *most;
        from = low ? std::min(*low, *least) : *least;
        to = high ? std::max(*high, top) : top;
    }
    if (!(to > from))
        to = from + (from == 0 ? 1 : std::abs(from) * 0.1);
    const double room = air * (to - from);
    const bool fromZero = from >= 0 && from < nearZero * to;
    return {fromZero ? 0 : from - room, to + room};
}

QBrush tintOf(FaultSpan::Tone tone, const Theme& look) {
    if (tone == FaultSpan::Tone::noData) {
        QColor ink = look.color(Role::text3);
        ink.setAlphaF(0.3F);
        return QBrush(ink, Qt::Dense6Pattern);
    }
    QColor fill = tone == FaultSpan::Tone::slow    ? look.classStyle(Bound::exposed).color
                  : tone == FaultSpan::Tone::fault ? look.color(Role::err)
                                                   : look.color(Role::warn);
    fill.setAlphaF(look.isDark() ? 0.16F : 0.12F);
    return fill;
}

std::vector<PlacedName> placeNames(const std::vector<NameWish>& wishes, std::vector<double> lefts,
                                   double right, double gap) {
    std::vector<double> ends = lefts;
    for (double& end : ends)
        end -= gap;
    std::vector<PlacedName> placed;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const NameWish& wish = wishes[i];
        if (wish.to < lefts.front() || wish.from > right || wish.width > right - lefts.front())
            continue;
        for (std::size_t row = 0; row < ends.size(); ++row) {
            const double ideal = std::clamp(wish.center - wish.width / 2, lefts.front(), right - wish.width);
            const double at = std::max(ideal, ends[row] + gap);
            // It still has to stand over what it names.
            if (at > std::max(wish.to, wish.center) || at + wish.width > right + 0.5)
                continue;
            ends[row] = at + wish.width;
            placed.push_back({i, at, static_cast<int>(row)});
            break;
        }
    }
    return placed;
}

} // namespace alidade::views
