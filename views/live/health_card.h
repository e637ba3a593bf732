// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding_marks.h"

#include <QAbstractButton>

class QLabel;

namespace alidade::views {

class TextLabel;

/// One fault of the cluster: what and where, since when, the evidence, the advice and those who
/// differ, what it cost. A click goes there.
class HealthCard : public QAbstractButton {
    Q_OBJECT
public:
    explicit HealthCard(QWidget* parent = nullptr);
    /// \param rangeLength s, of the observed time
    void setFinding(const Finding& finding, double rangeLength);
    const Finding& finding() const { return finding_; }
    /// \param now Unix s
    void setMark(const FindingMark& mark, double now);
    /// What was said of it, as it is on the card; empty: nothing.
    QString markText() const;
    void setCurrent(bool on);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void renewIcon();
    Finding finding_;
    bool current_ = false;
    QLabel* icon_;
    TextLabel *title_, *time_, *detail_, *others_, *cost_, *mark_;
};

} // namespace alidade::views
