// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QList>
#include <QPalette>
#include <QString>

#include <array>

namespace alidade::views {

/// What a color is for. `text3` on a selected row is to be drawn as `text2`.
enum class Role {
    window,     ///< around the views
    base,       ///< views and fields
    alt,        ///< group rows
    header,     ///< dock titles, tool and status bars, header views
    raised,     ///< buttons, hover cards
    sunken,     ///< tracks of bars
    line,       ///< separators
    line2,      ///< borders of controls, base line of plots
    grid,       ///< hairlines in plots and tables
    text,       ///< ink
    text2,      ///< labels, ticks
    text3,      ///< hints
    accent,     ///< links, focus, plan line and band
    accentText, ///< on an accent fill
    sel,        ///< selected row
    ok,
    warn,
    err,
    okBg,
    warnBg,
    errBg,
    measured, ///< measured line next to the plan's accent
    shadow,   ///< of hover cards; not opaque
};
inline constexpr int roleCount = static_cast<int>(Role::shadow) + 1;

enum class FontRole {
    figure,  ///< headline values
    unit,    ///< next to a figure
    verdict, ///< the sentence on top of a view
    title,   ///< dock and group titles
    body,    ///< fields, tables
    strong,  ///< body at weight 500: the value that counts in a row
    small,   ///< labels, ticks, legends
    block,   ///< labels inside the blocks of the timeline
};

/// Shape of a class in scatter plots, in words that QCPScatterStyle has too.
enum class Marker { disc, square, triangle, diamond, triangleDown, cross, ring, ringPlus, plus, star };

/// Texture of a family of classes: chip, fabric (exposed the other way), waiting, state.
enum class Texture { solid, diagonal, backDiagonal, dots, lines, vertical };

/// Memory has no bottleneck hue: slate is held all the time, sand comes and goes, gray is overhead.
enum class MemoryTone { held1, held2, held3, passing1, passing2, overhead };

/// Everything that tells one bottleneck class from another; any one of the cues is enough.
struct ClassStyle {
    QString name;   ///< "NVLink"
    QString letter; ///< one letter
    QColor color;
    QColor letterColor; ///< readable on `color`
    Texture texture = Texture::solid;
    Marker marker = Marker::disc;
    QColor ground; ///< what the texture is cut out of: the background of the view

    /// For a screen of this device pixel ratio; the tile is 6 (diagonals: 8) logical pixels wide.
    QBrush brush(double devicePixelRatio) const;
    /// For PDF and SVG: fill with `vectorGround()` first, then with this; both stay vector.
    QBrush vectorPattern() const;
    QColor vectorGround() const;
};

/// All design tokens of one look. A value: copy it, compare it, ask it; nothing here changes.
class Theme {
public:
    static Theme light(double fontScale = 1);
    static Theme dark(double fontScale = 1);
    /// Black on white for reports and exported pictures, whatever the screen shows.
    static Theme paper(double fontScale = 1);

    QColor color(Role role) const;
    ClassStyle classStyle(Bound bound) const;
    QColor memoryColor(MemoryTone tone) const;
    /// Load, memory, distance: 0 looks like nothing, 1 is full. Outside is clamped.
    QColor sequential(double t) const;
    /// Relative deviation from a median or plan; within 1.5 % it is quiet, from `full` on it is as loud as
    /// can be.
    QColor diverging(double deviation, double full) const;
    QList<QColor> sequentialStops() const;
    QList<QColor> divergingStops() const;

    QFont font(FontRole role) const;
    /// A length of the design (logical pixels at 10 pt) at the user's font size.
    int px(double designPixels) const;
    int rowHeight() const;       ///< of a table row, from font metrics; 24 at 10 pt
    int fieldHeight() const;     ///< of a field, from font metrics; 26 at 10 pt
    int dockTitleHeight() const; ///< from font metrics; 32 at 10 pt
    double fontScale() const { return fontScale_; }

    bool isDark() const { return kind_ == Kind::dark; }
    bool isPaper() const { return kind_ == Kind::paper; }
    QPalette palette() const;

    bool operator==(const Theme&) const = default;

private:
    enum class Kind { light, dark, paper };
    Theme(Kind kind, double fontScale)
        : kind_(kind)
        , fontScale_(fontScale) {}
    Kind kind_;
    double fontScale_;
};

/// The ten classes in the order of stacks and legends.
inline constexpr std::array classOrder{Bound::compute,   Bound::hbm,     Bound::latency, Bound::nvlink,
                                       Bound::efa,       Bound::exposed, Bound::bubble,  Bound::straggler,
                                       Bound::optimizer, Bound::storage};
/// Place in stacks and legends of any bound: c2c is behind NVLink, another network behind EFA.
int stackPosition(Bound bound);

/// Families that the application sets; the second has the few signs that the first lacks.
QStringList fontFamilies();

} // namespace alidade::views
