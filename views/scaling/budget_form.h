// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scaling/training_budget.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// What the Scaling page is asked: budget, deadline, range of sizes, machines, data and law.
class BudgetForm : public QWidget {
    Q_OBJECT

public:
    explicit BudgetForm(QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

    /// As typed. \returns the first fault, "Budget: ..."
    Result<BudgetQuestion> question() const;
    void setError(const QString& why); ///< empty: none
    QString error() const;
    void setBusy(bool busy); ///< the button stops the work then

    // For tests
    QLineEdit* field(const QString& name) const; ///< by object name: "dollars", "machines", ...
    QPushButton* button() const { return button_; }

signals:
    void asked();
    void stopRequested();

private:
    QLineEdit* addField(QFormLayout& form, const char* name, const QString& label, const QString& value,
                        const QString& placeholder, const QString& help);

    QLineEdit *dollars_, *atMost_, *from_, *to_, *machines_, *counts_, *unique_, *served_;
    QComboBox* law_;
    TextLabel *lawText_, *error_;
    QPushButton* button_;
    bool busy_ = false;
};

} // namespace alidade::views
