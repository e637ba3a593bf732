// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/accuracy_curve.h"

#include <QDialog>

#include <optional>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// What a person typed of measured accuracies.
struct TypedAccuracy {
    QString table;  ///< as typed or imported; empty: none
    QString target; ///< as typed; empty: none
    std::optional<AccuracyCurve> curve;
    std::optional<double> accuracy; ///< the target, 0..1
};

/// Measured accuracies against samples or thinking budget, typed, pasted or from a file, and the accuracy to
/// reach.
class AccuracyDialog : public QDialog {
    Q_OBJECT
public:
    explicit AccuracyDialog(const TypedAccuracy& present, QWidget* parent = nullptr);

    const TypedAccuracy& typed() const { return typed_; }
    /// Reads a file into the table, in the background.
    void importFrom(const QString& fileName);

    // For tests
    QPlainTextEdit* table() const { return table_; }
    QLineEdit* target() const { return target_; }
    QPushButton* okButton() const { return ok_; }
    QString error() const;

private:
    void askFile();
    void check();

    TypedAccuracy typed_;
    QPlainTextEdit* table_;
    QLineEdit* target_;
    TextLabel* error_;
    QPushButton* ok_ = nullptr;
};

} // namespace alidade::views
