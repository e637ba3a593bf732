// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/record.h"
#include "data/workspace/schema.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Rows by table and key.
using CarvedRows = std::map<std::string, std::map<std::vector<Cell>, Row>>;

/// Finds the rows in the bytes of a database file whatever has become of its header, its schema and its
/// trees: each page is taken for a leaf of each table, and only a row whose checksum is right is believed. Of
/// two with one key the one with the later `changed` counts. The format of pages and records:
/// https://www.sqlite.org/fileformat.html
CarvedRows carveRows(std::string_view bytes, const Shapes& shapes);

} // namespace alidade::data
