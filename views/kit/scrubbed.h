// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWheelEvent>

namespace alidade::views {

/// An editor of a number that can be dragged like a slider: on its label, or with Alt and the wheel.
class Scrubbed {
public:
    virtual bool canScrub() const = 0;
    /// Steps away from where the drag began. Previews until endScrub().
    virtual void scrubTo(int steps) = 0;
    virtual void endScrub() = 0;
    /// One change, as of a key.
    virtual void nudge(int steps) = 0;

protected:
    ~Scrubbed() = default;
};

/// Notches of the wheel with Alt held; with Alt, some desktops turn the wheel sideways.
inline int altNotches(const QWheelEvent& event) {
    constexpr int notch = 120;
    if (!(event.modifiers() & Qt::AltModifier))
        return 0;
    const int turned = event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x();
    const int notches = turned / notch;
    return event.modifiers() & Qt::ShiftModifier ? 10 * notches : notches;
}

} // namespace alidade::views
