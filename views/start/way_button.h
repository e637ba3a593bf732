// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace alidade::views {

/// A way in: icon, what it does, and what one needs for it.
class WayButton : public QAbstractButton {
    Q_OBJECT

public:
    WayButton(const QString& iconName, const QString& title, const QString& detail,
              QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QByteArray iconName_;
    QString detail_;
};

/// One line: icon, text, and a shortcut (or any short note) at the right.
class LinkButton : public QAbstractButton {
    Q_OBJECT

public:
    LinkButton(const QString& iconName, const QString& text, const QString& note, QWidget* parent = nullptr);
    void setNote(const QString& note);
    /// Between text and note, in secondary ink.
    void setMiddle(const QString& middle);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QByteArray iconName_;
    QString note_, middle_;
};

} // namespace alidade::views
