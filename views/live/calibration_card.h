// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_state.h"

#include <QWidget>

class QPushButton;

namespace alidade::views {

class TextLabel;

/// Offers to fit the model to a time without faults.
class CalibrationCard : public QWidget {
    Q_OBJECT
public:
    explicit CalibrationCard(QWidget* parent = nullptr);
    void setQuiet(const std::optional<QuietWindow>& quiet, double rangeLength);
    /// \param detail what a fit would tell; empty: the card's own words
    void setNote(const QString& aside, const QString& detail);
    /// The words go into the hint of the button, where there is something to fit.
    void setCompact(bool on);
    QPushButton* fitButton() const { return fit_; }
    QString words() const;

signals:
    void fitRequested(double start, double end);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fill();
    std::optional<QuietWindow> quiet_;
    double rangeLength_ = 0;
    bool compact_ = false;
    QString detail_;
    TextLabel *title_, *aside_, *words_;
    QPushButton* fit_;
};

} // namespace alidade::views
