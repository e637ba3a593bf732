// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <QString>

namespace alidade::views {

/// Name of a group of fields in the editor and in menus.
QString groupTitle(FieldGroup group);

} // namespace alidade::views
