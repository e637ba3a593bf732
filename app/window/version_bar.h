// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QPushButton;

namespace alidade::app {

/// One line above the page that asks for the name of a version. Enter keeps it, Esc does not; never modal.
class VersionBar : public QWidget {
    Q_OBJECT

public:
    explicit VersionBar(QWidget* parent = nullptr);

    /// Shows the line with a name that may be changed.
    void ask(const QString& proposal);
    QLineEdit* field() const { return field_; }

signals:
    void named(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void accept();

    QLineEdit* field_;
    QPushButton* keep_;
};

} // namespace alidade::app
