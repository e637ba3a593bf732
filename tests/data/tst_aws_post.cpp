// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of "Building Blocks for Foundation Model Training and Inference on AWS" (2026-05-12,
// https://huggingface.co/blog/amazon/foundation-model-building-blocks), stated here exactly as they are
// printed.
#include "data/catalog/catalog_reader.h"

#include <QtTest>

namespace tst_aws_post {

using namespace alidade;
using namespace alidade::data;

namespace {

constexpr double absent = 0; // a dash in the post's tables

struct PostGpu {
    const char* id;
    double bf16Pflops, fp16Pflops, fp8Pflops, fp4Pflops;
    double hbmGb, hbmTbPerSecond;
    const char* memory;
};
constexpr PostGpu postGpus[] = {
    {"h100-sxm", 0.9895, 0.9895, 1.979, absent, 80, 3.35, "HBM3"},
    {"h200-sxm", 0.9895, 0.9895, 1.979, absent, 141, 4.8, "HBM3e"},
    {"b200-sxm", 2.25, 2.25, 4.5, 9, 180, 8, "HBM3e"},
    {"b300-sxm", 2.25, 2.25, 4.5, 13.5, 288, 8, "HBM3e"},
};

struct PostInstance {
    const char* id;
    const char* gpu;
    int gpus;
    double memoryGb;
    const char* memory;
    int nvlinkGeneration;     ///< 0: none printed
    double nvlinkTbPerSecond; ///< all GPUs, both directions
    int efa;
    double efaGbPerSecond; ///< whole instance, per direction
    double nvmeTb;
};
constexpr PostInstance postInstances[] = {
    {"p5.4xlarge", "h100-sxm", 1, 80, "HBM3", 0, absent, 2, 12.5, absent},
    {"p5.48xlarge", "h100-sxm", 8, 640, "HBM3", 4, 7.2, 2, 400, 30.72},
    {"p5e.48xlarge", "h200-sxm", 8, 1128, "HBM3e", 4, 7.2, 2, 400, 30.72},
    {"p5en.48xlarge", "h200-sxm", 8, 1128, "HBM3e", 4, 7.2, 3, 400, 30.72},
    {"p6-b200.48xlarge", "b200-sxm", 8, 1440, "HBM3e", 5, 14.4, 4, 400, 30.72},
    {"p6-b300.48xlarge", "b300-sxm", 8, 2100, "HBM3e", 5, 14.4, 4, 800, 30.72},
    {"p6e-gb200.36xlarge", "gb200", 4, 740, "HBM3e", 0, absent, 4, 200, absent},
};

struct PostUltraServer {
    const char* id;
    int gpus;
    double hbmTb, efaGbPerSecond;
};
constexpr PostUltraServer postUltraServers[] = {
    {"u-p6e-gb200x36", 36, 6.7, 1800},
    {"u-p6e-gb200x72", 72, 13.4, 3600},
};

const Catalog& catalog() {
    static const auto loaded = loadShippedCatalog().catalog;
    return *loaded;
}

template <class Q>
void comparePrinted(const std::optional<Q>& value, double printed, double unit) {
    QCOMPARE(value.has_value(), printed != absent);
    if (value)
        QCOMPARE(value->si() / unit, printed);
}

/// The entry must name the post as the source of the value.
void compareSource(const Provenance& provenance, std::string_view key) {
    const Source* source = sourceOf(provenance, key);
    QVERIFY(source != nullptr);
    QCOMPARE(source->authority, std::string("aws_post"));
    QCOMPARE(source->date, std::string("2026-05-12"));
}

bool hasConflict(const Provenance& provenance, const char* words) {
    return std::ranges::any_of(
        provenance.conflicts, [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

} // namespace

class TestAwsPost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gpus();
    void instances();
    void localNvmeConflictIsVisible();
    void ultraServers();
    void efaGenerations();
};

void TestAwsPost::gpus() {
    for (const PostGpu& post : postGpus) {
        const Gpu* gpu = catalog().gpu(post.id);
        QVERIFY2(gpu != nullptr, post.id);
        constexpr double peta = 1e15;
        comparePrinted(gpu->peak(Precision::bf16), post.bf16Pflops, peta);
        comparePrinted(gpu->peak(Precision::fp16), post.fp16Pflops, peta);
        comparePrinted(gpu->peak(Precision::fp8), post.fp8Pflops, peta);
        comparePrinted(gpu->peak(Precision::mxfp8), post.fp8Pflops, peta);
        comparePrinted(gpu->peak(Precision::nvfp4), post.fp4Pflops, peta);
        QCOMPARE(gpu->memory.si(), post.hbmGb * 1e9);
        QCOMPARE(gpu->memoryBandwidth.si(), post.hbmTbPerSecond * 1e12);
        QCOMPARE(gpu->memoryType, std::string(post.memory));
        for (const char* key : {"dense_bf16_tflops", "dense_fp16_tflops", "dense_fp8_tflops",
                                "hbm_capacity_gb", "hbm_bandwidth_gb_per_s", "memory_type"})
            compareSource(gpu->provenance, key);
    }
}

void TestAwsPost::instances() {
    for (const PostInstance& post : postInstances) {
        const Instance* instance = catalog().instance(post.id);
        QVERIFY2(instance != nullptr, post.id);
        QCOMPARE(instance->gpu, std::string(post.gpu));
        QCOMPARE(instance->gpus, post.gpus);
        QCOMPARE(instance->gpuMemory.value().si(), post.memoryGb * 1e9);
        QCOMPARE(catalog().gpu(instance->gpu)->memoryType, std::string(post.memory));
        if (post.nvlinkGeneration != 0) {
            QCOMPARE(instance->nvlinkGeneration.value(), post.nvlinkGeneration);
            QCOMPARE(instance->nvlinkAggregateBidirectional.value().si(), post.nvlinkTbPerSecond * 1e12);
            compareSource(instance->provenance, "nvlink_bandwidth_tb_per_s_total_bidirectional");
        }
        QCOMPARE(instance->efaGeneration.value(), post.efa);
        QCOMPARE(instance->efaPerDirection.value().si(), post.efaGbPerSecond * 1e9);
        comparePrinted(instance->nvmeRaw, post.nvmeTb, 1e12);
        for (const char* key :
             {"gpus", "gpu_memory_gb_total", "efa_generation", "efa_bandwidth_gb_per_s_per_direction"})
            compareSource(instance->provenance, key);
    }
}

void TestAwsPost::localNvmeConflictIsVisible() {
    // The post markets 8 x 3.84 TB; the EC2 API counts 8 x 3,800 GB. Both stay, and the entry says so.
    for (const PostInstance& post : postInstances) {
        if (post.nvmeTb == absent)
            continue;
        const Instance* instance = catalog().instance(post.id);
        QCOMPARE(instance->nvmeDrives.value(), 8);
        QCOMPARE(instance->nvme.value().si(), 30400e9);
        QVERIFY2(hasConflict(instance->provenance, "30.72 TB"), post.id);
        compareSource(instance->provenance, "local_nvme_tb_raw");
    }
}

void TestAwsPost::ultraServers() {
    for (const PostUltraServer& post : postUltraServers) {
        const UltraServer* server = catalog().ultraserver(post.id);
        QVERIFY2(server != nullptr, post.id);
        QCOMPARE(server->instance, std::string("p6e-gb200.36xlarge"));
        QCOMPARE(server->gpus, post.gpus);
        QCOMPARE(server->nvlinkDomain, post.gpus);
        QCOMPARE(server->instances * catalog().instance(server->instance)->gpus, post.gpus);
        QCOMPARE(server->gpuMemory.value().si(), post.hbmTb * 1e12);
        QCOMPARE(server->efaGeneration.value(), 4);
        QCOMPARE(server->efaPerDirection.value().si(), post.efaGbPerSecond * 1e9);
        for (const char* key :
             {"gpus", "gpu_memory_tb_total", "efa_generation", "efa_bandwidth_gb_per_s_per_direction"})
            compareSource(server->provenance, key);
    }
}

void TestAwsPost::efaGenerations() {
    const EfaGeneration* third = catalog().efaGeneration(3);
    QCOMPARE(third->latencyVsPrevious.value(), -0.35);
    compareSource(third->provenance, "latency_vs_previous_percent");
    const EfaGeneration* fourth = catalog().efaGeneration(4);
    QCOMPARE(fourth->collectivesVsPrevious.value(), 0.18);
    QVERIFY(!fourth->latencyVsPrevious); // not published
    compareSource(fourth->provenance, "collectives_vs_previous_percent");
    QCOMPARE(catalog().efaGeneration(2)->maxAggregatePerDirection.value().si(), 400e9);
    QCOMPARE(third->maxAggregatePerDirection.value().si(), 400e9);
    QCOMPARE(fourth->maxAggregatePerDirection.value().si(), 800e9);
}

QTEST_APPLESS_MAIN(TestAwsPost)

} // namespace tst_aws_post

#include "tst_aws_post.moc"
