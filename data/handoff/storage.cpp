// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/storage.h"

#include "data/json/json.h"
#include "model/base/text.h"
#include "model/reliability/run_core.h"
#include "model/scenario/fields.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

Json claimOf(const std::string& name, const std::string& storageClass, const std::string& size) {
    return {{"apiVersion", "v1"},
            {"kind", "PersistentVolumeClaim"},
            {"metadata", {{"name", name}}},
            {"spec",
             {{"accessModes", Json::array({"ReadWriteMany"})},
              {"storageClassName", storageClass},
              {"resources", {{"requests", {{"storage", size}}}}}}}};
}

std::vector<Json> lustreObjects(const Storage& storage, const std::string& name) {
    if (!storage.isProvisioned()) // an existing class has to make it
        return {claimOf(name, "CHANGE_ME_STORAGE_CLASS", "1Gi")};
    Json parameters = {{"subnetId", "CHANGE_ME_PRIVATE_SUBNET"},
                       {"securityGroupIds", "CHANGE_ME_SECURITY_GROUP"},
                       {"deploymentType", storage.shared->deployment},
                       {"storageType", storage.shared->medium}};
    if (storage.shared->deployment.starts_with("PERSISTENT"))
        parameters["perUnitStorageThroughput"] = std::to_string(storage.megabytesPerTib());
    if (storage.efa) {
        parameters["efaEnabled"] = "true";
        parameters["metadataConfigurationMode"] = "AUTOMATIC"; // EFA requires one
    }
    const Json made = {{"apiVersion", "storage.k8s.io/v1"},
                       {"kind", "StorageClass"},
                       {"metadata", {{"name", name}}},
                       {"provisioner", storageDriver("fsx_lustre")},
                       {"parameters", parameters},
                       {"reclaimPolicy", "Retain"}, // checkpoints outlive the claim
                       {"mountOptions", Json::array({"flock"})}};
    return {made, claimOf(name, name, std::to_string(storage.gib()) + "Gi")};
}

std::vector<Json> bucketObjects(const Storage& storage, const std::string& name) {
    // Kubernetes wants a size, which the driver ignores.
    Json claim = claimOf(name, "", "1Gi");
    claim["spec"]["volumeName"] = name;
    Json options = Json::array({"allow-delete", "allow-overwrite"});
    if (!storage.region.empty())
        options.push_back("region " + storage.region);
    const Json volume = {{"apiVersion", "v1"},
                         {"kind", "PersistentVolume"},
                         {"metadata", {{"name", name}}},
                         {"spec",
                          {{"capacity", {{"storage", "1Gi"}}},
                           {"accessModes", Json::array({"ReadWriteMany"})},
                           {"storageClassName", ""},
                           {"mountOptions", options},
                           {"csi",
                            {{"driver", storageDriver("s3")},
                             {"volumeHandle", name},
                             {"volumeAttributes", {{"bucketName", "CHANGE_ME_BUCKET"}}}}}}}};
    return {volume, claim};
}

bool mounts(const std::string& cluster, const Storage& storage) {
    if (cluster == "jobset" || cluster == "trainjob" || cluster == "pytorchjob" || cluster == "volcano" ||
        cluster == "kai" || cluster == "hyperpod-eks" || cluster == "parallelcluster")
        return storage.shared->service == "s3" || storage.isProvisioned();
    return cluster == "pcs" && storage.isProvisioned();
}

} // namespace

long long Storage::gib() const {
    const auto sizeOf = [](const std::optional<Bytes>& size) { return size ? size->si() : bytesPerGib; };
    const double least = efa ? sizeOf(shared->efaMinCapacity) : sizeOf(shared->minCapacity);
    const double step = efa ? least : sizeOf(shared->capacityStep);
    return std::llround(soldCapacity(bytes, least, step) / bytesPerGib);
}

long long Storage::megabytesPerTib() const {
    return shared != nullptr && shared->throughputPerTib ? std::llround(shared->throughputPerTib->si() / 1e6)
                                                         : 0;
}

Storage storageOf(const HandoffSource& source) {
    Storage out;
    const std::string folderOf = source.scenario.hostType;
    for (const StorageTier& each : source.catalog.storage)
        if (each.service == "instance_store" && each.instance == folderOf && each.capacity)
            out.localBytes = each.capacity->si();
    out.localFolder = storageFolder("instance_store");
    if (const auto& place = source.estimate.scenario.cluster.region)
        out.region = regionOf(*place);
    if (!source.estimate.run)
        return out;
    const auto at = std::ranges::find(source.catalog.storage, source.estimate.run->storage, &StorageTier::id);
    if (at == source.catalog.storage.end())
        return out;
    out.shared = &*at;
    out.bytes = source.estimate.run->storageBytes;
    out.folder = storageFolder(at->service);
    const auto resources = resourcesOf(source.scenario.hostType);
    out.efa = at->efaSupported && at->efaMinCapacity && resources && resources->efaDevices > 0;
    return out;
}

std::string storageLine(const Storage& storage) {
    if (storage.shared == nullptr)
        return {};
    return storage.shared->name +
           (storage.bytes > 0 ? ", " + formatCount(storage.gib()) + " GiB" : std::string()) + ", at " +
           storage.folder;
}

std::vector<Json> storageObjects(const Storage& storage, const std::string& slug) {
    if (storage.shared == nullptr)
        return {};
    const std::string name = slug + "-storage";
    return storage.isLustre() ? lustreObjects(storage, name) : bucketObjects(storage, name);
}

void tellRun(const HandoffSource& source, const std::string& cluster, Job& job) {
    static const std::map<std::string, std::string, std::less<>> why{
        {"run.checkpoint_mode", "set it where the program saves its checkpoints"},
        {"run.checkpoint_interval_s", "set it where the program saves its checkpoints"},
        {"run.bytes_per_token", "a property of the data"},
        {"run.standby", "how the cluster is operated"},
        {"run.spares", "how the cluster is operated"},
        {"run.elastic", "how the cluster is operated"},
        {"run.restart_read", "set it where the program loads its checkpoints"},
        {"run.dataset_tokens", "a property of the data"},
        {"run.shuffle", "set it where the program reads its data"},
        {"run.linked_repository", "how the file system is set up"},
        {"run.nvme_cache", "set it where the program reads its data"},
        {"plan.kv_offload_tier",
         "the option offloads to host memory; drives and file systems take a connector"},
        {"run.repair_s", "how the cluster is operated"},
        {"run.start", "when a person starts the job"},
        {"run.deadline", "a target, not an option"}};
    for (const auto& [path, reason] : why)
        if (const std::string word = fieldWord(source.written, path); !word.empty())
            leaveOut(job.leftOut, path, word,
                     path == "run.checkpoint_interval_s" && job.savesAsPlanned
                         ? "written in whole steps of the predicted time"
                     : path == "run.spares" && makesInstances(job, cluster)
                         ? "the cluster has them; the job starts without them"
                         : reason);
    const Storage storage = storageOf(source);
    if (storage.shared == nullptr)
        return;
    if (mounts(cluster, storage)) {
        const double made = static_cast<double>(storage.gib()) * bytesPerGib;
        if (const auto asked = source.written.run.storageBytes;
            asked && storage.isProvisioned() && made > 1.25 * *asked)
            leaveOut(job.leftOut, "run.storage_bytes", fieldWord(source.written, "run.storage_bytes"),
                     "the smallest that is sold has " + formatCount(storage.gib()) + " GiB");
        const long long dollars = std::llround(source.estimate.run->storageDollarsPerMonth);
        if (storage.isProvisioned())
            job.warnings.push_back(
                "it makes a file system of " + formatCount(storage.gib()) + " GiB" +
                (dollars > 0 ? ", about $" + formatCount(dollars) + " a month in us-east-1" : std::string()) +
                ", which stays when the job is gone; put an existing one in its place if there is one");
        if (storage.efa && storage.isProvisioned())
            job.warnings.emplace_back(
                cluster == "parallelcluster"
                    ? "this version makes file systems without EFA: an instance reads at "
                      "most 100 Gbit/s, less than the plan counts on"
                    : "the plan counts on EFA to the file system, for which the Lustre "
                      "client of each instance has to be configured");
        return;
    }
    const std::string reason = cluster == "slurm" || cluster.starts_with("hyperpod-slurm")
                                   ? "the cluster mounts it; the job expects it at " + storage.folder
                               : storage.isLustre() && !storage.isProvisioned()
                                   ? "no words for its throughput"
                                   : "mount it on each instance yourself";
    for (const char* path : {"run.storage", "run.storage_bytes"})
        if (const std::string word = fieldWord(source.written, path); !word.empty())
            leaveOut(job.leftOut, path, word, reason);
}

} // namespace alidade::data::handoff
