// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/library_desk.h"
#include "app/window/version_bar.h"
#include "tests/app/window_fixture.h"
#include "views/library/folder_tree.h"
#include "views/library/history_view.h"
#include "views/library/library_model.h"
#include "views/library/library_view.h"

#include <QLineEdit>

namespace {

/// A window with its own workspace in a temporary folder; restart() closes it and opens it again.
struct WorkspaceFixture {
    QTemporaryDir folder;
    Settings settings = freshSettings();
    std::unique_ptr<Fixture> f;

    WorkspaceFixture() { start(); }

    QString file(const QString& name = QStringLiteral("Plans.alidade")) const {
        return folder.filePath(name);
    }
    MainWindow& window() const { return *f->window; }
    LibraryDesk& desk() const { return f->window->library(); }
    WorkspaceSession& session() const { return desk().session(); }
    views::Library& library() const { return session().library(); }
    views::Document& document() const { return f->document(); }

    void start(const QString& name = QStringLiteral("Plans.alidade")) {
        f = std::make_unique<Fixture>(settings);
        if (QFile::exists(file(name)))
            session().open(file(name));
        else
            session().create(file(name));
        QTRY_VERIFY_WITH_TIMEOUT(!session().isOpening(), 20'000);
    }
    void restart() {
        f->window->close();
        QTRY_VERIFY_WITH_TIMEOUT(!f->window->isVisible(), 20'000);
        f.reset();
        start();
    }
    /// A drag of values: one undo step.
    void drag(const char* path, const QStringList& values) {
        const int gesture = views::Document::newGesture();
        for (const QString& value : values)
            QCOMPARE(document().setField(*findField(path), value, gesture), QString());
    }
    void set(const char* path, const QString& value) {
        QCOMPARE(document().setField(*findField(path), value), QString());
    }
    /// Everything is on the disk.
    void settle() {
        desk().keeper().flush();
        QTRY_COMPARE_WITH_TIMEOUT(session().writer().pending(), std::size_t(0), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(!desk().history().isLoading(), 20'000);
    }
    void openFile(const QString& name) {
        f->files().openFile(name);
        f->settle();
    }
    /// Opens a sample and makes it a scenario of the workspace by an edit.
    void openAndEdit(const QString& sample = QStringLiteral("llama-3.1-70b-64xp5.48xlarge")) {
        f->files().openSample(sample);
        set("plan.micro_batch", QStringLiteral("2"));
        settle();
        QVERIFY(desk().keeper().scenario() != 0);
    }
    QStringList historyTexts() const {
        QStringList texts;
        for (const data::ScenarioVersion& each : desk().history().versions())
            texts.append(text(each.text));
        return texts;
    }
    QString scenarioName() const {
        const data::StoredScenario* stored = library().scenario(desk().keeper().scenario());
        return stored != nullptr ? text(stored->name) : QString();
    }
    QStringList names() const {
        QStringList all;
        for (const auto& [id, each] : session().content().scenarios)
            if (each.deletedMs == 0)
                all.append(text(each.name));
        all.sort();
        return all;
    }
    void drop(const QStringList& files) const {
        QMimeData mime;
        QList<QUrl> urls;
        for (const QString& each : files)
            urls.append(QUrl::fromLocalFile(each));
        mime.setUrls(urls);
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(f->window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(f->window.get(), &drop);
        QTRY_VERIFY_WITH_TIMEOUT(!desk().imports().isBusy(), 20'000);
    }
    QString writeSample(const QString& name, const char* sample = "llama-3.1-8b-1xp5.4xlarge") const {
        ScenarioSpec spec = test::sampleSpec(sample);
        spec.name.reset();
        write(folder.filePath(name), QByteArray::fromStdString(data::writeScenario(spec)));
        return folder.filePath(name);
    }
};

/// A button of what the window says now; null: there is none of these words.
[[maybe_unused]] QPushButton* noticeButton(const MainWindow& window, const QString& words) {
    for (const NoticeBar* bar : {&window.notice(), &window.damage()})
        for (QPushButton* button : bar->findChildren<QPushButton*>())
            if (button->text() == words && !button->isHidden())
                return button;
    return nullptr;
}

} // namespace
