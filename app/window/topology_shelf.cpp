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

#include <QFutureWatcher>

#include <utility>

namespace alidade::app {

TopologyShelf::TopologyShelf(views::Document& document, views::Library& library, QObject* parent)
    : QObject(parent)
    , document_(document)
    , library_(library)
    , base_(document.catalog()) {
    connect(&library, &views::Library::changed, this, &TopologyShelf::renew);
}

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
    auto* watcher = new QFutureWatcher<std::shared_ptr<const Catalog>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        if (generation != generation_)
            return;
        document_.setCatalog(watcher->result());
        attachToFile();
    });
    watcher->setFuture(views::runOn(views::Work::waiting,
                                    [base = base_, documents = std::move(documents),
                                     profiles = std::move(profiles)]() -> std::shared_ptr<const Catalog> {
                                        auto catalog = std::make_shared<Catalog>(*base);
                                        for (const auto& [name, json] : documents)
                                            if (auto read = data::importTopology({{name, json}});
                                                read.topology) {
                                                read.topology->name = name;
                                                catalog->topologies.push_back(*std::move(read.topology));
                                            }
                                        for (const auto& [name, json] : profiles)
                                            if (auto read = data::readProfileText(json)) {
                                                read->name = name; // the one that scenarios call it by
                                                catalog->profiles.push_back(*std::move(read));
                                            }
                                        return catalog;
                                    }));
}

void TopologyShelf::attachToFile() {
    if (document_.fileName().isEmpty() || !document_.spec().cluster.topology)
        return;
    const int generation = generation_;
    using Attached = Result<std::shared_ptr<const Catalog>>;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const Attached>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        const Attached& attached = *watcher->result();
        if (generation != generation_)
            return;
        if (!attached)
            emit refused(views::text(attached.error()));
        else if (*attached != document_.catalog())
            document_.setCatalog(*attached);
    });
    watcher->setFuture(
        views::runOn(views::Work::waiting, [catalog = document_.catalog(), spec = document_.spec(),
                                            file = document_.fileName().toStdString()] {
            return std::make_shared<const Attached>(data::attachTopology(catalog, spec, file));
        }));
}

} // namespace alidade::app
