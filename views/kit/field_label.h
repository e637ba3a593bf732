// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/text_label.h"

namespace alidade::views {

class UnitField;

/// Label of a field, in secondary ink. With a UnitField, dragging on it sideways scrubs the value (Shift by
/// ten).
class FieldLabel : public TextLabel {
    Q_OBJECT
public:
    /// `text` may hold a mnemonic ("&Price"); `field` becomes the buddy and takes the text as its accessible
    /// name if it has none.
    FieldLabel(const QString& text, QWidget* field, QWidget* parent = nullptr);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    UnitField* scrubbed_;
    double start_ = 0;
    bool dragging_ = false;
};

} // namespace alidade::views
