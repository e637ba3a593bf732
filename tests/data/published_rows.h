// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/scenario/fields.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// What the tests of published rows share: the rows that ship, and their scenarios in the words of the file.
namespace alidade {

inline const Catalog& shippedCatalog() { return *test::shippedCatalog(); }

inline const PublishedRows& published() {
    static const PublishedRows rows = data::shippedPublished();
    return rows;
}

template <class Row>
const Row& rowOf(const std::vector<Row>& rows, const std::string& id) {
    for (const Row& row : rows)
        if (row.id == id)
            return row;
    qFatal("no row %s", id.c_str());
}

/// A field of the spec as --set takes it; "-" if it is absent.
inline std::string textOf(const ScenarioSpec& spec, const std::string& path) {
    const Field* field = findField(path);
    if (!field)
        return "no such field";
    const std::string text = fieldText(*field, field->get(spec));
    return text.empty() ? "-" : text;
}

/// Adds a row of test data for each field that a published row fixes. Columns: id, path, text.
class SaidFields {
public:
    SaidFields() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
    }
    void operator()(const char* id, std::initializer_list<std::pair<const char*, const char*>> fields) {
        for (const auto& [path, text] : fields)
            QTest::addRow("%d %s %s", ++count_, id, path) << id << path << text;
    }

private:
    int count_ = 0;
};

} // namespace alidade
