// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow serial
// Values of the user's own, typed into the catalog page: marked wherever a figure rests on them, and switched
// off and on again.
#include "app/window/custom_values_bar.h"
#include "app/window/exporter.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/user_catalog_json.h"
#include "model/catalog/catalog.h"
#include "model/engine/engine.h"
#include "model/estimate/estimate.h"
#include "tests/app/workspace_fixture.h"
#include "tests/data/sample_topology.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/cell_field.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"

#include <QJsonDocument>
#include <QJsonValue>
#include <QWindow>

#include <cmath>

namespace tst_window_custom_values {

namespace {

const QString p5 = QStringLiteral("p5.48xlarge");

struct Hands : WorkspaceFixture {
    Hands() {
        openAndEdit();
        QTRY_VERIFY_WITH_TIMEOUT(!document().busy() && document().estimate(), 20'000);
    }
    views::CatalogView* page() const { return window().findChild<views::CatalogView*>(); }
    CustomValuesBar& bar() const { return window().customValues(); }

    /// Types over a cell of the instances and ends with Enter, through the window.
    void type(const QString& key, const QString& words) {
        QVERIFY(window().showView(QStringLiteral("catalog")));
        page()->showCell({data::CatalogKind::instances, p5, key});
        QWindow* handle = window().windowHandle();
        for (const QChar letter : words)
            QTest::keyClick(handle, letter.toLatin1());
        QTest::keyClick(handle, Qt::Key_Return);
        QTRY_VERIFY(page()->table()->viewport()->findChild<views::CellField*>() == nullptr);
    }
    void typeBoth() {
        type(QStringLiteral("efa_bandwidth_gb_per_s_per_direction"), QStringLiteral("40 GB/s"));
        type(QStringLiteral("price"), QStringLiteral("60"));
    }
    double rent() const { return document().estimate()->cost->dollarsPerHour; }
    double step() const { return document().estimate()->training->stepTime; }
    QString costNote() const {
        const auto figures = window().plan().summary()->findChildren<views::BandLabel*>();
        for (const views::BandLabel* each : figures)
            if (each->figure().label.startsWith(QStringLiteral("Cost")))
                return each->figure().note;
        return {};
    }
    void settleEstimate() { QTRY_VERIFY_WITH_TIMEOUT(!document().busy(), 20'000); }
};

} // namespace

class TestWindowCustomValues : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void nothingIsSaidOfTheShippedCatalog() {
        const Hands h;
        for (const char* page : {"start", "plan", "catalog", "validation"}) {
            QVERIFY(h.window().showView(QString::fromLatin1(page)));
            QVERIFY(h.bar().isHidden());
        }
    }

    void everyPageSaysWhatIsCustom() {
        Hands h;
        const double shippedRent = h.rent(), shippedStep = h.step();
        h.typeBoth();
        QTRY_COMPARE_WITH_TIMEOUT(h.document().catalog()->instance("p5.48xlarge")->efaPerDirection->si(),
                                  40e9, 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(h.rent(), 64 * 60.0, 20'000);
        QVERIFY(h.step() > shippedStep);
        for (const QString& page :
             {QStringLiteral("plan"), QStringLiteral("start"), QStringLiteral("catalog"),
              QStringLiteral("topology"), h.desk().page()->objectName()}) {
            QVERIFY(h.window().showView(page));
            QVERIFY2(h.bar().sentence().startsWith(QStringLiteral("Computed with 2 custom values: ")),
                     qPrintable(page + QStringLiteral(": ") + h.bar().sentence()));
        }
        QVERIFY(h.window().showView(QStringLiteral("plan")));
        QVERIFY2(h.costNote().startsWith(QStringLiteral("yours, list $")), qPrintable(h.costNote()));

        // The list has both with the values that they replace.
        QTest::mouseClick(h.bar().listButton(), Qt::LeftButton);
        QTRY_VERIFY(h.bar().list()->isVisible());
        const QAbstractItemModel* rows = h.bar().list()->model();
        QCOMPARE(rows->rowCount(), 2);
        QStringList shown;
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < rows->columnCount(); ++column)
                shown.append(rows->index(row, column).data().toString());
        QVERIFY2(shown.contains(QStringLiteral("40 GB/s")) && shown.contains(QStringLiteral("400 GB/s")),
                 qPrintable(shown.join(QLatin1Char('|'))));

        // The shipped values, and back.
        QTest::mouseClick(h.bar().switchButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(h.rent(), shippedRent, 20'000);
        QCOMPARE(h.step(), shippedStep);
        QVERIFY(h.bar().sentence().contains(QStringLiteral("shipped catalog; 2 custom values are left out")));
        QVERIFY2(!h.costNote().contains(QStringLiteral("yours")), qPrintable(h.costNote()));
        QTest::mouseClick(h.bar().switchButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(h.rent(), 64 * 60.0, 20'000);
    }

    void validationIsShippedUnlessSwitched() {
        Hands h;
        h.typeBoth();
        h.settleEstimate();
        QVERIFY(h.window().showView(QStringLiteral("validation")));
        const auto efa = [&] {
            return h.window().validation().catalog()->instance("p5.48xlarge")->efaPerDirection->si();
        };
        QCOMPARE(efa(), 400e9);
        QVERIFY(h.bar().sentence().startsWith(QStringLiteral("Computed with the shipped catalog")));
        QTest::mouseClick(h.bar().switchButton(), Qt::LeftButton);
        QCOMPARE(efa(), 40e9);
        QVERIFY(h.bar().sentence().startsWith(QStringLiteral("Computed with 2 custom values")));
        // The plan's switch is another one.
        QVERIFY(!h.page()->editor().usesShipped());
    }

    void anExportedReportRestsOnTheSameValues() {
        Hands h;
        h.typeBoth();
        h.settleEstimate();
        const views::CatalogEditor& editor = h.page()->editor();
        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        QSignalSpy finished(&exporter, &Exporter::finished), failed(&exporter, &Exporter::failed);
        const QString file = h.file(QStringLiteral("report.csv"));
        exporter.start({.spec = h.document().spec(),
                        .catalogChanges = data::userCatalogToJson(editor.user(), editor.shipped()->version)},
                       file);
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || !failed.isEmpty(), 60'000);
        QVERIFY(failed.isEmpty());
        const QByteArray report = contentOf(file);
        QVERIFY(report.contains("with 2 custom values"));
        QVERIFY(report.contains("40 GB/s instead of 400 GB/s"));
    }

    /// What the window computes with and the report must have too: the user's catalog folder, the topology
    /// and the calibration of the workspace.
    void reportHasAllThatTheWindowHas() {
        const QTemporaryDir folder;
        QFile own(folder.filePath(QStringLiteral("gpus.json")));
        QVERIFY(own.open(QIODevice::WriteOnly));
        own.write(R"({"alidade": 1, "kind": "gpus", "entries": [)"
                  R"({"id": "h100-sxm", "hbm_bandwidth_gb_per_s": 2000}]})");
        own.close();
        const data::CatalogLoad load =
            data::loadCatalog(data::loadShippedCatalog().catalog, folder.path().toStdString());
        QVERIFY(load.problems.empty());
        auto catalog = std::make_shared<Catalog>(*load.catalog);
        catalog->topologies.push_back(
            sampleTopology({.name = "hall", .instanceType = "p5.48xlarge", .hosts = 2048}));
        Profile slow = catalog->defaultProfile;
        slow.name = "slow";
        for (Parameter& each : slow.parameters)
            if (each.name == "gemm_compute_efficiency")
                each.value /= 2;
        catalog->profiles.push_back(slow);
        ScenarioSpec spec = test::sampleSpec();
        spec.cluster.topology = "hall";
        spec.calibration = "slow";
        const auto expected = estimate(spec, *catalog, slow);
        QVERIFY2(expected, expected.error().c_str());
        QVERIFY2(expected->training, expected->problems.empty() ? "" : expected->problems[0].message.c_str());
        QVERIFY(expected->training->stepTime >
                1.2 * estimate(spec, *catalog, catalog->defaultProfile)->training->stepTime);

        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        QSignalSpy finished(&exporter, &Exporter::finished), failed(&exporter, &Exporter::failed);
        const QString file = folder.filePath(QStringLiteral("report.json"));
        exporter.start(
            {.spec = spec, .catalog = catalog, .userCatalog = QString::fromStdString(load.userFile)}, file);
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || !failed.isEmpty(), 60'000);
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed[0][1].toString()));
        const QJsonValue time = QJsonDocument::fromJson(contentOf(file))[u"key_figures"][1][u"quantity"];
        QVERIFY(expected->training->runTime.has_value());
        // Fitted constants are written with six digits.
        QVERIFY(std::abs(time[u"value"].toDouble() / *expected->training->runTime - 1) < 1e-5);
    }

    /// A scenario on a machine that only the user's catalog has.
    void shippedCatalogWithoutTheMachine() {
        Hands h;
        QString mine;
        QCOMPARE(h.page()->editor().duplicate(data::CatalogKind::instances, p5, &mine), QString());
        h.set("cluster.instance", mine);
        h.settleEstimate();
        QVERIFY(h.document().error().isEmpty());
        QVERIFY(h.window().showView(QStringLiteral("plan")));
        QTest::mouseClick(h.bar().switchButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!h.document().error().isEmpty(), 20'000);
        QVERIFY2(h.bar().sentence().startsWith(QStringLiteral("The shipped catalog cannot compute this")),
                 qPrintable(h.bar().sentence()));
        QVERIFY(h.bar().sentence().contains(mine));
        QCOMPARE(h.bar().switchButton()->text(), QStringLiteral("Use custom values"));
        QTest::mouseClick(h.bar().switchButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(h.document().error().isEmpty() && !h.document().busy(), 20'000);
        QVERIFY(h.bar().sentence().startsWith(QStringLiteral("Computed with ")));
    }

    void anEditEndsTheShippedValues() {
        Hands h;
        h.typeBoth();
        h.settleEstimate();
        h.page()->editor().useShipped(true);
        h.type(QStringLiteral("price"), QStringLiteral("61"));
        QVERIFY(!h.page()->editor().usesShipped());
        QTRY_COMPARE_WITH_TIMEOUT(h.rent(), 64 * 61.0, 20'000);
    }
};

QTEST_MAIN(TestWindowCustomValues)

} // namespace tst_window_custom_values

#include "tst_window_custom_values.moc"
