// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>

#include <string>

namespace alidade::views {
class Document;
class SearchView;
} // namespace alidade::views

namespace alidade::app {

class LibraryDesk;

/// Keeps the last search of each scenario in the workspace, with its question, and brings it back with the
/// scenario. A search from before a change of the catalog is marked as such.
class SearchDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this.
    SearchDesk(views::SearchView& view, const views::Document& document, LibraryDesk& library,
               QObject* parent = nullptr);

private:
    void keep();
    void restore();
    void dropPurged();
    std::string
    key() const; ///< of the setting; a document that is not a scenario of the workspace has one, too
    QByteArray catalogMark() const;
    QByteArray documentMark() const;

    views::SearchView& view_;
    const views::Document& document_;
    LibraryDesk& library_;
};

} // namespace alidade::app
