// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QColor>

#include <vector>

namespace alidade::views {

/// Fills of the timeline in one look: forward pale, backward full, weight gradients toward the ink, each in
/// a shade of its chunk.
class TimelineColors {
public:
    TimelineColors() = default;
    TimelineColors(const Theme& look, int chunks);

    QColor block(char kind, int chunk) const;
    /// Of events drawn together; shares of what is covered, the rest is the ground of a waiting stage.
    QColor mixture(float forward, float backward, float weight) const;
    /// Readable on a fill.
    QColor ink(const QColor& fill) const;

private:
    std::vector<QColor> forward_, backward_, weight_;
    QColor ground_, light_, dark_;
};

/// From one color to another, 0..1.
QColor between(const QColor& from, const QColor& to, double share);

} // namespace alidade::views
