// SPDX-License-Identifier: GPL-3.0-or-later
// Imports of topologies and logs, and exports of placements, as scripts see them.
#include "data/json/json.h"
#include "program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <set>

namespace tst_cli_topology {

using Json = nlohmann::json;
using alidade::test::Outcome;
using alidade::test::Program;

namespace {

QStringList line(const QString& words) { return words.split(u' ', Qt::SkipEmptyParts); }

Outcome run(const QString& words, const QStringList& more = {}) { return Program().run(line(words) + more); }

QString write(const QTemporaryDir& folder, const char* name, const QByteArray& content) {
    QFile file(folder.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", name);
    return file.fileName();
}

QByteArray content(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A reply of EC2 with hosts of two leaves, dealt in turn.
QByteArray reply(int hosts) {
    QByteArray out = "{'Instances': [";
    for (int i = 0; i < hosts; ++i) {
        out += (i == 0 ? "" : ",") + QByteArray("{'InstanceId': 'i-") + QByteArray::number(1000 + i) +
               "', 'InstanceType': 'p5.48xlarge', 'AvailabilityZone': 'us-east-2a', "
               "'NetworkNodes': ['nn-a', 'nn-b', 'nn-c" +
               QByteArray::number(i % 2) + "']}";
    }
    out += "]}";
    return out.replace('\'', '"');
}

const QByteArray ncclLog =
    "# Collective test starting: all_reduce_perf\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong "
    "    time   algbw   busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)        "
    "    (us)  (GB/s)  (GB/s)\n"
    "  1073741824     268435456     float     sum      -1   4500.0  238.61  447.39      0 "
    "  4490.0  239.14  448.39      "
    "0\n";

const QString sample = QStringLiteral("llama-3.1-70b-64xp5.48xlarge");

} // namespace

class TestCliTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void topologyIsImported() {
        const QTemporaryDir folder;
        const QString file = write(folder, "reply.json", reply(64));
        const QString out = folder.filePath(QStringLiteral("cluster.json"));
        const Outcome said = run(QStringLiteral("import topology"), {file});
        QVERIFY2(said.status == 0, said.err.constData());
        QVERIFY2(said.out.contains("64 hosts, 64 p5.48xlarge, us-east-2a"), said.out.constData());
        QVERIFY(said.out.contains("layer 3: 2 network nodes"));
        const Outcome printed = run(QStringLiteral("import topology --json"), {file});
        const Json document = Json::parse(printed.out.toStdString());
        QVERIFY(document["kind"] == "topology" && document["hosts"].size() == 64);
        const Outcome written =
            run(QStringLiteral("import topology --json"), {file, QStringLiteral("-o"), out});
        QVERIFY2(written.status == 0, written.err.constData());
        QVERIFY(Json::parse(written.out.toStdString())["layers"] == 3);
        QCOMPARE(content(out), printed.out);
        QCOMPARE(run(QStringLiteral("import topology --json"), {out}).out, printed.out); // its own form, too
    }

    void whatIsWrongHasItsPlace() {
        const QTemporaryDir folder;
        const QString twice = write(folder, "twice.json", reply(2).replace("i-1001", "i-1000"));
        const Outcome outcome = run(QStringLiteral("import topology"), {twice});
        QCOMPARE(outcome.status, 2);
        QCOMPARE(outcome.out, QByteArray());
        QVERIFY2(outcome.said().startsWith(QStringLiteral("alidade: ") + twice +
                                           QStringLiteral(":/Instances/1: ")),
                 qPrintable(outcome.said()));
        QCOMPARE(run(QStringLiteral("import topology /nowhere")).status, 2);
        QCOMPARE(run(QStringLiteral("import topology")).status, 2);
        QCOMPARE(run(QStringLiteral("import nccl-log"), {twice}).status, 2);
        const Outcome type = run(QStringLiteral("import nccl-log --instance p5.48xlarg"), {twice});
        QVERIFY2(type.said().contains(QStringLiteral("did you mean 'p5.48xlarge'")), qPrintable(type.said()));
        QCOMPARE(run(QStringLiteral("export hosts nowhere")).status, 2);
        QCOMPARE(run(QStringLiteral("export ") + sample).status, 2);
    }

    void aTopologyThatAScenarioNamesIsRead() {
        const QTemporaryDir folder;
        write(folder, "reply.json", reply(64));
        const Outcome absent = run(QStringLiteral("estimate --set cluster.topology=nowhere.json ") + sample);
        QCOMPARE(absent.status, 2);
        QVERIFY2(absent.said().contains(QStringLiteral(":/cluster/topology: 'nowhere.json'")),
                 qPrintable(absent.said()));
        const Outcome there =
            run(QStringLiteral("estimate --json ") + sample,
                {QStringLiteral("--set"),
                 QStringLiteral("cluster.topology=") + folder.filePath(QStringLiteral("reply.json"))});
        QVERIFY2(there.status == 0, there.err.constData());
    }

    void topologiesAreWrittenForSlurm() {
        const QTemporaryDir folder;
        const QString file = write(folder, "reply.json", reply(4));
        const QString out = folder.filePath(QStringLiteral("topology.conf"));
        const QStringList conf{QStringLiteral("--to"), QStringLiteral("slurm-topology-conf")};
        const Outcome shown = run(QStringLiteral("export topology"), QStringList{file} + conf);
        QVERIFY2(shown.status == 0, shown.err.constData());
        QCOMPARE(shown.out, QByteArray("# EC2 DescribeInstanceTopology, reply.json; written by Alidade\n"
                                       "SwitchName=nn-a Switches=nn-b\n"
                                       "SwitchName=nn-b Switches=nn-c[0-1]\n"
                                       "SwitchName=nn-c0 Nodes=i-[1000,1002]\n"
                                       "SwitchName=nn-c1 Nodes=i-[1001,1003]\n"));
        const Outcome said =
            run(QStringLiteral("export topology"), QStringList{file, QStringLiteral("-o"), out} + conf);
        QVERIFY2(said.status == 0, said.err.constData());
        QVERIFY2(said.out.contains("for topology/tree: 4 hosts, 4 switches"), said.out.constData());
        QCOMPARE(content(out), shown.out);
        // What is written is a topology again.
        const Json again =
            Json::parse(run(QStringLiteral("import topology --json"), {out}).out.toStdString());
        QCOMPARE(again["hosts"].size(), std::size_t(4));
        const Outcome yaml = run(QStringLiteral("export topology --json --to slurm-topology-yaml"), {out});
        const Json described = Json::parse(yaml.out.toStdString());
        QVERIFY(described["plugin"] == "tree" && described["hosts"] == 4 && described["switches"] == 4);
        QVERIFY(described["text"].get<std::string>().find("nodes: i-[1000,1002]") != std::string::npos);
        const Outcome blocks =
            run(QStringLiteral("export topology --plugin block"), QStringList{file} + conf);
        QCOMPARE(blocks.status, 2);
        QCOMPARE(blocks.out, QByteArray());
        QVERIFY2(blocks.said().contains(QStringLiteral("has no NVLink domains")), qPrintable(blocks.said()));
        QCOMPARE(run(QStringLiteral("export topology --to slurm"), {file}).status, 2);
        QCOMPARE(run(QStringLiteral("export topology"), {file}).status, 2); // no target
    }

    /// UltraServers of 18, 17, 16, 15 and 6 hosts: the estimate warns, and what it proposes can be set.
    void straddlingGroupsHaveARemedy() {
        QByteArray hosts;
        int host = 0, rack = 0;
        for (const int size : {18, 17, 16, 15, 6}) {
            for (int n = 0; n < size; ++n) {
                hosts += (host == 0 ? "" : ",") + QByteArray("{'InstanceId': 'i-") +
                         QByteArray::number(1000 + host) +
                         "', 'InstanceType': 'p6e-gb200.36xlarge', 'CapacityBlockId': 'cb-" +
                         QByteArray::number(rack) + "', 'NetworkNodes': ['nn-a', 'nn-b', 'nn-c" +
                         QByteArray::number(rack) + "']}";
                ++host;
            }
            ++rack;
        }
        const QTemporaryDir folder;
        QByteArray text = "{'Instances': [" + hosts + "]}";
        const QString file = write(folder, "reply.json", text.replace('\'', '"'));
        const QString words = QStringLiteral("estimate llama-3.1-405b-4xu-p6e-gb200x72 --json --set "
                                             "cluster.topology=%1")
                                  .arg(file);
        const Json now = Json::parse(run(words).out.toStdString());
        Json warning;
        for (const Json& problem : now["problems"])
            if (problem["place"] == "/cluster/placement")
                warning = problem;
        QVERIFY2(warning["message"].get<std::string>().starts_with("2 of the 36 tensor groups straddle"),
                 warning.dump().c_str());
        QStringList set;
        for (const auto& [path, value] : warning["fix"]["set"].items())
            set += {QStringLiteral("--set"), QString::fromStdString(path + "=" + value.get<std::string>())};
        const Json then = Json::parse(run(words, set).out.toStdString());
        QVERIFY(then["training"]["step_time_s"] < 0.8 * now["training"]["step_time_s"].get<double>());
        for (const Json& group : then["topology"]["groups"])
            QVERIFY2(group["straddling_groups"] == 0, group.dump().c_str());
        // For a person, as a finding with its remedy.
        const QByteArray page = run(QStringLiteral("estimate llama-3.1-405b-4xu-p6e-gb200x72 --set "
                                                   "cluster.topology=%1")
                                        .arg(file))
                                    .out;
        QVERIFY(page.contains("straddle") && page.contains("Leave out i-1034"));
    }

    void logsAreRowsForValidate() {
        const QTemporaryDir folder;
        const QString file = write(folder, "p5.log", ncclLog);
        const QString out = folder.filePath(QStringLiteral("rows.json"));
        const QStringList machine{QStringLiteral("--instance"), QStringLiteral("p5.48xlarge")};
        const Outcome said = run(QStringLiteral("import nccl-log"), QStringList{file} + machine);
        QVERIFY2(said.status == 0, said.err.constData());
        QVERIFY2(said.out.contains("all_reduce of float, 16 ranks on 2 nodes of H100"), said.out.constData());
        const Outcome written =
            run(QStringLiteral("import nccl-log"), QStringList{file, QStringLiteral("-o"), out} + machine);
        QVERIFY2(written.status == 0, written.err.constData());
        QCOMPARE(run(QStringLiteral("import nccl-log --json"), QStringList{file} + machine).out,
                 content(out));
        const Outcome judged = run(QStringLiteral("validate --json"), {out});
        QVERIFY2(judged.status == 0, judged.err.constData());
        const Json report = Json::parse(judged.out.toStdString());
        QCOMPARE(report["rows"].size(), std::size_t(2));
        QVERIFY(report["rows"][0]["measured"] == 4.5e-3);
        // Without a machine it reads as well, and validate says what is missing.
        QCOMPARE(run(QStringLiteral("import nccl-log"), {file, QStringLiteral("-o"), out}).status, 0);
        const Json skipped = Json::parse(run(QStringLiteral("validate --json"), {out}).out.toStdString());
        QCOMPARE(skipped["skipped"].size(), std::size_t(2));
    }

    void ranksAreExported() {
        const Outcome table = run(QStringLiteral("export ranks ") + sample);
        QVERIFY2(table.status == 0, table.err.constData());
        const QList<QByteArray> rows = table.out.split('\n');
        QCOMPARE(rows.size(), 512 + 2);
        QCOMPARE(rows[0].trimmed(),
                 QByteArray("rank,host,host_name,local_gpu,nvlink_domain,leaf,pool,tp,cp,dp,pp,ep,etp"));
        std::set<std::string> coordinates;
        const Json json = Json::parse(run(QStringLiteral("export ranks --json ") + sample).out.toStdString());
        QCOMPARE(json["ranks"].size(), std::size_t(512));
        for (const Json& rank : json["ranks"]) {
            QVERIFY(rank["local_gpu"] >= 0 && rank["local_gpu"] < 8);
            coordinates.insert(rank["tp"].dump() + "," + rank["cp"].dump() + "," + rank["dp"].dump() + "," +
                               rank["pp"].dump());
        }
        QCOMPARE(coordinates.size(), std::size_t(512)); // each rank has its own place
        const QList<QByteArray> hosts =
            run(QStringLiteral("export hosts ") + sample).out.trimmed().split('\n');
        QCOMPARE(hosts.size(), 512);
        for (int rank = 0; rank < 512; ++rank)
            QVERIFY(json["ranks"][static_cast<std::size_t>(rank)]["host_name"] == hosts[rank].toStdString());
        const QList<QByteArray> mpi =
            run(QStringLiteral("export hosts --format mpi ") + sample).out.trimmed().split('\n');
        QCOMPARE(mpi.size(), 64);
        QCOMPARE(mpi[0], hosts[0] + " slots=8");
        const QList<QByteArray> lines =
            run(QStringLiteral("export rankfile ") + sample).out.trimmed().split('\n');
        QCOMPARE(lines.size(), 512);
        QCOMPARE(lines[9], "rank 9=" + hosts[9] + " slot=1");
    }

    void placeholdersAreSaid() {
        const QTemporaryDir folder;
        const QString out = folder.filePath(QStringLiteral("hosts.txt"));
        const Outcome said = run(QStringLiteral("export hosts ") + sample, {QStringLiteral("-o"), out});
        QVERIFY2(said.status == 0, said.err.constData());
        QVERIFY2(said.out.contains("512 ranks on 64 hosts") && said.out.contains("placeholders"),
                 said.out.constData());
        QCOMPARE(content(out), run(QStringLiteral("export hosts ") + sample).out);
    }
};

QTEST_GUILESS_MAIN(TestCliTopology)

} // namespace tst_cli_topology

#include "tst_cli_topology.moc"
