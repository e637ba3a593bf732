// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Source of catalog values.
struct Source {
    std::string title;
    std::string url;
    std::string path;      ///< location inside the source (file, table), may be empty
    std::string date;      ///< as the source states it, ISO 8601 if possible; may be empty
    std::string authority; ///< e.g. "aws_post", "vendor_source_code"; may be empty
    /// False: the value is widely quoted, but the cited text itself was not read.
    bool textChecked = true;
    /// Keys or patterns ("dense_*") that it covers; empty: the whole entry.
    std::vector<std::string> fields;
};

/// The sources of a catalog entry.
struct Provenance {
    std::vector<Source> sources;
    std::vector<std::string> conflicts; ///< other published values, as text
    std::vector<std::string> notes;
    bool user = false; ///< the entry is from a user catalog
};

/// Whether one of the source's `fields` names the key.
bool standsFor(const Source& source, std::string_view key);

/// The source of one key of an entry ("hbm_capacity_gb"): the first one whose `fields` name it, else the
/// first one for the whole entry; nullptr if there is none.
const Source* sourceOf(const Provenance& provenance, std::string_view key);

/// One line of text: "Title (date)", or "no source (assumption)".
std::string citation(const Provenance& provenance, std::string_view key);
/// The same after the name of the item and another text: "p5.48xlarge, EFA / GPUs: Title (date)".
SharedText citation(std::string_view name, std::string_view before, const Provenance& provenance,
                    std::string_view key);

} // namespace alidade
