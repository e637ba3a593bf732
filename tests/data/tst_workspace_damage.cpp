// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "sample_workspace.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

namespace tst_workspace_damage {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;
using Kind = WorkspaceFault::Kind;

/// A damaged file is refused or reads as it was written; what can be saved of it is saved.
class TestWorkspaceDamage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto opening = opened(file());
        fillSample(opening);
        content_ = opening.content;
        text_ = everything(*opening.workspace);
        opening.workspace.reset();
        bytes_ = readBytes(file());
        QVERIFY(bytes_.size() > 50'000);
    }
    void cleanup() {
        for (const QString& name : QDir(dir_.path()).entryList(QDir::Files | QDir::Hidden))
            QFile::remove(dir_.filePath(name));
    }

    void noSwappedPagesAreBelieved() {
        constexpr std::size_t page = 4096, leafOfTable = 13, leafOfIndex = 10;
        const auto isLeaf = [&](std::size_t at) {
            const auto kind = static_cast<unsigned char>(bytes_[at * page]);
            return at > 0 && (kind == leafOfTable || kind == leafOfIndex);
        };
        int pairs = 0;
        for (std::size_t a = 0; a < bytes_.size() / page; ++a) {
            for (std::size_t b = a + 1; b < bytes_.size() / page; ++b) {
                if (!isLeaf(a) || !isLeaf(b))
                    continue;
                ++pairs;
                std::string bytes = bytes_;
                bytes.replace(a * page, page, bytes_, b * page, page);
                bytes.replace(b * page, page, bytes_, a * page, page);
                writeBytes(file(), bytes);
                const auto opening = Workspace::open(file());
                const std::string where = "pages " + std::to_string(a) + " and " + std::to_string(b);
                QVERIFY2(opening.fault && opening.fault->kind == Kind::damaged, where.c_str());
            }
        }
        QVERIFY(pairs > 20);
    }

    void noFlippedBitIsBelieved() {
        std::mt19937_64 random(20261122);
        int refused = 0;
        int foundLater = 0;
        int harmless = 0;
        for (int flip = 0; flip < 600; ++flip) {
            std::string bytes = bytes_;
            const auto bit = random() % (bytes.size() * 8);
            bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
            writeBytes(file(), bytes);
            const std::string where = "bit " + std::to_string(bit);
            auto opening = Workspace::open(file());
            if (opening.fault) {
                ++refused;
                QVERIFY2(opening.fault->message.find("; ") != std::string::npos,
                         opening.fault->message.c_str());
                continue;
            }
            QVERIFY2(opening.content == content_, where.c_str());
            std::string fault;
            const std::string text = everything(*opening.workspace, &fault);
            if (!fault.empty()) {
                ++foundLater;
                continue;
            }
            QVERIFY2(text == text_, where.c_str());
            ++harmless;
        }
        qInfo("%d refused, %d found when read, %d of no consequence", refused, foundLater, harmless);
        QCOMPARE(refused + foundLater + harmless, 600);
        QVERIFY(refused > 30); // else the flips have missed what matters
        QVERIFY(foundLater > 20);
    }

    void whatVerifiesIsRecovered() {
        std::mt19937_64 random(4711);
        for (int round = 0; round < 60; ++round) {
            std::string bytes = bytes_;
            for (int flip = 0; flip < 20; ++flip) {
                const auto bit = random() % (bytes.size() * 8);
                bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
            }
            writeBytes(file(), bytes);
            const auto recovery = recover(file());
            QVERIFY2(bool(recovery), recovery.fault.message.c_str());
            QCOMPARE(readBytes(recovery.value->damagedFile), bytes);
            QVERIFY(!recovery.value->kept.empty());
            auto again = opened(file());
            QVERIFY(!again.workspace->verify());
            for (const auto& [id, scenario] : again.content.scenarios) {
                QVERIFY(text_.find(scenario.json) != std::string::npos); // perhaps an older state of it
                const auto versions = again.workspace->versions(id);
                QVERIFY(bool(versions));
                for (const ScenarioVersion& version : *versions.value)
                    QVERIFY(text_.find(version.json) != std::string::npos);
            }
            for (const auto& [id, document] : again.content.documents)
                QCOMPARE(document.json, content_.documents.at(id).json);
            if (again.content.scenarios.size() < content_.scenarios.size() ||
                again.content.documents.size() < content_.documents.size())
                QVERIFY(!recovery.value->lost.empty());
            again.workspace.reset();
            cleanup();
        }
    }

    void headerAndSchemaAreNotNeededToRecover() {
        std::string bytes = bytes_;
        std::fill(bytes.begin(), bytes.begin() + 4096, '\xaa');
        writeBytes(file(), bytes);
        QVERIFY(Workspace::open(file()).fault.has_value());
        const auto recovery = recover(file());
        QVERIFY2(bool(recovery), recovery.fault.message.c_str());
        auto again = opened(file());
        QVERIFY(again.content == content_);
        QCOMPARE(everything(*again.workspace), text_);
        QVERIFY2(recovery.value->lost.empty(),
                 recovery.value->lost.empty() ? "" : recovery.value->lost[0].c_str());
    }

    void scenarioIsPutTogetherFromItsHistory() {
        // One letter in the row of the scenario with the longest history: no other row has its tag.
        std::string bytes = bytes_;
        const auto tag = bytes.find("team 5");
        QVERIFY(tag != std::string::npos && bytes.find("team 5", tag + 1) == std::string::npos);
        bytes[tag] = 'T';
        writeBytes(file(), bytes);
        QCOMPARE(Workspace::open(file()).fault->kind, Kind::damaged);
        const auto recovery = recover(file());
        QVERIFY(bool(recovery));
        const auto again = opened(file());
        QCOMPARE(again.content.scenarios.size(), content_.scenarios.size());
        const auto& [id, original] = *content_.scenarios.rbegin();
        const StoredScenario& rebuilt = again.content.scenarios.at(id);
        QCOMPARE(rebuilt.json, original.json);
        QCOMPARE(rebuilt.name, original.name);
        QCOMPARE(rebuilt.folder, 0);
        QVERIFY(std::any_of(
            recovery.value->lost.begin(), recovery.value->lost.end(),
            [&](const std::string& line) { return line.find(original.name) != std::string::npos; }));
    }

    void cutFileIsRefused_data() {
        QTest::addColumn<int>("size");
        for (const int size : {0, 1, 15, 16, 99, 100, 511, 512, 4095, 4096, -2, -1})
            QTest::addRow("%d", size) << size;
    }
    void cutFileIsRefused() {
        QFETCH(int, size);
        const std::size_t kept = size == -2   ? bytes_.size() / 2
                                 : size == -1 ? bytes_.size() - 1
                                              : static_cast<std::size_t>(size);
        writeBytes(file(), bytes_.substr(0, kept));
        for (const auto access : {WorkspaceOptions::Access::create, WorkspaceOptions::Access::read}) {
            const auto opening = Workspace::open(file(), {.access = access});
            QVERIFY(opening.fault.has_value());
            QVERIFY2(opening.fault->kind == Kind::damaged || opening.fault->kind == Kind::notWorkspace,
                     opening.fault->message.c_str());
            QCOMPARE(readBytes(file()).size(), kept); // nothing is made of it
        }
        const auto recovery = recover(file());
        if (kept < 5000)
            QVERIFY(!recovery && recovery.fault.message.find("; ") != std::string::npos);
        else
            QVERIFY(opened(file()).content.scenarios.size() > 0);
    }

    void numbersOfTheFormat_data() {
        QTest::addColumn<int>("place");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("opens");
        QTest::newRow("application id 0") << 68 << QByteArray("\0\0\0\0", 4) << false;
        QTest::newRow("another application id") << 68 << QByteArray("GPKG") << false;
        QTest::newRow("version 0") << 60 << QByteArray("\0\0\0\0", 4) << false;
        QTest::newRow("version -1") << 60 << QByteArray("\xff\xff\xff\xff") << false;
        QTest::newRow("next version") << 60 << QByteArray("\0\0\0\2", 4) << true;
        QTest::newRow("version 9999") << 60 << QByteArray("\0\0\x27\x0f", 4) << true;
    }
    void numbersOfTheFormat() {
        QFETCH(int, place);
        QFETCH(QByteArray, value);
        QFETCH(bool, opens);
        std::string bytes = bytes_;
        bytes.replace(static_cast<std::size_t>(place), 4, value.toStdString());
        writeBytes(file(), bytes);
        auto opening = Workspace::open(file());
        QCOMPARE(!opening.fault.has_value(), opens);
        if (opens) {
            QVERIFY(opening.workspace->isReadOnly());
            QVERIFY2(opening.notice.find("newer Alidade") != std::string::npos, opening.notice.c_str());
            QCOMPARE(everything(*opening.workspace), text_);
            QVERIFY(opening.workspace->apply({{PutSetting{"a", "b"}}}).has_value());
        }
        opening.workspace.reset();
        QCOMPARE(readBytes(file()), bytes);
    }

    void anotherProgramsTablesAreRefused() {
        // A schema that says something else about the same pages.
        std::string bytes = bytes_;
        const auto check = bytes.find("CHECK (named BETWEEN 0 AND rows)");
        QVERIFY(check != std::string::npos);
        bytes.replace(check, 20, "CHECK (named BETWEEN ");
        bytes[check + 21] = '1';
        writeBytes(file(), bytes);
        QCOMPARE(Workspace::open(file()).fault->kind, Kind::damaged);
    }

private:
    std::string file() const { return dir_.filePath(QStringLiteral("w.alidade")).toStdString(); }

    QTemporaryDir dir_;
    WorkspaceContent content_;
    std::string text_, bytes_;
};

QTEST_APPLESS_MAIN(TestWorkspaceDamage)

} // namespace tst_workspace_damage

#include "tst_workspace_damage.moc"
