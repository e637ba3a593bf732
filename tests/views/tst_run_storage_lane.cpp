// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of the file system in the calendar of a run says what its colors mean.
#include "tests/views/run_page.h"
#include "views/run/run_calendar_view.h"
#include "views/theme/theme_controller.h"

#include <QTest>

namespace tst_run_storage_lane {

using namespace alidade;
using namespace alidade::views;

namespace {

/// The page on a long run.
struct Page : test::RunPage {
    explicit Page(QSize size)
        : RunPage({{"run.start", "2027-01-04"}}, "llama-3.1-405b-2048xp5.48xlarge", size) {}
};

} // namespace

class TestRunStorageLane : public QObject {
    Q_OBJECT

private slots:
    void theStorageLaneHasALegend_data() {
        QTest::addColumn<ThemeChoice>("choice");
        QTest::addColumn<QSize>("size");
        for (const auto choice : {ThemeChoice::light, ThemeChoice::dark})
            for (const QSize size : {QSize(1160, 620), QSize(2340, 1340)}) // of 1280 x 720 and 2560 x 1440
                QTest::addRow("%d %d", static_cast<int>(choice), size.width()) << choice << size;
    }
    void theStorageLaneHasALegend() {
        QFETCH(ThemeChoice, choice);
        QFETCH(QSize, size);
        const auto before = ThemeController::instance().choice();
        ThemeController::instance().setChoice(choice);
        const Page p(size);
        RunCalendarView* calendar = p.view->calendar();
        const auto drawn = [calendar] {
            (void)calendar->grab();
            return calendar->storageLegend();
        };
        const QStringList legend = drawn();
        QCOMPARE(legend.size(), 4);
        QVERIFY(legend[0].startsWith(QStringLiteral("data read, ")) &&
                legend[1].startsWith(QStringLiteral("3 checkpoints kept, ")));
        QCOMPARE(legend[2], QStringLiteral("capacity"));
        QVERIFY(legend[3].contains(QStringLiteral("sent to S3")));
        QCOMPARE(calendar->cutOff(), QString());
        p.set("run.storage_bytes", "60 TB"); // its words are where it is full
        QVERIFY(drawn().size() >= 3);
        QCOMPARE(calendar->cutOff(), QString());
        p.set("run.storage", "s3-standard");
        QVERIFY(drawn().isEmpty());
        ThemeController::instance().setChoice(before);
    }
};

QTEST_MAIN(TestRunStorageLane)

} // namespace tst_run_storage_lane

#include "tst_run_storage_lane.moc"
