// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of the file system in the calendar of a run says what its colours mean.
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "tests/views/drive.h"
#include "views/run/run_calendar_view.h"
#include "views/run/run_view.h"
#include "views/theme/theme_controller.h"

#include <QTest>

namespace tst_run_storage_lane {

using namespace alidade;
using namespace alidade::views;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

/// The page on a long run.
struct Page {
    test::CountedModel model;
    std::unique_ptr<Document> document;
    std::unique_ptr<RunView> view;

    explicit Page(QSize size) {
        document = std::make_unique<Document>(test::shippedCatalog(), model.engine());
        view = std::make_unique<RunView>(document.get());
        present(*view, size);
        document->open(
            *withField(test::sampleSpec("llama-3.1-405b-2048xp5.48xlarge"), "run.start", "2027-01-04"),
            QStringLiteral("run.json"));
        answered();
    }
    void answered() const {
        QTRY_VERIFY_WITH_TIMEOUT(!document->busy() && !view->isBusy(), 60'000);
        settle();
    }
    void set(const char* path, const char* value) const {
        QCOMPARE(document->setField(*findField(path), q(value)), QString());
        answered();
    }
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
        QVERIFY(legend[0].startsWith(q("data read, ")) && legend[1].startsWith(q("3 checkpoints kept, ")));
        QCOMPARE(legend[2], q("capacity"));
        QVERIFY(legend[3].contains(q("sent to S3")));
        QCOMPARE(calendar->cutOff(), QString());
        p.set("run.storage_bytes", "60 TB"); // its words stand where it is full
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
