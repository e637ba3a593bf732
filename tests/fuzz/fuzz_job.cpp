// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a job: no crash, nothing executed; a fault names the file and the line, and what was read is a
// scenario that its own reader accepts, on a topology too. And as the table of a version of a tool.
//
// fuzz_job takes any text. fuzz_job_<name> is the same program under another name, and gives the text to one
// reader: as what follows its command, and as the configuration that its command names.
#include "data/catalog/catalog_reader.h"
#include "data/handoff/tools.h"
#include "data/jobs/import_job.h"
#include "data/jobs/job_reader.h"
#include "data/scenario/scenario_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace alidade;

namespace {

struct Reader {
    std::string_view name;
    std::string_view before;                   ///< what stands in front of the bytes
    std::string_view command, file;            ///< a job whose configuration the bytes are
    data::handoff::Flatten* flatten = nullptr; ///< the syntax of the configuration
};

constexpr std::array readers{
    Reader{"megatron", "torchrun --nproc_per_node=8 pretrain_gpt.py ", "", ""},
    Reader{"bridge", "torchrun --nproc_per_node=8 run_recipe.py ", "", ""},
    Reader{"nemo", "nemo llm pretrain ", "python megatron_gpt_pretraining.py --config-name=job", "job.yaml",
           data::handoff::flattenYaml},
    Reader{"torchtitan", "torchrun --nproc_per_node=8 -m torchtitan.train ",
           "torchrun --nproc_per_node=8 -m torchtitan.train --job.config_file job.toml", "job.toml",
           data::handoff::flattenToml},
    Reader{"deepspeed", "deepspeed train.py ", "deepspeed train.py --deepspeed ds.json", "ds.json",
           data::handoff::flattenYaml},
    Reader{"accelerate", "accelerate launch ", "accelerate launch --config_file accelerate.yaml train.py",
           "accelerate.yaml", data::handoff::flattenYaml},
    Reader{"verl", "python3 -m verl.trainer.main_ppo ", "", ""},
    Reader{"vllm", "vllm serve ", "vllm serve --config vllm.yaml", "vllm.yaml", data::handoff::flattenYaml},
    Reader{"sglang", "python3 -m sglang.launch_server ", "", ""},
    Reader{"trtllm", "trtllm-serve serve ", "trtllm-serve disaggregated -c disagg.yaml", "disagg.yaml",
           data::handoff::flattenYaml},
    Reader{"slurm", "#!/bin/bash\n#SBATCH ", "", ""},
    Reader{"manifests", "---\n", "", ""},
    Reader{"scontrol", "JobId=1 ", "", ""},
    Reader{"kubectl", "", "", ""},
};

Reader reader{"", "", "", ""};

void require(bool holds) {
    if (!holds)
        std::abort();
}

std::int64_t linesOf(std::string_view text) { return 1 + std::ranges::count(text, '\n'); }

/// "job:3: what is wrong", of a line that the text has.
void requirePlace(std::string_view fault, std::string_view file, std::int64_t lines) {
    require(fault.starts_with(file) && fault.substr(file.size()).starts_with(':'));
    fault.remove_prefix(file.size() + 1);
    const std::size_t digits = fault.find_first_not_of("0123456789");
    require(digits > 0 && digits < 10 && fault.substr(digits).starts_with(": ") && fault.size() > digits + 2);
    const long line = std::strtol(std::string(fault.substr(0, digits)).c_str(), nullptr, 10);
    require(line >= 1 && line <= lines);
}

void check(const data::JobReading& reading, std::int64_t lines) {
    for (const std::string& fault : reading.faults)
        requirePlace(fault, "job", lines);
    for (const data::ReadField& each : reading.understood)
        require(!each.path.empty() && each.line >= 0 && each.line <= lines);
    for (const auto* names : {&reading.noField, &reading.otherVersions, &reading.unknown})
        for (const data::ReadName& each : *names)
            require(each.line >= 0 && each.line <= lines);
    require(data::readScenario(data::writeScenario(reading.spec), "again") ? true : !reading.faults.empty());
}

void place(std::string_view text, data::JobReading reading, const Catalog& catalog) {
    data::JobReading running = reading;
    Topology topology{.name = "cluster", .source = {}, .nodes = {}, .hosts = {}, .incomplete = false};
    for (const char* host : {"p5-1", "p5-2", "p5-3", "p5-4", "ip-10-0-1-1"})
        topology.hosts.push_back({.id = host, .name = host});
    data::placeJob(reading, topology, "cluster", catalog);
    require(!reading.spec.cluster.placement ||
            reading.spec.cluster.placement->size() == reading.hosts.size());
    if (const auto made = data::placeRunningJob(running, {}, "new", catalog))
        require(!made->hosts.empty() && made->hosts.size() <= running.hosts.size());
    data::looksLikeJob(text);
}

void readTool(std::string_view text) {
    data::handoff::Tools tools = data::handoff::Tools::shipped();
    std::vector<std::string> faults;
    tools.add({{"job", std::string(text)}}, faults);
    for (const std::string& fault : faults)
        require(fault.starts_with("job:"));
}

/// A configuration that cannot be read is named with the line, and the job is read without it.
void readConfiguration(const std::string& text, const Catalog& catalog) {
    const std::string file(reader.file);
    data::handoff::Settings keys;
    const std::string fault = reader.flatten(text, file, keys);
    const std::int64_t lines = linesOf(text);
    if (!fault.empty())
        requirePlace(fault, file, lines);
    const data::JobReading reading =
        data::readJob(reader.command, "job", catalog, [&](const std::string& name) {
            return name == file ? std::optional(text) : std::nullopt;
        });
    check(reading, lines);
    require(fault.empty() || std::ranges::any_of(reading.warnings, [&](const std::string& each) {
                return each.find(fault) != std::string::npos;
            }));
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments) {
    const std::string_view path = (*arguments)[0];
    for (const Reader& each : readers)
        if (path.ends_with("_job_" + std::string(each.name)))
            reader = each;
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto catalog = data::loadShippedCatalog().catalog;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const std::string text = std::string(reader.before) + bytes;
    const data::JobReading reading = data::readJob(text, "job", *catalog);
    check(reading, linesOf(text));
    place(text, reading, *catalog);
    if (reader.flatten != nullptr)
        readConfiguration(bytes, *catalog);
    if (reader.name.empty())
        readTool(text);
    return 0;
}
