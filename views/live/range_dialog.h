// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_state.h"

#include <QDialog>

class QDateTimeEdit;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// Two instants for a look into the past.
class RangeDialog : public QDialog {
    Q_OBJECT
public:
    /// \param now Unix s; later cannot be chosen
    RangeDialog(const LiveSpan& span, double now, QWidget* parent = nullptr);

    QDateTimeEdit* from() const { return from_; }
    QDateTimeEdit* to() const { return to_; }

signals:
    void chosen(const alidade::views::LiveSpan& span);

private:
    void check();
    QDateTimeEdit *from_, *to_;
    TextLabel* fault_;
    QPushButton* ok_ = nullptr;
    double now_;
};

} // namespace alidade::views
