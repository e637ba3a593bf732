// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/scenario_keeper.h"

#include "data/scenario/scenario_json.h"
#include "data/workspace/workspace_writer.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/library/history.h"
#include "views/library/library.h"

#include <QApplication>
#include <QUndoStack>

#include <utility>
#include <variant>

namespace alidade::app {

using views::text;

namespace {

/// A step is over when nothing has come for so long and no mouse button is held.
constexpr int restMilliseconds = 300;

QString sentence(QString words) {
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words;
}

} // namespace

ScenarioKeeper::ScenarioKeeper(views::Document& document, views::Library& library, views::History& history,
                               QObject* parent)
    : QObject(parent)
    , document_(document)
    , library_(library)
    , history_(history) {
    rest_.setSingleShot(true);
    rest_.setInterval(restMilliseconds);
    connect(&rest_, &QTimer::timeout, this, [this] {
        if (QApplication::mouseButtons() != Qt::NoButton)
            rest_.start();
        else
            flush();
    });
    connect(document.undoStack(), &QUndoStack::indexChanged, this, &ScenarioKeeper::stepped);
    connect(&document, &views::Document::aboutToOpen, this, [this] {
        flush();
        if (!opening_)
            letGo();
    });
    connect(&library, &views::Library::opened, this, [this] {
        if (!keeps())
            return;
        letGo();
        document_.setSaved({}); // it is kept where it was
    });
    connect(&library, &views::Library::changed, this, &ScenarioKeeper::followLibrary);
}

QString ScenarioKeeper::open(data::WorkspaceId scenario) {
    const data::StoredScenario* stored = library_.scenario(scenario);
    if (stored == nullptr)
        return tr("there is no such scenario");
    const Result<ScenarioSpec> spec = data::specOf(*stored);
    if (!spec)
        return text(spec.error());
    ScenarioSpec named = *spec;
    named.name = stored->name;
    opening_ = true;
    document_.open(named, {});
    opening_ = false;
    startKeeping(scenario);
    emit opened();
    return {};
}

void ScenarioKeeper::startKeeping(data::WorkspaceId scenario) {
    adopted_ = false;
    lost_ = 0;
    first_.reset();
    pending_.reset();
    scenario_ = scenario;
    kept_ = library_.scenario(scenario)->json;
    index_ = document_.undoStack()->index();
    redoText_ = document_.undoStack()->redoText();
    document_.setKept(library_.isWritable());
    history_.setScenario(scenario);
    emit changed();
}

void ScenarioKeeper::resume(data::WorkspaceId scenario) {
    const data::StoredScenario* stored = library_.scenario(scenario);
    if (stored == nullptr)
        return;
    startKeeping(scenario);
    pending_ = Edit{document_.spec(), tr("Edited while the workspace was read-only")};
    flush();
}

void ScenarioKeeper::adopt(const QString& origin) {
    letGo();
    if (!library_.isWritable())
        return;
    adopted_ = true;
    origin_ = origin;
    first_ = document_.spec();
    index_ = document_.undoStack()->index();
    document_.setKept(true);
    emit changed();
}

data::WorkspaceId ScenarioKeeper::keepNow(data::WorkspaceId folder, const QString& origin) {
    const ScenarioSpec spec = adopted_ && first_ ? *first_ : document_.spec();
    const QString name = document_.displayName();
    const views::WorkspaceIds ids =
        library_.add({views::Library::NewScenario{spec, name, origin}}, folder, tr("add %1").arg(name));
    if (ids.empty())
        return 0;
    const bool hasEdit = pending_.has_value();
    auto edit = std::exchange(pending_, std::nullopt);
    document_.rename(text(library_.scenario(ids.front())->name));
    startKeeping(ids.front());
    if (hasEdit) {
        pending_ = std::move(edit);
        pending_->spec.name = document_.spec().name;
    }
    flush();
    return ids.front();
}

void ScenarioKeeper::letGo() {
    rest_.stop();
    pending_.reset();
    first_.reset();
    lost_ = 0;
    if (!keeps())
        return;
    adopted_ = false;
    scenario_ = 0;
    history_.setScenario(0);
    document_.setKept(false);
    emit changed();
}

/// After each push, merge, undo and redo.
void ScenarioKeeper::stepped(int index) {
    const int before = std::exchange(index_, index);
    if (!keeps() || opening_)
        return;
    const QUndoStack& stack = *document_.undoStack();
    const QString redone = std::exchange(redoText_, stack.redoText());
    QString words = sentence(stack.undoText());
    if (index < before && stack.canRedo())
        words = tr("Undo %1").arg(stack.redoText());
    else if (index < before)
        words = tr("Restored"); // a drag that ended where it began leaves no step
    else if (index > before && !redone.isEmpty() && redone == stack.undoText())
        words = tr("Redo %1").arg(redone);
    if (index != before && !(index < before && !stack.canRedo()))
        flush();
    pending_ = Edit{document_.spec(), words};
    rest_.start();
}

void ScenarioKeeper::flush() {
    rest_.stop();
    if (!pending_)
        return;
    if (scenario_ == 0)
        keepNow(0, origin_); // commits it
    else
        commit();
}

void ScenarioKeeper::commit() {
    const Edit edit = *std::exchange(pending_, std::nullopt);
    std::string json = data::writeScenario(edit.spec);
    if (json == kept_ || library_.scenario(scenario_) == nullptr || !library_.isWritable())
        return;
    const data::WorkspaceEdit change = data::changeScenario(library_.content(), scenario_, edit.spec,
                                                            edit.text.toStdString(), views::utcNow());
    committing_ = true;
    const auto taken = library_.writer().commit(change);
    committing_ = false;
    if (!taken) {
        emit refused(text(taken.error()));
        return;
    }
    kept_ = std::move(json);
    for (const data::WorkspaceChange& each : change.changes)
        if (const auto* version = std::get_if<data::AddVersion>(&each))
            history_.append(version->version);
}

bool ScenarioKeeper::nameVersion(const QString& name) {
    flush();
    if (scenario_ == 0 && (!adopted_ || keepNow(0, origin_) == 0))
        return false;
    const data::StoredScenario* stored = library_.scenario(scenario_);
    if (stored == nullptr)
        return false;
    nameVersion(stored->version, name);
    return true;
}

void ScenarioKeeper::nameVersion(std::int64_t number, const QString& name) {
    const auto taken =
        library_.writer().commit({{data::NameVersion{scenario_, number, name.simplified().toStdString()}}});
    if (taken)
        history_.setName(number, name.simplified().toStdString());
    else
        emit refused(text(taken.error()));
}

/// Renamed, deleted or brought back in the library.
void ScenarioKeeper::followLibrary() {
    if (lost_ != 0 && library_.scenario(lost_) != nullptr)
        startKeeping(lost_);
    if (scenario_ == 0 || committing_)
        return;
    const data::StoredScenario* stored = library_.scenario(scenario_);
    if (stored == nullptr) {
        const data::WorkspaceId lost = scenario_;
        adopt(tr("Kept again after it was deleted"));
        lost_ = lost;
        return;
    }
    if (document_.spec().name != stored->name) {
        document_.rename(text(stored->name));
        if (pending_)
            pending_->spec.name = stored->name;
        kept_ = data::writeScenario(document_.spec());
    }
    const auto& versions = history_.versions();
    if (!history_.isLoading() && (versions.empty() || versions.back().number < stored->version))
        history_.setScenario(scenario_); // the library has added to it
}

} // namespace alidade::app
