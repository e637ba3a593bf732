// SPDX-License-Identifier: GPL-3.0-or-later
// alidade search, sweep, sensitivity, solve and distribution as scripts call them.
#include "data/json/json.h"
#include "tests/app/program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <csignal>

namespace tst_cli_search {

using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

namespace {

const QString training = QStringLiteral("llama-3.1-70b-64xp5.48xlarge");
const QString serving = QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");

QStringList words(std::initializer_list<const char*> list) {
    QStringList out;
    for (const char* each : list)
        out << QString::fromUtf8(each);
    return out;
}

/// The number at a dotted path of an estimate.
double numberAt(Json document, const std::string& path) {
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t to = std::min(path.find('.', from), path.size());
        document = Json(document.at(path.substr(from, to - from)));
        from = to + 1;
    }
    return document.get<double>();
}

QString settingText(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

} // namespace

class TestCliSearch : public QObject {
    Q_OBJECT

private slots:
    /// What is printed can be given to estimate, and says the same there.
    void foundPlansAreEstimatesAgain() {
        for (const QString& id : {training, serving}) {
            QStringList arguments{QStringLiteral("search"),
                                  id,
                                  QStringLiteral("--json"),
                                  QStringLiteral("--top"),
                                  QStringLiteral("3"),
                                  QStringLiteral("--machine"),
                                  QStringLiteral("p5.48xlarge,p5en.48xlarge")};
            for (const char* field : {"plan.tensor_parallel=1,2,4,8", "plan.pipeline_parallel=1..4"})
                arguments << QStringLiteral("--free") << QString::fromLatin1(field);
            const Outcome found = program_.run(arguments);
            QVERIFY2(found.status == 0, found.err.constData());
            const Json answer = Json::parse(found.out.toStdString());
            const Json counts = answer.at("counts");
            std::uint64_t sum = 0;
            for (const auto& each : counts)
                sum += each.get<std::uint64_t>();
            QCOMPARE(sum, answer.at("space").at("plans").get<std::uint64_t>());
            QCOMPARE(sum, std::uint64_t{2 * 4 * 4});
            QCOMPARE(answer.at("space").at("fields").size(), std::size_t{3});
            QVERIFY(answer.at("complete").get<bool>());
            QVERIFY(answer.at("plans_per_second").get<double>() > 0);
            QVERIFY(!answer.at("best").empty());
            const Json best = answer.at("best").at(0);
            QVERIFY(best.at("equal_to_best").get<bool>());
            QVERIFY(best.at("low").get<double>() < best.at("high").get<double>());
            QStringList again{QStringLiteral("estimate"), id, QStringLiteral("--json")};
            for (const auto& [path, value] : best.at("set").items())
                again << QStringLiteral("--set") << QString::fromStdString(path) + u'=' + settingText(value);
            const Outcome single = program_.run(again);
            QVERIFY2(single.status == 0, single.err.constData());
            const Json estimate = Json::parse(single.out.toStdString());
            QVERIFY(best.at("figures").size() > 5);
            for (const auto& [path, value] : best.at("figures").items()) {
                const double same = numberAt(estimate, path);
                QVERIFY2(std::abs(value.get<double>() - same) <= 1e-12 * std::abs(same), path.c_str());
            }
        }
    }

    void aPersonReadsTheSame() {
        const Outcome found = program_.run(
            words({"search", "llama-3.1-70b-64xp5.48xlarge", "--free", "plan.tensor_parallel=2,4,8", "--free",
                   "plan.pipeline_parallel=2,4", "--at-least", "memory.headroom_bytes=20 GB"}));
        QVERIFY2(found.status == 0, found.err.constData());
        const QString text = QString::fromUtf8(found.out);
        for (const char* part : {"Best plans", "Recommended", "--set plan.tensor_parallel=", "6 plans: ",
                                 "Memory headroom is below 20.0 GB"}) {
            QVERIFY2(text.contains(QString::fromUtf8(part)), found.out.constData());
        }
    }

    void filesAreWritten() {
        const QTemporaryDir folder;
        for (const char* suffix : {"csv", "json"}) {
            const QString file = folder.filePath(QStringLiteral("found.") + QString::fromLatin1(suffix));
            const Outcome found =
                program_.run({QStringLiteral("search"), training, QStringLiteral("--free"),
                              QStringLiteral("plan.tensor_parallel=4,8"), QStringLiteral("-o"), file});
            QVERIFY2(found.status == 0, found.err.constData());
            QFile written(file);
            QVERIFY(written.open(QIODevice::ReadOnly));
            const QByteArray content = written.readAll();
            if (qstrcmp(suffix, "csv") == 0) {
                const QList<QByteArray> lines = content.trimmed().split('\n');
                QCOMPARE(lines.size(), qsizetype{3});
                QVERIFY(lines[0].contains("plan.tensor_parallel") && lines[0].contains("training.mfu"));
                QCOMPARE(lines[1].count(','), lines[0].count(','));
            } else {
                QCOMPARE(Json::parse(content.toStdString()).at("best").size(), std::size_t{2});
            }
        }
        // A report of the recommended plan, which says what was searched and why others were rejected.
        const Outcome reported =
            program_.run(words({"search", "llama-3.1-70b-64xp5.48xlarge", "--free",
                                "plan.tensor_parallel=1,4,8", "--title", "Our search", "-o"}) +
                         QStringList{folder.filePath(QStringLiteral("offer.html"))});
        QVERIFY2(reported.status == 0, reported.err.constData());
        QFile page(folder.filePath(QStringLiteral("offer.html")));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArray html = page.readAll();
        for (const char* part : {"Our search", "The search for this plan", "Best plans", "recommended",
                                 "The space has 3 plans", "Plans that were rejected", "What to order"})
            QVERIFY2(html.contains(part), part);
        const QString points = folder.filePath(QStringLiteral("points.csv"));
        const Outcome swept =
            program_.run({QStringLiteral("sweep"), training, QStringLiteral("--vary"),
                          QStringLiteral("plan.micro_batch=1..3"), QStringLiteral("-o"), points});
        QVERIFY2(swept.status == 0, swept.err.constData());
        QFile written(points);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = written.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), qsizetype{4});
        QVERIFY(lines[3].startsWith("3,false,false,")); // does not divide the batch
    }

    void documentedObjects() {
        const Json sweep = jsonOf(words({"sweep", "llama-3.1-70b-64xp5.48xlarge", "--vary",
                                         "plan.micro_batch=1,2", "--vary", "hbm_bandwidth=2 TB/s,3 TB/s"}));
        QCOMPARE(sweep.at("fields"), Json({"plan.micro_batch", "hbm_bandwidth"}));
        QCOMPARE(sweep.at("points").size(), std::size_t{4});
        const Json point = sweep.at("points").at(1);
        QCOMPARE(point.at("set"), Json({{"plan.micro_batch", 1}, {"hbm_bandwidth", 3e12}}));
        QVERIFY(point.at("runs").get<bool>());
        QCOMPARE(point.at("bound").get<std::string>(), std::string("compute"));
        QVERIFY(point.at("figures").contains("training.step_time_s"));

        double shares = 0;
        for (const auto& [bound, share] : point.at("shares").items())
            shares += share.get<double>();
        QVERIFY(std::abs(shares - 1) < 1e-9);
        const Json band = point.at("bands").at("training.step_time_s");
        const double step = point.at("figures").at("training.step_time_s").get<double>();
        QVERIFY(band.at(0).get<double>() < step && step < band.at(1).get<double>());
        QVERIFY(!point.contains("plan"));
        const Json best =
            jsonOf(words({"sweep", "llama-3.1-70b-64xp5.48xlarge", "--vary", "hbm_bandwidth=2 TB/s", "--of",
                          "training.tokens_per_s", "--optimize", "plan.tensor_parallel,plan.recompute"}));
        QVERIFY(best.at("points").at(0).at("plan").contains("plan.tensor_parallel"));

        const Json tornado = jsonOf(words({"sensitivity", "llama-3.1-70b-64xp5.48xlarge", "--of",
                                           "cost.dollars_per_run", "--step", "5 %"}));
        QCOMPARE(tornado.at("of").get<std::string>(), std::string("cost.dollars_per_run"));
        const Json first = tornado.at("inputs").at(0);
        for (const char* key : {"path", "kind", "low_value", "high_value", "low", "high", "derivative"})
            QVERIFY2(first.contains(key), key);
        QVERIFY(tornado.at("ignorance").at(0).at("share_of_variance").get<double>() > 0);
        QCOMPARE(jsonOf(words({"sensitivity", "llama-3.1-70b-64xp5.48xlarge"})).at("of").get<std::string>(),
                 std::string("training.tokens_per_s")); // the headline

        const Json solved = jsonOf(words({"solve", "serve-llama-3.1-70b-1xp5en.48xlarge", "--vary",
                                          "workload.request_rate_per_s", "--for", "serving.tpot_s<=40 ms"}));
        QCOMPARE(solved.at("path").get<std::string>(), std::string("workload.request_rate_per_s"));
        QVERIFY(solved.at("value").get<double>() > 0);
        const Json none = jsonOf(words(
            {"solve", "llama-3.1-70b-64xp5.48xlarge", "--vary", "price", "--for", "training.mfu>=99 %"}));
        QVERIFY(none.at("value").is_null() && !none.at("why").get<std::string>().empty());
    }

    /// A picture of one field, and of two; each an SVG that names what it shows.
    void sweepsAreDrawn() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("sweep.svg"));
        for (const QStringList& fields :
             {words({"--vary", "nvlink_bandwidth=5 GB/s..900 GB/s:log 9", "--of",
                     "training.tokens_per_s,training.mfu"}),
              words({"--vary", "plan.micro_batch=1,2,4", "--vary", "plan.recompute=none|full"})}) {
            const Outcome drawn = program_.run(QStringList{QStringLiteral("sweep"), training} + fields +
                                               QStringList{QStringLiteral("-o"), file});
            QVERIFY2(drawn.status == 0, drawn.err.constData());
            QFile picture(file);
            QVERIFY(picture.open(QIODevice::ReadOnly));
            const QByteArray svg = picture.readAll();
            QVERIFY(svg.startsWith("<?xml") && svg.trimmed().endsWith("</svg>"));
            QVERIFY(
                svg.contains(fields.size() == 4 && fields.last().contains(u',') ? "overtakes" : "Recompute"));
        }
    }

    /// The quantiles rise, the odds are those of the draws, and the same seed says the same on any threads.
    void distributionsAreDocumented() {
        const auto ask = [this](const char* threads) {
            return jsonOf(
                words({"distribution", "llama-3.1-70b-64xp5.48xlarge", "--uncertain",
                       "price=triangular($40/h..$50/h..$70/h)", "--at-most", "cost.dollars_per_run=$1",
                       "--draws", "2000", "--seed", "7", "--threads", threads}));
        };
        const Json found = ask("1");
        QCOMPARE(found, ask("3"));
        QCOMPARE(found.at("draws").get<int>(), 2000);
        QCOMPARE(found.at("seed").get<int>(), 7);
        const Json figure = found.at("figures").at(0);
        QCOMPARE(figure.at("figure").get<std::string>(), std::string("cost.dollars_per_run"));
        QVERIFY(figure.at("p10").get<double>() < figure.at("p50").get<double>() &&
                figure.at("p50").get<double>() < figure.at("p90").get<double>());
        int draws = 0;
        for (const Json& each : figure.at("histogram").at("counts"))
            draws += each.get<int>();
        QCOMPARE(draws, 2000);
        QCOMPARE(found.at("limits").at(0).at("probability_missed").get<double>(), 1.0);
        const auto isPrice = [](const Json& each) { return each.at("path") == "price"; };
        const Json& drivers = figure.at("drivers");
        QVERIFY(std::find_if(drivers.begin(), drivers.end(), isPrice) != drivers.end());
        const Json& inputs = found.at("inputs");
        QCOMPARE(std::find_if(inputs.begin(), inputs.end(), isPrice)->at("distribution").get<std::string>(),
                 std::string("price=triangular($40/h..$50/h..$70/h)"));
        const Outcome page = program_.run(words({"distribution", "llama-3.1-70b-64xp5.48xlarge"}));
        QVERIFY(page.status == 0 && page.out.contains("What drives it") && page.out.contains("P90"));
    }

    /// The parts sum to the difference of the two step times.
    void comparisonsSayWhy() {
        const Json both =
            jsonOf(words({"compare", "llama-3.1-70b-64xp5.48xlarge", "llama-3.1-70b-16xp6-b200.48xlarge",
                          "serve-llama-3.1-70b-1xp5en.48xlarge", "--why"}));
        QCOMPARE(both.at("why").size(), std::size_t{1}); // a service has no training step
        const Json why = both.at("why").at(0);
        QCOMPARE(why.at("estimate").get<int>(), 1);
        const auto step = [&both](int i) {
            return both.at("estimates").at(i).at("training").at("step_time_s").get<double>();
        };
        QVERIFY(std::abs(why.at("before_s").get<double>() - step(0)) < 1e-9 * step(0));
        QVERIFY(std::abs(why.at("after_s").get<double>() - step(1)) < 1e-9 * step(1));
        double sum = 0;
        for (const Json& part : why.at("parts"))
            sum += part.at("difference_s").get<double>();
        QVERIFY(why.at("parts").size() > 2);
        QVERIFY(std::abs(sum - (step(1) - step(0))) < 1e-9 * step(0));
        const Outcome page = program_.run(
            words({"compare", "llama-3.1-70b-64xp5.48xlarge", "llama-3.1-70b-16xp6-b200.48xlarge", "--why"}));
        QVERIFY(page.out.contains("Why they differ") && page.out.contains("compute "));
    }

    void wrongRequestsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, std::initializer_list<const char*> arguments,
                            const char* says) {
            QTest::newRow(name) << words(arguments) << QString::fromUtf8(says);
        };
        const char* id = "llama-3.1-70b-64xp5.48xlarge";
        row("field", {"search", id, "--free", "plan.tensor"}, "--free: there is no field 'plan.tensor'");
        row("twice", {"search", id, "--free", "plan.micro_batch", "--free", "plan.micro_batch=1"},
            "free already");
        row("figure", {"search", id, "--objective", "training.step_tim"}, "'training.step_time_s'");
        row("three", {"search", id, "--objective", "gpus,training.mfu,memory.total_bytes"},
            "one or two objectives");
        row("limit", {"search", id, "--at-most", "training.step_time_s"}, "is not FIGURE=VALUE");
        row("machine", {"search", id, "--machine", "p5.48xlarg"}, "did you mean 'p5.48xlarge'?");
        row("counts",
            {"search", id, "--free", "cluster.ultraservers=1,2", "--free", "cluster.instances=32,64"},
            "are both the number of machines; vary one of them");
        row("suffix", {"search", id, "-o", "found.xml"}, "must end in .json or .csv");
        row("nothing to report",
            {"search", id, "--free", "plan.tensor_parallel=4", "--at-most", "training.step_time_s=1 ms", "-o",
             "offer.html"},
            "no plan of this space runs, fits and keeps the limits");
        row("paper", {"search", id, "--paper", "a5", "-o", "offer.pdf"}, "--paper: there is no paper 'a5'");
        row("no scenario", {"search", "llama-3"}, "llama-3");
        row("nothing", {"search"}, "needs a SCENARIO");
        row("shard", {"search", id, "--shard", "3/2", "-o", "x.json"}, "'3/2' is not I/N");
        row("shard without a file", {"search", id, "--shard", "1/2"}, "-o FILE.json");
        row("merge with a scenario", {"search", id, "--merge", "x.json"}, "name only these");
        row("vary", {"sweep", id, "--vary", "plan.micro_bach=1,2"}, "'plan.micro_batch'");
        row("vary twice", {"sweep", id, "--vary", "price=1,2", "--vary", "price=3"}, "is varied already");
        row("of", {"sweep", id, "--vary", "price=1,2", "--of", "serving.ttft_s"}, "--of: no figure");
        row("best", {"sweep", id, "--vary", "price=1,2", "--optimise", "plan.tensor"}, "--optimize: ");
        row("picture",
            {"sweep", id, "--vary", "price=1,2", "--vary", "plan.micro_batch=1,2", "--vary",
             "hbm_bandwidth=2 TB/s", "-o", "sweep.svg"},
            "one or two fields");
        row("uncertain", {"distribution", id, "--uncertain", "price=beta(1..2)"}, "is not a distribution");
        row("uncertain twice",
            {"distribution", id, "--uncertain", "price=uniform(40..50)", "--uncertain",
             "price=uniform(40..60)"},
            "is named already");
        row("step", {"sensitivity", id, "--step", "200 %"}, "--step: ");
        row("not there", {"sensitivity", id, "--of", "serving.ttft_s"}, "is not a figure of this estimate");
        row("words", {"solve", id, "--vary", "plan.precision", "--for", "training.mfu>=0.5"}, "has words");
        row("goal", {"solve", id, "--vary", "price", "--for", "training.mfu"}, "--for: ");
    }
    void wrongRequestsAreRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Outcome outcome = program_.run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: ")), outcome.err.constData());
        QVERIFY2(outcome.said().contains(says), outcome.err.constData());
    }

    /// The shards of a search, merged in any order, are the search.
    void shardsMergeToTheSameAnswer_data() {
        QTest::addColumn<int>("shards");
        for (const int n : {1, 2, 7, 16})
            QTest::addRow("%d shards", n) << n;
    }
    void shardsMergeToTheSameAnswer() {
        QFETCH(int, shards);
        const QStringList question =
            words({"llama-3.1-70b-64xp5.48xlarge", "--objective", "training.step_time_s,memory.total_bytes",
                   "--at-least", "memory.headroom_bytes=1 GB", "--machine", "p5.48xlarge,p6-b200.48xlarge",
                   "--free", "plan.tensor_parallel", "--free", "plan.pipeline_parallel", "--free",
                   "plan.micro_batch", "--free", "plan.virtual_pipeline=1..8", "--top", "7"});
        const auto answerOf = [](Json answer) {
            answer.erase("seconds");
            answer.erase("plans_per_second");
            return answer;
        };
        static const Json whole = answerOf(jsonOf(QStringList{QStringLiteral("search")} + question));
        const QTemporaryDir folder;
        QStringList merge{QStringLiteral("search"), QStringLiteral("--merge")};
        std::uint64_t tried = 0;
        for (int i = shards; i >= 1; --i) {
            const QString shard = QStringLiteral("%1/%2").arg(i).arg(shards);
            const QString file = folder.filePath(QStringLiteral("%1.json").arg(i));
            const Json part =
                jsonOf(QStringList{QStringLiteral("search")} + question +
                       QStringList{QStringLiteral("--shard"), shard, QStringLiteral("-o"), file});
            for (const auto& count : part.at("findings").at("counts"))
                tried += count.get<std::uint64_t>();
            merge << file;
        }
        QCOMPARE(tried, whole.at("space").at("plans").get<std::uint64_t>());
        QVERIFY(tried > 256U * 16U); // more than a block for each
        QCOMPARE(QByteArray::fromStdString(answerOf(jsonOf(merge)).dump(1)),
                 QByteArray::fromStdString(whole.dump(1)));
        if (shards == 7) {
            merge.removeLast();
            const Outcome missing = program_.run(merge);
            QCOMPARE(missing.status, 2);
            QVERIFY2(missing.said().contains(QStringLiteral("shard 1/7 is missing")),
                     missing.err.constData());
            merge << merge.constLast();
            QVERIFY(program_.run(merge).said().contains(QStringLiteral("name each once")));
        }
    }

    /// Shards that were found with another catalog or scenario are not part of this search.
    void shardsOfAnotherTimeAreRefused() {
        const QTemporaryDir folder;
        const QString scenario = folder.filePath(QStringLiteral("plan.json"));
        const QString file = folder.filePath(QStringLiteral("1.json"));
        const auto write = [](const QString& path, const QByteArray& content) {
            QFile out(path);
            return out.open(QIODevice::WriteOnly) && out.write(content) == content.size();
        };
        const Json estimate = jsonOf(words({"estimate", "llama-3.1-70b-64xp5.48xlarge"}));
        Json spec = estimate.at("scenario");
        QVERIFY(write(scenario, QByteArray::fromStdString(spec.dump())));
        const QStringList shard{QStringLiteral("search"),  scenario,
                                QStringLiteral("--free"),  QStringLiteral("plan.micro_batch=1,2"),
                                QStringLiteral("--shard"), QStringLiteral("1/1"),
                                QStringLiteral("-o"),      file};
        QCOMPARE(program_.run(shard).status, 0);
        const QStringList merge{QStringLiteral("search"), QStringLiteral("--merge"), file};
        QCOMPARE(program_.run(merge).status, 0);
        spec["workload"]["sequence_length"] = 4096;
        QVERIFY(write(scenario, QByteArray::fromStdString(spec.dump())));
        const Outcome changed = program_.run(merge);
        QCOMPARE(changed.status, 2);
        QVERIFY2(changed.said().contains(QStringLiteral("has other figures now")), changed.err.constData());
        for (const auto& [content, says] :
             {std::pair("{\"alidade\": 1, \"kind\": \"search\"}", "/kind"),
              std::pair("[]", "an object is expected"), std::pair("{", "line 1")}) {
            QVERIFY(write(file, content));
            const Outcome broken = program_.run(merge);
            QCOMPARE(broken.status, 2);
            QVERIFY2(broken.err.contains(says), broken.err.constData());
        }
    }

    /// Ctrl+C gives what was found so far.
    void interruptedSearchesPrintWhatTheyFound() {
        QProcess process;
        process.start(qEnvironmentVariable("ALIDADE_EXECUTABLE"),
                      words({"search", "deepseek-v3-256xp5en.48xlarge", "--json", "--machine", "all"}));
        QVERIFY(process.waitForStarted());
        QTest::qWait(1500);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 0);
        const Json answer = Json::parse(process.readAllStandardOutput().toStdString());
        QVERIFY(!answer.at("complete").get<bool>());
        QVERIFY(answer.at("counts").at("illegal").get<std::uint64_t>() > 0);
    }

private:
    Json jsonOf(QStringList arguments) const {
        arguments << QStringLiteral("--json");
        const Outcome outcome = program_.run(arguments);
        if (outcome.status != 0)
            qFatal("%s", outcome.err.constData());
        return Json::parse(outcome.out.toStdString());
    }

    Program program_;
};

QTEST_GUILESS_MAIN(TestCliSearch)

} // namespace tst_cli_search

#include "tst_cli_search.moc"
