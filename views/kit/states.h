// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;

namespace alidade::views {

class TextLabel;

/// What a view shows in place of content: icon, one sentence, a detail, and the one action that helps.
class Notice : public QWidget {
    Q_OBJECT
public:
    void setText(const QString& sentence, const QString& detail);
    /// Empty text: no button.
    void setAction(const QString& text);
    QPushButton* button() const { return button_; }

signals:
    void triggered();

protected:
    Notice(const QString& iconName, Role ink, QWidget* parent);
    void renewIcon();

private:
    QString iconName_;
    Role ink_;
    QLabel* icon_;
    TextLabel* sentence_;
    TextLabel* detail_;
    QPushButton* button_;
};

/// Nothing there yet: "No operation to draw yet", "Choose a model in the scenario.", [Choose a model…]
class EmptyState : public Notice {
    Q_OBJECT
public:
    EmptyState(const QString& iconName, const QString& sentence, const QString& detail = {},
               const QString& action = {}, QWidget* parent = nullptr);
};

/// Something failed: what happened and where, what still holds, [Try again]
class ErrorState : public Notice {
    Q_OBJECT
public:
    explicit ErrorState(const QString& what, const QString& stillHolds = {}, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Long work over a widget: after 300 ms the old content goes to 45 % under a 2 px line on its upper edge,
/// after 1 s there is a Cancel button. Child of the widget that it covers; hidden while there is nothing to
/// wait for.
class BusyOverlay : public QWidget {
    Q_OBJECT
public:
    explicit BusyOverlay(QWidget* target);

    /// `text` says what is done: "Searching 1.2 of 9.8 M plans". A start while busy only renews the text.
    void start(const QString& text, bool cancellable = true);
    /// 0..1, or negative when the end is not known.
    void setProgress(double done, const QString& text = {});
    void stop();
    bool isBusy() const { return busy_; }
    QPushButton* cancelButton() const { return cancel_; }

signals:
    void cancelRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QTimer* dim_;
    QTimer* offer_;
    TextLabel* text_;
    QPushButton* cancel_;
    double done_ = -1;
    bool busy_ = false;
    bool cancellable_ = true;
};

} // namespace alidade::views
