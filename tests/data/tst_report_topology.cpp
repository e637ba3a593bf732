// SPDX-License-Identifier: GPL-3.0-or-later
// The report's topology: what it says of groups and layers, and the drawing of the tree as a value.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/report/report.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/host_lists.h"
#include "tests/data/shipped_catalog.h"

#include <QtTest>

namespace tst_report_topology {

using namespace alidade;
using data::Report;
using data::ReportSection;

namespace {

struct Made {
    std::unique_ptr<Estimate> estimate; ///< the report refers to it
    std::shared_ptr<const data::ReportCluster> cluster;
    Report report;
};

Made made(const char* scenario) {
    const auto& catalog = test::shippedCatalog();
    const auto spec = data::readScenario(*data::shippedScenario(scenario), scenario);
    Made out;
    out.estimate = std::make_unique<Estimate>(*estimate(*spec, *catalog, catalog->defaultProfile));
    out.cluster = data::reportCluster(*out.estimate, *catalog, catalog->defaultProfile);
    const data::ReportInput input{out.estimate.get(), {}, {}, {}, out.cluster};
    out.report = data::buildReport({&input, 1}, {"0", "2026-11-20"});
    return out;
}

const ReportSection* topologyOf(const Report& report) {
    const auto found = std::ranges::find(report.sections, "topology", &ReportSection::id);
    return found == report.sections.end() ? nullptr : &*found;
}

const data::Table* tableOf(const ReportSection& section, const char* id) {
    const auto found = std::ranges::find(section.tables, id, &data::Table::id);
    return found == section.tables.end() ? nullptr : &*found;
}

} // namespace

class TestReportTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void standsBehindThePlan() {
        const Made run = made("llama-3.1-70b-64xp5.48xlarge");
        const auto plan = std::ranges::find(run.report.sections, "plan", &ReportSection::id);
        QVERIFY(plan != run.report.sections.end());
        QCOMPARE((plan + 1)->id, std::string("topology"));
        const Made service = made("serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(topologyOf(service.report) != nullptr);
        // Without a cluster there is no such section.
        const data::ReportInput bare{run.estimate.get(), {}, {}, {}, nullptr};
        QVERIFY(topologyOf(data::buildReport({&bare, 1}, {"0", "2026-11-20"})) == nullptr);
    }

    void saysWhatIsAssumed() {
        const Made run = made("llama-3.1-70b-64xp5.48xlarge");
        QString text;
        for (const std::string& line : topologyOf(run.report)->text)
            text += QString::fromStdString(line) + u'\n';
        QVERIFY2(text.contains(QStringLiteral("512 ranks run on 64 hosts")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("placeholders")), qPrintable(text));
    }

    void groupsAreThoseOfTheLayout() {
        const Made run = made("llama-3.1-70b-64xp5.48xlarge");
        const data::Table* groups = tableOf(*topologyOf(run.report), "topology.groups");
        QVERIFY(groups != nullptr);
        const auto kinds = run.cluster->map.kinds();
        QVERIFY(groups->rows.size() >= 2 && groups->rows.size() <= kinds.size());
        for (const auto& row : groups->rows) { // every rank is in one group of each kind
            QCOMPARE(*row[1].value * *row[2].value, 512.0);
            QVERIFY(*row[3].value >= 1 && *row[3].value <= *row[1].value);
        }
        QCOMPARE(groups->rows[0][0].text, std::string("Tensor"));
        QCOMPARE(groups->rows[0][5].text, std::string("NVLink")); // of 8 GPUs or fewer, within a host
        QCOMPARE(*groups->rows[0][3].value, 1.0);
    }

    /// What is below a node is below it, and a row covers all hosts.
    void drawingIsATree() {
        for (const char* scenario : {"llama-3.1-70b-64xp5.48xlarge", "llama-3.1-405b-2048xp5.48xlarge",
                                     "llama-3.1-405b-4xu-p6e-gb200x72"}) {
            const Made run = made(scenario);
            const auto& plot = topologyOf(run.report)->plots.at(0);
            QVERIFY(!plot.description.empty());
            const auto& tree = std::get<data::FabricTree>(plot.content);
            QCOMPARE(tree.hosts, static_cast<double>(run.cluster->map.fabric.hosts()));
            QVERIFY(static_cast<int>(tree.rows.size()) > run.cluster->map.fabric.layers);
            for (const data::FabricRow& row : tree.rows) {
                QVERIFY(!row.boxes.empty() && row.boxes.size() <= 160);
                double covered = 0;
                for (const data::FabricBox& box : row.boxes) {
                    QCOMPARE(box.begin, covered);
                    QVERIFY(box.end > box.begin && box.used >= 0 && box.used <= 1);
                    covered = box.end;
                }
                QCOMPARE(covered, tree.hosts);
            }
            for (std::size_t i = 1; i < static_cast<std::size_t>(run.cluster->map.fabric.layers); ++i) {
                for (const data::FabricBox& box : tree.rows[i].boxes) {
                    const auto& above = tree.rows[i - 1].boxes;
                    QVERIFY(std::ranges::any_of(above, [&](const data::FabricBox& other) {
                        return other.begin <= box.begin && box.end <= other.end;
                    }));
                }
            }
        }
    }

    void oneHostHasNoNetwork() {
        const Made run = made("llama-3.1-8b-1xp5.4xlarge");
        const ReportSection* section = topologyOf(run.report);
        QVERIFY(section != nullptr);
        QVERIFY(section->plots.empty());
        QVERIFY(tableOf(*section, "topology.layers") == nullptr);
    }

    /// A host file fills host after host; what it cannot say is told.
    void hostFilesFollowThePlacement() {
        ClusterMap map = made("llama-3.1-70b-64xp5.48xlarge").cluster->map;
        QVERIFY(data::hostsInRankOrder(map));
        const std::string before = data::mpiHostFile(map);
        std::swap(map.placement.gpuOfRank[0], map.placement.gpuOfRank[20]);
        QVERIFY(!data::hostsInRankOrder(map));
        QVERIFY(data::mpiHostFile(map) != before);
        const QStringList lines = QString::fromStdString(data::slurmHostFile(map)).split(u'\n');
        QCOMPARE(lines[0], QString::fromStdString(map.hostNames[2]));
        QCOMPARE(lines[20], QString::fromStdString(map.hostNames[0]));
        QVERIFY(QString::fromStdString(data::rankFile(map))
                    .startsWith(QStringLiteral("rank 0=") + lines[0] + QStringLiteral(" slot=4\n")));
        map.hostIds[2] = "a \"b\", c"; // CSV quotes what needs it
        QVERIFY(
            QString::fromStdString(data::rankTable(map)).contains(QStringLiteral("0,\"a \"\"b\"\", c\",")));
    }
};

QTEST_GUILESS_MAIN(TestReportTopology)

} // namespace tst_report_topology

#include "tst_report_topology.moc"
