// SPDX-License-Identifier: GPL-3.0-or-later
// How long a catalog edit takes: every view waits for the new catalog.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/catalog_sheet.h"
#include "data/catalog/user_catalog.h"

#include <benchmark/benchmark.h>

namespace {

using namespace alidade;

const std::shared_ptr<const Catalog>& shipped() {
    static const std::shared_ptr<const Catalog> catalog = data::loadShippedCatalog().catalog;
    return catalog;
}

/// So many changed prices, one value each.
data::UserCatalog changes(std::size_t count) {
    data::UserCatalog user;
    for (std::size_t i = 0; i < count; ++i) {
        data::CatalogChange change;
        change.kind = data::CatalogKind::prices;
        change.entry = shipped()->prices[i % shipped()->prices.size()].id;
        change.key = "usd_per_hour";
        change.value = "41.5";
        user.changes.push_back(std::move(change));
    }
    return user;
}

void applyOfChanges(benchmark::State& state) {
    const data::UserCatalog user = changes(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(data::applyChanges(shipped(), user));
}
BENCHMARK(applyOfChanges)->Arg(1)->Arg(100)->Arg(500)->Unit(benchmark::kMillisecond);

void sheetOfPrices(benchmark::State& state) {
    const data::UserCatalog user = changes(10);
    const data::AppliedCatalog applied = data::applyChanges(shipped(), user);
    for (auto _ : state)
        benchmark::DoNotOptimize(catalogSheet(*shipped(), user, applied, data::CatalogKind::prices));
}
BENCHMARK(sheetOfPrices)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
