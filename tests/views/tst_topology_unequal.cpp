// SPDX-License-Identifier: GPL-3.0-or-later
// UltraServers of 18, 17, 16, 15 and 6 hosts in the explorer: a better placement is offered, tried, adopted
// and undone, and the cluster is written for Slurm.
#include "counting_engine.h"
#include "drive.h"
#include "model/scenario/fields.h"
#include "sample_document.h"
#include "views/scenario/field_row.h"
#include "views/topology/topology_view.h"
#include "views/topology/topology_what_if_list.h"

#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

namespace tst_topology_unequal {

using namespace alidade;
using namespace alidade::views;

namespace {

std::shared_ptr<const Catalog> catalogWithRacks() {
    auto catalog = std::make_shared<Catalog>(*test::shippedCatalog());
    Topology topology;
    topology.name = "cluster.json";
    topology.source = "test";
    topology.nodes = {{"nn-top", 0, -1}, {"nn-middle", 1, 0}};
    const std::vector<int> sizes{18, 17, 16, 15, 6};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        topology.nodes.push_back({"nn-leaf" + std::to_string(i), 2, 1});
        for (int n = 0; n < sizes[i]; ++n) {
            const std::string number = std::to_string(topology.hosts.size());
            topology.hosts.push_back({.id = "i-" + number,
                                      .name = "gpu-" + number,
                                      .instanceType = "p6e-gb200.36xlarge",
                                      .domain = "rack-" + std::to_string(i),
                                      .leaf = static_cast<int>(i) + 2});
        }
    }
    catalog->topologies.push_back(std::move(topology));
    return catalog;
}

struct Explorer {
    test::CountedModel model;
    Document document{catalogWithRacks(), model.engine()};
    TopologyView view{&document};

    explicit Explorer(bool imported = true) {
        ScenarioSpec spec = test::sampleSpec("llama-3.1-405b-4xu-p6e-gb200x72");
        if (imported)
            spec.cluster.topology = "cluster.json";
        document.open(spec, QStringLiteral("sample.json"));
        present(view, {1280, 760});
        settle();
    }
    void settle() {
        QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && !view.isLayingOut() && document.estimate(), 20'000);
        ::settle();
    }
    QMenu* exportMenu() {
        for (QToolButton* button : view.findChildren<QToolButton*>())
            if (button->menu() != nullptr)
                return button->menu();
        return nullptr;
    }
};

QAction* actionOf(QMenu* menu, const QString& words) {
    for (QAction* action : menu->actions())
        if (action->text() == words)
            return action;
    return nullptr;
}

} // namespace

class TestTopologyUnequal : public QObject {
    Q_OBJECT

    /// The only topology of the catalog, too, whose name is longer than the field.
    void fieldShowsTheBeginningOfAName() {
        Explorer explorer;
        const std::unique_ptr<FieldRow> row(
            makeFieldRow(*findField("cluster.topology"), explorer.document, nullptr));
        row->resize(200, row->sizeHint().height());
        row->refresh();
        const auto* line = row->findChild<QLineEdit*>();
        QVERIFY(line != nullptr && line->text().startsWith(QStringLiteral("cluster.json (72 ×")));
        QCOMPARE(line->cursorPosition(), 0);
    }

private slots:
    void improvedPlacementIsTriedAdoptedAndUndone();
    void clusterIsWrittenForSlurm();
    void catalogNetworksHaveNoNamesForSlurm();
};

void TestTopologyUnequal::improvedPlacementIsTriedAdoptedAndUndone() {
    Explorer explorer;
    TopologyWhatIfList* changes = explorer.view.whatIf();
    QTRY_VERIFY_WITH_TIMEOUT(changes->count() > 0 && !changes->isPricing(), 20'000);
    int row = -1;
    for (int i = 0; i < changes->count(); ++i)
        row = changes->button(i)->text() == QLatin1String("Improve placement") ? i : row;
    QVERIFY(row >= 0);
    const QString words = changes->words(row);
    QVERIFY2(
        words.startsWith(QLatin1String("Improve placement: Leave out gpu-34, with 8 instead of 9 replicas "
                                       "(8 more hosts idle): step ")),
        qPrintable(words));
    QVERIFY(changes->button(row)->isEnabled());
    const double before = explorer.document.estimate()->training->stepTime;

    changes->button(row)->click(); // a preview: the scenario is as it was
    explorer.settle();
    QVERIFY(explorer.document.estimate()->training->stepTime < 0.8 * before);
    QCOMPARE(explorer.document.undoStack()->count(), 0);
    QVERIFY(!explorer.document.spec().cluster.excludedHosts);

    changes->button(row)->click(); // "Adopt"
    explorer.settle();
    QCOMPARE(explorer.document.undoStack()->count(), 1);
    QCOMPARE(*explorer.document.spec().cluster.excludedHosts, std::vector<std::string>{"i-34"});
    QCOMPARE(explorer.document.spec().plan.dataParallel, std::optional<std::int64_t>(8));
    QCOMPARE(explorer.document.estimate()->topology->hostsInUse, 64);

    explorer.document.undoStack()->undo();
    explorer.settle();
    QVERIFY(!explorer.document.spec().cluster.excludedHosts && !explorer.document.spec().plan.dataParallel);
    QCOMPARE(explorer.document.estimate()->training->stepTime, before);
}

void TestTopologyUnequal::clusterIsWrittenForSlurm() {
    Explorer explorer;
    const QTemporaryDir folder;
    QMenu* menu = explorer.exportMenu();
    QVERIFY(menu != nullptr);
    for (const char* suffix : {"conf", "yaml"}) {
        const QString name = QStringLiteral("topology.") + QLatin1String(suffix);
        QAction* action = actionOf(menu, name + QStringLiteral(" for Slurm…"));
        QVERIFY(action != nullptr);
        emit menu->aboutToShow();
        QVERIFY(action->isEnabled());
        action->trigger();
        auto* dialog = explorer.view.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        const QString file = folder.filePath(name);
        emit dialog->fileSelected(file);
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), 20'000);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray content = written.readAll();
        QVERIFY2(content.startsWith("# test; written by Alidade\n"), content.constData());
        QVERIFY2(content.contains(*suffix == 'c' ? "SwitchName=nn-leaf1 Nodes=gpu-[18-34]\n"
                                                 : "- switch: nn-leaf1\n        nodes: gpu-[18-34]\n"),
                 content.constData());
        QTRY_VERIFY(explorer.view.findChild<QFileDialog*>() == nullptr);
    }
}

void TestTopologyUnequal::catalogNetworksHaveNoNamesForSlurm() {
    Explorer explorer(false);
    QMenu* menu = explorer.exportMenu();
    QVERIFY(menu != nullptr);
    emit menu->aboutToShow();
    QAction* action = actionOf(menu, QStringLiteral("topology.conf for Slurm…"));
    QVERIFY(action != nullptr && !action->isEnabled());
}

QTEST_MAIN(TestTopologyUnequal)

} // namespace tst_topology_unequal

#include "tst_topology_unequal.moc"
