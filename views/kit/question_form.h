// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QFormLayout;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace alidade::views {

class TextLabel;

/// The side of a page that asks for something that takes a while: fields that scroll, the fault in what was
/// typed, and a button that starts the work or stops it. Enter in a field asks too.
class QuestionForm : public QWidget {
    Q_OBJECT

public:
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

    void setError(const QString& why); ///< empty: none
    QString error() const;
    void setBusy(bool busy); ///< the button stops the work then

    // For tests
    QLineEdit* field(const QString& name) const; ///< by object name
    QPushButton* button() const { return button_; }

signals:
    void asked();
    void stopRequested();

protected:
    /// \param ask what the button says \param width logical pixels at 10 pt
    QuestionForm(const QString& ask, int width, QWidget* parent);

    QVBoxLayout* rows() const { return rows_; } ///< what scrolls
    /// Labels at the left, fields as wide as they can be.
    static QFormLayout* newForm(int spacing);
    QLineEdit* addField(QFormLayout& form, const QString& name, const QString& label, const QString& value,
                        const QString& placeholder, const QString& help);

private:
    QString ask_;
    int width_;
    QVBoxLayout* rows_;
    TextLabel* error_;
    QPushButton* button_;
    bool busy_ = false;
};

} // namespace alidade::views
