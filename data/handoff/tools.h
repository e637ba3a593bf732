// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/tables.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data::handoff {

/// The tools that plans are handed to and taken from, each in one or more versions. A value; copies share the
/// tables.
class Tools {
public:
    /// Those of catalogs/handoff: TOOL.json is the usual version, TOOL-VERSION.json another one.
    static const Tools& shipped();

    /// Adds the versions of a user's documents, whose tools have to be known ones. A version that is there
    /// already is replaced.
    /// \param documents file names and their texts
    /// \param faults "FILE:/json/pointer: what is wrong; how to fix it"; the tools are then unchanged
    void add(const std::vector<std::pair<std::string, std::string>>& documents,
             std::vector<std::string>& faults);

    /// The usual version. \pre the tool is known
    const Tool& tool(std::string_view id) const;
    /// nullptr: there is no such tool, or not in this version.
    const Tool* tool(std::string_view id, std::string_view version) const;
    /// All versions of a tool, the usual one first.
    std::vector<std::string> versions(std::string_view id) const;
    /// The version that has the most of these options; of equally good ones the first.
    const Tool& fitting(std::string_view id, const std::vector<std::string>& options) const;

private:
    using Versions = std::vector<std::shared_ptr<const Tool>>;
    Versions* of(std::string_view id);
    const Versions* of(std::string_view id) const;

    std::vector<std::pair<std::string, Versions>> all_; ///< by id
};

/// The shipped tools with the versions in the folder `handoff` of a user's catalog. From any thread; reads
/// files.
/// \param userCatalog file or folder; empty: none
/// \param faults as of Tools::add, and of files that cannot be read; the tools are then the shipped ones
Tools toolsOf(const std::string& userCatalog, std::vector<std::string>& faults);

} // namespace alidade::data::handoff
