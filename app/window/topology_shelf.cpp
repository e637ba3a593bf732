// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/topology_shelf.h"

#include "data/catalog/profile_json.h"
#include "data/topology/attach.h"
#include "data/topology/import.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/library/library.h"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace alidade::app {

TopologyShelf::TopologyShelf(views::Document& document, views::Library& library, QObject* parent)
    : QObject(parent)
    , document_(document)
    , library_(library)
    , base_(document.catalog())
    , reading_(this) {
    connect(&reading_, &SlowWork::canceled, this, [this] { stopReading_.request_stop(); });
    connect(&document, &views::Document::aboutToOpen, &reading_, &SlowWork::cancel);
    connect(&document, &views::Document::specChanged, this, &TopologyShelf::nameInput);
    connect(&document, &views::Document::fileNameChanged, this, &TopologyShelf::nameInput);
    connect(&library, &views::Library::changed, this, &TopologyShelf::renew);
}

TopologyShelf::~TopologyShelf() { stopReading_.request_stop(); }

void TopologyShelf::renew() {
    std::vector<std::pair<data::WorkspaceId, data::UtcMs>> wanted;
    std::vector<Named> documents;
    for (const data::StoredDocument* each :
         data::documentsOf(library_.content(), data::DocumentKind::topology)) {
        wanted.emplace_back(each->id, each->changedMs);
        documents.emplace_back(each->name, each->json);
    }
    std::vector<Named> profiles;
    for (const data::StoredDocument* each :
         data::documentsOf(library_.content(), data::DocumentKind::profile)) {
        wanted.emplace_back(each->id, each->changedMs);
        profiles.emplace_back(each->name, each->json);
    }
    if (wanted == shown_)
        return;
    shown_ = std::move(wanted);
    read(std::move(documents), std::move(profiles));
}

void TopologyShelf::read(std::vector<Named> documents, std::vector<Named> profiles) {
    const int generation = ++generation_;
    views::runFor(
        this, views::Work::waiting,
        [base = base_, documents = std::move(documents),
         profiles = std::move(profiles)]() -> std::shared_ptr<const Catalog> {
            auto catalog = std::make_shared<Catalog>(*base);
            for (const auto& [name, json] : documents)
                if (auto read = data::importTopology({{name, json}}); read.topology) {
                    read.topology->name = name;
                    catalog->topologies.push_back(*std::move(read.topology));
                }
            for (const auto& [name, json] : profiles)
                if (auto read = data::readProfileText(json)) {
                    read->name = name; // the one that scenarios call it by
                    catalog->profiles.push_back(*std::move(read));
                }
            return catalog;
        },
        [this, generation](const std::shared_ptr<const Catalog>& catalog) {
            if (generation != generation_)
                return;
            document_.setCatalog(catalog);
            attachToFile();
        });
}

/// The file that an open scenario names; a topology of the library has none.
void TopologyShelf::nameInput() {
    const auto& name = document_.spec().cluster.topology;
    const std::string scenario = document_.fileName().toStdString();
    if (scenario.empty() || !name)
        input_.name({}, {});
    else
        input_.name(QDir(QFileInfo(document_.fileName()).absolutePath())
                        .absoluteFilePath(views::text(*name))
                        .toStdString(),
                    tr("the topology of the open scenario").toStdString());
}

void TopologyShelf::attachToFile() {
    nameInput();
    if (document_.fileName().isEmpty() || !document_.spec().cluster.topology)
        return;
    reading_.cancel();
    stopReading_ = std::stop_source();
    using Attached = Result<std::shared_ptr<const Catalog>>;
    const std::stop_token stop = stopReading_.get_token();
    views::runFor(
        this, views::Work::waiting,
        [catalog = document_.catalog(), spec = document_.spec(), file = document_.fileName().toStdString(),
         stop] { return data::attachTopology(catalog, spec, file, stop); },
        [this, stop, generation = generation_](const Attached& attached) {
            if (stop.stop_requested())
                return;
            reading_.end();
            if (generation != generation_)
                return; // the catalog that is on its way comes here again
            if (!attached)
                emit refused(views::text(attached.error()));
            else if (*attached != document_.catalog())
                document_.setCatalog(*attached);
        });
    reading_.begin(tr("Reading the topology of %1").arg(document_.displayName()));
}

} // namespace alidade::app
