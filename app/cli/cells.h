// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

namespace alidade::cli {

// Parts of the tables that the pages of several commands print.

inline data::Cell words(const std::string& text, data::Emphasis emphasis = data::Emphasis::none) {
    return {text, std::nullopt, Dimension::number, std::nullopt, emphasis};
}

inline data::Column column(const char* title, data::ColumnKind kind,
                           Dimension dimension = Dimension::number) {
    return {title, kind, dimension, title};
}

} // namespace alidade::cli
