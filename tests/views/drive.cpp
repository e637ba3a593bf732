// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QWheelEvent>

void present(QWidget& window, const QSize& size) {
    if (size.isValid())
        window.resize(size);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window, 20'000));
}

void settle() {
    for (int turn = 0; turn < 5; ++turn)
        QTest::qWait(4);
}

QString wordsOn(const QWidget& widget) {
    QStringList words;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible())
            words.append(label->text());
    return words.join(QLatin1Char('\n'));
}

QString clash(const QList<std::pair<QString, QPolygonF>>& labels) {
    for (qsizetype i = 0; i < labels.size(); ++i)
        for (qsizetype k = 0; k < i; ++k)
            // Polygons that share an edge intersect too, but rectangles do not.
            if (labels[i].second.boundingRect().intersects(labels[k].second.boundingRect()) &&
                labels[i].second.intersects(labels[k].second))
                return labels[i].first + QStringLiteral(" on ") + labels[k].first;
    return {};
}

void wheelAt(QWidget* widget, QPointF place, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(place, widget->mapToGlobal(place), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

void wheel(QWidget* widget, int notches, Qt::KeyboardModifiers modifiers) {
    wheelAt(widget, QRectF(widget->rect()).center(), notches, modifiers);
}

void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(widget, Qt::LeftButton, modifiers, from);
    for (int i = 1; i <= 4; ++i) {
        const QPoint at = from + (to - from) * i / 4;
        QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QApplication::sendEvent(widget, &move);
    }
    QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
}

void moveTo(QWidget* widget, QPoint place) {
    // Through the window, so that widgets are entered and left. QTest::mouseMove of a widget would move the
    // real pointer, which is somewhere else where a window manager has not placed the window yet.
    QWidget* window = widget->window();
    QTest::mouseMove(window->windowHandle(), widget->mapTo(window, place));
}

QMenu* askForMenu(QWidget* widget) {
    const QPoint place = widget->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, place, widget->mapToGlobal(place));
    QApplication::sendEvent(widget, &event);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
}
