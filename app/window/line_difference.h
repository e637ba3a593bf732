// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <vector>

namespace alidade::app {

/// What became of the lines of a text.
struct LineDifference {
    std::vector<int> added;        ///< lines of the new text that the old one does not have there
    std::vector<int> removedBelow; ///< lines of the new text after which old ones are gone; -1: before all
    bool operator==(const LineDifference&) const = default;
};

/// The smallest difference of two texts, unless they are very long and differ throughout.
LineDifference differenceOf(const QStringList& before, const QStringList& after);

} // namespace alidade::app
