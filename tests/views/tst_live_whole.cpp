// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "live_fixture.h"
#include "views/kit/cell_table.h"
#include "views/kit/states.h"
#include "views/kit/tag.h"
#include "views/live/health_panel.h"
#include "views/live/live_bar.h"
#include "views/live/live_body.h"
#include "views/live/live_charts.h"
#include "views/live/live_empty.h"
#include "views/live/live_page.h"
#include "views/live/node_dialog.h"
#include "views/live/stale_bar.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <qcustomplot.h>

namespace tst_live_whole {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Rig {
    sample::LiveServer server;
    double now = sample::liveNow;
    LiveSession session;
    LivePage page;

    Rig()
        : session(
              nullptr, [this] { return now; }, sample::liveJudge({}))
        , page(&session) {
        server.ownGrid = true;
        session.setPolicies(sample::livePolicies());
    }
    void open() {
        session.setSources({server.source()});
        present(page, {1400, 860});
        session.chooseSource("a");
        settle();
    }
    void settle() {
        QTRY_VERIFY(!session.isAsking());
        ::settle();
    }
    LiveBody* body() { return page.body(); }
    LiveChart* headline() { return body()->charts()->headline(); }
    HealthPanel* health() { return body()->health(); }
};

} // namespace

/// The whole cluster on the live page: no data, everything next to the jobs, one node, what is compared, left
/// out and said of findings.
class TestLiveWhole : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }

    void gapIsNamedInTheChart() {
        Rig rig;
        rig.server.gapFrom = 600;
        rig.server.gapTo = 1500;
        rig.open();
        QCOMPARE(rig.session.state()->result->gaps.gaps.size(), std::size_t{1});
        QStringList names;
        for (const auto& [name, place] : rig.headline()->faultLabels())
            names.append(name);
        QVERIFY2(names.contains(QStringLiteral("no data")), qPrintable(names.join(QLatin1Char('|'))));
    }

    void partialPollReplacesNothing() {
        Rig rig;
        rig.open();
        const auto whole = rig.session.state()->result;
        rig.server.unanswered = 3;
        rig.session.ask();
        rig.settle();
        QCOMPARE(rig.session.state()->result, whole);
        QCOMPARE(rig.session.state()->phase, LivePhase::stale);
        const auto* stale = rig.page.findChild<StaleBar*>();
        QVERIFY(stale->isVisible());
        QVERIFY2(stale->words().contains(QStringLiteral("3 of 60 queries")), qPrintable(stale->words()));
        rig.server.unanswered = 0;
        rig.session.ask();
        rig.settle();
        QVERIFY(rig.session.state()->result != whole);
        QCOMPARE(rig.session.state()->phase, LivePhase::connected);
        QVERIFY(!stale->isVisible());
    }

    void timeWithoutSamplesOffersTheLast() {
        Rig rig;
        rig.server.blank = true;
        rig.server.newest = sample::liveNow - 86400;
        rig.open();
        Notice* notice = rig.page.empty()->notice();
        const auto* button = notice->findChild<QAbstractButton*>();
        QVERIFY(button != nullptr);
        QVERIFY2(button->text().contains(QStringLiteral("Go to that time")), qPrintable(button->text()));
        emit notice->triggered();
        QVERIFY(rig.session.span().fixed);
        QVERIFY(rig.session.span().start < *rig.server.newest &&
                rig.session.span().end >= *rig.server.newest);
    }

    void everythingIsAChoice() {
        Rig rig;
        rig.open();
        QComboBox* jobs = rig.page.bar()->jobs();
        QCOMPARE(jobs->itemText(jobs->count() - 1), QStringLiteral("Everything"));
        emit jobs->activated(jobs->count() - 1);
        rig.settle();
        QCOMPARE(rig.session.job(), std::optional(std::string()));
        QCOMPARE(rig.server.requests.back().job, std::string());
    }

    void refreshIntervalIsKept() {
        Rig rig;
        rig.open();
        rig.session.setInterval(300);
        QVERIFY(rig.session.nextAsk() && *rig.session.nextAsk() > 250);
        QCOMPARE(rig.page.bar()->refresh()->currentText(), QStringLiteral("Every 5 min"));
        rig.session.setInterval(0);
        QVERIFY(*rig.session.nextAsk() <= 30);
    }

    void snapshotIsOfWhatIsChosen() {
        Rig rig;
        rig.open();
        QVERIFY(rig.page.canSaveSnapshot());
        rig.server.held = true;
        rig.session.setSpan({.last = 1800});
        QVERIFY(!rig.page.canSaveSnapshot()); // what is shown is of the former time
        QVERIFY(!rig.page.bar()->saveButton()->isEnabled());
        rig.server.held = false;
        rig.settle();
        QVERIFY(rig.page.canSaveSnapshot());
    }

    void shiftDragLeavesTimeOut() {
        Rig rig;
        rig.open();
        QCustomPlot* plot = rig.headline()->plot();
        const QRect area = plot->axisRect()->rect();
        const QPoint from(area.left() + area.width() / 4, area.center().y());
        const QPoint to(area.left() + area.width() / 2, area.center().y());
        QTest::mousePress(plot, Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(plot, to);
        QTest::mouseRelease(plot, Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY(!rig.page.time()->isZoomed());
        QCOMPARE(rig.session.leftOut().size(), std::size_t{1});
        const ExcludedWindow& window = rig.session.leftOut().front();
        QVERIFY2(std::abs(window.start - (sample::liveStart + 1800)) < 60, QByteArray::number(window.start));
        QVERIFY2(std::abs(window.end - (sample::liveStart + 3600)) < 60, QByteArray::number(window.end));
        emit rig.headline()->useAgainRequested();
        QVERIFY(rig.session.leftOut().empty());
    }

    void anotherTimeIsDrawnBehind() {
        Rig rig;
        rig.open();
        const auto before = rig.session.state()->result;
        rig.body()->pinButton()->click();
        QCOMPARE(rig.session.pinned(), before);
        const int graphs = rig.headline()->plot()->graphCount();
        rig.now += 3600;
        rig.session.ask();
        rig.settle();
        QCOMPARE(rig.session.pinned(), before);
        QCOMPARE(rig.headline()->plot()->graphCount(), graphs + 1);
        QVERIFY(rig.headline()->plot()->graph(graphs)->dataCount() > 200);
        QVERIFY(rig.body()->pinButton()->text().startsWith(QStringLiteral("Compared with")));
        rig.body()->pinButton()->click();
        QVERIFY(rig.session.pinned() == nullptr);
        QCOMPARE(rig.headline()->plot()->graph(graphs)->dataCount(), 0);
    }

    void nodeIsLookedInto() {
        Rig rig;
        rig.open();
        rig.body()->setSelectedHost(QStringLiteral("gpu-0007"));
        rig.health()->detailsButton()->click();
        NodeDialog* dialog = rig.body()->nodeDialog();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QCOMPARE(dialog->detail().host, std::string("gpu-0007"));
        QCOMPARE(dialog->detail().gpus.size(), std::size_t{8});
        const GpuDetail& slow = dialog->detail().gpus[3];
        QCOMPARE(*slow.clock.least, 1290e6);
        QCOMPARE(*slow.clock.now, 1755e6);
        QCOMPARE(*slow.temperature.most, 87.0);
        QVERIFY2(dialog->words().contains(QStringLiteral("straggler")), qPrintable(dialog->words()));
        const QModelIndex clock = dialog->gpus()->cells()->index(3, 1);
        QCOMPARE(clock.data().toString(), QStringLiteral("1,755 MHz (1,290–1,755)"));
        saveGrab(*dialog, QStringLiteral("live-node"));
        // A node that is typed is shown; Return does not close the window.
        auto* hosts = dialog->findChild<QComboBox*>();
        hosts->lineEdit()->selectAll();
        QTest::keyClicks(hosts->lineEdit(), QStringLiteral("gpu-0002"));
        QTest::keyClick(hosts->lineEdit(), Qt::Key_Return);
        QVERIFY(dialog->isVisible());
        QCOMPARE(dialog->detail().host, std::string("gpu-0002"));
    }

    /// The bytes of each EFA device are asked for the node that is looked into, and only while it is.
    void devicesOfTheNodeAreAskedFor() {
        Rig rig;
        std::vector<std::string> asked;
        LiveSource source = rig.server.source();
        source.devices = [&asked](const std::string& host, const TimeGrid&, std::stop_token) {
            asked.push_back(host);
            SignalTable sent{
                .signal = Signal::efaTransmit, .rows = {{host, -1, "rdmap79s0"}}, .values = {3e9}};
            SignalTable again{
                .signal = Signal::efaReceive, .rows = {{host, -1, "rdmap79s0"}}, .values = {2e9}};
            return Result<std::vector<SignalTable>>(std::vector{sent, again});
        };
        rig.session.setSources({source});
        present(rig.page, {1400, 860});
        rig.session.chooseSource("a");
        rig.settle();
        QVERIFY(asked.empty());
        rig.body()->setSelectedHost(QStringLiteral("gpu-0007"));
        rig.health()->detailsButton()->click();
        rig.settle();
        QCOMPARE(asked, std::vector<std::string>{"gpu-0007"});
        NodeDialog* dialog = rig.body()->nodeDialog();
        QCOMPARE(dialog->detail().devices.size(), std::size_t{1});
        QCOMPARE(*dialog->detail().devices.front().sent.mean, 3e9);
        QCOMPARE(*dialog->detail().devices.front().received.mean, 2e9);
        NodeDetail few = dialog->detail();
        few.devices.front().retransmitShare = 2.7e-8;
        dialog->setDetail(few, 7200);
        QCOMPARE(dialog->devices()->cells()->index(0, 3).data().toString(), QStringLiteral("< 0.01 %"));
        dialog->reject();
        rig.session.ask();
        rig.settle();
        QCOMPARE(asked.size(), std::size_t{1});
    }

    /// In a low window there is room for more than one finding.
    void findingsHaveRoomInALowWindow() {
        Rig rig;
        rig.open();
        auto* area = rig.health()->findChild<QScrollArea*>();
        QVERIFY(area != nullptr);
        present(rig.page, {1196, 708});
        rig.settle();
        QVERIFY2(area->viewport()->height() >= 140, QByteArray::number(area->viewport()->height()));
        saveGrab(rig.page, QStringLiteral("live-low"));
    }

    /// A lost GPU is no matter to watch.
    void countsTellHowUrgent() {
        Rig rig;
        rig.open();
        int now = 0, soon = 0, watch = 0;
        for (const Finding& each : rig.session.state()->result->findings) {
            now += levelOf(each.action) == FindingLevel::now ? 1 : 0;
            soon += levelOf(each.action) == FindingLevel::soon ? 1 : 0;
            watch += levelOf(each.action) == FindingLevel::watch ? 1 : 0;
        }
        QVERIFY(now > 0 && watch > 0);
        QStringList badges;
        for (const Badge* badge : rig.health()->findChildren<Badge*>())
            if (badge->isVisible())
                badges.append(badge->text());
        QVERIFY2(badges.contains(QStringLiteral("%1 now").arg(now)),
                 qPrintable(badges.join(QLatin1Char('|'))));
        const QString later = soon > 0 ? QStringLiteral("%1 soon, %2 to watch").arg(soon).arg(watch)
                                       : QStringLiteral("%1 to watch").arg(watch);
        QVERIFY2(badges.contains(later), qPrintable(badges.join(QLatin1Char('|'))));
    }

    void whatIsSaidOfAFindingShows() {
        Rig rig;
        rig.open();
        const Finding first = rig.health()->cards().front()->finding();
        const qsizetype all = rig.health()->cards().size();
        FindingMarks marks;
        marks[markKey(first)] = {true, std::nullopt, "ticket 4711", rig.now};
        rig.health()->setMarks(marks);
        const QString words = rig.health()->cards().front()->markText();
        QVERIFY2(words.contains(QStringLiteral("acknowledged")) &&
                     words.contains(QStringLiteral("ticket 4711")),
                 qPrintable(words));
        marks[markKey(first)].mutedUntil = rig.now + 3600;
        rig.health()->setMarks(marks);
        QVERIFY(rig.health()->mutedButton()->isVisible());
        for (const HealthCard* card : rig.health()->cards())
            QVERIFY(markKey(card->finding()) != markKey(first));
        rig.health()->mutedButton()->click();
        QCOMPARE(rig.health()->cards().size(), all);
        rig.now += 7200; // over
        rig.health()->mutedButton()->click();
        QVERIFY(!rig.health()->mutedButton()->isVisible());
    }
};

QTEST_MAIN(TestLiveWhole)

} // namespace tst_live_whole

#include "tst_live_whole.moc"
