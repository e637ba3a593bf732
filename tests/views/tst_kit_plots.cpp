// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "views/kit/plot_parts.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_kit_plots {

using namespace alidade;
using namespace alidade::views;

namespace {

/// A plot from 0 to 10 and 0 to 100 that is on the screen and painted.
struct Shown {
    PlotBase base;
    Shown() {
        base.setAccessibleName(QStringLiteral("Memory per stage"));
        base.setDataRange(PlotAxis::x, 0, 10);
        base.setDataRange(PlotAxis::y, 0, 100);
        base.setTableSource([] { return TextTable{{QStringLiteral("stage")}, {{QStringLiteral("=1")}}}; });
        present(base, {500, 400});
        base.plot()->replot();
    }
    QCPRange x() const { return base.plot()->xAxis->range(); }
    QCPRange y() const { return base.plot()->yAxis->range(); }
    QPoint pixel(double x, double y) const {
        return QPointF(base.plot()->xAxis->coordToPixel(x), base.plot()->yAxis->coordToPixel(y)).toPoint();
    }
};

/// Tells where the pointer is, right of the middle.
struct Telling : PlotBase {
    QList<QPointF> clicks;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override {
        if (position.x() < plot()->width() / 2.0)
            return std::nullopt;
        return PlotSpot{QRect(position.toPoint(), QSize(4, 4)), {QStringLiteral("Right half"), {}, {}}};
    }
    void clicked(const QPointF& position) override { clicks.append(position); }
    using PlotBase::showCard;
};

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList labels(QCPAxis* axis) {
    QStringList texts;
    for (const QString& text : axis->tickVectorLabels())
        texts.append(text);
    return texts;
}

} // namespace

class TestKitPlots : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void hoverAndClickAskTheOwner(); // before any test that leaves Ctrl held
    void wheelZoomsAtThePointer();
    void wheelOnOneAxis();
    void dragPansAndDoubleClickFits();
    void rubberBandZoomsOnce();
    void keysMoveAndFit();
    void axesKeepTheirRange();
    void badRangesChangeNothing();
    void ticksAreWrittenByTheOwner();
    void ticksOfALogarithmicAxis_data();
    void ticksOfALogarithmicAxis();
    void ticksHaveRoom();
    void partsFollowTheTheme();
    void deadPartsAreForgotten();
    void exportsOnPaper_data();
    void exportsOnPaper();
    void exportSaysWhatFailed();
    void copiesThePicture();
    void menuAndShowData();
    void limitStandsWhereItWasPut();
    void stackedClassBarsKeepTheirColors();
};

void TestKitPlots::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestKitPlots::init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*$")));
}

void TestKitPlots::wheelZoomsAtThePointer() {
    Shown shown;
    const QPoint at = shown.pixel(8, 75);
    const double x = shown.base.plot()->xAxis->pixelToCoord(at.x());
    const double share = x / 10;
    wheelAt(shown.base.plot(), at, 1);
    QVERIFY(shown.x().size() < 10);
    QVERIFY(shown.y().size() < 100);
    QVERIFY2(std::abs((x - shown.x().lower) / shown.x().size() - share) < 1e-9,
             "what is under the pointer stays there");
    QVERIFY(shown.base.isZoomed());
}

void TestKitPlots::wheelOnOneAxis() {
    Shown shown;
    wheelAt(shown.base.plot(), shown.pixel(5, 50), 1, Qt::ControlModifier);
    QVERIFY(shown.x().size() < 10);
    QCOMPARE(shown.y().size(), 100.0);
    wheelAt(shown.base.plot(), shown.pixel(5, 50), 1, Qt::ShiftModifier);
    QVERIFY(shown.y().size() < 100);
}

void TestKitPlots::dragPansAndDoubleClickFits() {
    Shown shown;
    QTest::keyClick(&shown.base, Qt::Key_Plus); // 1 to 9
    drag(shown.base.plot(), shown.pixel(5, 50), shown.pixel(4, 50));
    QVERIFY(std::abs(shown.x().lower - 2) < 0.1);
    QVERIFY(std::abs(shown.x().size() - 8) < 1e-9);
    drag(shown.base.plot(), shown.pixel(9, 50), shown.pixel(3, 50));
    QVERIFY2(std::abs(shown.x().upper - 11) < 1e-9, "a tenth beyond the data there is nothing to see");
    QVERIFY(std::abs(shown.x().size() - 8) < 1e-9);
    QTest::mouseDClick(shown.base.plot(), Qt::LeftButton, {}, shown.pixel(6, 50));
    QCOMPARE(shown.x().lower, 0.0);
    QVERIFY(!shown.base.isZoomed());
}

void TestKitPlots::rubberBandZoomsOnce() {
    Shown shown;
    QTest::keyClick(&shown.base, Qt::Key_Z);
    drag(shown.base.plot(), shown.pixel(2, 80), shown.pixel(6, 20));
    QVERIFY2(std::abs(shown.x().lower - 2) < 0.1 && std::abs(shown.x().upper - 6) < 0.1,
             qPrintable(QString::number(shown.x().lower)));
    QVERIFY(std::abs(shown.y().lower - 20) < 1 && std::abs(shown.y().upper - 80) < 1);
    QTRY_COMPARE(shown.base.plot()->selectionRectMode(), QCP::srmNone);
    const double size = shown.x().size();
    drag(shown.base.plot(), shown.pixel(4, 50), shown.pixel(5, 50));
    QVERIFY2(std::abs(shown.x().size() - size) < 1e-9, "the next drag pans");
    QTest::keyClick(&shown.base, Qt::Key_Z);
    QTest::keyClick(&shown.base, Qt::Key_Escape);
    QCOMPARE(shown.base.plot()->selectionRectMode(), QCP::srmNone);
}

void TestKitPlots::keysMoveAndFit() {
    Shown shown;
    QTest::keyClick(&shown.base, Qt::Key_Plus);
    QVERIFY(std::abs(shown.x().lower - 1) < 1e-9 && std::abs(shown.x().size() - 8) < 1e-9);
    QTest::keyClick(&shown.base, Qt::Key_Right);
    QVERIFY(std::abs(shown.x().lower - 2.2) < 1e-9);
    QTest::keyClick(&shown.base, Qt::Key_Up);
    QVERIFY(std::abs(shown.y().lower - 22) < 1e-9);
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(&shown.base, Qt::Key_Minus);
    QVERIFY(shown.x().lower == 0 && std::abs(shown.x().upper - 11) < 1e-9);
    QTest::keyClick(&shown.base, Qt::Key_F);
    QCOMPARE(shown.x().lower, 0.0);
    QCOMPARE(shown.x().upper, 10.0);
    shown.base.setLogarithmic(PlotAxis::x, true);
    shown.base.setDataRange(PlotAxis::x, 1, 1000);
    shown.base.fit();
    QTest::keyClick(&shown.base, Qt::Key_Right);
    QVERIFY2(std::abs(shown.x().upper / shown.x().lower - 1000) < 1e-6, "a pan keeps the decades");
    QVERIFY(std::abs(shown.x().lower - std::pow(10, 0.3)) < 1e-9);
}

void TestKitPlots::axesKeepTheirRange() {
    Shown shown;
    shown.base.setDataRange(PlotAxis::y, 0, 80);
    QCOMPARE(shown.y().upper, 100.0); // inside, and fills more than half
    shown.base.setDataRange(PlotAxis::y, 0, 120);
    QCOMPARE(shown.y().upper, 120.0); // left it
    shown.base.setDataRange(PlotAxis::y, 0, 20);
    QCOMPARE(shown.y().upper, 20.0); // too small to be read
    wheelAt(shown.base.plot(), shown.pixel(5, 10), 1);
    const QCPRange zoomed = shown.y();
    shown.base.setDataRange(PlotAxis::y, 0, 500);
    QCOMPARE(shown.y(), zoomed); // the person looks at something
    shown.base.fit();
    QCOMPARE(shown.y().upper, 500.0);
}

void TestKitPlots::badRangesChangeNothing() {
    Shown shown;
    const double nan = std::nan("");
    shown.base.setDataRange(PlotAxis::y, nan, 5);
    shown.base.setDataRange(PlotAxis::y, 500, 5);
    QCOMPARE(shown.y().upper, 100.0);
    shown.base.setDataRange(PlotAxis::y, 700, 700);
    QVERIFY(shown.y().contains(700));
    QVERIFY(shown.y().size() > 0);
    shown.base.setLogarithmic(PlotAxis::x, true);
    shown.base.setDataRange(PlotAxis::x, 0, 100);
    QVERIFY(shown.x().lower > 0 || shown.x().upper <= 10);
}

void TestKitPlots::ticksAreWrittenByTheOwner() {
    Shown shown;
    shown.base.setTickText(
        PlotAxis::y, [](double tick) { return QString(QString::number(tick / 10) + QStringLiteral(" G")); });
    shown.base.plot()->replot();
    QVERIFY(labels(shown.base.plot()->yAxis).contains(QStringLiteral("4 G")));
    shown.base.setDataRange(PlotAxis::y, -0.3, 0.3);
    shown.base.setTickText(PlotAxis::y, {});
    shown.base.plot()->replot();
    QVERIFY2(labels(shown.base.plot()->yAxis).contains(QStringLiteral("0")),
             qPrintable(labels(shown.base.plot()->yAxis).join(u' ')));
    shown.base.setCategories(PlotAxis::x, {QStringLiteral("H100"), QStringLiteral("B200")});
    shown.base.plot()->replot();
    QCOMPARE(labels(shown.base.plot()->xAxis), (QStringList{QStringLiteral("H100"), QStringLiteral("B200")}));
}

void TestKitPlots::ticksOfALogarithmicAxis_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<QStringList>("some");
    QTest::newRow("decades") << 0.3 << 10000.0 << QStringList{QStringLiteral("1"), QStringLiteral("100")};
    QTest::newRow("one decade") << 1.5 << 30.0
                                << QStringList{QStringLiteral("2"), QStringLiteral("5"),
                                               QStringLiteral("20")};
    QTest::newRow("less than one") << 400.0 << 500.0
                                   << QStringList{QStringLiteral("420"), QStringLiteral("460")};
}

void TestKitPlots::ticksOfALogarithmicAxis() {
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(QStringList, some);
    Shown shown;
    shown.base.setLogarithmic(PlotAxis::x, true);
    shown.base.setDataRange(PlotAxis::x, low, high);
    shown.base.fit();
    shown.base.plot()->replot();
    const QStringList seen = labels(shown.base.plot()->xAxis);
    for (const QString& label : some)
        QVERIFY2(seen.contains(label), qPrintable(seen.join(u' ')));
    QVERIFY(seen.size() < 14);
}

void TestKitPlots::ticksHaveRoom() {
    Shown shown;
    shown.base.setDataRange(PlotAxis::x, 0, 100000);
    shown.base.plot()->replot();
    const auto wide = labels(shown.base.plot()->xAxis).size();
    shown.base.resize(200, 400);
    QTRY_COMPARE(shown.base.width(), 200);
    shown.base.plot()->replot();
    QTRY_VERIFY(labels(shown.base.plot()->xAxis).size() < wide);
    QVERIFY(labels(shown.base.plot()->xAxis).size() >= 2);
}

void TestKitPlots::partsFollowTheTheme() {
    Shown shown;
    QCPGraph* graph = shown.base.plot()->addGraph();
    shown.base.style(graph,
                     [graph](const Theme& look) { graph->setPen(QPen(look.color(Role::accent), 1.5)); });
    QCOMPARE(graph->pen().color(), Theme::light().color(Role::accent));
    ThemeController::instance().setChoice(ThemeChoice::dark);
    QCOMPARE(graph->pen().color(), Theme::dark().color(Role::accent));
    QCOMPARE(shown.base.plot()->xAxis->tickLabelColor(), Theme::dark().color(Role::text2));
    shown.base.plot()->replot();
    QCOMPARE(shown.base.plot()->toPixmap().toImage().pixelColor(1, 1), Theme::dark().color(Role::base));
    ThemeController::instance().setChoice(ThemeChoice::light);
}

void TestKitPlots::deadPartsAreForgotten() {
    Shown shown;
    int calls = 0;
    QCPGraph* graph = shown.base.plot()->addGraph();
    shown.base.style(graph, [&calls](const Theme&) { ++calls; });
    QCOMPARE(calls, 1);
    shown.base.plot()->removeGraph(graph);
    ThemeController::instance().setChoice(ThemeChoice::dark);
    ThemeController::instance().setChoice(ThemeChoice::light);
    QCOMPARE(calls, 1);
}

void TestKitPlots::exportsOnPaper_data() {
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("head");
    QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<?xml");
    QTest::newRow("pdf") << QStringLiteral("pdf") << QByteArray("%PDF");
    QTest::newRow("png") << QStringLiteral("png") << QByteArray("\x89PNG");
    QTest::newRow("csv") << QStringLiteral("csv") << QByteArray("stage\n'=1\n");
}

void TestKitPlots::exportsOnPaper() {
    QFETCH(QString, suffix);
    QFETCH(QByteArray, head);
    ThemeController::instance().setChoice(ThemeChoice::dark);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("plot.") + suffix);
    {
        Shown shown;
        addClassBars(shown.base, Bound::nvlink)->addData(5, 60);
        addClassBars(shown.base, Bound::bubble)->addData(8, 60);
        QCOMPARE(shown.base.exportTo(path), QString());
        QCOMPARE(shown.base.look(), Theme::dark()); // the screen is as before
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
    const QByteArray bytes = contents(path);
    QVERIFY2(bytes.startsWith(head), bytes.left(60).constData());
    if (suffix == QLatin1String("png")) {
        const QImage picture(path);
        QVERIFY(picture.width() > 900);
        QCOMPARE(picture.pixelColor(2, 2), Theme::paper().color(Role::base));
    }
    if (suffix == QLatin1String("svg")) {
        QVERIFY(bytes.contains("Memory per stage"));
        QVERIFY2(!bytes.contains("<image"), "textures stay vector");
        QVERIFY(!bytes.contains(Theme::dark().color(Role::base).name().toUtf8()));
        QVERIFY(bytes.contains(Theme::paper().classStyle(Bound::nvlink).color.name().toUtf8()));
    }
    if (suffix == QLatin1String("pdf"))
        QVERIFY2(!bytes.contains("/Subtype /Image"), "textures stay vector");
}

void TestKitPlots::exportSaysWhatFailed() {
    Shown shown;
    for (const char* path : {"/nonexistent/plot.svg", "/nonexistent/plot.png", "/nonexistent/plot.csv",
                             "/tmp/plot.doc", "/tmp/plot"}) {
        const QString reason = shown.base.exportTo(QString::fromLatin1(path));
        QVERIFY2(reason.contains(QString::fromLatin1(path)), qPrintable(reason));
    }
}

void TestKitPlots::copiesThePicture() {
    Shown shown;
    shown.base.copyPicture();
    const QImage picture = QApplication::clipboard()->image();
    QVERIFY(picture.width() > 900);
    QCOMPARE(picture.pixelColor(2, 2), Theme::paper().color(Role::base));
}

void TestKitPlots::menuAndShowData() {
    Shown shown;
    QSignalSpy asked(&shown.base, &PlotBase::showDataRequested);
    QTest::keyClick(&shown.base, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(asked.count(), 1);
    QMenu* menu = askForMenu(&shown.base);
    QVERIFY(menu);
    QStringList texts;
    for (QAction* action : menu->actions()) {
        texts.append(action->text());
        if (action->text() == QStringLiteral("Show data"))
            action->trigger();
    }
    QCOMPARE(asked.count(), 2);
    QVERIFY(texts.contains(QStringLiteral("Copy picture")));
    QVERIFY(texts.contains(QStringLiteral("Export")));
    menu->close();
    PlotBase bare;
    present(bare);
    menu = askForMenu(&bare);
    QVERIFY(menu);
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Show data"))
            QVERIFY(!action->isEnabled()); // there is no table behind it
    menu->close();
}

void TestKitPlots::limitStandsWhereItWasPut() {
    Shown shown;
    QObject* line =
        addLimit(shown.base, {PlotAxis::y, 80, QStringLiteral("capacity 80.0"), Role::err, false, 1, {}});
    shown.base.plot()->replot();
    const auto pixelAt = [&shown](double y) {
        const QImage image = shown.base.plot()->toPixmap().toImage();
        return image.pixelColor(shown.pixel(5, y));
    };
    const auto reddish = [](const QColor& c) { return c.red() > c.green() + 60 && c.red() > c.blue() + 60; };
    QVERIFY(reddish(pixelAt(80)));
    updateLimit(line, 60, QStringLiteral("capacity 60.0"));
    QVERIFY(reddish(pixelAt(60)));
    QVERIFY(!reddish(pixelAt(80)));
}

void TestKitPlots::stackedClassBarsKeepTheirColors() {
    Shown shown;
    QCPBars* compute = addClassBars(shown.base, Bound::compute);
    QCPBars* hbm = addClassBars(shown.base, Bound::hbm);
    compute->addData(5, 40);
    hbm->addData(5, 40);
    hbm->moveAbove(compute);
    QCOMPARE(compute->name(), QStringLiteral("Compute"));
    const QImage image = shown.base.plot()->toPixmap().toImage();
    QCOMPARE(image.pixelColor(shown.pixel(5, 20)), theme().classStyle(Bound::compute).color);
    QCOMPARE(image.pixelColor(shown.pixel(5, 60)), theme().classStyle(Bound::hbm).color);
    QVERIFY(image.pixelColor(shown.pixel(5, 90)) != theme().classStyle(Bound::hbm).color);
}

void TestKitPlots::hoverAndClickAskTheOwner() {
    Telling telling;
    present(telling, {500, 400});
    QWidget* plot = telling.plot();
    const auto cardIsShown = [] { return HoverCard::current() && HoverCard::current()->isVisible(); };
    moveTo(plot, QPoint(400, 200));
    QTRY_VERIFY(cardIsShown());
    QCOMPARE(HoverCard::current()->content().title, QStringLiteral("Right half"));
    moveTo(plot, QPoint(100, 200)); // nothing is there
    QTRY_VERIFY(!cardIsShown());
    moveTo(plot, QPoint(400, 200));
    QTRY_VERIFY(cardIsShown());
    wheel(plot, 1);
    QTRY_VERIFY(!cardIsShown());
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(120, 90));
    QCOMPARE(telling.clicks, QList<QPointF>{QPointF(120, 90)});
    QTest::mouseClick(plot, Qt::RightButton, {}, QPoint(120, 90));
    drag(plot, QPoint(200, 200), QPoint(300, 200)); // pans
    QCOMPARE(telling.clicks.size(), 1);
    // A card that a key brought goes with the focus.
    telling.setFocus();
    telling.showCard({QRect(10, 10, 4, 4), {QStringLiteral("By key"), {}, {}}});
    QTRY_VERIFY(cardIsShown());
    telling.clearFocus();
    QTRY_VERIFY(!cardIsShown());
}

QTEST_MAIN(TestKitPlots)

} // namespace tst_kit_plots

#include "tst_kit_plots.moc"
