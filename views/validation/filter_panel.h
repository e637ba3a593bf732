// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/validation/run_filter.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QListWidget;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// What is looked at: the quantity as a list, and one field a restriction, each value with the number of its
/// rows next to the other restrictions.
class FilterPanel : public QWidget {
    Q_OBJECT

public:
    explicit FilterPanel(QWidget* parent = nullptr);

    /// Offers what the report has and shows the filter; emits nothing.
    void show(const ValidationReport& report, const RunFilter& filter, const Catalog& catalog);

    QListWidget* quantities() const { return quantities_; }
    QComboBox* combo(RunField field) const { return combos_[field]; }
    QCheckBox* judgedOnly() const { return judged_; }
    QPushButton* clearButton() const { return clear_; }

    QSize sizeHint() const override;

signals:
    void edited(const alidade::views::RunFilter& filter);

private:
    void showQuantities(const ValidationReport& report);
    void changed(const std::function<void(RunFilter&)>& change);

    QListWidget* quantities_;
    QHash<RunField, QComboBox*> combos_;
    QCheckBox* judged_;
    TextLabel* ids_; ///< that only some rows are shown, by id
    QPushButton* clear_;
    RunFilter filter_;
    bool telling_ = true;
};

} // namespace alidade::views
