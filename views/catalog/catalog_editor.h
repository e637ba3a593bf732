// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_merge.h"
#include "data/catalog/cell_text.h"
#include "data/catalog/custom_values.h"
#include "data/catalog/user_catalog.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

class QUndoStack;

namespace alidade::views {

class Document;

/// One value of one entry of the catalog.
struct CatalogCell {
    data::CatalogKind kind = data::CatalogKind::gpus;
    QString entry;
    QString key;

    bool operator==(const CatalogCell&) const = default;
};

/// A text that a person committed and that is not in force, because it is not a value for its cell.
struct RefusedText {
    CatalogCell cell;
    QString text;
    QString reason;
    QString proposal; ///< a text that would be accepted and may be meant; may be empty

    bool operator==(const RefusedText&) const = default;
};

/// The catalog of a document as something to edit: the shipped one, the person's changes over it, and its own
/// undo stack. Each edit is one undo step, is applied at once and given to the document, so that every view
/// follows. A catalog that the document gets from elsewhere, with topologies that were imported, goes under
/// the changes. Knows no widgets. An edit function returns an empty text, or why nothing was changed.
class CatalogEditor : public QObject {
    Q_OBJECT

public:
    using CellText = std::pair<CatalogCell, QString>;

    /// \param shipped what the changes override; the document gets it with them
    CatalogEditor(Document* document, std::shared_ptr<const Catalog> shipped, QObject* parent = nullptr);
    ~CatalogEditor() override;

    Document& document() const;
    const std::shared_ptr<const Catalog>& shipped() const;
    const data::UserCatalog& user() const;
    const data::AppliedCatalog& applied() const; ///< the catalog in force, and what does not fit
    const Catalog& catalog() const;
    QUndoStack* undoStack() const;
    const QList<RefusedText>& refusals() const;
    const RefusedText* refusal(const CatalogCell& cell) const; ///< nullptr: none
    /// Where a newer shipped catalog moved what the person changed; empty: nothing to settle.
    const std::vector<data::MergeConflict>& conflicts() const;

    /// What was stored: takes the place of all changes, without an undo step; the stack is emptied.
    void setUserCatalog(data::UserCatalog user);
    /// Another shipped catalog under the same changes; the stack is emptied.
    void setShipped(std::shared_ptr<const Catalog> shipped);
    /// Who makes the changes from now on.
    void setAuthor(const QString& name);
    /// Time of a change as RFC 3339; for tests.
    void setClock(std::function<std::string()> clock);
    /// Why nothing may be changed ("the workspace is open in another window"); empty: all may.
    void setReadOnly(const QString& reason);
    const QString& readOnly() const;

    /// What a typed text would do.
    data::CellReading read(const CatalogCell& cell, const QString& text) const;
    /// The text of a cell while it is edited, with its unit.
    QString editText(const CatalogCell& cell) const;

    /// Every value that is not the shipped one.
    const std::vector<data::CustomValue>& customValues() const;
    /// The catalog without any of them, with the topologies and profiles of the document.
    std::shared_ptr<const Catalog> shippedAlone() const;
    /// What `shipped` of the constructor already overrides, where that has values of the user's own.
    void setRoot(std::shared_ptr<const Catalog> root);
    /// Whether the document computes with the shipped catalog alone; the changes stay. An edit ends it.
    void useShipped(bool use);
    bool usesShipped() const;

    // Edits
    /// Commits texts. What is not a value is kept as a refusal, and the old value stays in force.
    /// \param note why, on each change
    /// \returns for each text why it is not in force; empty if it is
    QStringList setTexts(const QList<CellText>& texts, const QString& undoText, const QString& note = {});
    /// One text, with an undo text that says what was set.
    QString setText(const CatalogCell& cell, const QString& text);
    /// Values that are the person's go back to the shipped ones; refusals are dropped.
    QString reset(const QList<CatalogCell>& cells);
    QString resetEntry(data::CatalogKind kind, const QString& entry);
    QString restoreEntry(data::CatalogKind kind, const QString& entry);
    /// \param made gets the id of the new entry
    QString duplicate(data::CatalogKind kind, const QString& entry, QString* made = nullptr);
    QString add(data::CatalogKind kind, const QString& entry,
                const QList<std::pair<QString, QString>>& texts);
    /// A model from elsewhere, under an id that is free.
    QString addModel(const Architecture& model);
    /// An entry of the person's under another id.
    QString rename(data::CatalogKind kind, const QString& entry, const QString& newId);
    QString remove(data::CatalogKind kind, const QStringList& entries, data::WithDependants withDependants);
    /// Why the value is what it is; on the change that sets it.
    QString setNote(const CatalogCell& cell, const QString& note);
    /// Changes from elsewhere that are behind the present ones: an import, a settled conflict.
    QString append(const data::UserCatalog& longer, const QString& undoText);
    QString settle(const data::MergeConflict& conflict, data::Settlement settlement);

    /// Whether an entry was added by the person.
    bool isOwn(data::CatalogKind kind, const QString& entry) const;

signals:
    void changed(); ///< catalog(), user() or refusals()
    /// At the end of the list; for whoever stores them.
    void changesAdded(const std::vector<alidade::data::CatalogChange>& changes);
    /// So many from the end of the list: an undo.
    void changesTaken(int count);
    void readOnlyChanged();
    void usesShippedChanged(bool use);

private:
    struct Private;
    class Edit;
    data::Signature signature(const QString& note = {}) const;
    /// Pushes one undo step.
    void push(std::vector<data::CatalogChange> changes, QList<RefusedText> refusals, const QString& undoText);
    void apply();
    void giveCatalog();
    /// Somebody else gave the document a catalog.
    void takeForeign();

    std::unique_ptr<Private> d;
};

} // namespace alidade::views
