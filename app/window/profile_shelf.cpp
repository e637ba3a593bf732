// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/profile_shelf.h"

#include "data/catalog/profile_json.h"
#include "data/workspace/library.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/profiles.h"
#include "views/document/text.h"
#include "views/library/library.h"

#include <QFutureWatcher>
#include <QtConcurrent>

#include <algorithm>

namespace alidade::app {

namespace {

struct ReadProfiles {
    views::Profiles::Map profiles;
    std::string fault; ///< the first one
};

using NamedJson = std::pair<std::string, std::string>;

ReadProfiles readProfiles(const std::vector<NamedJson>& documents) {
    ReadProfiles out;
    for (const auto& [name, json] : documents) {
        if (Result<Profile> read = data::readProfileText(json, name)) {
            Profile profile = *std::move(read);
            profile.name = name;
            out.profiles[name] = std::make_shared<const Profile>(std::move(profile));
        } else if (out.fault.empty()) {
            out.fault = read.error();
        }
    }
    return out;
}

} // namespace

ProfileShelf::ProfileShelf(views::Document& document, views::Library& library, QObject* parent)
    : QObject(parent)
    , document_(document)
    , library_(library) {
    connect(&library, &views::Library::changed, this, &ProfileShelf::renew);
}

bool ProfileShelf::isUsable() const { return document_.engine().profiles != nullptr; }

QString ProfileShelf::add(const QString& name, const std::string& json) {
    const auto stored = data::documentsOf(library_.content(), data::DocumentKind::profile);
    const auto taken = [&](const std::string& wanted) {
        return wanted == "default" ||
               std::ranges::any_of(stored, [&](const auto* each) { return each->name == wanted; });
    };
    QString free = name;
    for (int number = 2; taken(free.toStdString()); ++number)
        free = QStringLiteral("%1 %2").arg(name).arg(number);
    const auto ids =
        library_.add(std::vector<views::Library::NewDocument>{{data::DocumentKind::profile, free, json, {}}},
                     tr("keep the profile %1").arg(free));
    return ids.empty() ? QString() : free;
}

void ProfileShelf::renew() {
    std::vector<std::pair<data::WorkspaceId, data::UtcMs>> wanted;
    std::vector<NamedJson> documents;
    for (const data::StoredDocument* each :
         data::documentsOf(library_.content(), data::DocumentKind::profile)) {
        wanted.emplace_back(each->id, each->changedMs);
        documents.emplace_back(each->name, each->json);
    }
    if (wanted == shown_ || !isUsable())
        return;
    shown_ = std::move(wanted);
    const int generation = ++generation_;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const ReadProfiles>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        if (generation != generation_)
            return;
        const std::shared_ptr<const ReadProfiles> read = watcher->result();
        document_.engine().profiles->set(read->profiles);
        if (!read->fault.empty())
            emit refused(views::text(read->fault));
        emit renewed();
        // What could not be estimated before, or was with a profile of the same name.
        if (document_.spec().calibration.value_or("default") != "default")
            document_.recompute();
    });
    watcher->setFuture(QtConcurrent::run([documents = std::move(documents)] {
        return std::make_shared<const ReadProfiles>(readProfiles(documents));
    }));
}

} // namespace alidade::app
