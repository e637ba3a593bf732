// SPDX-License-Identifier: GPL-3.0-or-later
// `alidade validate FILE`: rows of every kind are judged when a user names their file, as they are among the
// shipped ones.
#include "data/catalog/shipped.h"
#include "data/json/json.h"
#include "program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <set>
#include <string>

namespace tst_cli_validate_files {

using Json = nlohmann::json;
using alidade::test::Outcome;
using alidade::test::Program;

class TestCliValidateFiles : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private Q_SLOTS:
    void rowsOfEveryKindAreJudged_data() {
        QTest::addColumn<QString>("kind");
        for (const char* name :
             {"training", "collectives", "serving", "rl", "finetune", "reliability", "storage", "energy"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }

    void rowsOfEveryKindAreJudged() {
        QFETCH(const QString, kind);
        const Json all =
            Json::parse(alidade::data::shippedDocument("validation/" + kind.toStdString() + ".json"));
        Json some = Json::array();
        std::set<std::string> ids;
        for (const Json& row : all) {
            if (some.size() < 40) {
                some.push_back(row);
                ids.insert(row.at("id").get<std::string>());
            }
        }
        const QString path = folder_.filePath(kind + QStringLiteral(".json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(some.dump()));
        file.close();

        const Outcome outcome =
            Program().run(QStringLiteral("validate --json ").split(u' ', Qt::SkipEmptyParts) << path);
        QCOMPARE(outcome.status, 0);
        const Json answer = Json::parse(outcome.out.toStdString());
        std::set<std::string> judged;
        for (const Json& row : answer.at("rows"))
            judged.insert(row.at("id").get<std::string>());
        QVERIFY(!judged.empty());
        QVERIFY(std::ranges::includes(ids, judged));
        QVERIFY(!answer.at("summary").empty());
        QVERIFY(!Program().run({QStringLiteral("validate"), path}).out.isEmpty());
    }

    void aFileWithoutAReadableRowIsRefused() {
        const QString path = folder_.filePath(QStringLiteral("none.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"([{"id": "x", "method": "lora", "parallelism": 3}])");
        file.close();
        const Outcome outcome = Program().run({QStringLiteral("validate"), path});
        QVERIFY(outcome.status != 0);
        QVERIFY2(outcome.said().contains(QLatin1String("none.json")), qPrintable(outcome.said()));
    }
};

QTEST_GUILESS_MAIN(TestCliValidateFiles)

} // namespace tst_cli_validate_files

#include "tst_cli_validate_files.moc"
