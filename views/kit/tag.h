// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

#include <QWidget>

namespace alidade::views {

/// The letter tag of a class, optionally with its name next to it.
class Tag : public QWidget {
    Q_OBJECT
public:
    explicit Tag(Bound bound, QWidget* parent = nullptr, bool withName = false);
    void setBound(Bound bound);
    Bound bound() const { return bound_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Bound bound_;
    bool withName_;
};

/// What a state is worth; `accent` is for what is the user's own.
enum class BadgeKind { ok, warn, err, neutral, accent };

/// 18 px pill with a word and, for ok, warn and err, an icon. Only for state; at most two in a row.
class Badge : public QWidget {
    Q_OBJECT
public:
    explicit Badge(BadgeKind kind = BadgeKind::neutral, const QString& text = {}, QWidget* parent = nullptr);
    void setState(BadgeKind kind, const QString& text);
    QString text() const { return text_; }
    BadgeKind kind() const { return kind_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    BadgeKind kind_;
    QString text_;
};

} // namespace alidade::views
