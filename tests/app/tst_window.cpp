// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "app/window/settings_disk.h"
#include "tests/app/window_fixture.h"

namespace tst_window {

class TestWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void firstStartShowsTheSamplesWithTheirEstimates();
    void sampleOpensOnThePlanPage();
    void saveAndOpenAgain();
    void saveKeepsTheOldFileWhenItFails();
    void badFileKeepsTheDocument_data();
    void badFileKeepsTheDocument();
    void closeQuestion();
    void canceledQuestionKeepsTheWindow();
    void discardedChangesAreGone();
    void modifiedMarkIsInTheTitle();
    void fileChangedOnDiskIsNoticed();
    void droppedFileIsOpened();
    void modelConfigLeadsToThePlanDialog();
    void recentFilesAreRemembered();
    void recentFileIsOpenedAlthoughTheMenuWasFilledAgain();
    void layoutIsSavedAndRestored();
    void layoutOfAnotherVersionIsRefused();
    void narrowWindowStacksDocks();
    void everyActionCanBeTriggered();
    void everyFocusableWidgetHasAName();
};

void TestWindow::initTestCase() { beginWindowTest(); }

void TestWindow::cleanup() { verifyNoWarnings(); }

void TestWindow::firstStartShowsTheSamplesWithTheirEstimates() {
    Fixture f;
    QCOMPARE(f.window->page(), QStringLiteral("start"));
    const auto* start = f.window->findChild<views::StartPage*>();
    QVERIFY(start->cards().size() >= 6);
    for (const views::SampleCard* card : start->cards())
        QTRY_VERIFY_WITH_TIMEOUT(card->verdict().startsWith(QStringLiteral("fits")) ||
                                     card->verdict().startsWith(QStringLiteral("needs")),
                                 20'000);
}

void TestWindow::sampleOpensOnThePlanPage() {
    Fixture f;
    auto* start = f.window->findChild<views::StartPage*>();
    QTest::mouseClick(start->cards().first(), Qt::LeftButton);
    f.settle();
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QVERIFY(f.window->plan().summary()->sentence().startsWith(QStringLiteral("It fits")));
    QVERIFY(!f.document().isModified());
    QVERIFY(f.document().fileName().isEmpty());
}

void TestWindow::saveAndOpenAgain() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.edit();
    QVERIFY(f.document().isModified());
    f.files().saveTo(file);
    QTRY_VERIFY(!f.document().isModified());
    QCOMPARE(f.document().fileName(), file);
    const std::string saved = data::writeScenario(f.document().spec());
    QCOMPARE(contentOf(file).toStdString(), saved);

    f.files().startNew();
    QVERIFY(f.document().fileName().isEmpty());
    f.files().openFile(file);
    QTRY_COMPARE(f.document().fileName(), file);
    QCOMPARE(data::writeScenario(f.document().spec()), saved);
    f.edit(); // the same value again: nothing changes
    QVERIFY(!f.document().isModified());
}

void TestWindow::saveKeepsTheOldFileWhenItFails() {
    QTemporaryDir folder;
    Fixture f;
    f.openSample();
    f.edit();
    bool then = false;
    f.files().saveTo(folder.filePath(QStringLiteral("no/such/folder/plan.json")), [&] { then = true; });
    QTRY_VERIFY(f.window->notice().sentence().contains(QStringLiteral("was not saved")));
    QVERIFY(!then);
    QVERIFY(f.document().isModified());
}

void TestWindow::badFileKeepsTheDocument_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("place");
    QTest::newRow("no JSON") << QByteArray("{ \"alidade\": 1, ") << QStringLiteral("bad.json");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("bad.json");
    QTest::newRow("wrong kind") << QByteArray(R"({"alidade":1,"plan":{"tensor_parallel":"eight"}})")
                                << QStringLiteral("/plan/tensor_parallel");
    QTest::newRow("unknown field") << QByteArray(R"({"alidade":1,"plan":{"tensor_paralel":8}})")
                                   << QStringLiteral("/plan/tensor_paralel");
    QTest::newRow("another version") << QByteArray(R"({"alidade":99})") << QStringLiteral("/alidade");
}

void TestWindow::badFileKeepsTheDocument() {
    QFETCH(QByteArray, content);
    QFETCH(QString, place);
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bad.json"));
    write(file, content);
    Fixture f;
    f.openSample();
    const std::string before = data::writeScenario(f.document().spec());
    f.files().openFile(file);
    f.settle();
    QCOMPARE(data::writeScenario(f.document().spec()), before);
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("bad.json cannot be opened")));
    QVERIFY2(f.window->notice().detail().contains(place), qPrintable(f.window->notice().detail()));
    f.files().openFile(folder.filePath(QStringLiteral("missing.json")));
    f.settle();
    QCOMPARE(data::writeScenario(f.document().spec()), before);
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("missing.json")));
}

void TestWindow::closeQuestion() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.files().saveTo(file);
    f.settle();
    const QByteArray before = contentOf(file);
    f.edit();
    f.window->close();
    QVERIFY(f.window->isVisible());
    f.answer(QMessageBox::Save);
    QTRY_VERIFY(!f.window->isVisible());
    QVERIFY(contentOf(file) != before);
}

void TestWindow::canceledQuestionKeepsTheWindow() {
    Fixture f;
    f.openSample();
    f.edit();
    f.window->close();
    f.answer(QMessageBox::Cancel);
    QVERIFY(f.window->isVisible());
    QVERIFY(f.document().isModified());
    f.window->close(); // it asks again
    f.answer(QMessageBox::Discard);
    QVERIFY(!f.window->isVisible());
}

void TestWindow::discardedChangesAreGone() {
    Fixture f;
    f.openSample();
    f.edit();
    f.files().openSample(QStringLiteral("llama-3.1-70b-64xp5.48xlarge"));
    QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-405b"));
    f.answer(QMessageBox::Discard);
    QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-70b"));
    QVERIFY(!f.document().isModified());
}

void TestWindow::modifiedMarkIsInTheTitle() {
    Fixture f;
    f.openSample();
    QVERIFY(!f.window->isWindowModified());
    QVERIFY(f.window->windowTitle().contains(QStringLiteral("[*]")));
    f.edit();
    QVERIFY(f.window->isWindowModified());
    f.document().undoStack()->undo();
    QVERIFY(!f.window->isWindowModified());
}

void TestWindow::fileChangedOnDiskIsNoticed() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.files().saveTo(file);
    f.settle();
    QSignalSpy changed(&f.files(), &FileSession::changedOnDisk);
    ScenarioSpec other = f.document().spec();
    other.plan.tensorParallel = 2;
    write(file, QByteArray::fromStdString(data::writeScenario(other)));
    QTRY_VERIFY_WITH_TIMEOUT(changed.count() >= 1, 10'000);
    QVERIFY(f.document().isModified()); // what is on the screen is no longer what is on disk
    QCOMPARE(*f.document().spec().plan.tensorParallel, 8);
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("changed by another program")));
    f.files().reload();
    f.settle();
    QCOMPARE(*f.document().spec().plan.tensorParallel, 2);
    QVERIFY(!f.document().isModified());

    QSignalSpy removed(&f.files(), &FileSession::removedOnDisk);
    QVERIFY(QFile::remove(file));
    QTRY_VERIFY_WITH_TIMEOUT(removed.count() >= 1, 10'000);
    QVERIFY(f.document().isModified());
}

void TestWindow::droppedFileIsOpened() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    write(file,
          QByteArray::fromStdString(data::writeScenario(test::sampleSpec("llama-3.1-8b-1xp5.4xlarge"))));
    Fixture f;
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.window.get(), &drop);
    QTRY_COMPARE(f.document().fileName(), file);
    f.settle();
    QVERIFY2(f.window->plan().summary()->sentence().startsWith(QStringLiteral("Does not fit")),
             qPrintable(f.window->plan().summary()->sentence()));
}

void TestWindow::modelConfigLeadsToThePlanDialog() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("config.json"));
    write(file, R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4096,
        "intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,
        "vocab_size":128256,"rms_norm_eps":1e-05,"max_position_embeddings":131072,"hidden_act":"silu",
        "tie_word_embeddings":false,"rope_theta":500000.0})");
    Fixture f;
    f.files().openFile(file);
    f.settle();
    auto* dialog = f.window->findChild<QDialog*>();
    QVERIFY2(dialog != nullptr, qPrintable(f.window->notice().detail()));
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
        if (button->isDefault())
            QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(f.document().spec().workload.architecture.has_value(), 60'000);
    QCOMPARE(f.document().spec().workload.architecture->hiddenSize, 4096);
    f.settle();
    QVERIFY(f.document().estimate()->fits);
}

void TestWindow::recentFilesAreRemembered() {
    QTemporaryDir folder;
    Settings settings;
    for (int i = 0; i < 12; ++i)
        settings.addRecent(folder.filePath(QStringLiteral("%1.json").arg(i)));
    settings.addRecent(folder.filePath(QStringLiteral("5.json")));
    QCOMPARE(settings.recentFiles.size(), Settings::mostRecentFiles);
    QCOMPARE(settings.recentFiles.first(), folder.filePath(QStringLiteral("5.json")));
    QCOMPARE(settings.recentFiles.count(folder.filePath(QStringLiteral("5.json"))), 1);
    settings.theme = views::ThemeChoice::dark;
    settings.bodyPointSize = 12;
    settings.planLayout = QByteArray("layout\0with a zero", 18);
    settings.openedBefore = true;
    settings.save();
    QVERIFY(SettingsDisk::instance().finish(std::chrono::seconds(60)));
    const Settings again = Settings::load();
    QCOMPARE(again.recentFiles, settings.recentFiles);
    QCOMPARE(again.theme, settings.theme);
    QCOMPARE(again.bodyPointSize, settings.bodyPointSize);
    QCOMPARE(again.planLayout, settings.planLayout);
    QCOMPARE(again.openedBefore, true);
}

/// What the palette lists are actions of menus. That of recent files destroys and makes its own anew at any
/// time.
void TestWindow::recentFileIsOpenedAlthoughTheMenuWasFilledAgain() {
    QTemporaryDir folder;
    const QString first = folder.filePath(QStringLiteral("first-plan.json"));
    const QString second = folder.filePath(QStringLiteral("second-plan.json"));
    Fixture f;
    f.openSample();
    f.files().saveTo(second);
    f.settle();
    f.files().saveTo(first);
    f.settle();
    Locator& locator = f.window->locator();
    locator.setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(&locator, QStringLiteral("first-plan"));
    QCOMPARE(locator.shown().value(0), QStringLiteral("first-plan.json"));
    f.files().openFile(second);
    QTRY_COMPARE(f.document().fileName(), second);
    QCOMPARE(locator.shown().value(0), QStringLiteral("first-plan.json"));
    QTest::keyClick(&locator, Qt::Key_Return);
    QTRY_COMPARE(f.document().fileName(), first);
}

void TestWindow::layoutIsSavedAndRestored() {
    QByteArray layout;
    {
        Fixture f;
        f.openSample();
        f.window->plan().dock(QStringLiteral("cost"))->close();
        f.window->plan().dock(QStringLiteral("problems"))->show();
        f.window->plan().addDockWidget(Qt::RightDockWidgetArea,
                                       f.window->plan().dock(QStringLiteral("problems")));
        layout = f.window->plan().saveLayout();
    }
    Settings settings = freshSettings();
    settings.planLayout = layout;
    Fixture f(settings);
    f.openSample();
    PlanPage& plan = f.window->plan();
    QVERIFY(!plan.dock(QStringLiteral("cost"))->isVisible());
    QVERIFY(plan.dock(QStringLiteral("problems"))->isVisible());
    QCOMPARE(plan.dockWidgetArea(plan.dock(QStringLiteral("problems"))), Qt::RightDockWidgetArea);
    plan.restoreDefaultLayout();
    QVERIFY(plan.dock(QStringLiteral("cost"))->toggleViewAction()->isChecked());
    QVERIFY(!plan.dock(QStringLiteral("problems"))->isVisible());
}

void TestWindow::layoutOfAnotherVersionIsRefused() {
    Fixture f;
    const QByteArray alien = f.window->plan().saveState(12345);
    QVERIFY(!f.window->plan().restoreLayout(alien));
    QVERIFY(!f.window->plan().restoreLayout({}));
    QVERIFY(!f.window->plan().restoreLayout("nonsense"));
    f.openSample();
    QVERIFY(f.window->plan().dock(QStringLiteral("scenario"))->isVisible());
}

void TestWindow::narrowWindowStacksDocks() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    ViewDock* layers = plan.dock(QStringLiteral("layers"));
    ViewDock* roofline = plan.dock(QStringLiteral("roofline"));
    QVERIFY(!plan.tabifiedDockWidgets(layers).contains(roofline));
    // What needs the width is behind the layers in any window.
    QVERIFY(plan.tabifiedDockWidgets(layers).contains(plan.dock(QStringLiteral("timeline"))));
    f.window->resize(1280, 800);
    QTRY_VERIFY(plan.tabifiedDockWidgets(layers).contains(roofline));
    QTRY_COMPARE(f.window->size(), QSize(1280, 800)); // nothing forces the window to be larger
    f.window->showView(QStringLiteral("problems"));
    QTRY_VERIFY(plan.dock(QStringLiteral("problems"))->isVisible());
    settle();
    QCOMPARE(f.window->size(), QSize(1280, 800));
    QVERIFY(f.window->minimumSizeHint().height() <= 800);
    f.window->resize(1600, 1000);
    QTRY_VERIFY(!plan.tabifiedDockWidgets(layers).contains(roofline));
}

/// Each action of the menus, from a fresh scenario; dialogs that open are closed. Nothing may warn or crash.
void TestWindow::everyActionCanBeTriggered() {
    Fixture probe;
    const auto collectActions = [](QWidget& window) {
        QList<QAction*> all;
        for (QAction* action : window.findChildren<QAction*>())
            if (!action->isSeparator() && action->menu() == nullptr && !action->text().isEmpty())
                all.append(action);
        return all;
    };
    const qsizetype count = collectActions(*probe.window).size();
    QVERIFY(count > 40);
    Fixture f;
    f.openSample();
    for (qsizetype i = 0;; ++i) {
        const QList<QAction*> actions = collectActions(*f.window);
        if (i >= actions.size())
            break;
        QAction* action = actions[i];
        if (!action->isEnabled() || action->objectName() == QLatin1String("quit"))
            continue;
        action->trigger();
        QCoreApplication::sendPostedEvents();
        QTest::qWait(1);
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top != f.window.get() && top->isVisible())
                top->close();
        if (f.files().question() != nullptr)
            f.answer(QMessageBox::Discard);
        QVERIFY(f.window->isVisible());
    }
    f.settle();
}

void TestWindow::everyFocusableWidgetHasAName() {
    Fixture f;
    f.openSample();
    for (ViewDock* dock : f.window->plan().docks())
        dock->show();
    for (const char* page : {"start", "catalog", "validation", "plan"}) {
        f.window->showView(QLatin1String(page));
        for (const QWidget* widget : f.window->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy() != nullptr)
                continue;
            QStringList place;
            for (const QWidget* w = widget; w != nullptr; w = w->parentWidget())
                place.append(QLatin1String(w->metaObject()->className()) + QLatin1Char('#') +
                             w->objectName());
            QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(place.join(QStringLiteral(" in "))));
        }
    }
}

QTEST_MAIN(TestWindow)

} // namespace tst_window

#include "tst_window.moc"
