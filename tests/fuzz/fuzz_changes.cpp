// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a user catalog, and as what a person types into a cell: no crash; what is read is written as a
// document that is read again as the same; a proposal is a text that is accepted.
#include "data/catalog/catalog_keys.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/cell_text.h"
#include "data/catalog/user_catalog_json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

/// Few entries, so that each input costs little.
const std::shared_ptr<const Catalog>& base() {
    static const std::shared_ptr<const Catalog> catalog = [] {
        Catalog small = *data::loadShippedCatalog().catalog;
        small.prices.resize(1);
        small.models.resize(2);
        small.storage.clear();
        return std::make_shared<const Catalog>(std::move(small));
    }();
    return catalog;
}

void checkDocument(std::string_view text) {
    const auto user = data::userCatalogFromJson(*base(), text, "fuzz.json");
    if (!user) {
        require(!user.error().empty());
        return;
    }
    const data::AppliedCatalog applied = data::applyChanges(base(), *user);
    require(applied.catalog != nullptr && applied.setAside.size() <= user->changes.size());
    const auto again = data::userCatalogFromJson(*base(), data::userCatalogToJson(*user, {}), "fuzz.json");
    require(again && again->changes.size() == user->changes.size());
}

void checkCell(data::CatalogKind kind, const data::CatalogKey& key, std::string_view text) {
    const data::CellReading reading = data::readCell(*base(), kind, key.key, text);
    if (reading) {
        const auto same = data::canonical(kind, key.key, *reading.value);
        require(same && *same == *reading.value);
    } else {
        require(!reading.reason.empty());
        require(reading.proposal.empty() || data::readCell(*base(), kind, key.key, reading.proposal));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    checkDocument(text);
    if (size > 0 && size < 100) { // what people type is short; one kind an input
        const auto kind = static_cast<data::CatalogKind>(data[0] % (data::catalogKindNames.size() - 1));
        for (const data::CatalogKey& key : data::catalogKeys(kind))
            checkCell(kind, key, text.substr(1));
    }
    return 0;
}
