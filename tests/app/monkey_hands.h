// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <QSize>
#include <QString>

#include <functional>
#include <random>

class QWidget;
class QWindow;

namespace alidade::app {
class MainWindow;
}

namespace alidade::test {

/// A person who does not know what they are doing: clicks, drags, turns the wheel, types and resizes at
/// random, always through the window, as the platform delivers input. The same seed does the same.
class MonkeyHands {
public:
    MonkeyHands(app::MainWindow& window, unsigned seed);

    /// Thinks of an action; \returns it in words, and its steps in `steps`. A step may not return before a
    /// menu or a dialog is closed that it opened, so that each is to be run from the event loop.
    QString think();
    QList<std::function<void()>> steps;

private:
    QWindow* target() const;
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers);
    QPointF place(const QWindow& window);
    QString click(QWindow& window);
    QString drag(QWindow& window);
    QString turnWheel(QWindow& window);
    QString move(QWindow& window);
    QString type();
    QString shortcut();
    QString edit(QWindow& window);
    QString resize();
    QString page();
    QString sample();
    int upTo(int most); ///< 0 .. most
    double share();     ///< 0 .. 1

    app::MainWindow& window_;
    std::mt19937 random_;
};

} // namespace alidade::test
