// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow serial
// Each page by the Tab key alone, through the real window: everything that takes the keyboard is reached, is
// in sight when it has the focus, and has a name for a screen reader.
#include "tests/app/window_fixture.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QPointer>
#include <QSet>
#include <QWindow>

namespace tst_window_tab {

class TestWindowTab : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }
    void everythingIsReached_data();
    void everythingIsReached();
};

namespace {

constexpr int mostStops = 600;

/// "ScenarioView > cluster.instance > QComboBox"
QString placeOf(const QWidget* widget) {
    QStringList names;
    for (const QWidget* each = widget; each != nullptr && !each->isWindow(); each = each->parentWidget())
        if (each == widget || !each->objectName().isEmpty() || qobject_cast<const views::View*>(each))
            names.prepend(QString::fromLatin1(each->metaObject()->className()) +
                          (each->objectName().isEmpty() ? QString() : u'#' + each->objectName()));
    return names.join(QStringLiteral(" > "));
}

bool takesTab(const QWidget* widget) {
    return widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0 &&
           widget->focusProxy() == nullptr && !widget->visibleRegion().isEmpty();
}

bool isInSight(const QWidget* widget) {
    const auto* scrolled = qobject_cast<const QAbstractScrollArea*>(widget);
    return !(scrolled != nullptr ? scrolled->viewport() : widget)->visibleRegion().isEmpty();
}

/// Its own name, or that of the field which it is a part of.
bool hasName(QWidget* widget) {
    QAccessibleInterface* said = QAccessible::queryAccessibleInterface(widget);
    return said != nullptr && !said->text(QAccessible::Name).isEmpty();
}

QString listOf(const QSet<QString>& set) {
    QStringList list(set.begin(), set.end());
    list.sort();
    return list.join(QStringLiteral("; "));
}

} // namespace

void TestWindowTab::everythingIsReached_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("page");
    QTest::addColumn<bool>("back");
    const QString training = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
    const QString serving = QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");
    for (const char* page : {"start", "plan", "catalog", "library", "topology", "live", "validation"})
        for (const bool back : {false, true})
            QTest::addRow("%s%s", page, back ? ", backwards" : "")
                << training << QString::fromLatin1(page) << back;
    QTest::newRow("plan of a service") << serving << QStringLiteral("plan") << false;
    QTest::newRow("plan of a service, backwards") << serving << QStringLiteral("plan") << true;
}

void TestWindowTab::everythingIsReached() {
    QFETCH(QString, sample);
    QFETCH(QString, page);
    QFETCH(bool, back);
    Fixture f;
    f.files().openSample(sample);
    f.settle();
    f.window->resize(1280, 800);
    QVERIFY(f.window->showView(page));
    QTest::qWait(200);
    const auto tab = [&] {
        if (back)
            QTest::keyClick(f.window->windowHandle(), Qt::Key_Backtab, Qt::ShiftModifier);
        else
            QTest::keyClick(f.window->windowHandle(), Qt::Key_Tab);
    };
    QList<QPointer<const QWidget>> all; // what comes on the way, with the row of a table, may be behind
    for (const QWidget* each : f.window->findChildren<QWidget*>())
        if (takesTab(each))
            all.append(each);
    QSet<const QWidget*> reached;
    QSet<QString> nameless, unseen;
    QWidget* first = nullptr;
    int stops = 0;
    for (; stops < mostStops; ++stops) {
        const QWidget* last = QApplication::focusWidget();
        tab();
        if (QApplication::focusWidget() == last) { // Tab means something there, until Esc
            QTest::keyClick(f.window->windowHandle(), Qt::Key_Escape);
            tab();
        }
        QWidget* now = QApplication::focusWidget();
        QVERIFY(now != nullptr && now != last);
        if (now == first)
            break;
        if (first == nullptr)
            first = now;
        reached.insert(now);
        if (!QTest::qWaitFor([now] { return isInSight(now); }, 5'000)) // not while something covers it
            unseen.insert(placeOf(now));
        if (!hasName(now))
            nameless.insert(placeOf(now));
    }
    QVERIFY2(stops < mostStops, "Tab does not come back to where it began");
    QSet<QString> missed;
    for (const auto& each : std::as_const(all))
        if (each && takesTab(each) && !reached.contains(each))
            missed.insert(placeOf(each));
    QCOMPARE(listOf(missed), QString());
    QCOMPARE(listOf(unseen), QString());
    QCOMPARE(listOf(nameless), QString());
}

QTEST_MAIN(TestWindowTab)

} // namespace tst_window_tab

#include "tst_window_tab.moc"
