// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// The chosen published run: what was measured and predicted, its configuration, and where it is published.
class RunPanel : public QWidget {
    Q_OBJECT

public:
    explicit RunPanel(QWidget* parent = nullptr);

    void showRun(const ValidationRow& row, const Catalog& catalog);
    void showNothing();
    QPushButton* openButton() const { return open_; }

    QSize sizeHint() const override;

signals:
    void openRequested();

private:
    void clear();
    void addText(const QString& words);
    void addFact(const QString& label, const QString& value);
    void addRule();

    QWidget* body_;
    QVBoxLayout* column_;
    QPushButton* open_;
};

} // namespace alidade::views
