// SPDX-License-Identifier: GPL-3.0-or-later
// `alidade validate` as scripts see it: the keys and the sense of its JSON, classes by a field, a user's own
// rows, and what is said of wrong requests.
// ctest: slow
#include "data/json/json.h"
#include "program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace tst_cli_validate {

using Json = nlohmann::json;
using alidade::test::Outcome;
using alidade::test::Program;

namespace {

QStringList words(const QString& line) { return line.split(u' ', Qt::SkipEmptyParts); }
Outcome run(const QString& line) { return Program().run(words(line)); }

const QByteArray dense =
    R"({"id": "mine", "kind": "benchmark", "group": "g", "outcome": "ok", )"
    R"("source": {"title": "My cluster", "locator": "log"}, )"
    R"("model": {"name": "Llama 3.1 8B", "seq_len": 8192}, )"
    R"("hardware": {"gpu": "H100-SXM5-80GB", "gpus": 16, "network": "8x 400 Gb/s InfiniBand"}, )"
    R"("parallelism": {"tp": 2, "cp": 1, "pp": 1, "dp": 8, "sp": true, "zero_stage": 1}, )"
    R"("batch": {"gbs": 64, "mbs": 1}, "precision": "BF16", "recompute": "none", )"
    R"("software": "Megatron-Core 0.12", "measured": {"step_time_s": 3.0}, "confidence": "high"})";
const QByteArray serving =
    R"({"id": "serve", "source": {"title": "My cluster"}, )"
    R"("model": {"name": "Llama 3.1 8B", "arch": "llama-3.1-8b"}, "hardware": {"gpu": "H100", "gpus": 1}, )"
    R"("engine": {"name": "vLLM", "version": "0.20"}, "parallelism": {"tp": 1}, )"
    R"("precision": {"weights": "bf16", "activations": "bf16"}, "phase": "e2e", )"
    R"_("workload": {"isl": 1024, "osl": 256, "concurrency": 64, "mode": "server (closed loop)", )_"
    R"("length_distribution": "fixed"}, "measured": {"ttft_ms": 120, "tpot_ms": 20}, "quality": "A"})";
const QByteArray point =
    R"({"id": "link", "series": "s", "source": {"title": "T"}, )"
    R"("hardware": {"gpu": "H100", "gpus": 8}, "op": "all_reduce", "bytes": 8, "time_us": 20, )"
    R"("quality": "A"})";

} // namespace

class TestCliValidate : public QObject {
    Q_OBJECT

    QString file(const char* name, const QByteArray& content) {
        QFile out(folder_.filePath(QString::fromLatin1(name)));
        if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
            qFatal("cannot write %s", name);
        return out.fileName();
    }

    QTemporaryDir folder_;

private Q_SLOTS:
    void everyKeyOfTheDocumentIsThere() {
        const Outcome outcome = run(QStringLiteral("validate --json"));
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.err, QByteArray()); // no progress into a pipe
        const Json json = Json::parse(outcome.out.toStdString());
        for (const char* key : {"rows", "memory_outcomes", "summary", "skipped"})
            QVERIFY2(json.contains(key) && json[key].is_array(), key);
        QVERIFY(json["rows"].size() > 100);
        for (const Json& row : json["rows"]) {
            for (const char* key : {"id", "quantity", "measured", "predicted", "error", "low", "high",
                                    "weight", "group", "quality", "assumed"}) {
                QVERIFY2(row.contains(key), key);
            }
            const double error = row["predicted"].get<double>() / row["measured"].get<double>() - 1;
            QVERIFY2(std::abs(row["error"].get<double>() - error) < 1e-12, row.dump().c_str());
        }
        QCOMPARE(json["summary"][0]["group"], "all");
        for (const Json& each : json["summary"]) {
            for (const char* key :
                 {"group", "quantity", "n", "groups", "median_abs_error", "mean_abs_error", "p90_abs_error",
                  "bias", "within_10", "within_20", "band_coverage", "band_half_width", "leave_one_out"}) {
                QVERIFY2(each.contains(key), key);
            }
        }
        for (const Json& each : json["memory_outcomes"]) {
            QVERIFY(each["outcome"].is_string() && each["fits"].is_boolean());
            const double p = each["out_of_memory_probability"];
            QVERIFY(p >= 0 && p <= 1 && each["fits"].get<bool>() == (p <= 0.9));
        }
        for (const Json& each : json["skipped"])
            QVERIFY2(!each["why"].get<std::string>().empty(), each.dump().c_str());
    }

    void aFieldMakesTheClasses() {
        const QByteArray narrow = QByteArray(dense).replace("mine", "narrow").replace("BF16", "FP8");
        const QString rows = file("precisions.json", "[" + dense + "," + narrow + "," + serving + "]");
        const Outcome outcome = run(QStringLiteral("validate --json --by precision ") + rows);
        const Json summary = Json::parse(outcome.out.toStdString())["summary"];
        std::set<std::string> groups;
        for (const Json& each : summary)
            if (each["quantity"] == "step_time_s")
                groups.insert(each["group"]);
        QVERIFY(groups.contains("all") && groups.contains("bf16") && groups.contains("fp8"));
        QVERIFY(!groups.contains("dense"));
        const auto engine = Json::parse(
            run(QStringLiteral("validate --json --by engine ") + rows).out.toStdString())["summary"];
        QVERIFY(std::ranges::any_of(engine, [](const Json& each) {
            return each["group"] == "vllm" && each["quantity"] == "tpot_s" && each["n"] == 1;
        }));
    }

    void servingRowsAreRecognized() {
        const QString own = file("serving.json", "[" + serving + "]");
        const Json json = Json::parse(run(QStringLiteral("validate --json ") + own).out.toStdString());
        QCOMPARE(json["rows"].size(), std::size_t(2));
        QCOMPARE(json["rows"][0]["quantity"], "ttft_s");
        QCOMPARE(json["rows"][1]["quantity"], "tpot_s");
        QCOMPARE(json["rows"][1]["measured"], 0.02);
        QCOMPARE(json["rows"][1]["kind"], "serving");
        QCOMPARE(json["rows"][1]["assumed"], Json::array({"plan.kv_cache"}));
        QVERIFY(std::abs(json["rows"][1]["error"].get<double>()) < 1);
    }

    void ownRowsInTheSameForm() {
        const QString own = file("own.json", "[" + dense + "]");
        const Json json = Json::parse(run(QStringLiteral("validate --json ") + own).out.toStdString());
        QCOMPARE(json["rows"].size(), std::size_t(1));
        QCOMPARE(json["rows"][0]["quantity"], "step_time_s");
        QCOMPARE(json["rows"][0]["measured"], 3.0);
        QCOMPARE(json["rows"][0]["framework"], "megatron-core");
        QVERIFY(std::abs(json["rows"][0]["error"].get<double>()) < 0.5);
        QCOMPARE(json["memory_outcomes"][0]["fits"], true);
    }

    void severalFilesCountTogether() {
        const QString a = file("a.json", "[" + dense + "]"), b = file("b.json", "[" + point + "]");
        const Json json =
            Json::parse(run(QStringLiteral("validate --json ") + a + u' ' + b).out.toStdString());
        QCOMPARE(json["rows"].size() + json["skipped"].size(), std::size_t(2));
    }

    void aPersonReadsClassesWorstRowsAndReasons() {
        const QByteArray unsized =
            QByteArray(serving).replace(R"("serve")", R"("unsized")").replace("\"isl\": 1024, ", "");
        const QString own = file("several.json", "[" + dense + "," + serving + "," + unsized + "]");
        const Outcome outcome = run(QStringLiteral("validate --worst 3 ") + own);
        QCOMPARE(outcome.status, 0);
        for (const char* part : {"Error of the step time", "Error of the TPOT", "Worst rows", "[1]", "Memory",
                                 "Skipped", "the source does not give the length of the prompts"}) {
            QVERIFY2(outcome.out.contains(part), part);
        }
        QVERIFY(!run(QStringLiteral("validate --worst 0 ") + own).out.contains("Worst rows"));
    }

    /// One faulty row does not stop the others: it is skipped and named, unless that is refused.
    void aFaultyRowIsSkippedAndNamed() {
        const QByteArray wrong = QByteArray(dense).replace("mine", "wrong").replace("BF16", "BF61");
        const QString rows = file("faulty.json", "[" + wrong + "," + dense + "]");
        const Outcome outcome = run(QStringLiteral("validate --json ") + rows);
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.err.contains("/0/precision") && outcome.err.contains("row skipped"),
                 outcome.err.constData());
        const Json json = Json::parse(outcome.out.toStdString());
        QCOMPARE(json["rows"].size(), std::size_t(1));
        QCOMPARE(json["rows"][0]["id"], "mine");
        QCOMPARE(json["rows"][0]["release"], "Megatron-Core 0.12");
        const Outcome strict = run(QStringLiteral("validate --strict ") + rows);
        QCOMPARE(strict.status, 2);
        QCOMPARE(strict.out, QByteArray());
        QVERIFY(strict.err.contains("/0/precision"));
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("said");
        QTest::newRow("field") << "--by gpuu" << "did you mean 'gpu'?";
        QTest::newRow("class") << "--leave-one-out modle" << "did you mean 'model'?";
        QTest::newRow("release") << "--leave-one-out relase" << "did you mean 'release'?";
        QTest::newRow("fit without a file") << "--fit" << "add -o";
        QTest::newRow("file without a fit") << "-o x.json" << "add --fit";
        QTest::newRow("no such file") << "/nowhere.json" << "/nowhere.json: ";
        QTest::newRow("worst") << "--worst -1" << "worst";
        QTest::newRow("wrong row") << file("wrong.json",
                                           QByteArray("[") + QByteArray(dense).replace("BF16", "BF61") + "]")
                                   << ":/0/precision: ";
        QTest::newRow("no array") << file("object.json", "{}") << "array of measurements";
    }

    void whatIsWrongIsSaid() {
        QFETCH(QString, arguments);
        QFETCH(QString, said);
        const Outcome outcome = run(QStringLiteral("validate ") + arguments);
        QCOMPARE(outcome.status, 2);
        QCOMPARE(outcome.out, QByteArray());
        QVERIFY2(outcome.said().contains(said), outcome.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliValidate)

} // namespace tst_cli_validate

#include "tst_cli_validate.moc"
