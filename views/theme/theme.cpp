// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include "model/kernels/bound_words.h"

#include <QCoreApplication>
#include <QFontMetrics>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

using Tokens = std::array<QRgb, roleCount>;

// window, base, alt, header, raised, sunken, line, line2, grid, text, text2, text3, accent, accentText, sel,
// ok, warn, err, okBg, warnBg, errBg, measured, shadow
constexpr Tokens lightTokens{0xFFF3F2EF, 0xFFFFFFFF, 0xFFFAF9F7, 0xFFF7F6F3, 0xFFFFFFFF, 0xFFEBE9E4,
                             0xFFDAD7D0, 0xFF8A867E, 0xFFECEAE5, 0xFF1C1E21, 0xFF565B62, 0xFF676C73,
                             0xFF4250C4, 0xFFFFFFFF, 0xFFE3E6F8, 0xFF1B7440, 0xFF8F5A00, 0xFFB3261E,
                             0xFFE3F2E8, 0xFFFBF0DA, 0xFFFBE6E3, 0xFF1C1E21, 0x2E1E1C14};
constexpr Tokens darkTokens{0xFF1B1D20, 0xFF15171A, 0xFF191B1E, 0xFF202327, 0xFF25282D, 0xFF111316,
                            0xFF31353B, 0xFF70767F, 0xFF24272B, 0xFFE6E8EA, 0xFFA7ADB5, 0xFF8B929B,
                            0xFF8E9BFF, 0xFF14161C, 0xFF2A2F4C, 0xFF5CC98A, 0xFFE5B04E, 0xFFFF8279,
                            0xFF183325, 0xFF382C14, 0xFF40201E, 0xFFF4F5F6, 0x99000000};
constexpr Tokens paperTokens{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFAF9F7, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFEBE9E4,
                             0xFFDAD7D0, 0xFFC2BEB5, 0xFFECEAE5, 0xFF000000, 0xFF4A4E54, 0xFF5C6168,
                             0xFF4250C4, 0xFFFFFFFF, 0xFFE3E6F8, 0xFF1B7440, 0xFF8F5A00, 0xFFB3261E,
                             0xFFE3F2E8, 0xFFFBF0DA, 0xFFFBE6E3, 0xFF000000, 0x00000000};

constexpr QRgb tagInk = 0xFF14161C;
constexpr QRgb tagPale = 0xFFFFFFFF;

struct ClassToken {
    char letter;
    QRgb light;
    QRgb dark;
    bool inkOnLight;
    Texture texture;
    Marker marker;
};

ClassToken classToken(Bound bound) {
    switch (bound) {
    case Bound::compute:
        return {'C', 0xFF2874D4, 0xFF5389E8, false, Texture::solid, Marker::disc};
    case Bound::hbm:
        return {'H', 0xFFA35200, 0xFFF59145, false, Texture::solid, Marker::square};
    case Bound::latency:
        return {'L', 0xFF848F0D, 0xFFDBE972, true, Texture::solid, Marker::triangle};
    case Bound::nvlink:
        return {'N', 0xFF016A49, 0xFF1DC18A, false, Texture::diagonal, Marker::diamond};
    case Bound::c2c:
        return {'N', 0xFF016A49, 0xFF1DC18A, false, Texture::diagonal, Marker::diamond};
    case Bound::efa:
        return {'E', 0xFF7E2287, 0xFFD191FA, false, Texture::diagonal, Marker::triangleDown};
    case Bound::network:
        return {'E', 0xFF7E2287, 0xFFD191FA, false, Texture::diagonal, Marker::triangleDown};
    case Bound::exposed:
        return {'X', 0xFFEA5D55, 0xFFEE5322, true, Texture::backDiagonal, Marker::cross};
    case Bound::bubble:
        return {'B', 0xFF5A5F6A, 0xFFBAC2CC, false, Texture::dots, Marker::ring};
    case Bound::straggler:
        return {'W', 0xFFAE5A85, 0xFFC76C97, false, Texture::lines, Marker::ringPlus};
    case Bound::optimizer:
        return {'O', 0xFF12A0A8, 0xFF57E4EA, true, Texture::vertical, Marker::plus};
    case Bound::storage:
        return {'S', 0xFF523624, 0xFF9C8064, false, Texture::vertical, Marker::star};
    }
    Q_UNREACHABLE();
}

constexpr std::array<QRgb, 7> sequentialLight{0xFFF1EFEA, 0xFFC9D8DF, 0xFF9CBFCD, 0xFF6BA3B8,
                                              0xFF3F849F, 0xFF1F6482, 0xFF0D4560};
constexpr std::array<QRgb, 7> sequentialDark{0xFF1B1D20, 0xFF1C3644, 0xFF1F506A, 0xFF2A6C8C,
                                             0xFF4A8BAB, 0xFF7DADC6, 0xFFBAD3E2};
constexpr std::array<QRgb, 7> divergingLight{0xFF1F6AA5, 0xFF6FA3CB, 0xFFBBD1E2, 0xFFF1EFEA,
                                             0xFFF0C9B0, 0xFFDF8A5E, 0xFFC2410C};
constexpr std::array<QRgb, 7> divergingDark{0xFF63ACE5, 0xFF3E7DAF, 0xFF2F5069, 0xFF2A2E34,
                                            0xFF6A4436, 0xFFB5603C, 0xFFFF7A45};
constexpr std::array<QRgb, 6> memoryLight{0xFF33435E, 0xFF5B6F92, 0xFF94A5C0,
                                          0xFFB98A3C, 0xFFDDBE86, 0xFFB9B5AC};
constexpr std::array<QRgb, 6> memoryDark{0xFF8DA3CC, 0xFF64799F, 0xFF455472,
                                         0xFFBF8F42, 0xFF7F6436, 0xFF5B5F66};

constexpr double quietDeviation = 0.015;

QList<QColor> colors(const std::array<QRgb, 7>& stops) {
    QList<QColor> list;
    for (const QRgb stop : stops)
        list.append(QColor::fromRgb(stop));
    return list;
}

/// Color at t in 0..1 between equally spaced stops.
QColor between(const std::array<QRgb, 7>& stops, double t) {
    const double place =
        std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double share = place - static_cast<double>(below);
    const auto mix = [&](int from, int to) { return qRound(from + (to - from) * share); };
    const QRgb a = stops[below];
    const QRgb b = stops[below + 1];
    return {mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b))};
}

} // namespace

QStringList fontFamilies() { return {QStringLiteral("Roboto"), QStringLiteral("DejaVu Sans")}; }

int stackPosition(Bound bound) {
    constexpr std::array order{Bound::compute, Bound::hbm,       Bound::latency,   Bound::nvlink,
                               Bound::c2c,     Bound::efa,       Bound::network,   Bound::exposed,
                               Bound::bubble,  Bound::straggler, Bound::optimizer, Bound::storage};
    return static_cast<int>(std::ranges::find(order, bound) - order.begin());
}

Theme Theme::light(double fontScale) { return {Kind::light, fontScale}; }
Theme Theme::dark(double fontScale) { return {Kind::dark, fontScale}; }
Theme Theme::paper(double fontScale) { return {Kind::paper, fontScale}; }

QColor Theme::color(Role role) const {
    const Tokens& tokens = kind_ == Kind::dark    ? darkTokens
                           : kind_ == Kind::paper ? paperTokens
                                                  : lightTokens;
    return QColor::fromRgba(tokens[static_cast<std::size_t>(role)]);
}

ClassStyle Theme::classStyle(Bound bound) const {
    const ClassToken token = classToken(bound);
    ClassStyle style;
    style.name = QCoreApplication::translate("Theme", boundWords(bound).title);
    style.letter = QLatin1Char(token.letter);
    style.color = QColor::fromRgb(isDark() ? token.dark : token.light);
    style.letterColor = QColor::fromRgb(isDark() || token.inkOnLight ? tagInk : tagPale);
    style.texture = token.texture;
    style.marker = token.marker;
    style.ground = color(Role::base);
    return style;
}

QColor Theme::memoryColor(MemoryTone tone) const {
    return QColor::fromRgb((isDark() ? memoryDark : memoryLight)[static_cast<std::size_t>(tone)]);
}

QColor Theme::sequential(double t) const { return between(isDark() ? sequentialDark : sequentialLight, t); }

QColor Theme::diverging(double deviation, double full) const {
    const double size = std::abs(deviation);
    const double t = size <= quietDeviation || full <= quietDeviation || !std::isfinite(deviation)
                         ? 0.0
                         : std::min(1.0, (size - quietDeviation) / (full - quietDeviation));
    return between(isDark() ? divergingDark : divergingLight, 0.5 + std::copysign(t, deviation) / 2);
}

QList<QColor> Theme::sequentialStops() const { return colors(isDark() ? sequentialDark : sequentialLight); }
QList<QColor> Theme::divergingStops() const { return colors(isDark() ? divergingDark : divergingLight); }

QFont Theme::font(FontRole role) const {
    struct Spec {
        double points;
        QFont::Weight weight;
    };
    const Spec spec = [role]() -> Spec {
        switch (role) {
        case FontRole::figure:
            return {19.5, QFont::Medium};
        case FontRole::unit:
            return {10.5, QFont::Normal};
        case FontRole::verdict:
            return {13, QFont::Medium};
        case FontRole::title:
            return {10.5, QFont::Medium};
        case FontRole::body:
            return {10, QFont::Normal};
        case FontRole::strong:
            return {10, QFont::Medium};
        case FontRole::small:
            return {9, QFont::Normal};
        case FontRole::block:
            return {8, QFont::Normal};
        }
        Q_UNREACHABLE();
    }();
    QFont font(fontFamilies());
    font.setPointSizeF(spec.points * fontScale_);
    font.setWeight(spec.weight);
    return font;
}

int Theme::px(double designPixels) const { return qRound(designPixels * fontScale_); }

int Theme::rowHeight() const { return std::max(px(24), QFontMetrics(font(FontRole::body)).height() + 6); }
int Theme::fieldHeight() const { return std::max(px(26), QFontMetrics(font(FontRole::body)).height() + 8); }
int Theme::dockTitleHeight() const {
    return std::max(px(32), QFontMetrics(font(FontRole::title)).height() + 12);
}

} // namespace alidade::views
