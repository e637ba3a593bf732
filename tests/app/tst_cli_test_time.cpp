// SPDX-License-Identifier: GPL-3.0-or-later
// alidade test-time, and estimate of a service that draws several samples, as scripts call them.
#include "data/json/json.h"
#include "tests/app/program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace tst_cli_test_time {

using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

namespace {

const QString bestOf16 = QStringLiteral("serve-qwen3-32b-best-of-16-1xp5en.48xlarge");
const QString chat = QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");

Outcome testTime(const QStringList& arguments) {
    return Program().run(QStringList{QStringLiteral("test-time")} + arguments);
}

} // namespace

class TestCliTestTime : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString written(const char* name, const char* content) {
        const QString path = folder_.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) < 0)
            qFatal("no file");
        return path;
    }

private slots:
    void rowsAreEstimates() {
        const Outcome table = testTime(
            {bestOf16, QStringLiteral("--samples"), QStringLiteral("1,16"), QStringLiteral("--json")});
        QVERIFY2(table.status == 0, table.err.constData());
        const Json rows = Json::parse(table.out.toStdString()).at("rows");
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].at("samples").get<int>(), 1);
        QVERIFY(rows[1].at("latency_s") > rows[0].at("latency_s"));
        QVERIFY(rows[1].at("least_dollars_per_1000_questions") >
                rows[0].at("least_dollars_per_1000_questions"));
        const Outcome one = Program().run({QStringLiteral("estimate"), bestOf16, QStringLiteral("--json")});
        QVERIFY2(one.status == 0, one.err.constData());
        const Json answered = Json::parse(one.out.toStdString()).at("serving").at("test_time");
        QCOMPARE(answered.at("selection").get<std::string>(), std::string("best_of_n"));
        for (const char* key : {"latency_s", "dollars_per_1000_questions", "kv_bytes_per_question"})
            QCOMPARE(rows[1].at(key).get<double>(), answered.at(key).get<double>());
    }

    void estimatePrintsTheQuestion() {
        const Outcome page = Program().run({QStringLiteral("estimate"), bestOf16});
        QCOMPARE(page.status, 0);
        QVERIFY(page.out.contains("16 samples, best of n, scored by Qwen3 8B"));
        QVERIFY(page.out.contains("Dollars per 1,000 questions"));
        const Outcome plain = Program().run({QStringLiteral("estimate"), chat});
        QVERIFY(plain.status == 0 && !plain.out.contains("An answered question"));
    }

    void targets() {
        const QString curve = written("pass.csv", "k,pass_at_k\n1,0.4\n16,0.8\n");
        const QStringList common{bestOf16,
                                 QStringLiteral("--accuracy"),
                                 curve,
                                 QStringLiteral("--samples"),
                                 QStringLiteral("4"),
                                 QStringLiteral("--target")};
        const Outcome reached =
            testTime(common + QStringList{QStringLiteral("70 %"), QStringLiteral("--json")});
        QVERIFY2(reached.status == 0, reached.err.constData());
        const Json json = Json::parse(reached.out.toStdString());
        QCOMPARE(json.at("target").at("samples").get<double>(), 8.0);
        QCOMPARE(json.at("target").at("row").at("samples").get<int>(), 8);
        QVERIFY(std::abs(json.at("rows")[0].at("accuracy").get<double>() - 0.6) < 1e-9);
        QVERIFY(json.at("rows")[0].at("accuracy_is_bound").get<bool>()); // a verifier may miss the right one
        const Outcome words = testTime(common + QStringList{QStringLiteral("0.7")});
        QVERIFY2(words.out.contains("takes at least 8 samples"), words.out.constData());
        const Outcome never = testTime(common + QStringList{QStringLiteral("0.9")});
        QCOMPARE(never.status, 0);
        QVERIFY2(never.out.contains("is not reached on this curve"), never.out.constData());
    }

    void budgets() {
        const Outcome table = testTime(
            {chat, QStringLiteral("--thinking"), QStringLiteral("100,400,1600"), QStringLiteral("--json")});
        QVERIFY2(table.status == 0, table.err.constData());
        const Json rows = Json::parse(table.out.toStdString()).at("rows");
        QCOMPARE(rows.size(), std::size_t{3});
        for (std::size_t i = 1; i < 3; ++i) {
            QVERIFY(rows[i].at("tokens_per_question") > rows[i - 1].at("tokens_per_question"));
            QVERIFY(rows[i].at("latency_s") > rows[i - 1].at("latency_s"));
        }
    }

    void wrongRequests_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const QStringList& arguments, const QString& said) {
            QTest::newRow(name) << arguments << said;
        };
        const QString falling = written("falling.csv", "k,pass_at_k\n1,0.5\n4,0.3\n");
        const QString thinking = written("thinking.csv", "thinking_tokens,accuracy\n1000,0.5\n");
        row("training", {QStringLiteral("llama-3.1-70b-64xp5.48xlarge")},
            QStringLiteral("/workload/kind: test-time compute applies only to serving"));
        row("falls", {bestOf16, QStringLiteral("--accuracy"), falling},
            falling + QStringLiteral(":3: pass_at_k falls from 0.5 to 0.3"));
        row("no file", {bestOf16, QStringLiteral("--accuracy"), QStringLiteral("/nowhere.csv")},
            QStringLiteral("/nowhere.csv"));
        row("no curve", {bestOf16, QStringLiteral("--target"), QStringLiteral("0.9")},
            QStringLiteral("--target: needs a table of accuracies"));
        row("budgets without budgets", {bestOf16, QStringLiteral("--accuracy"), thinking},
            QStringLiteral("--accuracy: the table is over thinking_tokens"));
        row("target", {bestOf16, QStringLiteral("--target"), QStringLiteral("90")},
            QStringLiteral("--target: "));
        row("no samples", {bestOf16, QStringLiteral("--samples"), QStringLiteral("0")},
            QStringLiteral("--samples"));
        row("verifier", {bestOf16, QStringLiteral("--set"), QStringLiteral("workload.verifier=qwen3-9b")},
            QStringLiteral("qwen3-9b"));
    }
    void wrongRequests() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const Outcome outcome = testTime(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().contains(said), outcome.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliTestTime)

} // namespace tst_cli_test_time

#include "tst_cli_test_time.moc"
