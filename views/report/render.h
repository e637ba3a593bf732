// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "model/base/result.h"
#include "views/report/pdf.h"

#include <QString>

namespace alidade::views {

/// The suffixes that writeReport knows, with their dots, in the order of the documentation.
QStringList reportSuffixes();

/// Whether writing to this path needs a QGuiApplication: .pdf and .html are laid out with fonts, the others
/// are not.
bool reportNeedsGui(const QString& path);

/// Writes a report in the form that the suffix of the path names. The file is replaced as a whole or not at
/// all.
/// \returns the bytes written, or why nothing was (without the path): an unknown suffix, no fonts, no
/// permission, a full disk
Result<qint64> writeReport(const data::Report& report, const QString& path, Paper paper = Paper::a4);

/// "a4" or "letter"; nullopt for anything else.
std::optional<Paper> paperNamed(const QString& name);

} // namespace alidade::views
