// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "views/kit/hover_card.h"
#include "views/kit/keyboard_focus.h"
#include "views/kit/rail.h"
#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

namespace tst_kit {

using namespace alidade;
using namespace alidade::views;

namespace {

/// Which of some widgets came to be shown, one after the other: told by events, as a slow machine may show
/// two between two looks.
class ShownInOrder : public QObject {
public:
    explicit ShownInOrder(const QList<QObject*>& watched) {
        for (QObject* each : watched)
            each->installEventFilter(this);
    }
    const QList<const QObject*>& shown() const { return shown_; }

private:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Show)
            shown_.push_back(watched);
        return false;
    }
    QList<const QObject*> shown_;
};

} // namespace

class TestKit : public QObject {
    Q_OBJECT
private slots:
    void focusRingIsOfTheKeyboard();
    void initTestCase();
    void init();
    void figureSpeaksAndAsksForItsDerivation();
    void figureCopiesItsValue();
    void unknownFigureSaysWhy();
    void barKeepsTheOrderOfTheClasses();
    void barShowsWhatIsThere_data();
    void barShowsWhatIsThere();
    void barByMouseAndKeyboard();
    void barLegendWraps();
    void railSwitches();
    void hoverCardComesLateAndStaysAside();
    void hoverCardIsKeptByCtrl();
    void busyDimsLateAndOffersCancel();
    void verdictSays();
    void verdictIsSaidInFull();
    void everyWidgetThatTakesFocusHasAName();
    void largeFontCutsNothing();
    void pictures();
};

void TestKit::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestKit::init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*$")));
}

void TestKit::figureSpeaksAndAsksForItsDerivation() {
    BandLabel label;
    label.setFigure({QStringLiteral("Step time"),
                     QStringLiteral("6.13"),
                     QStringLiteral("s"),
                     BandRange{5.6, 6.13, 6.9},
                     QStringLiteral("5.6 – 6.9"),
                     {}});
    QCOMPARE(label.accessibleName(), QStringLiteral("Step time: 6.13 s"));
    QCOMPARE(label.accessibleDescription(), QStringLiteral("5.6 – 6.9"));
    present(label);
    QSignalSpy asked(&label, &BandLabel::explainRequested);
    QTest::keyClick(&label, Qt::Key_Return);
    QTest::mouseDClick(&label, Qt::LeftButton);
    QCOMPARE(asked.count(), 2);
    Figure changed = label.figure();
    changed.difference = QStringLiteral("−0.83 to baseline");
    label.setFigure(changed);
    QCOMPARE(label.accessibleDescription(), changed.difference);
}

void TestKit::figureCopiesItsValue() {
    BandLabel label;
    label.addAction(QStringLiteral("Sensitivity"));
    label.setFigure({QStringLiteral("Step time"), QStringLiteral("6.13"), QStringLiteral("s"), {}, {}, {}});
    present(label);
    QMenu* menu = askForMenu(&label);
    QVERIFY(menu);
    QCOMPARE(menu->actions().size(), 2);
    menu->actions().constLast()->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("6.13 s"));
    menu->close();
}

void TestKit::unknownFigureSaysWhy() {
    BandLabel label;
    label.setFigure({QStringLiteral("Reserved"), {}, {}, std::nullopt, QStringLiteral("not published"), {}});
    QVERIFY(label.accessibleName().contains(QStringLiteral("unknown")));
    present(label);
    QMenu* menu = askForMenu(&label);
    QVERIFY(menu && !menu->actions().constLast()->isEnabled());
    menu->close();
    Figure assumed{QStringLiteral("Goodput"), QStringLiteral("0.90"), {}, std::nullopt, {}, {}};
    assumed.assumed = true;
    label.setFigure(assumed);
    QCOMPARE(label.accessibleDescription(), QStringLiteral("assumed"));
}

void TestKit::barKeepsTheOrderOfTheClasses() {
    StepBar bar;
    bar.setSegments({{Bound::storage, 1, 1, {}, {}},
                     {Bound::network, 1, 1, {}, {}},
                     {Bound::compute, 1, 1, {}, QStringLiteral("a")},
                     {Bound::compute, 1, 0.62, {}, QStringLiteral("b")},
                     {Bound::efa, 1, 1, {}, {}}});
    QList<Bound> order;
    for (const BarSegment& segment : bar.segments())
        order.append(segment.bound);
    QCOMPARE(order,
             (QList<Bound>{Bound::compute, Bound::compute, Bound::efa, Bound::network, Bound::storage}));
    QCOMPARE(bar.segments().at(0).share, QStringLiteral("a")); // equal classes stay in the order given
    QVERIFY(bar.accessibleDescription().startsWith(QStringLiteral("Compute")));
}

void TestKit::barShowsWhatIsThere_data() {
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<int>("seen");
    QTest::newRow("ordinary") << QList<double>{3.89, 0.94, 0.58} << 3;
    QTest::newRow("slivers") << QList<double>{1000, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01} << 7;
    QTest::newRow("nothing") << QList<double>{0, 0} << 0;
    QTest::newRow("not numbers") << QList<double>{1, std::nan(""), -5,
                                                  std::numeric_limits<double>::infinity()}
                                 << 1;
    QTest::newRow("all slivers but the last") << QList<double>{1e-9, 1e-9, 1} << 3;
}

void TestKit::barShowsWhatIsThere() {
    QFETCH(QList<double>, values);
    QFETCH(int, seen);
    QList<BarSegment> segments;
    double total = 0;
    for (const double value : values) {
        segments.append({Bound::compute, value, 1, {}, {}});
        total += std::isfinite(value) && value > 0 ? value : 0;
    }
    const QRectF area(10, 0, 300, 20);
    const QList<QRectF> rects = barRects(area, segments, total);
    QCOMPARE(rects.size(), values.size());
    double end = area.left();
    int drawn = 0;
    for (const QRectF& rect : rects) {
        if (rect.isNull())
            continue;
        ++drawn;
        QVERIFY2(rect.width() >= 2, qPrintable(QString::number(rect.width())));
        QVERIFY2(rect.left() >= end - 1e-9, "segments must not cover each other");
        end = rect.right();
    }
    QCOMPARE(drawn, seen);
    QVERIFY(end <= area.right() + 1e-9);
    if (drawn > 0)
        QVERIFY(end > area.right() - 3);
}

void TestKit::barByMouseAndKeyboard() {
    StepBar bar;
    bar.setSegments({{Bound::compute, 6, 1, QStringLiteral("6 s"), QStringLiteral("60 %")},
                     {Bound::hbm, 0, 1, QStringLiteral("0 s"), QStringLiteral("0 %")},
                     {Bound::nvlink, 4, 1, QStringLiteral("4 s"), QStringLiteral("40 %")}});
    present(bar, {800, 80});
    QSignalSpy clicked(&bar, &StepBar::segmentClicked);
    QSignalSpy hovered(&bar, &StepBar::segmentHovered);
    const QPoint nvlink = bar.segmentRect(2).center().toPoint();
    moveTo(&bar, nvlink);
    QCOMPARE(hovered.count(), 1);
    QCOMPARE(hovered.takeFirst().at(0).toInt(), 2);
    QTest::mouseClick(&bar, Qt::LeftButton, {}, nvlink);
    QCOMPARE(clicked.takeFirst().at(0).toInt(), 2);
    QCOMPARE(bar.current(), 2);
    QTest::keyClick(&bar, Qt::Key_Left); // over HBM, which is nothing
    QCOMPARE(bar.current(), 0);
    QTest::keyClick(&bar, Qt::Key_Left);
    QCOMPARE(bar.current(), 0);
    QTest::keyClick(&bar, Qt::Key_Return);
    QCOMPARE(clicked.takeFirst().at(0).toInt(), 0);
    QTest::keyClick(&bar, Qt::Key_Escape);
    QCOMPARE(bar.current(), -1);
    // The legend answers to the mouse as well, for what has no width in the bar.
    QTest::mouseClick(&bar, Qt::LeftButton, {}, QPoint(10, bar.heightForWidth(800) - 8));
    QCOMPARE(clicked.count(), 1);
}

void TestKit::barLegendWraps() {
    StepBar bar;
    QList<BarSegment> segments;
    for (const Bound bound : classOrder)
        segments.append({bound, 1, 1, {}, QStringLiteral("10 %")});
    bar.setSegments(segments);
    const int wide = bar.heightForWidth(1400);
    QVERIFY(bar.heightForWidth(500) > wide);
    QVERIFY(bar.heightForWidth(200) > bar.heightForWidth(500));
    bar.setLegendVisible(false);
    QVERIFY(bar.heightForWidth(200) < wide);
}

void TestKit::railSwitches() {
    Rail rail;
    rail.addView(QStringLiteral("plan"), QStringLiteral("Plan"));
    QAction* live = rail.addView(QStringLiteral("live"), QStringLiteral("Live"));
    QCOMPARE(rail.current(), 0);
    present(rail);
    QSignalSpy changed(&rail, &Rail::currentChanged);
    QTest::mouseClick(rail.widgetForAction(live), Qt::LeftButton);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.at(0).at(0).toInt(), 1);
    rail.setCurrent(0);
    QCOMPARE(rail.current(), 0);
    QCOMPARE(changed.count(), 1);
}

void TestKit::hoverCardComesLateAndStaysAside() {
    QWidget window;
    auto* subject = new QWidget(&window);
    subject->setGeometry(0, 0, 600, 400);
    present(window, {600, 400});
    const CardContent content{QStringLiteral("MLP gate + up"),
                              Bound::compute,
                              {{QStringLiteral("Work"), QStringLiteral("3.57 TFLOP")}}};
    QCOMPARE(HoverCard::words(content), QStringLiteral("MLP gate + up; Compute; Work: 3.57 TFLOP"));
    for (const QPoint& place : {QPoint(300, 200), QPoint(580, 380), QPoint(5, 390), QPoint(590, 5)}) {
        const QRect named(place, QSize(8, 8));
        HoverCard::showFor(subject, named, content);
        QVERIFY(!HoverCard::current());
        QTRY_VERIFY(HoverCard::current());
        const QRect card = HoverCard::current()->geometry().adjusted(8, 8, -8, -8);
        QVERIFY(!card.intersects(named));
        QVERIFY(window.rect().contains(card));
        HoverCard::hideFor(subject);
        QVERIFY(!HoverCard::current());
    }
    // Gone before it came.
    HoverCard::showFor(subject, QRect(300, 200, 8, 8), content);
    HoverCard::hideFor(subject);
    QTest::qWait(200);
    QVERIFY(!HoverCard::current());
}

void TestKit::hoverCardIsKeptByCtrl() {
    QWidget window;
    present(window, {600, 400});
    HoverCard::showFor(
        &window, QRect(300, 200, 8, 8),
        {QStringLiteral("Stage 1"), {}, {{QStringLiteral("Memory"), QStringLiteral("71.0 GB")}}});
    QTRY_VERIFY(HoverCard::current());
    QTest::keyPress(window.windowHandle(), Qt::Key_Control, Qt::ControlModifier);
    HoverCard::hideFor(&window);
    QVERIFY(HoverCard::current());
    QVERIFY(HoverCard::current()->isKept());
    QTest::keyRelease(window.windowHandle(), Qt::Key_Control);
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!HoverCard::current());
}

void TestKit::busyDimsLateAndOffersCancel() {
    QWidget target;
    present(target, {300, 200});
    BusyOverlay busy(&target);
    busy.start(QStringLiteral("Searching"));
    QVERIFY(!busy.isVisible());
    busy.stop();
    QTest::qWait(350);
    QVERIFY(!busy.isVisible());

    ShownInOrder order({&busy, busy.cancelButton()});
    busy.start(QStringLiteral("Searching"));
    QTRY_VERIFY(busy.isVisible());
    QCOMPARE(busy.size(), target.size());
    target.resize(320, 220);
    QCOMPARE(busy.size(), target.size());
    QTRY_VERIFY(busy.cancelButton()->isVisible());
    QCOMPARE(order.shown(), (QList<const QObject*>{&busy, busy.cancelButton()}));
    QSignalSpy canceled(&busy, &BusyOverlay::cancelRequested);
    QTest::mouseClick(busy.cancelButton(), Qt::LeftButton);
    QCOMPARE(canceled.count(), 1);
    busy.stop();
    QVERIFY(!busy.isVisible());
}

void TestKit::verdictSays() {
    VerdictLabel verdict;
    verdict.setVerdict(BadgeKind::err, QStringLiteral("Does not fit: 96 GB on stage 1, 75 usable."),
                       QStringLiteral("high"));
    verdict.setBadges(
        {{BadgeKind::warn, QStringLiteral("tight")}, {BadgeKind::neutral, QStringLiteral("assumed")}});
    QCOMPARE(verdict.accessibleName(), verdict.sentence());
    QCOMPARE(verdict.findChildren<Badge*>().size(), 3); // with the note at the right
    verdict.setBadges({});
    QCOMPARE(verdict.findChildren<Badge*>().size(), 1);
}

void TestKit::verdictIsSaidInFull() {
    QWidget window;
    VerdictLabel verdict(&window);
    verdict.setVerdict(
        BadgeKind::ok,
        QStringLiteral("It fits and meets its targets; a decode step is bound by memory bandwidth."),
        QStringLiteral("51.4 GB of 175 GB usable on each GPU"));
    verdict.setBadges({{BadgeKind::neutral, QStringLiteral("simulated")}});
    present(window, {1500, 300});
    const auto* layout = verdict.layout();
    // As whoever holds it does: as high as it asks for, also after it has turned over its lines.
    const auto rest = [&] {
        for (int turn = 0; turn < 3; ++turn) {
            QCoreApplication::processEvents();
            verdict.resize(verdict.width(), layout->hasHeightForWidth()
                                                ? layout->heightForWidth(verdict.width())
                                                : layout->sizeHint().height());
        }
        QCoreApplication::processEvents();
    };
    const auto cutOff = [&] {
        QStringList cut;
        for (const auto* label : verdict.findChildren<TextLabel*>()) {
            const int needed = label->fontMetrics().horizontalAdvance(label->text());
            const bool whole = label->wordWrap() ? label->height() >= label->heightForWidth(label->width())
                                                 : label->contentsRect().width() >= needed;
            if (label->isVisible() && !(whole && verdict.rect().contains(label->geometry())))
                cut.append(label->text());
            // A sentence that wraps has all the room: no line more than needed.
            int right = verdict.width();
            for (const auto* badge : verdict.findChildren<Badge*>())
                right = badge->isVisible() ? std::min(right, badge->x()) : right;
            if (label->isVisible() && label->wordWrap() && right - label->geometry().right() > 12)
                cut.append(QStringLiteral("%1 pixels left").arg(right - label->geometry().right()));
        }
        return cut;
    };
    const QList<VerdictLabel::State> badges{{BadgeKind::neutral, QStringLiteral("simulated")}};
    for (const int width : {1400, 846, 640, 480}) {
        verdict.resize(width, 1);
        for (const QList<VerdictLabel::State>& shown : {badges, QList<VerdictLabel::State>{}, badges}) {
            verdict.setBadges(shown);
            rest();
            QCOMPARE(cutOff().join(u'\n'), QString());
            QCOMPARE(verdict.width(), width);
        }
    }
    // Larger letters need more room at once, not only after the next change of the size.
    verdict.resize(846, 200);
    const auto pointSize = qScopeGuard([] { ThemeController::instance().setBodyPointSize(10); });
    for (const double points : {16.0, 10.0, 13.0}) {
        ThemeController::instance().setBodyPointSize(points);
        settle();
        QCOMPARE(cutOff().join(u'\n'), QString());
        QCOMPARE(verdict.width(), 846);
    }
}

void TestKit::everyWidgetThatTakesFocusHasAName() {
    Gallery gallery;
    present(gallery);
    for (QWidget* widget : gallery.findChildren<QWidget*>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible() || widget->focusProxy())
            continue;
        if (widget->objectName().startsWith(QLatin1String("qt_")))
            continue; // parts of Qt's own widgets
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
        QVERIFY2(named, qPrintable(QString::fromLatin1(widget->metaObject()->className())));
    }
    // Tab comes round to where it began, and to everything in between.
    QSet<QWidget*> reached;
    gallery.figure->setFocus();
    QTRY_VERIFY(gallery.figure->hasFocus());
    for (int i = 0; i < 200 && !reached.contains(QApplication::focusWidget()); ++i) {
        reached.insert(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    const QList<QWidget*> wanted{gallery.figure,   gallery.bar,  gallery.field, gallery.degree->spinBox(),
                                 gallery.segments, gallery.tree, gallery.table, gallery.plot};
    for (QWidget* widget : wanted)
        QVERIFY2(reached.contains(widget), widget->metaObject()->className());
}

void TestKit::largeFontCutsNothing() {
    ThemeController::instance().setBodyPointSize(12);
    {
        Gallery gallery;
        present(gallery, {1700, 1150});
        for (QWidget* widget : gallery.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->size().isEmpty() ||
                qobject_cast<QAbstractScrollArea*>(widget))
                continue;
            const QSize least = widget->minimumSizeHint();
            QVERIFY2(widget->width() >= least.width() && widget->height() >= least.height(),
                     qPrintable(QStringLiteral("%1 %2x%3, needs %4x%5")
                                    .arg(QString::fromLatin1(widget->metaObject()->className()))
                                    .arg(widget->width())
                                    .arg(widget->height())
                                    .arg(least.width())
                                    .arg(least.height())));
            if (const auto* label = qobject_cast<QLabel*>(widget); label && !label->wordWrap())
                QVERIFY2(label->height() >= label->fontMetrics().height() || !label->pixmap().isNull(),
                         qPrintable(label->text()));
        }
        QVERIFY(gallery.tree->visualRect(gallery.tree->currentIndex()).height() >=
                QFontMetrics(theme().font(FontRole::body)).height() + 4);
        saveGrab(gallery, QStringLiteral("gallery-12pt"));
    }
    ThemeController::instance().setBodyPointSize(10);
}

void TestKit::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
        ThemeController::instance().setChoice(choice);
        Gallery gallery;
        present(gallery, {1500, 1000});
        gallery.refusedField->setText(QStringLiteral("800 Gb"));
        gallery.refusedField->setModified(true);
        QTest::keyClick(gallery.refusedField, Qt::Key_Return);
        gallery.busy->start(QStringLiteral("Searching 1.2 of 9.8 M plans"));
        gallery.busy->setProgress(0.46);
        if (qEnvironmentVariableIsSet("ALIDADE_GRAB_DIR"))
            QTRY_VERIFY(gallery.busy->cancelButton()->isVisible()); // tested above; here only for the picture
        gallery.field->setFocus();
        saveGrab(gallery, QStringLiteral("gallery"));
        const auto window = makeWindow();
        present(*window);
        auto* plot = window->findChild<PlotBase*>();
        HoverCard::showFor(plot, QRect(200, 120, 12, 12),
                           {QStringLiteral("MLP gate + up"),
                            Bound::compute,
                            {{QStringLiteral("Work"), QStringLiteral("3.57 TFLOP, 923 MB")},
                             {QStringLiteral("Intensity"), QStringLiteral("3,873 FLOP/B")},
                             {QStringLiteral("Achieved"), QStringLiteral("698 TFLOP/s, 71 % of BF16")},
                             {QStringLiteral("Limit"), QStringLiteral("sustained clock 0.85")}}});
        QTRY_VERIFY(HoverCard::current());
        // The ground of the view is the theme's: the picture really changed with it.
        QCOMPARE(gallery.grab().toImage().pixelColor(3, 3), theme().color(Role::base));
        saveGrab(*window, QStringLiteral("window"));
    }
}

/// The ring comes with Tab or a key that moves, and goes with a click.
void TestKit::focusRingIsOfTheKeyboard() {
    QWidget window;
    auto* bar = new StepBar(&window);
    bar->setFocusPolicy(Qt::StrongFocus);
    present(window);
    bar->setFocus(Qt::OtherFocusReason);
    QTRY_VERIFY(bar->hasFocus());
    QTest::mouseClick(bar, Qt::LeftButton);
    QVERIFY(!keyboardFocus(bar));
    QTest::keyClick(bar, Qt::Key_Right);
    QVERIFY(keyboardFocus(bar));
    QTest::mouseClick(bar, Qt::LeftButton);
    QVERIFY(!keyboardFocus(bar));
    bar->clearFocus();
    bar->setFocus(Qt::TabFocusReason); // as a window does that opens
    QVERIFY(!keyboardFocus(bar));
    QTest::keyClick(bar, Qt::Key_Tab);
    bar->setFocus(Qt::OtherFocusReason);
    QVERIFY(keyboardFocus(bar));
    bar->clearFocus();
    QVERIFY(!keyboardFocus(bar));
}

QTEST_MAIN(TestKit)

} // namespace tst_kit

#include "tst_kit.moc"
