// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "data/topology/topology_json.h"
#include "tests/app/workspace_fixture.h"
#include "tests/data/sample_topology.h"
#include "views/kit/cell_table.h"

#include <QClipboard>

namespace tst_window_import {

class TestWindowImport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void scenarioBecomesOneOfTheLibrary();
    void severalAtOnce();
    void refusedFileSaysWhy();
    void unknownContentSaysWhatWouldBeRight();
    void droppedWorkspaceOpens();
    void readOnlyWorkspaceTakesNothing();
    void pastedScenario();
    void modelConfigLeadsToThePlanDialog();
    void topologyIsUsedDeletedAndBroughtBack();
    void undoOfANoticeIsOfThatImport();
    void runningJobIsPlacedInItsTopology_data();
    void runningJobIsPlacedInItsTopology();
    void runningJobBringsItsHosts();
    void ultraServersOfARunningJob();
};

namespace {

/// What scontrol show job prints.
QString scontrol(const char* hosts) {
    return QStringLiteral(
               "JobId=42 JobName=train\n   Partition=p5-48xlarge AllocNode:Sid=head:1\n   NodeList=%1\n"
               "   NumNodes=4 NumCPUs=768\n   AllocTRES=cpu=768,node=4,gres/gpu=32\n")
        .arg(QString::fromLatin1(hosts));
}

/// What kubectl get pods -o json prints of a pod of a job, by its rank and node.
QString pod(int index, const char* node) {
    QString words = QStringLiteral(
        "{'kind': 'Pod', 'metadata': {'labels': {'jobset.sigs.k8s.io/jobset-name': 'a'}, 'annotations': "
        "{'batch.kubernetes.io/job-completion-index': '%1'}}, 'spec': {'nodeName': '%2', 'nodeSelector': "
        "{'node.kubernetes.io/instance-type': 'p5.48xlarge'}, 'containers': [{'command': ['torchrun', "
        "'--nproc_per_node=8', 'pretrain_gpt.py', '--seq-length', '8192'], 'resources': {'limits': "
        "{'nvidia.com/gpu': 8}}}]}}");
    words.replace(QLatin1Char('\''), QLatin1Char('"'));
    return words.arg(index).arg(QString::fromLatin1(node));
}

std::vector<std::string> topologyNames(const WorkspaceFixture& w) {
    std::vector<std::string> out;
    for (const data::StoredDocument* each :
         data::documentsOf(w.session().content(), data::DocumentKind::topology))
        out.push_back(each->name);
    return out;
}

} // namespace

void TestWindowImport::initTestCase() { beginWindowTest(); }

void TestWindowImport::cleanup() { verifyNoWarnings(); }

void TestWindowImport::scenarioBecomesOneOfTheLibrary() {
    WorkspaceFixture w;
    const QString file = w.writeSample(QStringLiteral("from outside.json"));
    w.drop({file});
    QCOMPARE(w.names(), QStringList{QStringLiteral("from outside")});
    QCOMPARE(w.window().page(), QStringLiteral("plan"));
    QVERIFY(w.document().fileName().isEmpty());
    QCOMPARE(w.scenarioName(), QStringLiteral("from outside"));
    w.settle();
    QCOMPARE(w.historyTexts(), QStringList{QStringLiteral("Imported from from outside.json")});
    w.library().undoStack()->undo();
    QVERIFY(w.names().isEmpty());
    w.library().undoStack()->redo();
    QCOMPARE(w.names(), QStringList{QStringLiteral("from outside")});
    w.restart();
    QCOMPARE(w.names(), QStringList{QStringLiteral("from outside")});
}

void TestWindowImport::severalAtOnce() {
    WorkspaceFixture w;
    const QStringList files = {w.writeSample(QStringLiteral("a.json")),
                               w.writeSample(QStringLiteral("b.json")),
                               w.writeSample(QStringLiteral("c.json"))};
    w.drop(files);
    QCOMPARE(w.names(), QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
    QCOMPARE(w.window().page(), QStringLiteral("library"));
    QCOMPARE(w.desk().page()->chosen().size(), std::size_t(3));
    w.library().undoStack()->undo(); // one step
    QVERIFY(w.names().isEmpty());
}

void TestWindowImport::refusedFileSaysWhy() {
    WorkspaceFixture w;
    const QString good = w.writeSample(QStringLiteral("good.json"));
    const QString bad = w.file(QStringLiteral("bad.json"));
    write(bad, R"({"alidade":1,"plan":{"tensor_paralel":8}})");
    w.drop({good, bad, w.file(QStringLiteral("missing.json"))});
    QCOMPARE(w.names(), QStringList{QStringLiteral("good")});
    const QString detail = w.window().notice().detail();
    QVERIFY2(detail.contains(QStringLiteral("bad.json:/plan/tensor_paralel")), qPrintable(detail));
    QVERIFY2(detail.contains(QStringLiteral("missing.json")), qPrintable(detail));
}

void TestWindowImport::unknownContentSaysWhatWouldBeRight() {
    WorkspaceFixture w;
    w.openAndEdit();
    const QStringList before = w.names();
    write(w.file(QStringLiteral("notes.txt")), "buy milk");
    w.drop({w.file(QStringLiteral("notes.txt"))});
    QCOMPARE(w.names(), before);
    const QString detail = w.window().notice().detail();
    QVERIFY2(detail.contains(QStringLiteral("notes.txt")) &&
                 detail.contains(QStringLiteral("cannot be imported; expected")),
             qPrintable(detail));
}

void TestWindowImport::droppedWorkspaceOpens() {
    WorkspaceFixture w;
    w.session().create(w.file(QStringLiteral("Second.alidade")));
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Second"), 20'000);
    w.drop({w.file()});
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Plans"), 20'000);
}

void TestWindowImport::readOnlyWorkspaceTakesNothing() {
    WorkspaceFixture w;
    w.openAndEdit();
    const QStringList files = {w.writeSample(QStringLiteral("a.json")),
                               w.writeSample(QStringLiteral("b.json"))};
    Fixture second;
    LibraryDesk& desk = second.window->library();
    desk.session().open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(desk.session().isOpen(), 20'000);
    const auto before = desk.session().content();
    desk.imports().takeFiles(files);
    QTRY_VERIFY_WITH_TIMEOUT(!desk.imports().isBusy(), 20'000);
    QVERIFY(desk.session().content() == before);
    QVERIFY2(second.window->notice().detail().contains(QStringLiteral("read-only")),
             qPrintable(second.window->notice().detail()));
}

void TestWindowImport::pastedScenario() {
    WorkspaceFixture w;
    ScenarioSpec spec = test::sampleSpec("llama-3.1-8b-1xp5.4xlarge");
    spec.name = "From the clipboard";
    QApplication::clipboard()->setText(text(data::writeScenario(spec)));
    w.desk().paste();
    QTRY_COMPARE_WITH_TIMEOUT(w.names(), QStringList{QStringLiteral("From the clipboard")}, 20'000);
}

void TestWindowImport::modelConfigLeadsToThePlanDialog() {
    WorkspaceFixture w;
    write(w.file(QStringLiteral("config.json")),
          R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4096,
        "intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,
        "vocab_size":128256,"rms_norm_eps":1e-05,"max_position_embeddings":131072,"hidden_act":"silu",
        "tie_word_embeddings":false,"rope_theta":500000.0})");
    w.drop({w.file(QStringLiteral("config.json"))});
    QTRY_VERIFY_WITH_TIMEOUT(w.window().findChild<QDialog*>() != nullptr, 20'000);
}

void TestWindowImport::topologyIsUsedDeletedAndBroughtBack() {
    WorkspaceFixture w;
    w.openAndEdit();
    write(w.file(QStringLiteral("hall.json")), QByteArray::fromStdString(data::writeTopology(sampleTopology(
                                                   {.instanceType = "p5.48xlarge", .hosts = 64}))));
    w.drop({w.file(QStringLiteral("hall.json"))});
    QPushButton* use = noticeButton(w.window(), QStringLiteral("Use in the Open Scenario"));
    QVERIFY(use != nullptr);
    QVERIFY(noticeButton(w.window(), QStringLiteral("Undo")) != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(w.document().catalog()->topology("hall") != nullptr, 20'000);
    QTest::mouseClick(use, Qt::LeftButton);
    QCOMPARE(w.document().spec().cluster.topology, "hall");
    QCOMPARE(w.window().page(), QStringLiteral("plan"));
    // Deleted on the library's page after a question; Undo on another page brings it back.
    w.window().showView(QStringLiteral("library"));
    views::LibraryView* page = w.desk().page();
    page->folders()->setPlace({views::LibraryPlace::Kind::topologies});
    views::CellTable* list = page->documents();
    QTRY_COMPARE(list->model()->index(0, 1).data().toString(), QStringLiteral("64 × p5.48xlarge"));
    list->setFocus();
    list->selectRow(0);
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_VERIFY(page->question() != nullptr);
    for (QAbstractButton* button : page->question()->buttons())
        if (page->question()->buttonRole(button) == QMessageBox::DestructiveRole) {
            QTest::mouseClick(button, Qt::LeftButton);
            break;
        }
    const auto topologies = [&] {
        return data::documentsOf(w.session().content(), data::DocumentKind::topology).size();
    };
    QCOMPARE(topologies(), std::size_t(0));
    QVERIFY(w.window().notice().sentence().contains(QStringLiteral("hall")));
    w.window().showView(QStringLiteral("plan"));
    QVERIFY2(w.window().notice().sentence().isEmpty(), "a notice goes with its page");
    QAction* undo = w.window().findChild<QAction*>(QStringLiteral("undo"));
    QVERIFY2(undo->text().contains(QStringLiteral("hall")), qPrintable(undo->text()));
    undo->trigger();
    QCOMPARE(topologies(), std::size_t(1));
    // From then on Undo is the plan's again.
    QVERIFY2(undo->text().contains(QStringLiteral("use the topology")), qPrintable(undo->text()));
}

void TestWindowImport::undoOfANoticeIsOfThatImport() {
    WorkspaceFixture w;
    const QString file = w.writeSample(QStringLiteral("from outside.json"));
    w.drop({file, w.writeSample(QStringLiteral("second.json"))});
    QPushButton* undo = noticeButton(w.window(), QStringLiteral("Undo"));
    QVERIFY(undo != nullptr);
    const data::WorkspaceId folder = w.library().addFolder(0, QStringLiteral("Later"));
    QTest::mouseClick(undo, Qt::LeftButton);
    QVERIFY(w.names().isEmpty());
    QVERIFY2(w.library().folder(folder) != nullptr, "what was done later stays");
}

/// The hosts of a job that is pasted are looked for in the topologies of the workspace.
void TestWindowImport::runningJobIsPlacedInItsTopology_data() {
    QTest::addColumn<QString>("pasted");
    QTest::newRow("scontrol") << scontrol("gpu-[0002-0003,0005-0006]");
    QTest::newRow("squeue") << QStringLiteral(
        "{\"jobs\": [{\"job_id\": 1, \"partition\": \"p5-48xlarge\", \"nodes\": "
        "\"gpu-[0002-0003,0005-0006]\", \"node_count\": {\"set\": true, \"number\": 4}, "
        "\"tres_alloc_str\": \"gres/gpu=32\"}]}");
    QTest::newRow("kubectl") << QStringLiteral(
                                    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [%1]}")
                                    .arg(QStringList{pod(1, "gpu-0003"), pod(0, "gpu-0002"),
                                                     pod(3, "gpu-0006"), pod(2, "gpu-0005")}
                                             .join(QLatin1Char(',')));
}

void TestWindowImport::runningJobIsPlacedInItsTopology() {
    QFETCH(QString, pasted);
    WorkspaceFixture w;
    write(w.file(QStringLiteral("other.conf")), "SwitchName=a Nodes=gpu-[0001-0002]\n");
    write(w.file(QStringLiteral("hall.conf")),
          "SwitchName=a Nodes=gpu-[0001-0004]\nSwitchName=b Nodes=gpu-[0005-0008]\nSwitchName=top "
          "Switches=a,b\n");
    w.drop({w.file(QStringLiteral("other.conf")), w.file(QStringLiteral("hall.conf"))});
    QCOMPARE(topologyNames(w).size(), std::size_t(2));
    QApplication::clipboard()->setText(pasted);
    w.desk().paste();
    QTRY_COMPARE_WITH_TIMEOUT(w.names().size(), 1, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(!w.desk().imports().isBusy(), 20'000);
    QCOMPARE(topologyNames(w).size(), std::size_t(2));
    QCOMPARE(w.document().spec().cluster.topology, "hall");
    QCOMPARE(w.document().spec().cluster.placement,
             (std::vector<std::string>{"gpu-0002", "gpu-0003", "gpu-0005", "gpu-0006"}));
    const QString detail = w.window().notice().detail();
    QVERIFY2(detail.contains(QStringLiteral("gpu-[0002-0003,0005-0006] in hall")), qPrintable(detail));
}

/// Hosts that no topology has become one, in the same step of the undo stack.
void TestWindowImport::runningJobBringsItsHosts() {
    WorkspaceFixture w;
    write(w.file(QStringLiteral("job.txt")), scontrol("gpu-[0011-0014]").toUtf8());
    w.drop({w.file(QStringLiteral("job.txt"))});
    QCOMPARE(w.names(), QStringList{QStringLiteral("job")});
    QCOMPARE(topologyNames(w), std::vector<std::string>{"job hosts"});
    QCOMPARE(w.document().spec().cluster.topology, "job hosts");
    QCOMPARE(w.document().spec().cluster.placement->size(), std::size_t(4));
    QTRY_VERIFY_WITH_TIMEOUT(w.document().catalog()->topology("job hosts") != nullptr, 20'000);
    QCOMPARE(w.document().catalog()->topology("job hosts")->hosts.size(), std::size_t(4));
    QVERIFY(noticeButton(w.window(), QStringLiteral("Use in the Open Scenario")) == nullptr);
    QPushButton* undo = noticeButton(w.window(), QStringLiteral("Undo"));
    QVERIFY(undo != nullptr);
    QTest::mouseClick(undo, Qt::LeftButton);
    QVERIFY(w.names().isEmpty());
    QVERIFY(topologyNames(w).empty());
    w.library().undoStack()->redo();
    QCOMPARE(w.names(), QStringList{QStringLiteral("job")});
    QCOMPARE(topologyNames(w), std::vector<std::string>{"job hosts"});
    QCOMPARE(w.library().undoStack()->undoText(), QStringLiteral("import job.txt"));
    w.library().undoStack()->undo();
    QVERIFY(w.names().isEmpty());
    QVERIFY(topologyNames(w).empty());
    // The same job in another place is another cluster.
    w.drop({w.file(QStringLiteral("job.txt"))});
    write(w.file(QStringLiteral("job.txt")), scontrol("gpu-[0021-0024]").toUtf8());
    w.drop({w.file(QStringLiteral("job.txt"))});
    QCOMPARE(topologyNames(w), (std::vector<std::string>{"job hosts", "job hosts 2"}));
    QCOMPARE(w.document().spec().cluster.topology, "job hosts 2");
}

/// With the topology of the cluster next to it, a job is still a job; its UltraServers are those of the
/// topology.
void TestWindowImport::ultraServersOfARunningJob() {
    WorkspaceFixture w;
    QString job = scontrol("n[1-4]");
    job.replace(QStringLiteral("p5-48xlarge"), QStringLiteral("p6e-gb200-36xlarge"));
    job.replace(QStringLiteral("gres/gpu=32"), QStringLiteral("gres/gpu=16"));
    QApplication::clipboard()->setText(job + QStringLiteral("BlockName=a BlockIndex=0 Nodes=n[1,3]\n"
                                                            "BlockName=b BlockIndex=1 Nodes=n[2,4]\n"));
    w.desk().paste();
    QTRY_COMPARE_WITH_TIMEOUT(w.names().size(), 1, 20'000);
    QCOMPARE(topologyNames(w).size(), std::size_t(1));
    const std::string name = topologyNames(w).front();
    QCOMPARE(w.document().spec().cluster.topology, name);
    QTRY_VERIFY_WITH_TIMEOUT(w.document().catalog()->topology(name) != nullptr, 20'000);
    std::string domains;
    for (const Host& host : w.document().catalog()->topology(name)->hosts)
        domains += host.domain;
    QCOMPARE(domains, std::string("abab"));
    QVERIFY(!w.window().notice().detail().contains(QStringLiteral("Assumed")));
    QApplication::clipboard()->setText(QString(job).replace(QStringLiteral("n["), QStringLiteral("m[")));
    w.desk().paste();
    QTRY_COMPARE_WITH_TIMEOUT(w.names().size(), 2, 20'000);
    const QString detail = w.window().notice().detail();
    QVERIFY2(detail.contains(QStringLiteral("Assumed: each 18 hosts share one u-p6e-gb200x72")),
             qPrintable(detail));
}

QTEST_MAIN(TestWindowImport)

} // namespace tst_window_import

#include "tst_window_import.moc"
