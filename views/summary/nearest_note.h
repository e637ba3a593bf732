// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/validation/validation_source.h"

#include <QAbstractButton>

namespace alidade::views {

/// How far off the predictions of the nearest published runs are, in one line that is a button; the runs
/// themselves are on its hover card.
class NearestNote : public QAbstractButton {
    Q_OBJECT

public:
    explicit NearestNote(QWidget* parent = nullptr);

    /// Without a run it hides. \param catalog for the names of the parts
    void setRuns(const NearestRuns& runs, const Catalog& catalog);
    QStringList ids() const; ///< of the runs
    const CardContent& card() const { return card_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void renewText();
    NearestRuns runs_;
    CardContent card_;
};

} // namespace alidade::views
