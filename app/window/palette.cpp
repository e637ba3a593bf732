// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/palette.h"

#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_sheet.h"
#include "views/catalog/catalog_view.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/scenario/words.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QPointer>

namespace alidade::app {

using views::text;

namespace {

struct PaletteTexts {
    Q_DECLARE_TR_FUNCTIONS(Palette)
};

/// Its shortcut belongs to a table and acts on what is selected there.
bool needsSelection(const QAction* action) {
    return action->shortcutContext() == Qt::WidgetShortcut && !action->shortcut().isEmpty();
}

/// "8 x H100 SXM5", else nothing: many entries have no name next to their id.
template <class Entry>
QString nameOf(const Entry& entry) {
    if constexpr (requires { entry.name; })
        return text(entry.name);
    else
        return {};
}

template <class Entries>
void addEntries(QList<LocatorEntry>& list, const Entries& entries, data::CatalogKind kind,
                const QString& place, views::CatalogView& catalog, const std::function<void()>& show) {
    for (const auto& each : entries) {
        const QString id = text(each.id);
        const QString name = nameOf(each);
        const bool named = !name.isEmpty() && name != id;
        list.append({.text = named ? name : id,
                     .detail = named ? PaletteTexts::tr("%1, %2").arg(place, id) : place,
                     .keys = {},
                     .icon = views::icon(QLatin1StringView("catalog")),
                     .go =
                         [&catalog, show, kind, id] {
                             show();
                             catalog.showCell({kind, id, {}});
                         },
                     .words = {}});
    }
}

/// Triggers what the menu offers under this text at the time of the choice: a menu such as that of recent
/// files may have been filled again since it was listed, which destroys its actions.
void triggerOf(const QMenu* menu, const QString& words) {
    if (menu == nullptr)
        return;
    for (QAction* action : menu->actions()) {
        if (plainText(action) == words && action->isEnabled() && action->isVisible()) {
            action->trigger();
            return;
        }
    }
}

} // namespace

QString plainText(const QAction* action) {
    QString words = action->text();
    words.remove(QLatin1Char('&'));
    words.remove(QStringLiteral("…"));
    return words;
}

QList<LocatorEntry> entriesOfMenu(const QMenu* menu, const QString& place) {
    QList<LocatorEntry> entries;
    for (QAction* action : menu->actions()) {
        if (action->menu() != nullptr) {
            entries += entriesOfMenu(action->menu(), place + QStringLiteral(" › ") + plainText(action));
        } else if (!action->isSeparator() && action->isEnabled() && action->isVisible() &&
                   !(needsSelection(action) && !menu->menuAction()->isEnabled())) {
            entries.append(
                {.text = plainText(action),
                 .detail = place,
                 .keys = action->shortcut().toString(QKeySequence::NativeText),
                 .icon = action->icon(),
                 .go = [menu = QPointer(menu), action = QPointer(action),
                        words = plainText(action)] { action ? action->trigger() : triggerOf(menu, words); },
                 .words = action->property(keywordsProperty).toString()});
        }
    }
    return entries;
}

QList<LocatorEntry> entriesOfFields(const views::Document& document,
                                    const std::function<void(std::string_view path)>& edit) {
    QList<LocatorEntry> entries;
    for (const Field& field : fieldTable()) {
        if (!fieldApplies(field, document.spec(), *document.catalog()))
            continue;
        const std::string_view path = field.path;
        entries.append({.text = text(field.label),
                        .detail = PaletteTexts::tr("Field, %1").arg(text(path)),
                        .keys = {},
                        .icon = views::icon(QLatin1StringView("settings")),
                        .go = [edit, path] { edit(path); },
                        .words = {}});
    }
    return entries;
}

QList<LocatorEntry> entriesOfCatalog(views::CatalogView& catalog, const std::function<void()>& show) {
    const Catalog& all = catalog.editor().catalog();
    QList<LocatorEntry> list;
    const auto add = [&](const auto& entries, data::CatalogKind kind, const QString& place) {
        addEntries(list, entries, kind, place, catalog, show);
    };
    using data::CatalogKind;
    add(all.instances, CatalogKind::instances, PaletteTexts::tr("Catalog, instance type"));
    add(all.ultraservers, CatalogKind::ultraservers, PaletteTexts::tr("Catalog, UltraServer"));
    add(all.gpus, CatalogKind::gpus, PaletteTexts::tr("Catalog, GPU"));
    add(all.efa, CatalogKind::efa, PaletteTexts::tr("Catalog, EFA"));
    add(all.models, CatalogKind::models, PaletteTexts::tr("Catalog, model"));
    add(all.frameworks, CatalogKind::frameworks, PaletteTexts::tr("Catalog, framework"));
    add(all.engines, CatalogKind::engines, PaletteTexts::tr("Catalog, serving engine"));
    add(all.storage, CatalogKind::storage, PaletteTexts::tr("Catalog, storage"));
    add(all.prices, CatalogKind::prices, PaletteTexts::tr("Catalog, price"));
    return list;
}

} // namespace alidade::app
