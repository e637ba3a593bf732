// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/monkey_hands.h"

#include "app/window/file_session.h"
#include "app/window/main_window.h"
#include "data/scenario/samples.h"

#include <QApplication>
#include <QFileDialog>
#include <QPointer>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>

#include <array>

namespace alidade::test {

namespace {

/// Sizes that showed faults, and others that people have.
constexpr std::array sizes{QSize(1280, 720),  QSize(1280, 780), QSize(1280, 800),  QSize(1320, 800),
                           QSize(1400, 800),  QSize(1366, 768), QSize(1600, 1000), QSize(1920, 1080),
                           QSize(2560, 1440), QSize(1024, 640), QSize(900, 500)};

constexpr std::array texts{"0",        "1",      "-1",  "8",   "64", "1e9", "999999999", "0.5", "abc",
                           "400 Gbps", "80 GiB", "2 k", "nan", "p5", "  ",  "%1",        "<b>", "none"};

constexpr std::array keys{Qt::Key_Tab,    Qt::Key_Backtab,  Qt::Key_Return, Qt::Key_Escape, Qt::Key_Left,
                          Qt::Key_Right,  Qt::Key_Up,       Qt::Key_Down,   Qt::Key_Home,   Qt::Key_End,
                          Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Space,  Qt::Key_Delete, Qt::Key_Backspace,
                          Qt::Key_F,      Qt::Key_Z,        Qt::Key_Plus,   Qt::Key_Minus,  Qt::Key_W,
                          Qt::Key_S,      Qt::Key_A,        Qt::Key_D,      Qt::Key_F8,     Qt::Key_F2,
                          Qt::Key_Slash,  Qt::Key_Question, Qt::Key_Menu,   Qt::Key_5};

} // namespace

MonkeyHands::MonkeyHands(app::MainWindow& window, unsigned seed)
    : window_(window)
    , random_(seed) {}

int MonkeyHands::upTo(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }

double MonkeyHands::share() { return upTo(10'000) / 10'000.0; }

/// Where input goes: a menu, a dialog, else the main window.
QWindow* MonkeyHands::target() const {
    if (QWidget* popup = QApplication::activePopupWidget())
        return popup->windowHandle();
    if (QWidget* dialog = QApplication::activeModalWidget())
        return dialog->windowHandle();
    return window_.windowHandle();
}

QPointF MonkeyHands::place(const QWindow& window) {
    return {share() * std::max(window.width() - 1, 1), share() * std::max(window.height() - 1, 1)};
}

void MonkeyHands::key(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    steps.append([this, key, modifiers] {
        if (QWindow* window = target())
            QTest::keyClick(window, key, modifiers);
    });
}

QString MonkeyHands::click(QWindow& window) {
    const QPoint at = place(window).toPoint();
    const int kind = upTo(9);
    const Qt::MouseButton button = kind < 8 ? Qt::LeftButton : Qt::RightButton;
    const Qt::KeyboardModifiers held = upTo(11) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
    steps.append([window = QPointer(&window), at] {
        if (window)
            QTest::mouseMove(window, at);
    });
    steps.append([window = QPointer(&window), at, kind, button, held] {
        if (window && kind == 7)
            QTest::mouseDClick(window, button, held, at);
        else if (window)
            QTest::mouseClick(window, button, held, at);
    });
    return QStringLiteral("%1 at %2,%3")
        .arg(kind == 7  ? QStringLiteral("double click")
             : kind < 8 ? QStringLiteral("click")
                        : QStringLiteral("right click"))
        .arg(at.x())
        .arg(at.y());
}

QString MonkeyHands::drag(QWindow& window) {
    const QPoint from = place(window).toPoint(), to = place(window).toPoint();
    const QPointer<QWindow> guarded(&window);
    steps.append([guarded, from] {
        if (guarded)
            QTest::mousePress(guarded, Qt::LeftButton, Qt::NoModifier, from);
    });
    for (int i = 1; i <= 4; ++i)
        steps.append([guarded, at = from + (to - from) * i / 4] {
            if (guarded)
                QTest::mouseMove(guarded, at);
        });
    steps.append([guarded, to] {
        if (guarded)
            QTest::mouseRelease(guarded, Qt::LeftButton, Qt::NoModifier, to);
    });
    return QStringLiteral("drag %1,%2 to %3,%4").arg(from.x()).arg(from.y()).arg(to.x()).arg(to.y());
}

QString MonkeyHands::turnWheel(QWindow& window) {
    const QPointF at = place(window);
    const int notches = upTo(1) == 0 ? 1 + upTo(4) : -1 - upTo(4);
    const Qt::KeyboardModifiers held = upTo(3) == 0   ? Qt::ControlModifier
                                       : upTo(3) == 0 ? Qt::ShiftModifier
                                                      : Qt::NoModifier;
    steps.append([guarded = QPointer(&window), at, notches, held] {
        if (!guarded)
            return;
        QWheelEvent event(at, guarded->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, held,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(guarded, &event);
    });
    return QStringLiteral("wheel %1 at %2,%3").arg(notches).arg(at.x()).arg(at.y());
}

QString MonkeyHands::move(QWindow& window) {
    const QPoint at = place(window).toPoint();
    steps.append([guarded = QPointer(&window), at] {
        if (guarded)
            QTest::mouseMove(guarded, at);
    });
    return QStringLiteral("move to %1,%2").arg(at.x()).arg(at.y());
}

QString MonkeyHands::type() {
    const Qt::Key which = keys[static_cast<std::size_t>(upTo(static_cast<int>(keys.size()) - 1))];
    key(which, which == Qt::Key_Backtab || upTo(9) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    return QStringLiteral("key 0x%1").arg(int(which), 0, 16);
}

QString MonkeyHands::shortcut() {
    static const std::array letters{Qt::Key_Z,    Qt::Key_Y,     Qt::Key_K, Qt::Key_C, Qt::Key_V,
                                    Qt::Key_D,    Qt::Key_F,     Qt::Key_N, Qt::Key_E, Qt::Key_G,
                                    Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0};
    const Qt::Key which = letters[static_cast<std::size_t>(upTo(static_cast<int>(letters.size()) - 1))];
    const bool shift = upTo(4) == 0;
    key(which, shift ? Qt::ControlModifier | Qt::ShiftModifier : Qt::KeyboardModifiers(Qt::ControlModifier));
    return QStringLiteral("shortcut 0x%1%2")
        .arg(int(which), 0, 16)
        .arg(shift ? QStringLiteral(" with Shift") : QString());
}

/// Clicks somewhere, writes something, and commits it or not.
QString MonkeyHands::edit(QWindow& window) {
    const QPoint at = place(window).toPoint();
    const bool twice = upTo(1) == 0;
    steps.append([guarded = QPointer(&window), at, twice] {
        if (guarded && twice)
            QTest::mouseDClick(guarded, Qt::LeftButton, Qt::NoModifier, at);
        else if (guarded)
            QTest::mouseClick(guarded, Qt::LeftButton, Qt::NoModifier, at);
    });
    const QString words =
        QLatin1String(texts[static_cast<std::size_t>(upTo(static_cast<int>(texts.size()) - 1))]);
    if (upTo(1) == 0)
        key(Qt::Key_A, Qt::ControlModifier);
    steps.append([this, words] {
        for (const QChar c : words)
            if (QWindow* now = target())
                QTest::keyClick(now, c.toLatin1());
    });
    key(upTo(3) == 0 ? Qt::Key_Escape : Qt::Key_Return, Qt::NoModifier);
    return QStringLiteral("edit at %1,%2: %3").arg(at.x()).arg(at.y()).arg(words);
}

QString MonkeyHands::resize() {
    const QSize size = upTo(2) > 0 ? sizes[static_cast<std::size_t>(upTo(static_cast<int>(sizes.size()) - 1))]
                                   : QSize(300 + upTo(2200), 200 + upTo(1300));
    steps.append([this, size] { window_.resize(size); });
    return QStringLiteral("resize to %1x%2").arg(size.width()).arg(size.height());
}

QString MonkeyHands::page() {
    const int number = 1 + upTo(7);
    key(static_cast<Qt::Key>(Qt::Key_0 + number), Qt::ControlModifier);
    return QStringLiteral("page %1").arg(number);
}

QString MonkeyHands::sample() {
    const auto all = data::sampleScenarioIds();
    const std::string one = all[static_cast<std::size_t>(upTo(static_cast<int>(all.size()) - 1))];
    const QString id = QString::fromStdString(one);
    steps.append([this, id] { window_.files().openSample(id); });
    return QStringLiteral("open ") + id;
}

QString MonkeyHands::think() {
    if (!window_.isVisible() || window_.isMinimized()) {
        steps.append([this] { window_.showNormal(); });
        return QStringLiteral("show again");
    }
    // A file dialog would let it write anywhere.
    if (auto* files = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        steps.append([guarded = QPointer(files)] {
            if (guarded)
                guarded->reject();
        });
        return QStringLiteral("leave the file dialog");
    }
    QWindow* window = target();
    if (window == nullptr)
        return QStringLiteral("nothing");
    const bool above = window != window_.windowHandle();
    if (above && upTo(4) == 0) {
        key(Qt::Key_Escape, Qt::NoModifier);
        return QStringLiteral("escape");
    }
    const int kind = upTo(99);
    return kind < 34   ? click(*window)
           : kind < 44 ? turnWheel(*window)
           : kind < 54 ? drag(*window)
           : kind < 62 ? move(*window)
           : kind < 76 ? type()
           : kind < 82 ? shortcut()
           : kind < 90 ? edit(*window)
           : above     ? click(*window)
           : kind < 94 ? resize()
           : kind < 98 ? page()
                       : sample();
}

} // namespace alidade::test
