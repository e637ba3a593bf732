// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/json/json.h"
#include "model/workload/parameters.h"

#include <QFile>
#include <QTest>

#include <cmath>

namespace tst_parameters {

using namespace alidade;

/// Parameter counts of the shipped architectures against what their publishers state.
class TestParameters : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        load_ = data::loadShippedCatalog();
        QFile file(QStringLiteral(ALIDADE_TEST_DATA "/data/parameter_totals.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        totals_ = nlohmann::json::parse(file.readAll().toStdString());
    }

    void total_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("publishedBillion");
        QTest::addColumn<qint64>("exact"); // 0: only the rounded figure is known
        QTest::addColumn<bool>("usable");
        for (const auto& row : totals_) {
            const auto id = QString::fromStdString(row["id"].get<std::string>());
            QTest::newRow(qPrintable(id))
                << id << row["published_total_billion"].get<double>()
                << (row["exact"].is_null() ? 0 : row["exact"].get<qint64>()) << row["usable"].get<bool>();
        }
    }

    void total() {
        QFETCH(QString, id);
        QFETCH(double, publishedBillion);
        QFETCH(qint64, exact);
        QFETCH(bool, usable);
        const Architecture* model = load_.catalog->model(id.toStdString());
        QVERIFY2(model, "the catalog has the model");
        const std::int64_t counted = countParameters(*model).total;
        if (exact > 0)
            QCOMPARE(counted, exact);
        if (usable) {
            // Where the checkpoint's integer is known, it replaces the publisher's rounded figure.
            const double published = exact > 0 ? static_cast<double>(exact) : publishedBillion * 1e9;
            const double deviation = static_cast<double>(counted) / published - 1;
            QVERIFY2(std::abs(deviation) <= 0.005,
                     qPrintable(QString::number(100 * deviation) + QStringLiteral(" %")));
        }
    }

    void allUsableModelsAreChecked() {
        const auto usable =
            std::count_if(totals_.begin(), totals_.end(), [](const auto& row) { return row["usable"]; });
        QCOMPARE(usable, 65);
        QCOMPARE(load_.catalog->models.size(), totals_.size());
    }

private:
    data::CatalogLoad load_;
    nlohmann::json totals_;
};

QTEST_APPLESS_MAIN(TestParameters)

} // namespace tst_parameters

#include "tst_parameters.moc"
