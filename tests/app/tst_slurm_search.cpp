// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// A search that a real Slurm of one node divides, runs and merges: the answer is that of one process.
#include "data/json/json.h"
#include "tests/app/program.h"
#include "tests/cluster/slurm_cluster.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace tst_slurm_search {

using namespace alidade::test;
using alidade::tests::SlurmCluster;
using Json = nlohmann::json;

namespace {

constexpr int patienceMs = 180'000;

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Without what differs from run to run.
QByteArray answerOf(const QByteArray& document) {
    Json answer = Json::parse(document.toStdString(), nullptr, false);
    if (answer.is_discarded())
        return "no answer";
    answer.erase("seconds");
    answer.erase("plans_per_second");
    return QByteArray::fromStdString(answer.dump(1));
}

} // namespace

class TestSlurmSearch : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const QString why = SlurmCluster::missing(); !why.isEmpty())
            QFAIL(qPrintable(why));
        cluster_ = std::make_unique<SlurmCluster>();
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
        qputenv("ALIDADE", qgetenv("ALIDADE_EXECUTABLE")); // handed on to the jobs
        const Outcome whole = program_.run(QStringList{QStringLiteral("search")} + question() +
                                           QStringList{QStringLiteral("--json")});
        QVERIFY2(whole.status == 0, whole.err.constData());
        whole_ = answerOf(whole.out);
    }

    void anyNumberOfPartsGivesTheSameAnswer_data() {
        QTest::addColumn<int>("shards");
        for (const int shards : {1, 2, 7, 16})
            QTest::addRow("%d parts", shards) << shards;
    }
    void anyNumberOfPartsGivesTheSameAnswer() {
        QFETCH(int, shards);
        const QTemporaryDir folder;
        QVERIFY(exports(folder.path(), shards));
        const SlurmCluster::Answer submitted = cluster_->run(folder.filePath(QStringLiteral("submit.sh")),
                                                             {QStringLiteral("--partition=alone")});
        QVERIFY2(submitted.status == 0, qPrintable(submitted.err));
        QVERIFY(cluster_->drains(patienceMs));
        const QByteArray log = contentOf(folder.filePath(QStringLiteral("search-1.log"))) +
                               contentOf(folder.filePath(QStringLiteral("answer.txt")));
        QVERIFY2(QFile::exists(folder.filePath(QStringLiteral("answer.json"))), log.constData());
        QCOMPARE(answerOf(contentOf(folder.filePath(QStringLiteral("answer.json")))), whole_);
        QVERIFY(contentOf(folder.filePath(QStringLiteral("answer.txt"))).contains("plans"));
    }

    /// A part that fails holds the merge back; once it was repeated, the answer is the same.
    void partsThatFailedAreRepeated() {
        const QTemporaryDir folder;
        QVERIFY(exports(folder.path(), 3));
        const QString wrapper = folder.filePath(QStringLiteral("alidade"));
        QFile script(wrapper);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            "#!/bin/bash\n[ \"${SLURM_ARRAY_TASK_ID:-}\" = 2 ] && [ ! -e repeated ] && exit 7\nexec \"" +
            qgetenv("ALIDADE_EXECUTABLE") + "\" \"$@\"\n");
        script.setPermissions(script.permissions() | QFile::ExeOwner);
        script.close();
        qputenv("ALIDADE", wrapper.toLocal8Bit());
        const SlurmCluster::Answer submitted =
            cluster_->run(folder.filePath(QStringLiteral("submit.sh")), {});
        QVERIFY2(submitted.status == 0, qPrintable(submitted.err));
        QVERIFY(cluster_->drains(patienceMs));
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("answer.json"))));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("shards/3.json"))));
        QFile repeated(folder.filePath(QStringLiteral("repeated")));
        QVERIFY(repeated.open(QIODevice::WriteOnly));
        for (const QStringList& arguments :
             {QStringList{QStringLiteral("--array=2"), QStringLiteral("search.sbatch")},
              QStringList{QStringLiteral("merge.sbatch")}}) {
            const SlurmCluster::Answer again =
                cluster_->run(QStringLiteral("sbatch"), arguments, folder.path());
            QVERIFY2(again.status == 0, qPrintable(again.err));
            QVERIFY(cluster_->drains(patienceMs));
        }
        QCOMPARE(answerOf(contentOf(folder.filePath(QStringLiteral("answer.json")))), whole_);
        qputenv("ALIDADE", qgetenv("ALIDADE_EXECUTABLE"));
    }

    void cleanupTestCase() { cluster_.reset(); }

private:
    static QStringList question() {
        return {QStringLiteral("llama-3.1-70b-64xp5.48xlarge"),
                QStringLiteral("--free"),
                QStringLiteral("plan.tensor_parallel"),
                QStringLiteral("--free"),
                QStringLiteral("plan.pipeline_parallel"),
                QStringLiteral("--free"),
                QStringLiteral("plan.micro_batch"),
                QStringLiteral("--free"),
                QStringLiteral("plan.virtual_pipeline=1..8"),
                QStringLiteral("--machine"),
                QStringLiteral("p5.48xlarge,p6-b200.48xlarge"),
                QStringLiteral("--objective"),
                QStringLiteral("training.step_time_s,memory.total_bytes")};
    }

    bool exports(const QString& folder, int shards) const {
        const Outcome outcome = program_.run(
            QStringList{QStringLiteral("export"), QStringLiteral("search")} + question() +
            QStringList{QStringLiteral("--to"), QStringLiteral("slurm-array"), QStringLiteral("--shards"),
                        QString::number(shards), QStringLiteral("--threads"), QStringLiteral("1"),
                        QStringLiteral("-o"), folder});
        if (outcome.status != 0)
            qWarning("%s", outcome.err.constData());
        return outcome.status == 0;
    }

    Program program_;
    std::unique_ptr<SlurmCluster> cluster_;
    QByteArray whole_;
};

QTEST_GUILESS_MAIN(TestSlurmSearch)

} // namespace tst_slurm_search

#include "tst_slurm_search.moc"
