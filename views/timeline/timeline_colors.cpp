// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_colors.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

/// Shares of the class color for the first and the last chunk, over the ground of the view.
constexpr std::pair forwardShades{0.34, 0.62};
constexpr std::pair backwardShades{1.0, 0.84};
/// Shares of the ink in the class color.
constexpr std::pair weightShades{0.42, 0.58};

double shadeOf(std::pair<double, double> ends, std::size_t chunk, std::size_t chunks) {
    const double place = chunks > 1 ? static_cast<double>(chunk) / static_cast<double>(chunks - 1) : 0.5;
    return ends.first + (ends.second - ends.first) * place;
}

/// Relative luminance of WCAG 2.
double luminance(const QColor& color) {
    const auto linear = [](float c) {
        return c <= 0.04045F ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

const QColor& shadeAt(const std::vector<QColor>& shades, int chunk) {
    return shades[std::min(static_cast<std::size_t>(std::max(chunk, 0)), shades.size() - 1)];
}

} // namespace

QColor between(const QColor& from, const QColor& to, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

TimelineColors::TimelineColors(const Theme& look, int chunks)
    : ground_(look.classStyle(Bound::bubble).vectorGround())
    , light_(look.color(Role::base))
    , dark_(look.color(Role::text)) {
    const QColor color = look.classStyle(Bound::compute).color;
    const auto count = static_cast<std::size_t>(std::max(chunks, 1));
    for (std::size_t i = 0; i < count; ++i) {
        forward_.push_back(between(light_, color, shadeOf(forwardShades, i, count)));
        backward_.push_back(between(light_, color, shadeOf(backwardShades, i, count)));
        weight_.push_back(between(color, dark_, shadeOf(weightShades, i, count)));
    }
}

QColor TimelineColors::block(char kind, int chunk) const {
    return shadeAt(kind == 'F' ? forward_ : kind == 'W' ? weight_ : backward_, chunk);
}

QColor TimelineColors::mixture(float forward, float backward, float weight) const {
    const float sum = forward + backward + weight;
    if (sum <= 0)
        return ground_;
    const int middle = static_cast<int>(forward_.size() / 2);
    QColor work =
        between(block('F', middle), block('B', middle), backward / std::max(forward + backward, 1e-6F));
    work = between(work, block('W', middle), weight / sum);
    return between(ground_, work, std::min(sum, 1.0F));
}

QColor TimelineColors::ink(const QColor& fill) const {
    return contrast(fill, light_) > contrast(fill, dark_) ? light_ : dark_;
}

} // namespace alidade::views
