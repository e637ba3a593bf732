// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/shared_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Where catalog values come from.
struct Source {
    std::string title;
    std::string url;
    std::string path;      ///< place inside the source (file, table), may be empty
    std::string date;      ///< as the source states it, ISO 8601 where it can be; may be empty
    std::string authority; ///< e.g. "aws_post", "vendor_source_code"; may be empty
    /// False: the value is the widely quoted one, the cited text itself was not read.
    bool textChecked = true;
    /// Keys or patterns ("dense_*") that it stands for; empty: the whole entry.
    std::vector<std::string> fields;
};

/// What every catalog entry carries besides its values.
struct Provenance {
    std::vector<Source> sources;
    std::vector<std::string> conflicts; ///< other published values, in words
    std::vector<std::string> notes;
    bool user = false; ///< the entry is from a user catalog
};

/// Whether one of the source's `fields` names the key.
bool standsFor(const Source& source, std::string_view key);

/// The source that stands for one key of an entry ("hbm_capacity_gb"): the first one whose `fields` name it,
/// else the first one that stands for the whole entry; nullptr if there is none.
const Source* sourceOf(const Provenance& provenance, std::string_view key);

/// One line for a person: "Title (date)"; "no source: an assumption" where there is none.
std::string citation(const Provenance& provenance, std::string_view key);
/// The same behind the name of what has the value and another text: "p5.48xlarge, EFA / GPUs: Title (date)".
SharedText citation(std::string_view name, std::string_view before, const Provenance& provenance,
                    std::string_view key);

} // namespace alidade
