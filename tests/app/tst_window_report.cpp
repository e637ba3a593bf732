// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
// The export dialog: pages next to the options, made by workers; what is asked for reaches the file.
#include "app/window/report_dialog.h"
#include "app/window/report_options.h"
#include "data/json/file.h"
#include "tests/app/window_fixture.h"
#include "tests/views/gallery.h"
#include "views/report/report_preview.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonParseError>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>

#include <cmath>
#include <set>

namespace tst_window_report {

namespace {

ReportDialog* opened(const Fixture& f) {
    f.window->showView(QStringLiteral("export"));
    return f.window->findChild<ReportDialog*>();
}

template <class T>
T* part(const ReportDialog& dialog, const char* name) {
    return dialog.findChild<T*>(QString::fromLatin1(name));
}

} // namespace

class TestWindowReport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void pagesAreThoseOfTheReport() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        QVERIFY(dialog && dialog->isVisible());
        views::ReportPreview& preview = dialog->preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.isSettled() && preview.pageCount() > 5, 60'000);
        const int all = preview.pageCount();
        saveGrab(*dialog, QStringLiteral("export-report"));

        // Sections that are switched off leave the pages.
        auto* sections = part<QListWidget>(*dialog, "reportSections");
        QSignalSpy settled(&preview, &views::ReportPreview::settled);
        sections->item(sections->count() - 1)->setCheckState(Qt::Unchecked);
        QTRY_VERIFY_WITH_TIMEOUT(!settled.isEmpty(), 20'000);
        QVERIFY(preview.pageCount() < all);
        QVERIFY(!dialog->options().sections.contains(QStringLiteral("technical")));

        // The page is turned with the keyboard.
        auto* page = part<QSpinBox>(*dialog, "previewPage");
        QCOMPARE(page->maximum(), preview.pageCount());
        QTest::keyClick(page, Qt::Key_Up);
        QCOMPARE(preview.page(), 2);
        for (QListWidgetItem* item : sections->findItems(QString(), Qt::MatchContains))
            item->setCheckState(Qt::Unchecked);
        QVERIFY(!part<QPushButton>(*dialog, "exportReport")->isEnabled());
        QVERIFY(!part<QLabel>(*dialog, "reportFault")->text().isEmpty());
        dialog->reject();
    }

    void aLogoThatIsNoPictureIsSaid() {
        Fixture f;
        f.openSample();
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("logo.png")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no picture");
        file.close();
        ReportDialog* dialog = opened(f);
        auto* logo = part<QLineEdit>(*dialog, "reportLogo");
        auto* button = part<QPushButton>(*dialog, "exportReport");
        QVERIFY(button->isEnabled());
        logo->setText(file.fileName());
        emit logo->editingFinished();
        QTRY_VERIFY(!button->isEnabled());
        QVERIFY(part<QLabel>(*dialog, "reportFault")->text().contains(QStringLiteral("PNG or SVG")));
        logo->clear();
        emit logo->editingFinished();
        QTRY_VERIFY(button->isEnabled());
        dialog->reject();
    }

    void theDayOfValidityIsPrinted() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        auto* day = part<QLineEdit>(*dialog, "reportValidUntil");
        auto* button = part<QPushButton>(*dialog, "exportReport");
        const auto* fault = part<QLabel>(*dialog, "reportFault");
        QTest::keyClicks(day, QStringLiteral("2999-02-30"));
        QVERIFY(!button->isEnabled());
        QVERIFY(fault->text().contains(QStringLiteral("2027-01-04")));
        day->clear();
        QTest::keyClicks(day, QStringLiteral("2001-01-31"));
        QVERIFY(!button->isEnabled());
        QVERIFY(fault->text().contains(QStringLiteral("before the date of the document")));
        day->clear();
        QVERIFY(button->isEnabled());
        QTest::keyClicks(day, QStringLiteral("2999-01-31"));
        QVERIFY(button->isEnabled());
        QVERIFY(dialog->options().arguments().contains(QStringLiteral("--valid-until=2999-01-31")));
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(f.window->findChild<QFileDialog*>() != nullptr);
        f.window->findChild<QFileDialog*>()->close();
        QCOMPARE(f.window->settings().report.validUntil, QStringLiteral("2999-01-31"));

        // A day that was set for an earlier report is not in the way of the next one.
        ReportOptions old{.validUntil = QStringLiteral("2001-01-31")};
        old.forgetPassedDay();
        QVERIFY(old.validUntil.isEmpty());
    }

    void optionsAreRememberedButTheTitle() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        part<QLineEdit>(*dialog, "reportOrganisation")->setText(QStringLiteral("Northwind"));
        part<QLineEdit>(*dialog, "reportTitle")->setText(QStringLiteral("Offer 7"));
        part<QComboBox>(*dialog, "reportPaper")->setCurrentIndex(1);
        auto* numbers = part<QComboBox>(*dialog, "reportLocale");
        numbers->setFocus();
        QTest::keyClick(numbers, Qt::Key_Down);
        auto* button = part<QPushButton>(*dialog, "exportReport");
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(f.window->findChild<QFileDialog*>() != nullptr);
        f.window->findChild<QFileDialog*>()->close();
        const ReportOptions& kept = f.window->settings().report;
        QCOMPARE(kept.organization, QStringLiteral("Northwind"));
        QCOMPARE(kept.paper, QStringLiteral("letter"));
        QCOMPARE(kept.locale, QStringLiteral("de"));
        QVERIFY(kept.title.isEmpty());
        QVERIFY(kept.sections.isEmpty());
    }

    void optionsReachTheFile() {
        Fixture f;
        f.openSample();
        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("report.json"));
        QSignalSpy finished(&exporter, &Exporter::finished), failed(&exporter, &Exporter::failed);
        exporter.start({.spec = f.document().spec()}, file,
                       {.title = QStringLiteral("-o Offer"),
                        .organization = QStringLiteral("--help"),
                        .validUntil = QStringLiteral("2999-01-31"),
                        .sections = {QStringLiteral("order"), QStringLiteral("risks")}});
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || !failed.isEmpty(), 60'000);
        QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(1).toString()));
        const std::string json = *data::readFile(file.toStdString());
        QVERIFY(json.find("\"title\": \"-o Offer\"") != std::string::npos);
        QVERIFY(json.find("\"organisation\": \"--help\"") != std::string::npos);
        QVERIFY(json.find("\"price_valid_until\": \"2999-01-31\"") != std::string::npos);
        QVERIFY(json.find("\"id\": \"risks\"") != std::string::npos);
        QVERIFY(json.find("\"id\": \"glossary\"") == std::string::npos);
    }

    void everyFieldIsReachedByTab() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        std::set<QString> seen;
        for (int i = 0; i < 40; ++i) {
            QTest::keyClick(dialog, Qt::Key_Tab);
            if (const QWidget* focus = dialog->focusWidget())
                seen.insert(focus->objectName());
        }
        for (const char* name : {"reportFormat", "reportPaper", "reportTitle", "reportOrganisation",
                                 "reportAuthor", "reportConfidentiality", "reportValidUntil", "reportLogo",
                                 "reportSections", "addReportScenario", "previewPage", "exportReport"})
            QVERIFY2(seen.contains(QString::fromLatin1(name)), name);
        dialog->reject();
    }

    /// Return in the number of the page goes to that page; the button that writes the file is not pressed.
    void returnTurnsThePage() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().isSettled() && dialog->preview().pageCount() > 5, 60'000);
        QSignalSpy asked(dialog, &ReportDialog::exportRequested);
        auto* page = part<QSpinBox>(*dialog, "previewPage");
        page->setFocus(Qt::TabFocusReason);
        page->selectAll();
        QTest::keyClick(page, Qt::Key_3);
        QTest::keyClick(page, Qt::Key_Return);
        QCOMPARE(dialog->preview().page(), 3);
        QVERIFY(dialog->isVisible() && asked.isEmpty());
        dialog->reject();
    }

    /// The lists are below their names, whatever room there is, and the buttons have no pictures of the
    /// platform.
    void formHasNoGaps() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        dialog->resize(1080, 1000);
        settle();
        for (const char* name : {"reportSections", "reportScenarios"}) {
            const auto* list = part<QListWidget>(*dialog, name);
            for (const QLabel* label : dialog->findChildren<QLabel*>())
                if (label->buddy() == list) {
                    const int gap = list->y() - label->geometry().bottom();
                    QVERIFY2(gap < label->sizeHint().height() &&
                                 label->height() < 2 * label->sizeHint().height(),
                             qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(name)).arg(gap)));
                }
        }
        for (const QPushButton* button : dialog->findChildren<QPushButton*>())
            QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
        dialog->reject();
    }

    /// What is previewed is the file in its format: sheets with their formulas, the page, the text.
    void previewShowsTheFormat() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        views::ReportPreview& preview = dialog->preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.isSettled() && preview.pageCount() > 5, 60'000);
        auto* format = part<QComboBox>(*dialog, "reportFormat");
        const auto choose = [&](const char* suffix) {
            QSignalSpy settled(&preview, &views::ReportPreview::settled);
            format->setCurrentIndex(format->findData(QString::fromLatin1(suffix)));
            QTRY_VERIFY_WITH_TIMEOUT(settled.count() > 0 && preview.isSettled(), 60'000);
        };
        auto* page = part<QSpinBox>(*dialog, "previewPage");
        const auto* sheets = part<QTabWidget>(*dialog, "previewSheets");
        const auto* html = part<QTextBrowser>(*dialog, "previewHtml");
        const auto* words = part<QPlainTextEdit>(*dialog, "previewText");
        QVERIFY(page->isVisible() && !sheets->isVisible() && !html->isVisible() && !words->isVisible());

        choose("xlsx");
        QVERIFY(sheets->isVisible() && !page->isVisible());
        QCOMPARE(preview.pageCount(), 0);
        QCOMPARE(sheets->tabText(0), QStringLiteral("Answer"));
        int order = 0;
        while (order < sheets->count() && sheets->tabText(order) != QLatin1String("Order"))
            ++order;
        QVERIFY(order < sheets->count());
        const auto* table = qobject_cast<QTableView*>(sheets->widget(order));
        const QAbstractItemModel* cells = table->model();
        double amounts = 0, total = 0;
        for (int row = 0; row < cells->rowCount(); ++row) {
            const QModelIndex amount = cells->index(row, 6);
            const QString formula = amount.data(Qt::ToolTipRole).toString();
            const double shown = QLocale::c().toDouble(amount.data().toString());
            if (formula.startsWith(QLatin1String("=ROUND")))
                amounts += shown;
            else if (formula.startsWith(QLatin1String("=SUM")))
                total = shown;
        }
        const auto estimate = f.document().estimate();
        QVERIFY(std::abs(total - dollarsOf(estimate->cost->order->total)) < 0.005);
        QVERIFY2(std::abs(amounts - total) < 0.005, qPrintable(QString::number(amounts)));
        saveGrab(*dialog, QStringLiteral("export-xlsx"));

        choose("html");
        QVERIFY(html->isVisible() && !sheets->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(preview.isSettled(), 60'000);
        const QString told = html->toPlainText();
        QVERIFY(told.contains(QStringLiteral("What it costs")) || told.contains(QStringLiteral("Order")));
        QVERIFY(told.contains(QChar(QChar::ObjectReplacementCharacter))); // a plot
        QVERIFY(!told.contains(QStringLiteral("font-family")));
        saveGrab(*dialog, QStringLiteral("export-html"));
        part<QLineEdit>(*dialog, "reportTitle")->setText(QStringLiteral("Plan of the spring"));
        QTRY_VERIFY_WITH_TIMEOUT(html->toPlainText().contains(QStringLiteral("Plan of the spring")), 60'000);

        choose("json");
        QVERIFY(words->isVisible() && !html->isVisible());
        QJsonParseError error;
        const QJsonDocument json = QJsonDocument::fromJson(words->toPlainText().toUtf8(), &error);
        QCOMPARE(error.error, QJsonParseError::NoError);
        QVERIFY(json.isObject());
        choose("csv");
        QVERIFY(words->toPlainText().contains(QStringLiteral(",order,")));
        choose("pdf");
        QVERIFY(page->isVisible() && !words->isVisible());
        QVERIFY(preview.pageCount() > 5);
        dialog->reject();
    }

    /// A sample is added from the menu of the dialog: preview and file compare it with the open scenario.
    void anotherScenarioIsCompared() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().isSettled() && dialog->preview().pageCount() > 5, 60'000);
        auto* list = part<QListWidget>(*dialog, "reportScenarios");
        auto* add = part<QPushButton>(*dialog, "addReportScenario");
        QCOMPARE(list->count(), 1);
        QVERIFY(add->isVisible() && add->isEnabled());
        emit add->menu()->aboutToShow();
        QMenu* samples = nullptr;
        for (QAction* each : add->menu()->actions())
            if (each->text() == QLatin1String("Samples"))
                samples = each->menu();
        QVERIFY(samples != nullptr && samples->actions().size() > 5);
        QAction* chosen = samples->actions().at(1);
        const QString name = chosen->text();
        const int alone = dialog->preview().pageCount();
        QSignalSpy settled(&dialog->preview(), &views::ReportPreview::settled);
        chosen->trigger();
        QCOMPARE(list->count(), 2);
        QCOMPARE(list->item(1)->text(), name);
        QCOMPARE(list->item(1)->checkState(), Qt::Checked);
        QVERIFY(list->isEnabled());
        QCOMPARE(dialog->source().others.size(), std::size_t{1});
        QTRY_VERIFY_WITH_TIMEOUT(!settled.isEmpty() && dialog->preview().isSettled(), 120'000);
        QVERIFY(dialog->preview().pageCount() != alone);

        // The same once more is the one that is there.
        list->item(1)->setCheckState(Qt::Unchecked);
        emit add->menu()->aboutToShow();
        for (QAction* each : add->menu()->actions())
            if (each->text() == QLatin1String("Samples"))
                each->menu()->actions().at(1)->trigger();
        QCOMPARE(list->count(), 2);
        QCOMPARE(list->item(1)->checkState(), Qt::Checked);

        // The file is of both.
        Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("report.json"));
        QSignalSpy finished(&exporter, &Exporter::finished), failed(&exporter, &Exporter::failed);
        exporter.start(dialog->source(), file);
        QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || !failed.isEmpty(), 120'000);
        QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(1).toString()));
        const std::string json = *data::readFile(file.toStdString());
        QVERIFY(json.find(name.toStdString()) != std::string::npos);
        QTest::qWait(200); // the page that is being painted
        saveGrab(*dialog, QStringLiteral("export-report-two"));
        dialog->reject();
    }

    /// No more are compared than fit on a page.
    void tooManyScenariosAreSaid() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        auto* add = part<QPushButton>(*dialog, "addReportScenario");
        const auto* button = part<QPushButton>(*dialog, "exportReport");
        emit add->menu()->aboutToShow();
        QMenu* samples = add->menu()->actions().back()->menu();
        QVERIFY(samples != nullptr);
        for (int i = 0; i <= ReportDialog::mostScenarios; ++i) // the open one is among them
            samples->actions().at(i)->trigger();
        QVERIFY(!button->isEnabled());
        QVERIFY(part<QLabel>(*dialog, "reportFault")->text().contains(QStringLiteral("at most 12")));
        part<QListWidget>(*dialog, "reportScenarios")->item(3)->setCheckState(Qt::Unchecked);
        QVERIFY(button->isEnabled());
        dialog->reject();
    }

    /// Nothing was saved before, so there is no folder yet.
    void fileNameIsProposedWithoutADot() {
        Fixture f;
        f.openSample();
        ReportDialog* dialog = opened(f);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().isSettled(), 60'000);
        QTest::mouseClick(part<QPushButton>(*dialog, "exportReport"), Qt::LeftButton);
        QTRY_VERIFY(f.window->findChild<QFileDialog*>() != nullptr);
        auto* files = f.window->findChild<QFileDialog*>();
        const auto* name = files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        QVERIFY(name != nullptr);
        QVERIFY2(!name->text().startsWith(QLatin1Char('.')) && name->text().endsWith(QLatin1String(".pdf")),
                 qPrintable(name->text()));
        files->reject();
    }

    void itFitsASmallScreenInBothThemes() {
        const auto before = views::ThemeController::instance().choice();
        for (const auto choice : {views::ThemeChoice::light, views::ThemeChoice::dark}) {
            views::ThemeController::instance().setChoice(choice);
            Fixture f;
            f.openSample();
            ReportDialog* dialog = opened(f);
            dialog->resize(1240, 660); // what a screen of 1280 x 720 leaves
            QVERIFY(part<QPushButton>(*dialog, "addReportScenario")->isVisible());
            QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().isSettled(), 60'000);
            QVERIFY(dialog->height() <= 660 && dialog->width() <= 1240);
            QTest::qWait(200); // the page that is being painted
            saveGrab(*dialog, choice == views::ThemeChoice::light
                                  ? QStringLiteral("export-report-small-light")
                                  : QStringLiteral("export-report-small-dark"));
            dialog->reject();
        }
        views::ThemeController::instance().setChoice(before);
    }
};

QTEST_MAIN(TestWindowReport)

} // namespace tst_window_report

#include "tst_window_report.moc"
