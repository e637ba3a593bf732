// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/text_label.h"

namespace alidade::views {

class Scrubbed;

/// Label of a field, in secondary ink. Where the field is a number, dragging on the label sideways scrubs the
/// value (Shift by ten); Esc before the button is released brings the old one back. Alt and the wheel step.
class FieldLabel : public TextLabel {
    Q_OBJECT
public:
    /// `text` may hold a mnemonic ("&Price"); `field` becomes the buddy and takes the text as its accessible
    /// name if it has none.
    FieldLabel(const QString& text, QWidget* field, QWidget* parent = nullptr);
    /// What is dragged, if it is not the field itself; must live as long as the label. null: nothing.
    void setScrubbed(Scrubbed* scrubbed);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    /// Esc during a drag, wherever the focus is.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void end();
    Scrubbed* scrubbed_;
    double start_ = 0;
    bool dragging_ = false;
};

} // namespace alidade::views
