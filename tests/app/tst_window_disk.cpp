// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
// What the window writes on a full disk: the old file stays, no other one is left, and the reason is said.
#include "data/prometheus/connection_json.h"
#include "tests/app/window_fixture.h"
#include "tests/full_disk.h"
#include "views/catalog/catalog_files.h"
#include "views/catalog/catalog_view.h"
#include "views/kit/plot_base.h"

using test::FullDisk;

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
        QVERIFY(!f.window->isWindowModified());
        const QByteArray before = contentOf(file);
        f.edit();
        f.settle();
        disk.fill();
        f.files().save();
        QCOMPARE(f.window->notice().sentence(), QStringLiteral("plan.json was not saved"));
        isReason(f.window->notice().detail());
        QVERIFY(f.window->isWindowModified()); // not lost either
        QCOMPARE(contentOf(file), before);
        QCOMPARE(disk.names(), QStringList{QStringLiteral("plan.json")});
        disk.drain();
        f.files().save();
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
        exporter.start(spec, file);
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 60'000);
        isReason(failed[0][1].toString());
        isUntouched(disk, name);
        disk.drain();
        exporter.start(spec, file);
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

    void settings() {
        Settings settings;
        settings.folder = QStringLiteral("/first");
        settings.recentFiles = QStringList{QStringLiteral("/a"), QStringLiteral("/b")};
        settings.geometry = QByteArray("\0\1\xff", 3);
        settings.bodyPointSize = 11.5;
        settings.theme = views::ThemeChoice::dark;
        settings.save();
        {
            FullDisk limit(false);
            limit.fill();
            Settings other = settings;
            other.folder = QStringLiteral("/second");
            other.save();
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
#include "tst_window_disk.moc"
