// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_editor.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/catalog_sheet.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"

#include <QDateTime>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>

namespace alidade::views {

namespace {

using Changes = std::vector<data::CatalogChange>;

std::string utcNow() { return QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString(); }

QString labelOf(const CatalogCell& cell) {
    const data::CatalogKey* key = data::catalogKey(cell.kind, cell.key.toStdString());
    return key != nullptr ? text(key->label) : cell.key;
}

} // namespace

struct CatalogEditor::Private {
    Document* document = nullptr;
    std::shared_ptr<const Catalog> shipped, oldShipped;
    std::shared_ptr<const Catalog> root;  ///< null: `shipped` has no custom value
    std::shared_ptr<const Catalog> alone; ///< what is shipped, with the document's topologies
    std::shared_ptr<const Catalog> given; ///< to the document
    std::vector<data::CustomValue> custom;
    bool usesShipped = false;
    data::UserCatalog user;
    data::AppliedCatalog applied;
    std::vector<data::MergeConflict> conflicts;
    QList<RefusedText> refusals;
    QUndoStack* undo = nullptr;
    QString author, readOnly;
    std::function<std::string()> clock = utcNow;
};

/// Changes behind the list; undo takes them off. Carries the refusals before and after.
class CatalogEditor::Edit : public QUndoCommand {
public:
    Edit(CatalogEditor& editor, Changes changes, QList<RefusedText> refusals, const QString& undoText)
        : QUndoCommand(undoText)
        , editor_(editor)
        , changes_(std::move(changes))
        , before_(editor.d->refusals)
        , after_(std::move(refusals)) {}

    void redo() override {
        QUndoCommand::redo();
        if (!changes_.empty())
            editor_.useShipped(false); // who edits wants to see what it does
        auto& list = editor_.d->user.changes;
        list.insert(list.end(), changes_.begin(), changes_.end());
        editor_.d->refusals = after_;
        finish();
        if (!changes_.empty())
            emit editor_.changesAdded(changes_);
    }

    void undo() override {
        QUndoCommand::undo();
        auto& list = editor_.d->user.changes;
        list.resize(list.size() - changes_.size());
        editor_.d->refusals = before_;
        finish();
        if (!changes_.empty())
            emit editor_.changesTaken(static_cast<int>(changes_.size()));
    }

private:
    void finish() {
        if (!changes_.empty())
            editor_.apply();
        emit editor_.changed();
    }

    CatalogEditor& editor_;
    Changes changes_;
    QList<RefusedText> before_, after_;
};

CatalogEditor::CatalogEditor(Document* document, std::shared_ptr<const Catalog> shipped, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>()) {
    d->document = document;
    d->shipped = std::move(shipped);
    d->applied = {.catalog = d->shipped, .setAside = {}};
    d->alone = d->given = d->shipped;
    d->undo = new QUndoStack(this);
    d->author = qEnvironmentVariable("USER");
    connect(document, &Document::catalogChanged, this, [this] {
        if (d->document->catalog() != d->given)
            takeForeign();
    });
}

CatalogEditor::~CatalogEditor() = default;

Document& CatalogEditor::document() const { return *d->document; }
const std::shared_ptr<const Catalog>& CatalogEditor::shipped() const { return d->shipped; }
const data::UserCatalog& CatalogEditor::user() const { return d->user; }
const data::AppliedCatalog& CatalogEditor::applied() const { return d->applied; }
const Catalog& CatalogEditor::catalog() const { return *d->applied.catalog; }
QUndoStack* CatalogEditor::undoStack() const { return d->undo; }
const QList<RefusedText>& CatalogEditor::refusals() const { return d->refusals; }
const std::vector<data::MergeConflict>& CatalogEditor::conflicts() const { return d->conflicts; }
const QString& CatalogEditor::readOnly() const { return d->readOnly; }
void CatalogEditor::setAuthor(const QString& name) { d->author = name; }
void CatalogEditor::setClock(std::function<std::string()> clock) { d->clock = std::move(clock); }

const RefusedText* CatalogEditor::refusal(const CatalogCell& cell) const {
    const auto found = std::ranges::find(d->refusals, cell, &RefusedText::cell);
    return found == d->refusals.end() ? nullptr : &*found;
}

void CatalogEditor::setReadOnly(const QString& reason) {
    if (reason == d->readOnly)
        return; // tables write all of their cells anew
    d->readOnly = reason;
    emit readOnlyChanged();
}

void CatalogEditor::setUserCatalog(data::UserCatalog user) {
    useShipped(false);
    d->user = std::move(user);
    d->refusals.clear();
    d->undo->clear();
    apply();
    emit changed();
}

void CatalogEditor::setShipped(std::shared_ptr<const Catalog> shipped) {
    if (shipped == d->shipped)
        return;
    d->oldShipped = std::exchange(d->shipped, std::move(shipped));
    d->undo->clear();
    apply();
    emit changed();
}

void CatalogEditor::apply() {
    d->applied = data::applyChanges(d->shipped, d->user);
    d->conflicts = data::conflicts(*d->shipped, d->user);
    // A text may become right when another cell changes: an id that exists now.
    giveCatalog();
}

void CatalogEditor::giveCatalog() {
    d->alone = d->shipped;
    if (d->root != nullptr) {
        auto alone = std::make_shared<Catalog>(*d->root);
        alone->topologies = d->shipped->topologies;
        alone->profiles = d->shipped->profiles;
        d->alone = std::move(alone);
    }
    d->custom = data::customValues(*d->alone, *d->applied.catalog);
    d->given = d->usesShipped ? d->alone : d->applied.catalog;
    d->document->setCatalog(d->given);
}

const std::vector<data::CustomValue>& CatalogEditor::customValues() const { return d->custom; }
std::shared_ptr<const Catalog> CatalogEditor::shippedAlone() const { return d->alone; }
bool CatalogEditor::usesShipped() const { return d->usesShipped; }

void CatalogEditor::setRoot(std::shared_ptr<const Catalog> root) {
    d->root = std::move(root);
    giveCatalog();
    emit changed();
}

void CatalogEditor::useShipped(bool use) {
    if (use == d->usesShipped)
        return;
    d->usesShipped = use;
    giveCatalog();
    emit usesShippedChanged(use);
}

void CatalogEditor::takeForeign() {
    const std::shared_ptr<const Catalog> foreign = d->document->catalog();
    if (d->user.changes.empty() && !d->usesShipped) {
        d->shipped = d->given = foreign;
        d->applied = {.catalog = foreign, .setAside = {}};
        giveCatalog();
    } else {
        auto base = std::make_shared<Catalog>(*d->shipped);
        base->topologies = foreign->topologies;
        base->profiles = foreign->profiles;
        d->shipped = std::move(base);
        apply();
    }
    emit changed();
}

data::Signature CatalogEditor::signature(const QString& note) const {
    return {.who = d->author.toStdString(), .when = d->clock(), .note = note.toStdString(), .source = {}};
}

void CatalogEditor::push(Changes changes, QList<RefusedText> refusals, const QString& undoText) {
    if (changes.empty() && refusals == d->refusals)
        return;
    d->undo->push(new Edit(*this, std::move(changes), std::move(refusals), undoText));
}

data::CellReading CatalogEditor::read(const CatalogCell& cell, const QString& text) const {
    return data::readCell(*d->applied.catalog, cell.kind, cell.key.toStdString(), text.toStdString());
}

QString CatalogEditor::editText(const CatalogCell& cell) const {
    const auto value = data::effectiveValue(*d->shipped, d->user, d->applied, cell.kind,
                                            cell.entry.toStdString(), cell.key.toStdString());
    return value ? text(data::editedValue(cell.kind, cell.key.toStdString(), value->value)) : QString();
}

bool CatalogEditor::isOwn(data::CatalogKind kind, const QString& entry) const {
    const auto row = data::catalogSheetRow(*d->shipped, d->user, d->applied, kind, entry.toStdString());
    return row && row->state == data::EntryState::added;
}

QStringList CatalogEditor::setTexts(const QList<CellText>& texts, const QString& undoText,
                                    const QString& note) {
    QStringList said;
    if (!d->readOnly.isEmpty()) {
        for (qsizetype i = 0; i < texts.size(); ++i)
            said.append(d->readOnly);
        return said;
    }
    Changes changes;
    QList<RefusedText> refusals = d->refusals;
    const data::Signature by = signature(note);
    for (const auto& [cell, typed] : texts) {
        refusals.removeIf([&cell = cell](const RefusedText& each) { return each.cell == cell; });
        const std::string entry = cell.entry.toStdString();
        const std::string key = cell.key.toStdString();
        const data::CellReading reading = read(cell, typed);
        QString reason = text(reading.reason);
        const auto present = data::effectiveValue(*d->shipped, d->user, d->applied, cell.kind, entry, key);
        if (reading && present && present->value == *reading.value) {
            said.append(QString()); // nothing new
            continue;
        }
        if (reading) {
            // The shipped value needs no change of one's own.
            const bool back = present && present->changed() && present->shipped == *reading.value;
            Result<data::CatalogChange> change =
                back ? data::resetValue(d->user, cell.kind, entry, key, by)
                     : data::changeValue(*d->shipped, *d->applied.catalog, cell.kind, entry, key,
                                         *reading.value, by);
            if (change) {
                changes.push_back(*std::move(change));
                said.append(QString());
                continue;
            }
            reason = text(change.error());
        }
        refusals.append({cell, typed, reason, text(reading.proposal)});
        said.append(reason);
    }
    push(std::move(changes), std::move(refusals), undoText);
    return said;
}

QString CatalogEditor::setText(const CatalogCell& cell, const QString& typed) {
    const QString words = typed.trimmed();
    const QString undoText = words.isEmpty() ? tr("clear %1 of %2").arg(labelOf(cell), cell.entry)
                                             : tr("set %1 of %2 to %3").arg(labelOf(cell), cell.entry, words);
    return setTexts({{cell, typed}}, undoText).constFirst();
}

QString CatalogEditor::reset(const QList<CatalogCell>& cells) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    Changes changes;
    QList<RefusedText> refusals = d->refusals;
    QString last;
    for (const CatalogCell& cell : cells) {
        refusals.removeIf([&](const RefusedText& each) { return each.cell == cell; });
        auto change = data::resetValue(d->user, cell.kind, cell.entry.toStdString(), cell.key.toStdString(),
                                       signature());
        if (change)
            changes.push_back(*std::move(change));
        else
            last = text(change.error());
    }
    if (changes.empty() && refusals == d->refusals)
        return last;
    const QString undoText = cells.size() == 1 ? tr("reset %1 of %2").arg(labelOf(cells[0]), cells[0].entry)
                                               : tr("reset %1 values").arg(changes.size());
    push(std::move(changes), std::move(refusals), undoText);
    return {};
}

QString CatalogEditor::resetEntry(data::CatalogKind kind, const QString& entry) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    auto change = data::resetEntry(d->user, kind, entry.toStdString(), signature());
    if (!change)
        return text(change.error());
    QList<RefusedText> refusals = d->refusals;
    refusals.removeIf(
        [&](const RefusedText& each) { return each.cell.kind == kind && each.cell.entry == entry; });
    push({*std::move(change)}, std::move(refusals), tr("reset %1").arg(entry));
    return {};
}

QString CatalogEditor::restoreEntry(data::CatalogKind kind, const QString& entry) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    auto change = data::restoreEntry(d->user, kind, entry.toStdString(), signature());
    if (!change)
        return text(change.error());
    push({*std::move(change)}, d->refusals, tr("restore %1").arg(entry));
    return {};
}

QString CatalogEditor::duplicate(data::CatalogKind kind, const QString& entry, QString* made) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    const std::string id = data::freeId(*d->applied.catalog, kind, entry.toStdString());
    auto change = data::duplicateEntry(*d->applied.catalog, kind, entry.toStdString(), id, signature());
    if (!change)
        return text(change.error());
    if (made != nullptr)
        *made = text(id);
    push({*std::move(change)}, d->refusals, tr("duplicate %1").arg(entry));
    return {};
}

QString CatalogEditor::add(data::CatalogKind kind, const QString& entry,
                           const QList<std::pair<QString, QString>>& texts) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto& [key, typed] : texts) {
        const data::CellReading reading = read({kind, entry, key}, typed);
        if (!reading)
            return labelOf({kind, entry, key}) + QStringLiteral(": ") + text(reading.reason);
        values.emplace_back(key.toStdString(), *reading.value);
    }
    auto change = data::addEntry(*d->shipped, *d->applied.catalog, kind, entry.trimmed().toStdString(),
                                 values, signature());
    if (!change)
        return text(change.error());
    push({*std::move(change)}, d->refusals, tr("add %1").arg(entry.trimmed()));
    return {};
}

QString CatalogEditor::addModel(const Architecture& model) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    auto change = data::addModel(catalog(), model, signature());
    if (!change)
        return text(change.error());
    const QString id = text(change->entry);
    push({*std::move(change)}, d->refusals, tr("add the model %1").arg(id));
    return {};
}

QString CatalogEditor::rename(data::CatalogKind kind, const QString& entry, const QString& newId) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    const QString id = newId.trimmed();
    if (id == entry)
        return {};
    auto removed = data::removeEntry(*d->applied.catalog, kind, entry.toStdString(),
                                     data::WithDependants::refuse, signature());
    if (!removed)
        return text(removed.error());
    auto made =
        data::duplicateEntry(*d->applied.catalog, kind, entry.toStdString(), id.toStdString(), signature());
    if (!made)
        return text(made.error());
    Changes changes = {*std::move(made)};
    changes.insert(changes.end(), removed->begin(), removed->end());
    QList<RefusedText> refusals = d->refusals;
    for (RefusedText& each : refusals)
        if (each.cell.kind == kind && each.cell.entry == entry)
            each.cell.entry = id;
    push(std::move(changes), std::move(refusals), tr("rename %1 to %2").arg(entry, id));
    return {};
}

QString CatalogEditor::remove(data::CatalogKind kind, const QStringList& entries,
                              data::WithDependants withDependants) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    Changes changes;
    // Each removal is looked at in a catalog in which the ones before are gone, so that none goes twice.
    data::AppliedCatalog left = d->applied;
    data::UserCatalog user = d->user;
    for (const QString& entry : entries) {
        auto more = data::removeEntry(*left.catalog, kind, entry.toStdString(), withDependants, signature());
        if (!more)
            return text(more.error());
        changes.insert(changes.end(), more->begin(), more->end());
        user.changes.insert(user.changes.end(), more->begin(), more->end());
        if (entries.size() > 1)
            left = data::applyChanges(d->shipped, user);
    }
    QList<RefusedText> refusals = d->refusals;
    refusals.removeIf(
        [&](const RefusedText& each) { return each.cell.kind == kind && entries.contains(each.cell.entry); });
    const QString undoText =
        entries.size() == 1 ? tr("delete %1").arg(entries[0]) : tr("delete %1 entries").arg(entries.size());
    push(std::move(changes), std::move(refusals), undoText);
    return {};
}

QString CatalogEditor::setNote(const CatalogCell& cell, const QString& note) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    const auto at = data::changeInForce(d->user, cell.kind, cell.entry.toStdString(), cell.key.toStdString());
    if (!at)
        return tr("Only your own values have notes.");
    data::CatalogChange change = d->user.changes[*at];
    if (change.note == note.trimmed().toStdString())
        return {};
    // The list is its own history: the same value once more, now with its reason.
    const data::Signature by = signature(note.trimmed());
    change.note = by.note;
    change.who = by.who;
    change.when = by.when;
    push({std::move(change)}, d->refusals, tr("note on %1 of %2").arg(labelOf(cell), cell.entry));
    return {};
}

QString CatalogEditor::append(const data::UserCatalog& longer, const QString& undoText) {
    if (!d->readOnly.isEmpty())
        return d->readOnly;
    const std::size_t known = d->user.changes.size();
    const bool continues = longer.changes.size() >= known &&
                           std::equal(d->user.changes.begin(), d->user.changes.end(), longer.changes.begin());
    if (!continues)
        return tr("The catalog was changed in the meantime; try again.");
    push(Changes(longer.changes.begin() + static_cast<std::ptrdiff_t>(known), longer.changes.end()),
         d->refusals, undoText);
    return {};
}

QString CatalogEditor::settle(const data::MergeConflict& conflict, data::Settlement settlement) {
    const data::UserCatalog longer =
        data::settled(*d->shipped, d->oldShipped.get(), d->user, conflict, settlement, signature());
    const QString entry = text(conflict.entry);
    return append(longer, settlement == data::Settlement::yours ? tr("keep your %1").arg(entry)
                                                                : tr("take the shipped %1").arg(entry));
}

} // namespace alidade::views
