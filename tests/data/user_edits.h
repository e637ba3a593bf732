// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/catalog/catalog_sheet.h"
#include "data/catalog/user_catalog.h"
#include "tests/data/shipped_catalog.h"

#include <QtTest>

#include <memory>
#include <string>

namespace alidade::tests {

inline const data::Signature& ada() {
    static const data::Signature signature{"Ada", "2026-11-21T10:00:00Z", "measured on our rack", {}};
    return signature;
}

/// A user catalog that is edited as the window does it: each edit sees what the ones before it made.
class UserEdits {
public:
    explicit UserEdits(std::shared_ptr<const Catalog> shipped = test::shippedCatalog())
        : applied{shipped, {}}
        , shipped_(std::move(shipped)) {}

    data::UserCatalog user;
    data::AppliedCatalog applied;

    void take(const Result<data::CatalogChange>& change) {
        QVERIFY2(change, change.error().c_str());
        user.changes.push_back(*change);
        applied = applyChanges(shipped_, user);
    }
    void set(data::CatalogKind kind, const std::string& entry, const std::string& key,
             const std::string& value) {
        take(changeValue(*shipped_, catalog(), kind, entry, key, value, ada()));
    }
    void copy(data::CatalogKind kind, const std::string& of, const std::string& id) {
        take(duplicateEntry(catalog(), kind, of, id, ada()));
    }
    void remove(data::CatalogKind kind, const std::string& entry) {
        const auto changes = removeEntry(catalog(), kind, entry, data::WithDependants::removeToo, ada());
        QVERIFY2(changes, changes.error().c_str());
        user.changes.insert(user.changes.end(), changes->begin(), changes->end());
        applied = applyChanges(shipped_, user);
    }
    const Catalog& catalog() const { return *applied.catalog; }
    data::EffectiveValue value(data::CatalogKind kind, const std::string& entry,
                               const std::string& key) const {
        return effectiveValue(*shipped_, user, applied, kind, entry, key).value_or(data::EffectiveValue{});
    }

private:
    std::shared_ptr<const Catalog> shipped_;
};

} // namespace alidade::tests
