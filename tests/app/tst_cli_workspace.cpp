// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios of a workspace on the command line: WORKSPACE.alidade#name.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/user_catalog_json.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/topology_json.h"
#include "data/workspace/library.h"
#include "data/workspace/workspace.h"
#include "program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace tst_cli_workspace {

using namespace alidade;
using namespace alidade::data;
using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

class TestCliWorkspace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        Workspace::Opening opening = Workspace::open(file_.toStdString());
        QVERIFY(!opening.fault);
        const auto commit = [&](const WorkspaceEdit& edit) {
            QVERIFY(bool(apply(opening.content, edit)));
            QVERIFY(!opening.workspace->apply(edit));
        };
        const WorkspaceEdit folder = addFolder(opening.content, 0, "Drafts", 1000);
        commit(folder);
        commit(addScenario(opening.content, 0, specOf(8), "Wide plan", "New", 1000));
        commit(addScenario(opening.content, addedId(folder), specOf(4), "Narrow plan", "New", 1000));
        commit(addScenario(opening.content, 0, specOf(2), "Twice", "New", 1000));
        commit(addScenario(opening.content, addedId(folder), specOf(4), "Twice", "New", 1000));

        const auto shipped = loadShippedCatalog().catalog;
        const auto change =
            changeValue(*shipped, *shipped, CatalogKind::gpus, "h100-sxm", "hbm_bandwidth_gb_per_s", "1000",
                        {.who = "me", .when = "2026-11-20T14:05:00Z", .note = "slow lot"});
        QVERIFY2(bool(change), change.error().c_str());
        commit(addDocument(opening.content, DocumentKind::catalogChange, "HBM", changeToJson(*change), {},
                           1000));
        Topology hosts;
        hosts.name = "hosts";
        hosts.nodes = {{.id = "nn-1", .layer = 0, .parent = -1}};
        for (const char* id : {"i-1", "i-2"})
            hosts.hosts.push_back({.id = id, .name = id, .instanceType = "p5.48xlarge", .leaf = 0});
        commit(addDocument(opening.content, DocumentKind::topology, "hosts", writeTopology(hosts), {}, 1000));
        ScenarioSpec placed = specOf(8);
        placed.cluster.topology = "hosts";
        commit(addScenario(opening.content, 0, placed, "Placed", "New", 1000));
        placed.cluster.topology = "elsewhere";
        commit(addScenario(opening.content, 0, placed, "Misplaced", "New", 1000));

        const WorkspaceEdit gone = addScenario(opening.content, 0, specOf(1), "Gone", "New", 1000);
        commit(gone);
        commit(remove(opening.content, addedId(gone), 2000));
    }

    void newerFormatIsSaid() {
        const QString newer = folder_.filePath(QStringLiteral("newer.alidade"));
        QVERIFY(QFile::copy(file_, newer));
        QFile file(newer);
        QVERIFY(file.open(QIODevice::ReadWrite) &&
                file.seek(63)); // of the head: the last byte of user_version
        QCOMPARE(file.write("\x63", 1), qint64(1));
        file.close();
        const Outcome outcome = run({QStringLiteral("estimate"), newer + QStringLiteral("#Wide plan")});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: warning: ") + newer) &&
                     outcome.err.contains("was written by a newer Alidade (format 99"),
                 outcome.err.constData());
    }

    void everySubcommandTakesIt() {
        const Json wide = estimated(QStringLiteral("Wide plan"));
        QCOMPARE(tensorOf(wide), 8);
        QCOMPARE(tensorOf(estimated(QStringLiteral("Narrow plan"))), 4);
        QCOMPARE(tensorOf(estimated(QStringLiteral("Drafts/Twice"))), 4);
        QCOMPARE(tensorOf(estimated(QStringLiteral("Twice"))), 2); // the top's

        const Outcome compared = run({QStringLiteral("compare"), scenario("Wide plan"),
                                      scenario("Narrow plan"), QStringLiteral("--json")});
        QVERIFY2(compared.status == 0, compared.err.constData());
        const QString report = folder_.filePath(QStringLiteral("out.csv"));
        const Outcome reported =
            run({QStringLiteral("report"), scenario("Wide plan"), QStringLiteral("-o"), report});
        QVERIFY2(reported.status == 0, reported.err.constData());
        QFile csv(report);
        QVERIFY(csv.open(QIODevice::ReadOnly) && csv.readAll().contains("Wide plan"));
    }

    void changesOfItsCatalogCount() {
        QFile plain(folder_.filePath(QStringLiteral("plain.json")));
        QVERIFY(plain.open(QIODevice::WriteOnly));
        plain.write(QByteArray::fromStdString(writeScenario(specOf(8))));
        plain.close();
        const Json shipped = jsonOf({QStringLiteral("estimate"), plain.fileName()});
        const double slow = estimated(QStringLiteral("Wide plan"))["training"]["step_time_s"];
        QVERIFY(slow > 1.01 * shipped["training"]["step_time_s"].get<double>());
        // They are named, and left out where that is asked for.
        const Json named = estimated(QStringLiteral("Wide plan"))["custom_values"];
        QCOMPARE(named.size(), std::size_t(1));
        QCOMPARE(named[0]["entry"].get<std::string>(), std::string("h100-sxm"));
        QCOMPARE(named[0]["value"].get<std::string>(), std::string("1000 GB/s"));
        const Json without =
            jsonOf({QStringLiteral("estimate"), scenario("Wide plan"), QStringLiteral("--shipped-catalog")});
        QVERIFY(!without.contains("custom_values"));
        QVERIFY(without["training"]["step_time_s"] == shipped["training"]["step_time_s"]);
    }

    void itsTopologyIsFound() {
        const Json placed = estimated(QStringLiteral("Placed"));
        QVERIFY(placed["scenario"]["cluster"]["topology"] == "hosts");
        const Outcome outcome = run({QStringLiteral("estimate"), scenario("Misplaced")});
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.said().contains(QStringLiteral("/cluster/topology: ")), qPrintable(outcome.said()));
    }

    void settingsApplyToIt() {
        const Json out = jsonOf({QStringLiteral("estimate"), scenario("Wide plan"), QStringLiteral("--set"),
                                 QStringLiteral("plan.tensor_parallel=2")});
        QCOMPARE(tensorOf(out), 2);
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QString>("argument");
        QTest::addColumn<QString>("part");
        QTest::newRow("misspelt") << scenario("Wide plam") << QStringLiteral("did you mean 'Wide plan'?");
        QTest::newRow("deleted") << scenario("Gone") << QStringLiteral("there is no scenario 'Gone'; ");
        QTest::newRow("no name") << file_ << QStringLiteral("is a workspace; name one of its scenarios, '");
        QTest::newRow("empty name") << scenario("")
                                    << QStringLiteral("is a workspace; name one of its scenarios, '");
        QTest::newRow("no file") << folder_.filePath(QStringLiteral("no.alidade#x"))
                                 << QStringLiteral("there is no such file; name a workspace");
        QTest::newRow("another file")
            << other() + QStringLiteral("#x") << QStringLiteral("not a workspace; ");
    }
    void whatIsWrongIsSaid() {
        QFETCH(QString, argument);
        QFETCH(QString, part);
        const Outcome outcome = run({QStringLiteral("estimate"), argument});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().contains(part), qPrintable(outcome.said()));
        QVERIFY(outcome.said().startsWith(QStringLiteral("alidade: ") + folder_.path()));
    }

    void worksBesideTheWindowAndLeavesNothing() {
        const Workspace::Opening window = Workspace::open(file_.toStdString());
        QVERIFY(!window.workspace->isReadOnly());
        const QStringList before = names();
        QVERIFY(!estimated(QStringLiteral("Wide plan")).is_null());
        QCOMPARE(names(), before);
        QVERIFY(!window.workspace->apply({{PutSetting{"a", "b"}}}));
    }

private:
    static int tensorOf(const Json& estimate) {
        return estimate["scenario"]["plan"]["tensor_parallel"].get<int>();
    }
    static ScenarioSpec specOf(int tensor) {
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::training;
        spec.workload.model = "llama-3.1-8b";
        spec.workload.sequenceLength = 8192;
        spec.workload.globalBatch = 64;
        spec.cluster.instance = "p5.48xlarge";
        spec.cluster.instances = 2;
        spec.plan.tensorParallel = tensor;
        return spec;
    }

    QString scenario(const char* name) const { return file_ + u'#' + QString::fromUtf8(name); }
    QString other() const {
        QFile out(folder_.filePath(QStringLiteral("other.alidade")));
        if (out.open(QIODevice::WriteOnly))
            out.write(QByteArray(3000, 'x'));
        return out.fileName();
    }
    QStringList names() const { return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden); }

    static Outcome run(const QStringList& arguments) { return Program().run(arguments); }
    static Json jsonOf(const QStringList& arguments) {
        const Outcome outcome = run(arguments + QStringList{QStringLiteral("--json")});
        if (outcome.status != 0) {
            qWarning("%s", outcome.err.constData());
            return {};
        }
        return Json::parse(outcome.out.toStdString());
    }
    Json estimated(const QString& name) const {
        return jsonOf({QStringLiteral("estimate"), file_ + u'#' + name});
    }

    QTemporaryDir folder_;
    QString file_ = folder_.filePath(QStringLiteral("w.alidade"));
};

QTEST_GUILESS_MAIN(TestCliWorkspace)

} // namespace tst_cli_workspace

#include "tst_cli_workspace.moc"
