// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// The versions of program, catalog and libraries, the license, and where figures come from. Not modal.
void showAbout(QWidget* parent, const Catalog& catalog);

} // namespace alidade::views
