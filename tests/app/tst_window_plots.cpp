// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "tests/app/window_fixture.h"
#include "views/kit/cell_table.h"
#include "views/kit/plot_base.h"

#include <QMenu>
#include <qcustomplot.h>

#include <cmath>
#include <random>

namespace tst_window_plots {

using views::PlotAxis;
using views::PlotBase;

namespace {

double seenPlace(const QCPAxis& axis, double value) {
    return axis.scaleType() == QCPAxis::stLogarithmic ? std::log10(value) : value;
}

/// Every plot of the window, on whatever page or dock.
QList<PlotBase*> plotsOf(const Fixture& f) { return f.window->findChildren<PlotBase*>(); }

/// Shows every page and dock once, so that all plots have their data.
void visitEverything(const Fixture& f) {
    for (const char* page : {"catalog", "validation", "live", "topology", "library", "search", "compare",
                             "explore", "scaling", "plan"})
        f.window->showView(QLatin1String(page));
    for (const char* dock : {"layers", "communication", "experts", "roofline", "memory", "timeline", "load",
                             "percentiles", "questions", "cost", "summary"})
        f.window->showView(QLatin1String(dock));
    settle();
}

const QStringList samples{QStringLiteral("llama-3.1-405b-2048xp5.48xlarge"),
                          QStringLiteral("deepseek-v3-256xp5en.48xlarge"),
                          QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge")};

} // namespace

/// What all plots have in common, in the window, driven as a person drives them. Loops without an end show as
/// a time-out.
class TestWindowPlots : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// No size and no zoom is too small, too large or too odd to be drawn.
    void everyPlotDrawsAtAnySize() {
        std::mt19937 generator(7);
        const auto random = [&generator] { return static_cast<int>(generator() & 0xffff); };
        const QList<QSize> sizes{{0, 0},   {1, 1},    {30, 30},  {1, 400},
                                 {400, 1}, {30, 300}, {300, 30}, {641, 97}};
        for (const QString& sample : samples) {
            Fixture f;
            f.files().openSample(sample);
            f.settle();
            visitEverything(f);
            QVERIFY(plotsOf(f).size() >= 10);
            for (PlotBase* plot : plotsOf(f)) {
                for (const QSize& size : sizes) {
                    plot->setMinimumSize(0, 0);
                    plot->resize(size);
                    plot->plot()->replot(QCustomPlot::rpImmediateRefresh);
                    for (int i = 0; i < 3 && !size.isEmpty(); ++i) {
                        const QPointF at(random() % size.width(), random() % size.height());
                        wheelAt(plot->plot(), at, random() % 9 - 4);
                        plot->plot()->replot(QCustomPlot::rpImmediateRefresh);
                    }
                }
                plot->fit();
            }
        }
    }

    void everyWindowSizeDraws() {
        for (const QString& sample : samples) {
            Fixture f;
            f.files().openSample(sample);
            f.settle();
            visitEverything(f);
            for (const QSize size : {QSize(1280, 720), QSize(1280, 800), QSize(1320, 800), QSize(1400, 800),
                                     QSize(1600, 1000), QSize(2560, 1440)}) {
                f.window->resize(size);
                settle();
                QVERIFY(!f.window->grab().isNull());
            }
        }
    }

    /// Zooming and panning end near the data: neither -250 requests/s nor 10^-22 ms can be reached.
    void zoomAndPanEndAtTheData() {
        std::mt19937 generator(11);
        const auto random = [&generator] { return static_cast<int>(generator() & 0xffff); };
        for (const QString& sample : samples) {
            Fixture f;
            f.files().openSample(sample);
            f.settle();
            visitEverything(f);
            for (PlotBase* plot : plotsOf(f)) {
                plot->resize(500, 300);
                plot->fit();
                struct Limits {
                    double low, high;
                };
                std::array<Limits, 2> data;
                for (const PlotAxis which : {PlotAxis::x, PlotAxis::y}) {
                    const QCPAxis& axis = *plot->axis(which);
                    data[which == PlotAxis::x ? 0 : 1] = {seenPlace(axis, axis.range().lower),
                                                          seenPlace(axis, axis.range().upper)};
                }
                for (int i = 0; i < 60; ++i) {
                    const QPoint from(20 + random() % 460, 20 + random() % 260);
                    const QPoint to(20 + random() % 460, 20 + random() % 260);
                    if (random() % 2)
                        wheelAt(plot->plot(), from, i < 30 ? -5 : random() % 11 - 5);
                    else
                        drag(plot->plot(), from, to);
                    for (const PlotAxis which : {PlotAxis::x, PlotAxis::y}) {
                        const QCPAxis& axis = *plot->axis(which);
                        const Limits& now = data[which == PlotAxis::x ? 0 : 1];
                        const double edge = 0.101 * (now.high - now.low);
                        const QString where =
                            plot->accessibleName() + QStringLiteral(": %1 to %2, data %3 to %4")
                                                         .arg(axis.range().lower)
                                                         .arg(axis.range().upper)
                                                         .arg(now.low)
                                                         .arg(now.high);
                        QVERIFY2(seenPlace(axis, axis.range().lower) >= now.low - edge, qPrintable(where));
                        QVERIFY2(seenPlace(axis, axis.range().upper) <= now.high + edge, qPrintable(where));
                        QVERIFY2(axis.range().size() > 0, qPrintable(where));
                    }
                }
                plot->fit();
            }
        }
    }

    /// A right click, through the window and the plot library, opens the plot's own menu; so do the keys.
    void everyPlotHasAMenu() {
        for (const QString& sample : samples) {
            Fixture f;
            f.files().openSample(sample);
            f.settle();
            visitEverything(f);
            int seen = 0;
            for (PlotBase* plot : plotsOf(f)) {
                if (!plot->isVisible() || plot->visibleRegion().isEmpty())
                    continue;
                ++seen;
                const QPoint at = plot->visibleRegion().boundingRect().center();
                QTest::mouseClick(f.window->windowHandle(), Qt::RightButton, {},
                                  plot->mapTo(f.window.get(), at));
                QTRY_VERIFY2(ownMenu(*plot), qPrintable(plot->accessibleName()));
                ownMenu(*plot)->close();
                for (const auto& [key, modifiers] :
                     {std::pair{Qt::Key_F10, Qt::ShiftModifier}, std::pair{Qt::Key_Menu, Qt::NoModifier}}) {
                    plot->setFocus(Qt::ShortcutFocusReason);
                    QTRY_VERIFY(plot->hasFocus());
                    QTest::keyClick(f.window->windowHandle(), key, modifiers);
                    QTRY_VERIFY2(ownMenu(*plot), qPrintable(plot->accessibleName()));
                    ownMenu(*plot)->close();
                }
            }
            QVERIFY(seen > 0);
        }
    }

    /// A chosen run stays readable while the catalog changes and new predictions replace those that it is one
    /// of.
    void theScatterKeepsItsReport() {
        Fixture f;
        f.openSample();
        f.window->showView(QStringLiteral("validation"));
        auto* page = f.window->findChild<views::ValidationView*>();
        QTRY_VERIFY(page->table(views::ValidationView::runsPage)->model()->rowCount() > 0);
        auto* table = page->table(views::ValidationView::runsPage);
        const QRect row = table->visualRect(table->model()->index(0, 0));
        QTest::mouseClick(f.window->windowHandle(), Qt::LeftButton, {},
                          table->viewport()->mapTo(f.window.get(), row.center()));
        QTRY_VERIFY(page->scatter()->picture().report != nullptr);
        std::weak_ptr<const ValidationReport> before = page->scatter()->picture().report;
        f.document().setCatalog(std::make_shared<const Catalog>(*f.document().catalog()));
        QVERIFY(!before.expired()); // the scatter still shows it
        QTRY_VERIFY(page->scatter()->picture().report == f.window->validation().report());
        QVERIFY(before.expired());
    }

private:
    static QMenu* ownMenu(const PlotBase& plot) {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        return menu != nullptr && menu->parentWidget() == &plot ? menu : nullptr;
    }
};

QTEST_MAIN(TestWindowPlots)

} // namespace tst_window_plots

#include "tst_window_plots.moc"
