// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/search_desk.h"

#include "app/window/library_desk.h"
#include "data/scenario/scenario_json.h"
#include "data/workspace/library.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/search/search_view.h"

#include <QCryptographicHash>

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

namespace alidade::app {

namespace {

/// Before the id of a scenario.
constexpr std::string_view prefix = "search:";

} // namespace

SearchDesk::SearchDesk(views::SearchView& view, const views::Document& document, LibraryDesk& library,
                       QObject* parent)
    : QObject(parent)
    , view_(view)
    , document_(document)
    , library_(library) {
    view.setCatalogMark([this] { return catalogMark(); });
    connect(&view, &views::SearchView::answerChanged, this, &SearchDesk::keep);
    const auto later = [this] {
        QMetaObject::invokeMethod(this, &SearchDesk::restore, Qt::QueuedConnection);
    };
    connect(&document, &views::Document::aboutToOpen, this, later);
    connect(&library.keeper(), &ScenarioKeeper::changed, this, later);
    connect(&library.session(), &WorkspaceSession::opened, this, [this, later] {
        dropPurged();
        later();
    });
}

std::string SearchDesk::key() const {
    const data::WorkspaceId scenario = library_.keeper().scenario();
    return std::string(prefix) + (scenario != 0 ? std::to_string(scenario) : "open");
}

/// The shipped catalog, and of the workspace the changes over it and the topologies that it has.
QByteArray SearchDesk::catalogMark() const {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray::fromStdString(document_.catalog()->version));
    for (const auto kind : {data::DocumentKind::catalogChange, data::DocumentKind::topology})
        for (const data::StoredDocument* each : data::documentsOf(library_.session().content(), kind))
            hash.addData(
                QByteArray(QByteArray::number(each->id) + ' ' + QByteArray::number(each->changedMs) + '\n'));
    if (!library_.session().isOpen()) // nothing tells what was changed
        hash.addData(QByteArray::number(reinterpret_cast<quintptr>(document_.catalog().get())));
    return hash.result().toHex();
}

QByteArray SearchDesk::documentMark() const {
    return QCryptographicHash::hash(QByteArray::fromStdString(data::writeScenario(document_.spec())),
                                    QCryptographicHash::Sha256)
        .toHex();
}

/// The marks in a separate line, then the search.
void SearchDesk::keep() {
    const QByteArray saved = view_.saved();
    if (saved.isEmpty())
        return;
    library_.session().keepSetting(key().c_str(), view_.answerMark() + ' ' + documentMark() + '\n' + saved);
}

/// Where the page has an answer already, the document became a scenario of the workspace with it.
void SearchDesk::restore() {
    if (view_.answer()) {
        keep();
        return;
    }
    const QByteArray kept = library_.session().setting(key().c_str());
    const qsizetype end = kept.indexOf('\n'), space = kept.indexOf(' ');
    if (end < 0 || space < 0 || space > end)
        return;
    // What is not a scenario of the workspace is told by its content.
    if (library_.keeper().scenario() != 0 || kept.mid(space + 1, end - space - 1) == documentMark())
        view_.restore(kept.mid(end + 1), kept.left(space));
}

/// Scenarios that are gone for good do not need their searches.
void SearchDesk::dropPurged() {
    WorkspaceSession& session = library_.session();
    if (!session.isWritable())
        return;
    std::vector<std::string> gone;
    for (const auto& [name, value] : session.content().settings) {
        data::WorkspaceId scenario = 0;
        if (!name.starts_with(prefix))
            continue;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + prefix.size(), end, scenario);
        if (read.ec == std::errc() && read.ptr == end && !session.content().scenarios.contains(scenario))
            gone.push_back(name);
    }
    for (const std::string& each : gone)
        std::ignore = session.writer().commit({{data::PutSetting{each, std::nullopt}}});
}

} // namespace alidade::app
