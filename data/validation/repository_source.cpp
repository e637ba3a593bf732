// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/repository_source.h"

namespace alidade::data {

PublishedSource repositorySource(ObjectReader row) {
    row.require({"title"});
    const auto words = [&](std::string_view key) { return row.text(key).value_or(std::string()); };
    PublishedSource out;
    out.title = words("title");
    const std::string repository = words("repo"), path = words("path"), commit = words("commit");
    out.locator = words("url");
    if (out.locator.empty())
        out.locator = repository + (path.empty() ? "" : " " + path) + (commit.empty() ? "" : " @" + commit);
    out.table = words("table");
    out.date = words("date");
    row.finish();
    return out;
}

} // namespace alidade::data
