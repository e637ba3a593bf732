// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QLabel>

namespace alidade::views {

/// A plain label in a font and color of the theme that follows both when they change.
class TextLabel : public QLabel {
    Q_OBJECT
public:
    explicit TextLabel(FontRole font, Role ink, const QString& text = {}, QWidget* parent = nullptr);
    void setInk(Role ink);
    Role ink() const { return ink_; }
    /// Cuts the text with an ellipsis where there is no room, and says all of it in the tooltip. One line
    /// only.
    void setElided(bool on);

    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void dress();
    FontRole font_;
    Role ink_;
    bool dressing_ = false;
    bool elided_ = false;
};

} // namespace alidade::views
