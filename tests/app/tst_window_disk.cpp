// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
// What the window writes on a full disk: the old file stays, no other one is left, and the reason is said.
#include "app/window/library_desk.h"
#include "app/window/live_desk.h"
#include "app/window/live_snapshots.h"
#include "app/window/settings_disk.h"
#include "data/prometheus/connection_json.h"
#include "data/scenario/scenario_json.h"
#include "model/observation/observation.h"
#include "tests/app/window_fixture.h"
#include "tests/full_disk.h"
#include "views/catalog/catalog_files.h"
#include "views/catalog/catalog_view.h"
#include "views/kit/plot_base.h"
#include "views/topology/topology_view.h"

#include <QFileDialog>

namespace tst_window_disk {

using test::FullDisk;

constexpr auto minute = std::chrono::seconds(60);

class TestWindowDisk : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void scenarioFile() {
        FullDisk disk;
        Fixture f;
        f.openSample();
        const QString file = disk.path(QStringLiteral("plan.json"));
        f.files().saveTo(file);
        f.settle();
        QVERIFY(!f.window->isWindowModified());
        const QByteArray before = contentOf(file);
        f.edit();
        f.settle();
        disk.fill();
        f.files().save();
        f.settle();
        QCOMPARE(f.window->notice().sentence(), QStringLiteral("plan.json was not saved"));
        isReason(f.window->notice().detail());
        QVERIFY(f.window->isWindowModified()); // not lost either
        QCOMPARE(contentOf(file), before);
        QCOMPARE(disk.names(), QStringList{QStringLiteral("plan.json")});
        disk.drain();
        f.files().save();
        f.settle();
        QVERIFY(!f.window->isWindowModified());
        QVERIFY(contentOf(file) != before);
    }

    void report_data() { suffixes({"pdf", "html", "csv", "json"}); }
    void report() {
        QFETCH(QString, name);
        FullDisk disk;
        const QString file = old(disk, name);
        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        QSignalSpy failed(&exporter, &Exporter::failed), finished(&exporter, &Exporter::finished);
        const auto spec = sampleSpec();
        disk.fill();
        exporter.start({.spec = spec}, file);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60'000);
        isReason(failed[0][1].toString());
        isUntouched(disk, name);
        disk.drain();
        exporter.start({.spec = spec}, file);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60'000);
        QVERIFY(contentOf(file).size() > 100);
    }

    void plot_data() { suffixes({"svg", "pdf", "png"}); }
    void plot() {
        QFETCH(QString, name);
        FullDisk disk;
        const QString file = old(disk, name);
        Fixture f;
        f.openSample();
        auto* plot = f.window->findChild<views::PlotBase*>();
        QVERIFY(plot != nullptr);
        disk.fill();
        const QString fault = plot->exportTo(file);
        QVERIFY2(fault.startsWith(file + QStringLiteral(": ")), qPrintable(fault));
        isReason(fault);
        isUntouched(disk, name);
        disk.drain();
        QCOMPARE(plot->exportTo(file), QString());
        QVERIFY(contentOf(file) != "old");
    }

    void snapshot() {
        FullDisk disk;
        const QString name = QStringLiteral("old.alidade-snapshot");
        const QString file = old(disk, name);
        Fixture f;
        LiveSnapshots& snapshots = f.window->live().snapshots();
        QSignalSpy failed(&snapshots, &LiveSnapshots::failed), said(&snapshots, &LiveSnapshots::said);
        const auto seen = std::make_shared<const Observation>();
        disk.fill();
        snapshots.writeFile(seen, file); // what the file dialog calls
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 20'000);
        QCOMPARE(failed[0][0].toString(), name + QStringLiteral(" was not written"));
        isReason(failed[0][1].toString());
        isUntouched(disk, name);
        disk.drain();
        snapshots.writeFile(seen, file);
        QTRY_COMPARE_WITH_TIMEOUT(said.size(), 1, 20'000);
        QVERIFY(contentOf(file) != "old");
    }

    void topologyPicture_data() { suffixes({"svg", "png", "csv"}); }
    void topologyPicture() {
        QFETCH(QString, name);
        FullDisk disk;
        const QString file = old(disk, name);
        Fixture f;
        f.openSample();
        f.window->showView(QStringLiteral("topology"));
        auto* view = f.window->findChild<views::TopologyView*>();
        QTRY_VERIFY_WITH_TIMEOUT(view->isVisible() && !view->isLayingOut(), 20'000);
        disk.fill();
        QString fault;
        QTRY_VERIFY_WITH_TIMEOUT(
            (fault = view->exportTo(file, true)).contains(QStringLiteral("cannot be written: ")), 20'000);
        isUntouched(disk, name);
        disk.drain();
        QCOMPARE(view->exportTo(file, true), QString());
        QVERIFY(contentOf(file) != "old");
    }

    void libraryExport() {
        FullDisk disk;
        const QString name = QStringLiteral("old.json");
        const QString file = old(disk, name);
        Fixture f;
        f.openSample();
        const auto write = [&] {
            f.window->library().exportScenario();
            auto* dialog = f.window->findChild<QFileDialog*>();
            QVERIFY(dialog != nullptr);
            emit dialog->fileSelected(file);
            delete dialog;
        };
        disk.fill();
        write();
        QTRY_COMPARE(f.window->notice().sentence(), QStringLiteral("old.json was not written"));
        isReason(f.window->notice().detail());
        isUntouched(disk, name);
        disk.drain();
        write();
        QTRY_COMPARE(f.window->notice().sentence(), QStringLiteral("Wrote old.json"));
        QCOMPARE(contentOf(file).toStdString(), data::writeScenario(f.document().spec()));
    }

    void userCatalog() {
        FullDisk disk;
        const QString file = old(disk, QStringLiteral("mine.json"));
        Fixture f;
        f.openSample();
        auto* catalog = f.window->findChild<views::CatalogView*>();
        QSignalSpy said(catalog->files(), &views::CatalogFiles::said);
        disk.fill();
        catalog->files()->exportTo(file); // what the file dialog calls
        QTRY_VERIFY(!said.isEmpty());
        isReason(said.last()[0].toString());
        isUntouched(disk, QStringLiteral("mine.json"));
    }

    void connections() {
        FullDisk disk;
        const QString file = disk.path(QStringLiteral("connections.json"));
        data::Connection one;
        one.name = "one";
        one.url = "http://localhost:9090";
        QCOMPARE(data::saveConnections({one}, file.toStdString()), std::string());
        const QByteArray before = contentOf(file);
        disk.fill();
        one.name = "two";
        isReason(text(data::saveConnections({one}, file.toStdString())));
        QCOMPARE(contentOf(file), before);
        QCOMPARE(disk.names(), QStringList{QStringLiteral("connections.json")});
    }

    /// Said once, not at every start of a view.
    void unsavedSettingsAreSaidOnce() {
        Settings kept = freshSettings();
        kept.kept = true;
        Fixture f(kept);
        QSignalSpy failed(&SettingsDisk::instance(), &SettingsDisk::failed);
        const auto save = [&](double points) {
            Settings settings = f.window->settings();
            settings.bodyPointSize = points;
            settings.save();
            QVERIFY(SettingsDisk::instance().finish(minute));
            ::settle();
        };
        {
            FullDisk limit(false);
            limit.fill();
            save(9);
            QTRY_COMPARE(f.window->notice().sentence(), QStringLiteral("Your settings were not saved"));
            isReason(f.window->notice().detail());
            save(10);
            QCOMPARE(failed.size(), 1);
        }
        save(11); // it works again, so that the next fault is news
        {
            FullDisk limit(false);
            limit.fill();
            save(12);
            QTRY_COMPARE(failed.size(), 2);
        }
    }

    /// An export never takes the place of what is open.
    void inputsAreNeverReplaced() {
        const QTemporaryDir folder;
        const QString plan = folder.filePath(QStringLiteral("plan.json"));
        const QString topology = folder.filePath(QStringLiteral("cluster.json"));
        const QString workspace = folder.filePath(QStringLiteral("Plans.alidade"));
        const QString link = folder.filePath(QStringLiteral("link.json"));
        Fixture f;
        f.window->library().session().create(workspace);
        QTRY_VERIFY_WITH_TIMEOUT(f.window->library().session().isOpen(), 20'000);
        ScenarioSpec spec = sampleSpec();
        spec.cluster.topology = "cluster.json";
        write(plan, QByteArray::fromStdString(data::writeScenario(spec)));
        write(topology, "a topology");
        QVERIFY(QFile::link(plan, link));
        f.files().openFile(plan);
        f.settle();
        QCOMPARE(f.document().fileName(), plan);
        auto* plot = f.window->findChild<views::PlotBase*>();
        const std::vector<std::pair<QString, QString>> inputs{
            {plan, QStringLiteral("the open scenario")},
            {link, QStringLiteral("the open scenario")},
            {topology, QStringLiteral("the topology of the open scenario")},
            {workspace, QStringLiteral("the open workspace")}};
        for (const auto& [file, what] : inputs) {
            const QByteArray before = contentOf(file);
            f.window->library().exportScenario();
            auto* dialog = f.window->findChild<QFileDialog*>();
            QVERIFY(dialog != nullptr);
            emit dialog->fileSelected(file);
            delete dialog;
            QTRY_VERIFY2(f.window->notice().detail().contains(QStringLiteral("it is ") + what),
                         qPrintable(f.window->notice().detail()));
            QCOMPARE(contentOf(file), before);
            if (file == plan)
                continue;
            f.edit();
            f.files().saveTo(file); // Save As
            f.settle();
            if (file != link) {
                QVERIFY(f.window->notice().sentence().contains(QStringLiteral("was not saved")));
                QCOMPARE(contentOf(file), before);
            }
        }
        QCOMPARE(plot->exportTo(folder.filePath(QStringLiteral("plot.svg"))), QString());
        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        QSignalSpy failed(&exporter, &Exporter::failed);
        const QByteArray before = contentOf(topology);
        exporter.start({.spec = sampleSpec()}, topology);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60'000);
        QVERIFY2(failed[0][1].toString().contains(QStringLiteral("the topology of the open scenario")),
                 qPrintable(failed[0][1].toString()));
        QCOMPARE(contentOf(topology), before);
    }

    void settings() {
        Settings settings;
        settings.folder = QStringLiteral("/first");
        settings.recentFiles = QStringList{QStringLiteral("/a"), QStringLiteral("/b")};
        settings.geometry = QByteArray("\0\1\xff", 3);
        settings.bodyPointSize = 11.5;
        settings.theme = views::ThemeChoice::dark;
        settings.save();
        QVERIFY(SettingsDisk::instance().finish(minute));
        {
            FullDisk limit(false);
            limit.fill();
            Settings other = settings;
            other.folder = QStringLiteral("/second");
            other.save();
            QVERIFY(SettingsDisk::instance().finish(minute));
        }
        const Settings again = Settings::load();
        QCOMPARE(again.folder, settings.folder);
        QCOMPARE(again.recentFiles, settings.recentFiles);
        QCOMPARE(again.geometry, settings.geometry);
        QCOMPARE(again.bodyPointSize, settings.bodyPointSize);
        QVERIFY(again.theme == settings.theme);
    }

private:
    static void suffixes(std::initializer_list<const char*> all) {
        QTest::addColumn<QString>("name");
        for (const char* suffix : all)
            QTest::newRow(suffix) << QStringLiteral("old.") + QString::fromLatin1(suffix);
    }
    static QString old(const FullDisk& disk, const QString& name) {
        const QString file = disk.path(name);
        write(file, "old");
        return file;
    }
    static void isReason(const QString& said) {
        QVERIFY2(said.contains(QStringLiteral("cannot be written: ")), qPrintable(said));
    }
    static void isUntouched(const FullDisk& disk, const QString& name) {
        QCOMPARE(contentOf(disk.path(name)), QByteArray("old"));
        QCOMPARE(disk.names(), QStringList{name});
    }
    static ScenarioSpec sampleSpec() {
        Fixture f;
        f.openSample();
        return f.document().spec();
    }
};

QTEST_MAIN(TestWindowDisk)

} // namespace tst_window_disk

#include "tst_window_disk.moc"
