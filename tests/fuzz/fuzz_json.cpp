// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes through the JSON gate; what it lets pass is a user catalog, an architecture and a Hugging Face
// configuration. Whatever is accepted must be written and read again as the same value.
#include "data/catalog/architecture_json.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/catalog_writer.h"
#include "data/import/huggingface.h"
#include "data/json/gate.h"
#include "data/json/json.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

using namespace alidade;
using namespace alidade::data;

namespace {

void expect(bool holds, const char* what) {
    if (!holds)
        throw std::logic_error(what);
}

/// A few entries for documents to stand over and to refer to.
const std::shared_ptr<const Catalog>& base() {
    static const std::shared_ptr<const Catalog> catalog = [] {
        const CatalogLoad shipped = loadShippedCatalog();
        Catalog few;
        few.version = shipped.catalog->version;
        few.gpus = {*shipped.catalog->gpu("h100-sxm"), *shipped.catalog->gpu("gb200")};
        few.instances = {*shipped.catalog->instance("p5.48xlarge"),
                         *shipped.catalog->instance("p6e-gb200.36xlarge")};
        few.ultraservers = {*shipped.catalog->ultraserver("u-p6e-gb200x72")};
        few.efa = shipped.catalog->efa;
        few.prices = {*shipped.catalog->price("p5.48xlarge", "us-east-2", Purchase::onDemand)};
        few.models = {*shipped.catalog->model("deepseek-v3"), *shipped.catalog->model("nemotron-h-8b")};
        return std::make_shared<const Catalog>(std::move(few));
    }();
    return catalog;
}

void checkRoundTrip(const Architecture& architecture) {
    const std::string written = architectureToJson(architecture).dump();
    const Result<nlohmann::json> json = parseJson(written);
    expect(bool(json), "a written architecture is not JSON");
    const Result<Architecture> again = readArchitecture(*json);
    expect(bool(again), "a written architecture is not read again");
    expect(architectureToJson(*again).dump() == written,
           "an architecture changes when it is written and read");
}

void checkCatalogDocument(std::string_view text) {
    const CatalogLoad load = loadCatalogText(base(), "fuzz.json", text);
    expect(load.catalog != nullptr, "no catalog");
    if (!load.problems.empty()) {
        expect(load.catalog == base(), "a broken catalog is used");
        return;
    }
    for (const Gpu& gpu : load.catalog->gpus)
        expect(bool(catalogEntry(*load.catalog, CatalogKind::gpus, gpu.id, CatalogForm::json)),
               "a GPU is not shown");
    for (const Instance& instance : load.catalog->instances)
        expect(load.catalog->gpu(instance.gpu) != nullptr && instance.gpus > 0, "an instance without GPUs");
    for (const Price& price : load.catalog->prices)
        expect(price.rate.si() > 0, "a price of nothing");
    for (const Architecture& model : load.catalog->models)
        checkRoundTrip(model);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<nlohmann::json> json = parseJson(text);
    if (json) {
        const Result<nlohmann::json> again = parseJson(json->dump());
        expect(bool(again) && *again == *json, "a document changes when it is written and read");
        if (const Result<Architecture> architecture = readArchitecture(*json))
            checkRoundTrip(*architecture);
        checkCatalogDocument(text);
    } else {
        expect(json.error().starts_with("line "), "a refusal without a place");
    }
    if (const Result<Architecture> imported = importHuggingFaceConfig(text, "config.json")) {
        checkRoundTrip(*imported);
        const CatalogLoad load = loadCatalogText(base(), "model.json", architectureToCatalogText(*imported));
        expect(load.problems.empty(), "an imported model is not a catalog");
    }
    return 0;
}
