// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <QString>

namespace alidade::views {

/// A choice's word for a person: "zero1" -> "ZeRO-1".
QString choiceText(std::string_view path, std::string_view word);

/// What an integer counts, shown next to it: "tokens", "sequences", "instances"; often empty.
QString unitOf(const Field& field);

} // namespace alidade::views
