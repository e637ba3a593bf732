// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/locator.h"

#include <QList>

class QAction;
class QMenu;

namespace alidade::views {
class CatalogView;
class Document;
} // namespace alidade::views

namespace alidade::app {

// What "Go to Anything" offers, source by source.

/// Text of an action without its mnemonic and dots.
QString plainText(const QAction* action);

/// Words next to an action's text by which it is also found: property of the action.
inline constexpr char keywordsProperty[] = "keywords";

/// The enabled actions of a menu and of those inside it.
QList<LocatorEntry> entriesOfMenu(const QMenu* menu, const QString& place);
/// The fields that apply to the present scenario.
QList<LocatorEntry> entriesOfFields(const views::Document& document,
                                    const std::function<void(std::string_view path)>& edit);
/// Every entry of the catalog in force; `show` is called before its row is gone to.
QList<LocatorEntry> entriesOfCatalog(views::CatalogView& catalog, const std::function<void()>& show);

} // namespace alidade::app
