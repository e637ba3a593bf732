// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/version.h"

#include <QDate>

namespace alidade::cli {

std::string programVersion() { return ALIDADE_VERSION; }

std::string today() { return QDate::currentDate().toString(Qt::ISODate).toStdString(); }

} // namespace alidade::cli
