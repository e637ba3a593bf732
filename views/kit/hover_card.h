// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"

#include <QFrame>
#include <QPointer>

#include <optional>
#include <utility>

class QGridLayout;
class QTimer;

namespace alidade::views {

/// What a hover card says: a title, optionally the tag of a class, and at most five rows of label and value.
struct CardContent {
    QString title;
    std::optional<Bound> tag;
    QList<std::pair<QString, QString>> rows;
    bool operator==(const CardContent&) const = default;
};

/// The one card of the application. It comes 120 ms after the pointer rests, next to the thing and never
/// under the pointer. Holding Ctrl when the pointer leaves keeps it: then its text can be selected, and Esc
/// or a click elsewhere closes it. A child of the window that it floats in.
class HoverCard : public QFrame {
    Q_OBJECT
public:
    /// `subject` is what the card names, in coordinates of `owner`.
    static void showFor(QWidget* owner, const QRect& subject, const CardContent& content);
    /// Only what `owner` showed is hidden.
    static void hideFor(QWidget* owner);
    /// The card that is to be seen now, or null.
    static HoverCard* current();
    /// The same in one text, for accessible descriptions.
    static QString words(const CardContent& content);

    const CardContent& content() const { return content_; }
    bool isKept() const { return kept_; }
    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    explicit HoverCard(QWidget* window);
    void fill();
    void place();
    void keep();
    void close();

    QPointer<QWidget> owner_;
    QRect subject_;
    CardContent content_;
    QGridLayout* grid_;
    QTimer* delay_;
    bool kept_ = false;
};

} // namespace alidade::views
