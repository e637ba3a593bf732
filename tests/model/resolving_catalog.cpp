// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/resolving_catalog.h"

#include "model/hardware/purchase.h"
#include "model/plan/inputs.h"
#include "model/scenario/fields.h"
#include "model/units/text.h"

#include <QTest>

#include <cmath>
#include <utility>

namespace alidade::test {
namespace {

Provenance sheet() {
    Source source;
    source.title = "sheet";
    source.date = "2026-01";
    Provenance out;
    out.sources.push_back(std::move(source));
    return out;
}

Gpu sheetGpu(const char* id, const char* architecture, double teraflops, double gigabytesOfMemory) {
    Gpu out;
    out.id = id;
    out.name = std::string("GPU ") + id;
    out.vendor = "NVIDIA";
    out.architecture = architecture;
    out.bf16 = out.fp16 = FlopPerSecond::si(teraflops * 1e12);
    out.memory = gigabytes(gigabytesOfMemory);
    out.memoryBandwidth = BytesPerSecond::si(3e12);
    out.pcieGeneration = 5;
    out.pciePerDirection = BytesPerSecond::si(64e9);
    out.power = Watts::si(700);
    out.provenance = sheet();
    return out;
}

void addGpus(Catalog& catalog) {
    Gpu hopper = sheetGpu("hopper", "Hopper", 1000, 80);
    hopper.fp8 = FlopPerSecond::si(2000e12);
    hopper.nvlinkPerDirection = BytesPerSecond::si(450e9);
    hopper.nvlinkSharp = true;
    Gpu blackwell = sheetGpu("blackwell", "Blackwell", 2500, 192);
    blackwell.fp8 = FlopPerSecond::si(5000e12);
    blackwell.fp4 = FlopPerSecond::si(10'000e12);
    blackwell.nvlinkPerDirection = BytesPerSecond::si(900e9);
    blackwell.c2cPerDirection = BytesPerSecond::si(225e9);
    Gpu ampere = sheetGpu("ampere", "Ampere", 300, 40);
    ampere.pcieGeneration = 4;
    ampere.pciePerDirection = BytesPerSecond::si(32e9);
    Gpu turing = sheetGpu("turing", "Turing", 60, 16);
    turing.bf16.reset();
    turing.pciePerDirection.reset();
    Gpu other = sheetGpu("other", "Other", 1300, 192);
    other.vendor = "AMD";
    catalog.gpus = {hopper, blackwell, ampere, turing, other};
}

Instance sheetInstance(const char* id, const char* gpu, int gpus, double gigabytesEach) {
    Instance out;
    out.id = id;
    out.gpu = gpu;
    out.gpus = gpus;
    out.gpuMemory = gigabytes(gigabytesEach * gpus);
    out.provenance = sheet();
    return out;
}

void addMachines(Catalog& catalog) {
    Instance h8 = sheetInstance("h8", "hopper", 8, 80);
    h8.deviceReportedGpuMemory = gigabytes(85);
    h8.efaGeneration = 2;
    h8.efaPerDirection = BytesPerSecond::si(400e9);
    h8.networkCards = 32;
    h8.nvlinkDomain = 8;
    h8.topologyNetworkNodes = 3;
    h8.nvmeDrives = 8;
    h8.nvme = gigabytes(30'000);
    h8.nvmeReadIops = 2'000'000;
    Instance h1 = sheetInstance("h1", "hopper", 1, 80);
    Instance a4 = sheetInstance("a4", "ampere", 4, 40);
    a4.pcieGenerationHostToGpu = 3;
    Instance b4 = sheetInstance("b4", "blackwell", 4, 190);
    b4.efaGeneration = 4;
    b4.efaPerDirection = BytesPerSecond::si(200e9);
    b4.nvlinkDomain = 16;
    b4.ultraserverOnly = true;
    Instance x8 = sheetInstance("x8", "other", 8, 192);
    const Instance t1 = sheetInstance("t1", "turing", 1, 16);
    catalog.instances = {h8, h1, a4, b4, x8, t1};

    UltraServer rack;
    rack.id = "rack";
    rack.instance = "b4";
    rack.instances = 4;
    rack.gpu = "blackwell";
    rack.gpus = 16;
    rack.nvlinkDomain = 16;
    rack.provenance = sheet();
    catalog.ultraservers = {rack};
}

void addStorage(Catalog& catalog) {
    StorageTier lustre;
    lustre.id = "fsx-lustre-persistent2-1000";
    lustre.service = "fsx_lustre";
    lustre.throughputPerTib = BytesPerSecond::si(1e9);
    lustre.clientMax = BytesPerSecond::si(10e9);
    lustre.clientMaxEfa = BytesPerSecond::si(80e9);
    lustre.efaSupported = true;
    lustre.minCapacity = Bytes::si(1200.0 * (1 << 30));
    lustre.capacityStep = Bytes::si(2400.0 * (1 << 30));
    lustre.efaMinCapacity = Bytes::si(4800.0 * (1 << 30));
    lustre.dollarsPerGbMonth = 0.6;
    lustre.provenance = sheet();
    StorageTier s3;
    s3.id = "s3-standard";
    s3.service = "s3";
    s3.readsPerSecond = 5500;
    s3.clientMax = BytesPerSecond::si(12e9);
    s3.provenance = sheet();
    StorageTier drives;
    drives.id = "h8-drives";
    drives.service = "instance_store";
    drives.provenance = sheet();
    catalog.storage = {lustre, s3, drives};
}

Price sheetPrice(const char* item, const char* region, Purchase purchase, double rate,
                 const char* terms = "") {
    Price out;
    out.id = std::string(item) + "/" + region + "/" + std::string(purchaseWord(purchase));
    out.item = item;
    out.region = region;
    out.purchase = purchase;
    out.terms = terms;
    out.rate = DollarsPerHour::si(rate);
    out.date = "2026-11-20";
    out.provenance = sheet();
    return out;
}

void addPrices(Catalog& catalog) {
    catalog.prices = {
        sheetPrice("h8", "us-east-2", Purchase::onDemand, 40),
        sheetPrice("h8", "us-west-2", Purchase::onDemand, 44),
        sheetPrice("h8", "us-east-2", Purchase::capacityBlock, 30),
        sheetPrice("h8", "us-east-2", Purchase::reserved, 24, "1 year, no upfront, standard"),
        sheetPrice("h8", "us-east-2", Purchase::reserved, 16, "3 years, all upfront, standard"),
        sheetPrice("h8", "us-east-2", Purchase::spot, 8),
        sheetPrice("h1", "us-west-2", Purchase::onDemand, 5),
        sheetPrice("rack", "us-east-1", Purchase::capacityBlock, 200),
    };
    TransferTier first;
    first.upToGb = 10'000;
    first.dollarsPerGb = 0.09;
    TransferTier rest;
    rest.dollarsPerGb = 0.05;
    catalog.transfer.tiers = {first, rest};
}

void addModels(Catalog& catalog) {
    Architecture dense;
    dense.id = "dense";
    dense.name = "Dense 1";
    dense.family = "one";
    dense.layers = 8;
    dense.hiddenSize = 1024;
    dense.attentionHeads = 16;
    dense.kvHeads = 4;
    dense.headDim = 64;
    dense.ffnIntermediateSize = 4096;
    dense.vocabSize = 32'000;
    dense.maxContextTokens = 8192;
    dense.nativeWeightFormat = "bf16";
    dense.provenance = sheet();
    Architecture experts = dense;
    experts.id = "experts";
    experts.name = "Experts 1";
    experts.ffnIntermediateSize = 0;
    MoeShape moe;
    moe.routedExperts = 16;
    moe.expertsPerToken = 2;
    moe.expertIntermediateSize = 2048;
    experts.moe = moe;
    catalog.models = {dense, experts};
}

Framework softwareOf(const char* id, const char* name, const char* stack) {
    Framework out;
    out.id = id;
    out.name = name;
    out.stack = stack;
    out.version = "1.2";
    out.provenance = sheet();
    return out;
}

void addSoftware(Catalog& catalog) {
    Framework megatron = softwareOf("megatron-core", "Megatron-Core", "megatron");
    megatron.defaults = {{"plan.sharding", "zero1"}, {"plan.overlap.gradient", "0.5"}};
    megatron.moeDefaults = {{"plan.dispatcher", "deepep"}};
    const Framework titan = softwareOf("torchtitan", "TorchTitan", "fsdp");
    const Framework plain = softwareOf("plain", "Plain", "*");
    catalog.frameworks = {megatron, titan, plain};
    Framework vllm = softwareOf("vllm", "vLLM", "vllm");
    vllm.memoryShare = "all";
    vllm.cacheOfRequest = "growing";
    vllm.smallGpuDefaults = {{"plan.chunk_tokens", "2048"}};
    vllm.nativeWeights = {"nvfp4"};
    Framework whole = softwareOf("whole-engine", "Whole", "whole");
    whole.memoryShare = "rest";
    whole.cacheOfRequest = "whole";
    catalog.engines = {vllm, whole};
}

/// A plausible size of every constant, by what it measures.
double usualValue(const InputInfo& info) {
    const std::string_view name = info.name;
    if (name.ends_with("_fill"))
        return 0;
    if (name == "optimizer_bytes")
        return 12;
    if (name == "optimizer_traffic")
        return 30;
    switch (info.dimension) {
    case Dimension::ratio:
        return 0.5;
    case Dimension::seconds:
        return 1e-5;
    case Dimension::bytes:
        return 2;
    case Dimension::bytesPerSecond:
        return 1e9;
    case Dimension::watts:
        return 100;
    case Dimension::tokens:
        return 64;
    default:
        return 1;
    }
}

void addConstants(Catalog& catalog) {
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (!isConstant(input))
            continue;
        Parameter constant;
        constant.name = inputInfo(input).name;
        constant.gpu = constant.precision = constant.stack = "*";
        constant.value = usualValue(inputInfo(input));
        constant.source = "usual";
        catalog.defaultProfile.parameters.push_back(std::move(constant));
    }
}

} // namespace

Catalog resolvingCatalog() {
    Catalog out;
    out.version = "2026-11-20";
    addGpus(out);
    addMachines(out);
    addStorage(out);
    addPrices(out);
    addModels(out);
    addSoftware(out);
    addConstants(out);
    return out;
}

const Catalog& sharedCatalog() {
    static const Catalog catalog = resolvingCatalog();
    return catalog;
}

ScenarioSpec smallTraining() {
    return edited({}, {{"workload.model", "dense"},
                       {"workload.sequence_length", "1024"},
                       {"workload.global_batch", "32"},
                       {"cluster.instance", "h8"},
                       {"cluster.instances", "4"}});
}

ScenarioSpec smallServing() {
    return edited({}, {{"workload.kind", "serving"},
                       {"workload.model", "dense"},
                       {"workload.input_tokens", "500"},
                       {"workload.output_tokens", "100"},
                       {"workload.request_rate_per_s", "2"},
                       {"cluster.instance", "h8"},
                       {"cluster.instances", "1"}});
}

ScenarioSpec smallReinforcement() {
    return edited({}, {{"workload.kind", "reinforcement_learning"},
                       {"workload.model", "dense"},
                       {"workload.prompts_per_step", "16"},
                       {"workload.samples_per_prompt", "4"},
                       {"workload.prompt_tokens", "200"},
                       {"workload.response_tokens", "300"},
                       {"cluster.instance", "h8"},
                       {"cluster.instances", "2"}});
}

Edit editOf(std::string_view text) {
    Edit out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view part = trimmed(text.substr(0, end));
        const std::size_t equals = part.find('=');
        if (!part.empty())
            out.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

ScenarioSpec edited(ScenarioSpec spec, const Edit& edit) {
    for (const auto& [path, text] : edit) {
        auto next = withField(spec, path, text);
        if (!next)
            qFatal("%s=%s: %s", path.c_str(), text.c_str(), next.error().c_str());
        spec = *std::move(next);
    }
    return spec;
}

Scenario resolved(const ScenarioSpec& spec, const Catalog& catalog) {
    auto out = resolve(spec, catalog, catalog.defaultProfile);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

QByteArray refusalOf(const ScenarioSpec& spec, const Catalog& catalog) {
    const auto out = resolve(spec, catalog, catalog.defaultProfile);
    return out ? QByteArray() : QByteArray::fromStdString(out.error());
}

QByteArray problemsOf(const Scenario& scenario) {
    QByteArrayList out;
    for (const Problem& each : scenario.problems) {
        const char* severity = each.severity == Severity::error     ? "error "
                               : each.severity == Severity::warning ? "warning "
                                                                    : "info ";
        out.append(QByteArray(severity) + QByteArray::fromStdString(each.place + ": " + each.message));
    }
    return out.join("\n");
}

QByteArray originOfInput(const Scenario& scenario, Input input) {
    const InputOrigin& origin = scenario.origins[static_cast<std::size_t>(input)];
    if (!origin.used)
        return "unused";
    const char* kinds[] = {"catalog", "fitted", "assumed", "user", "derived"};
    return QByteArray(kinds[static_cast<std::size_t>(origin.kind)]) + ": " +
           QByteArray::fromStdString(origin.source.str());
}

QByteArray differences(const Scenario& scenario, std::string_view expected) {
    QByteArrayList out;
    while (!expected.empty()) {
        const std::size_t end = std::min(expected.find(';'), expected.size());
        const std::string_view part = trimmed(expected.substr(0, end));
        const std::size_t sign = part.find_first_of("=~");
        const std::string name(part.substr(0, sign));
        const QByteArray wanted = QByteArray::fromStdString(std::string(part.substr(sign + 1)));
        std::size_t input = 0;
        while (input < inputCount && name != inputInfo(static_cast<Input>(input)).name)
            ++input;
        QByteArray found = "no such name";
        bool same = false;
        if (const Field* field = findField(name)) {
            found = QByteArray::fromStdString(fieldText(*field, field->get(scenario.spec)));
            same = found == wanted;
        } else if (input < inputCount && part[sign] == '~') {
            found = originOfInput(scenario, static_cast<Input>(input));
            same = found == wanted;
        } else if (input < inputCount) {
            const double value = scenario.inputs.values[input], other = wanted.toDouble(&same);
            found = QByteArray::number(value, 'g', 12);
            same = same && std::abs(value - other) <= 1e-9 * std::abs(other);
        }
        if (!same)
            out.append(QByteArray::fromStdString(name) + " is " + found + ", not " + wanted);
        expected.remove_prefix(std::min(end + 1, expected.size()));
    }
    return out.join("\n");
}

} // namespace alidade::test
