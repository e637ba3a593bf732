// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/hardware/provenance.h"

#include <map>
#include <string>

namespace alidade::data {

/// Sources that the entries of a document name by key: {"use": "aws-post", "fields": [...]}, or just
/// "aws-post".
using SourceIndex = std::map<std::string, Source, std::less<>>;

/// Reads the "sources" of a document.
SourceIndex readSourceIndex(ObjectReader& document);

/// Reads "sources", "conflicts" and "notes" of an entry; absent ones leave `out` unchanged.
void readProvenance(ObjectReader& entry, const SourceIndex& index, Provenance& out);

/// Reads one complete source.
Source readSource(ObjectReader& in);

nlohmann::ordered_json sourceToJson(const Source& source);

/// Returns whether a text is a date: "2026", "2026-11" or "2026-11-20".
bool isDate(std::string_view text);

} // namespace alidade::data
