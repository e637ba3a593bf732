// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "model/units/format.h"

#include <initializer_list>

namespace alidade::cli {

// Parts of the tables that the pages of several commands print.

inline data::Cell words(const std::string& text, data::Emphasis emphasis = data::Emphasis::none) {
    return {text, std::nullopt, Dimension::number, std::nullopt, emphasis};
}

inline data::Column column(const char* title, data::ColumnKind kind,
                           Dimension dimension = Dimension::number) {
    return {title, kind, dimension, title};
}

namespace cells {

inline std::string number(double value) { return formatQuantity(value, Dimension::number); }
inline std::string share(double value) { return formatQuantity(value, Dimension::ratio); }
inline std::string seconds(double value) { return formatQuantity(value, Dimension::seconds); }

/// A table of words.
inline data::Table table(std::initializer_list<const char*> titles) {
    data::Table out;
    for (const char* title : titles)
        out.columns.push_back(column(title, data::ColumnKind::text));
    return out;
}

} // namespace cells

} // namespace alidade::cli
