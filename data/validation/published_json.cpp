// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"

#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <set>

namespace alidade::data {
namespace {

/// Adds a row to its list unless there is a fault in it or its id is taken.
template <class Row>
void add(std::vector<Row>& rows, std::optional<Row> row, std::set<std::string>& ids, ObjectReader& reader) {
    if (!row)
        return;
    if (!ids.insert(row->id).second) {
        reader.fault("id", "'" + row->id + "' is used above already; each row needs its own id");
        return;
    }
    rows.push_back(std::move(*row));
}

void read(const nlohmann::json& row, const std::string& pointer, std::set<std::string>& ids,
          PublishedRows& out, std::vector<JsonFault>& faults) {
    ObjectReader reader(row, pointer, faults);
    if (!reader.isObject())
        return;
    if (reader.has("models") && reader.has("placement")) {
        add(out.reinforcement, readReinforcementRow(reader), ids, reader);
    } else if (reader.has("method") && reader.has("parallelism")) {
        add(out.finetune, readFinetuneRow(reader), ids, reader);
    } else if (reader.has("op")) {
        add(out.collectives, readCollectiveRow(reader), ids, reader);
    } else if (reader.has("parallelism") && reader.has("batch")) {
        add(out.training, readTrainingRow(reader), ids, reader);
    } else if (reader.has("engine")) {
        add(out.serving, readServingRow(reader), ids, reader);
    } else if (reader.has("boundary")) {
        add(out.runs, readEnergyRow(reader), ids, reader);
    } else if (reader.has("operation")) {
        add(out.runs, readStorageRow(reader), ids, reader);
    } else if (reader.has("cluster") && reader.has("confidence")) {
        add(out.runs, readReliabilityRow(reader), ids, reader);
    } else {
        reader.fault(
            {}, "neither a training row (\"parallelism\" and \"batch\") nor a serving row (\"engine\") nor "
                "a collective row (\"op\") nor one of reinforcement learning (\"models\" and "
                "\"placement\") nor one of a whole run (\"cluster\", \"operation\" or \"boundary\")");
    }
}

} // namespace

PublishedRows readPublished(std::string_view text, std::vector<JsonFault>& faults) {
    PublishedRows out;
    const auto json = parseJson(text);
    if (!json) {
        addFault(faults, {{}, json.error()});
        return out;
    }
    if (!json->is_array()) {
        addFault(faults, {{}, describe(*json) + " where an array of measurements is needed"});
        return out;
    }
    std::set<std::string> ids;
    for (std::size_t i = 0; i < json->size(); ++i)
        read((*json)[i], below({}, i), ids, out, faults);
    return out;
}

PublishedRows shippedPublished() {
    std::vector<JsonFault> faults;
    PublishedRows out;
    for (const char* name :
         {"training", "collectives", "serving", "rl", "finetune", "reliability", "storage", "energy"}) {
        out.append(readPublished(shippedDocument("validation/" + std::string(name) + ".json"), faults));
    }
    assert(faults.empty());
    return out;
}

} // namespace alidade::data
