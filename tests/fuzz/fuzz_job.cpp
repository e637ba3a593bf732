// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a job: no crash, nothing executed; a fault names the file, and what was read is a scenario
// that its own reader accepts.
#include "data/catalog/catalog_reader.h"
#include "data/jobs/import_job.h"
#include "data/scenario/scenario_json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto catalog = data::loadShippedCatalog().catalog;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const data::JobReading reading = data::readJob(text, "job", *catalog);
    data::looksLikeJob(text);
    for (const std::string& fault : reading.faults)
        require(fault.starts_with("job:") && fault.size() > 6);
    for (const data::ReadField& each : reading.understood)
        require(!each.path.empty() && each.line >= 0);
    require(data::readScenario(data::writeScenario(reading.spec), "again") ? true : !reading.faults.empty());
    return 0;
}
