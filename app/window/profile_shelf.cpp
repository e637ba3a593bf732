// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/profile_shelf.h"

#include "data/workspace/library.h"
#include "views/library/library.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::app {

ProfileShelf::ProfileShelf(views::Library& library)
    : library_(library) {}

QString ProfileShelf::add(const QString& name, const std::string& json) {
    const auto stored = data::documentsOf(library_.content(), data::DocumentKind::profile);
    const auto taken = [&](const std::string& wanted) {
        return wanted == "default" ||
               std::ranges::any_of(stored, [&](const auto* each) { return each->name == wanted; });
    };
    QString free = name;
    for (int number = 2; taken(free.toStdString()); ++number)
        free = QStringLiteral("%1 %2").arg(name).arg(number);
    const auto ids = library_.add(
        std::vector<views::Library::NewDocument>{{data::DocumentKind::profile, free, json, {}}},
        QCoreApplication::translate("alidade::app::ProfileShelf", "save the profile %1").arg(free));
    return ids.empty() ? QString() : free;
}

} // namespace alidade::app
