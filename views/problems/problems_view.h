// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

namespace alidade::views {

class DataTableView;
class ProblemsModel;

/// What is wrong or doubtful with the scenario: a sentence, the field that it is about, and the change that
/// mends it. Enter goes to the field; a click on the change makes it.
class ProblemsView : public View {
    Q_OBJECT

public:
    explicit ProblemsView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Problems"); }
    QString iconName() const override { return QStringLiteral("warning"); }
    QString helpTopic() const override { return QStringLiteral("problems"); }
    QSize sizeHint() const override;

    int count() const;
    /// Selects the next (or previous) problem, around the end, and goes to its field.
    void step(int direction);

protected:
    void updateEstimate() override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrangeColumns();
    void go(int row);
    void applyFix(int row);

    ProblemsModel* model_;
    DataTableView* table_;
    QWidget* empty_;
};

} // namespace alidade::views
