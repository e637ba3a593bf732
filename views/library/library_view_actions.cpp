// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the library do.
#include "model/catalog/catalog.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/topology_words.h"
#include "views/icons/icon.h"
#include "views/kit/begin_edit.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/library/folder_tree.h"
#include "views/library/item_figures.h"
#include "views/library/library_model.h"
#include "views/library/library_view.h"
#include "views/start/samples.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int mostNamedUsers = 4;

} // namespace

void LibraryView::openCurrent() {
    const int row = currentRow();
    if (row < 0)
        return;
    if (const QString sample = model_->sampleId(row); !sample.isEmpty())
        emit openSample(sample);
    else
        emit openScenario(model_->id(row));
}

void LibraryView::renameCurrent() {
    const QModelIndex current = table_->currentIndex();
    if (currentRow() >= 0)
        beginEdit(*table_,
                  current.siblingAtColumn(current.column() == LibraryModel::tags ? LibraryModel::tags
                                                                                 : LibraryModel::name));
}

void LibraryView::duplicateChosen() {
    WorkspaceIds copies;
    if (const WorkspaceIds own = chosen(); !own.empty())
        copies = library_->duplicate(own);
    const WorkspaceIds ofSamples = duplicateSamples();
    copies.insert(copies.end(), ofSamples.begin(), ofSamples.end());
    showScenarios(copies);
}

/// Of the workspace as they change, samples as they are.
std::vector<data::ListedScenario> LibraryView::chosenScenarios() const {
    std::vector<data::ListedScenario> out;
    for (const data::WorkspaceId id : chosen())
        if (const data::StoredScenario* stored = library_->scenario(id))
            out.push_back(
                {.kind = data::ListedScenario::Kind::stored, .id = id, .name = stored->name, .spec = {}});
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        if (const QString id = model_->sampleId(order_->mapToSource(index).row()); !id.isEmpty())
            for (const Sample& sample : samples())
                if (sample.id == id)
                    out.push_back({.name = sample.name.toStdString(), .spec = sample.spec});
    return out;
}

void LibraryView::compareChosen() {
    if (const auto scenarios = chosenScenarios(); !scenarios.empty())
        emit compareRequested(scenarios);
}

void LibraryView::pinCurrent() {
    for (const data::ListedScenario& each : chosenScenarios()) {
        const data::StoredScenario* stored = library_->scenario(each.id);
        const Result<ScenarioSpec> spec = stored != nullptr ? data::specOf(*stored) : each.spec;
        if (spec)
            document().baselines().pin(*spec, text(each.name));
    }
}

/// A shipped sample stays as it is; its copy is a scenario of the workspace.
WorkspaceIds LibraryView::duplicateSamples() {
    std::vector<Library::NewScenario> wanted;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        if (const QString id = model_->sampleId(order_->mapToSource(index).row()); !id.isEmpty())
            for (const Sample& sample : samples())
                if (sample.id == id)
                    wanted.push_back({sample.spec, sample.name, tr("Copy of a sample")});
    if (wanted.empty())
        return {};
    const QString words = wanted.size() == 1 ? wanted.front().name : tr("%1 samples").arg(wanted.size());
    return library_->add(std::move(wanted), targetFolder(), tr("duplicate %1").arg(words));
}

/// Who names one of these topologies.
QStringList LibraryView::usersOf(const WorkspaceIds& ids) const {
    QStringList users;
    for (const data::WorkspaceId id : ids) {
        const data::StoredDocument* stored = library_->document(id);
        if (stored == nullptr || stored->kind != data::DocumentKind::topology)
            continue;
        users.append(library_->topologyUsers(stored->name));
        if (document().spec().cluster.topology == stored->name && !users.contains(document().displayName()))
            users.append(document().displayName());
    }
    users.removeDuplicates();
    return users;
}

void LibraryView::removeChosen() {
    const WorkspaceIds ids = chosen();
    const QStringList users = usersOf(ids);
    if (users.isEmpty())
        return removeNow(ids);
    const qsizetype more = users.size() - mostNamedUsers;
    QString named = users.mid(0, mostNamedUsers).join(QStringLiteral(", "));
    if (more > 0)
        named = tr("%1 and %2 more").arg(named).arg(more);
    ask(tr("Delete items in use?"),
        tr("%1 cannot be estimated without this topology. It can be restored from the trash.").arg(named),
        tr("Delete"), [this, ids] { removeNow(ids); });
}

void LibraryView::removeNow(const WorkspaceIds& ids) {
    QString what = tr("%1 items").arg(ids.size());
    bool isTopology = false;
    for (const data::WorkspaceId id : ids)
        if (const data::StoredDocument* stored = library_->document(id)) {
            isTopology = isTopology || stored->kind == data::DocumentKind::topology;
            what = ids.size() == 1 ? text(stored->name) : what;
        } else if (const data::StoredScenario* scenario = library_->scenario(id);
                   scenario != nullptr && ids.size() == 1) {
            what = text(scenario->name);
        }
    const std::uint64_t before = library_->lastChange();
    library_->remove(ids);
    if (library_->lastChange() != before)
        emit removed(what, library_->lastChange(), isTopology);
}

void LibraryView::restoreChosen() { library_->restore(chosen()); }

void LibraryView::askEmptyTrash() {
    const int count = documents_->cells()->rowCount();
    ask(tr("Empty the trash?"),
        tr("%1 will be deleted permanently. This cannot be undone.")
            .arg(counted(count, tr("item"), tr("items"))),
        tr("Empty the Trash"), [this] { library_->emptyTrash(); });
}

void LibraryView::ask(const QString& sentence, const QString& detail, const QString& verb,
                      std::function<void()> then) {
    delete question_;
    question_ = new QMessageBox(QMessageBox::Question, title(), sentence, QMessageBox::Cancel, this);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    question_->setInformativeText(detail);
    auto* yes = question_->addButton(verb, QMessageBox::DestructiveRole);
    question_->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [then = std::move(then)] { then(); });
    question_->open();
}

void LibraryView::exportCurrent() {
    const int row = currentRow();
    if (row >= 0)
        emit exportScenario(model_->index(row, LibraryModel::name).data().toString(),
                            QByteArray::fromStdString(model_->json(row)));
}

void LibraryView::copyJson() {
    if (const int row = currentRow(); row >= 0)
        QApplication::clipboard()->setText(text(model_->json(row)));
}

void LibraryView::useCurrent() {
    if (const WorkspaceIds ids = chosen(); ids.size() == 1)
        if (const data::StoredDocument* document = library_->document(ids.front()))
            emit useTopology(text(document->name));
}

} // namespace alidade::views
