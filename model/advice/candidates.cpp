// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/candidates.h"

#include "model/advice/layouts.h"
#include "model/advice/purchase_edits.h"
#include "model/scenario/fields.h"
#include "model/scenario/rented_machines.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace alidade {

namespace {

class Candidates {
public:
    Candidates(const ScenarioSpec& spec, const Scenario& scenario, const Catalog& catalog)
        : spec_(spec)
        , scenario_(scenario)
        , catalog_(catalog)
        , space_(spec, scenario)
        , now_{scenario.plan.tensorParallel, scenario.plan.contextParallel, scenario.plan.pipelineParallel,
               scenario.plan.virtualPipeline, scenario.plan.expertParallel} {}

    std::vector<Candidate> all() {
        addOverlap();
        addPrecision();
        addRecompute();
        addDegrees();
        addSharding();
        addSchedules();
        for (const int n : {1, 2, 4})
            add(AdviceKind::microBatch, {{"plan.micro_batch", std::to_string(n)}});
        addPurchase();
        addMachines();
        return std::move(out_);
    }

private:
    void add(AdviceKind kind, Edit edit) {
        edit = changesOf(spec_, edit);
        if (!edit.empty())
            out_.push_back({kind, std::move(edit)});
    }

    /// The overlap that the software reaches with its options enabled, from its catalog entry.
    void addOverlap() {
        const Framework* framework = catalog_.framework(scenario_.spec.plan.framework.value_or(""));
        for (const auto& [path, words] :
             framework ? framework->overlapped : decltype(framework->overlapped){}) {
            const bool tensor = path == "plan.overlap.tensor" && scenario_.plan.tensorParallel > 1;
            const bool expert = path == "plan.overlap.expert" && scenario_.plan.expertParallel > 1;
            const Field* field = tensor || expert ? findField(path) : nullptr;
            const auto share = field ? parseField(*field, words) : Result<FieldValue>(Error{"no such field"});
            if (share && std::get<double>(*share) >
                             scenario_.inputs[tensor ? Input::overlapTensor : Input::overlapExpert]) {
                add(AdviceKind::overlap, {{path, words}});
            }
        }
    }

    /// Narrower formats; whether the GPU supports them is checked when the scenario is resolved.
    void addPrecision() {
        const std::string now = scenario_.spec.plan.precision.value_or("");
        if (now == "nvfp4")
            return;
        for (const char* word : {"fp8", "mxfp8"})
            if (now != word && now != "mxfp8")
                add(AdviceKind::precision, {{"plan.precision", word}, {"plan.fp8_recipe", ""}});
    }

    void addRecompute() {
        std::vector<std::string> words = recomputeLadder(scenario_.model);
        words.pop_back(); // recomputing the whole layer is never the fastest
        if (scenario_.model.moe)
            words.emplace_back("moe_act");
        else if (scenario_.model.ffnGated)
            words.emplace_back("glu");
        if (scenario_.model.mla)
            words.emplace_back("mla_up_proj");
        for (std::string& word : words)
            add(AdviceKind::recompute, {{"plan.recompute", std::move(word)}});
    }

    void addDegrees() {
        for (const int e : space_.expertChoices(now_))
            if (e != now_.expert)
                add(AdviceKind::experts, {{"plan.expert_parallel", std::to_string(e)}});
        if (scenario_.model.moe && scenario_.plan.expertTensorParallel > 1)
            add(AdviceKind::experts, {{"plan.expert_tensor_parallel", "1"}});
        for (const int c : space_.contextChoices()) {
            Layout layout = now_;
            layout.context = c;
            if (c != now_.context && space_.divides(layout))
                add(AdviceKind::context, {{"plan.context_parallel", std::to_string(c)}});
        }
        if (now_.context > 1)
            for (const char* word : {"ring", "all_gather", "ulysses"})
                add(AdviceKind::context, {{"plan.context_parallel_kind", word}});
    }

    /// Full sharding replaces a pipeline; it is not combined with one.
    void addSharding() {
        if (scenario_.plan.sharding == Sharding::zero3) {
            add(AdviceKind::sharding, {{"plan.sharding", "zero1"}, {"plan.shard_size", ""}});
            const bool whole = scenario_.spec.plan.sharding != "hsdp";
            add(AdviceKind::sharding, {{"plan.sharding", whole ? "hsdp" : "fsdp2"}, {"plan.shard_size", ""}});
        } else if (now_.pipeline == 1) {
            add(AdviceKind::sharding, {{"plan.sharding", "fsdp2"}});
        }
    }

    void addSchedules() {
        if (now_.pipeline == 1)
            return;
        for (const int chunks : space_.chunkChoices(now_)) {
            add(AdviceKind::schedule,
                {{"plan.schedule", ""}, {"plan.virtual_pipeline", chunks > 1 ? std::to_string(chunks) : ""}});
        }
        for (const char* word : {"zb-h1", "zb-v", "dualpipe-v"})
            add(AdviceKind::schedule, {{"plan.schedule", word}, {"plan.virtual_pipeline", ""}});
    }

    void addPurchase() {
        for (const Edit& edit : purchaseEdits(spec_, scenario_, catalog_))
            add(AdviceKind::purchase, edit);
    }

    void addMachines() {
        if (spec_.cluster.instance) {
            for (const std::string& id : trainingInstances(catalog_)) {
                Edit edit{{"cluster.instance", id}, {"cluster.region", ""}};
                if (id != spec_.cluster.instance)
                    std::ranges::copy(withoutStatedPrice(spec_), std::back_inserter(edit));
                add(AdviceKind::machine, edit);
            }
        }
    }

    const ScenarioSpec& spec_;
    const Scenario& scenario_;
    const Catalog& catalog_;
    LayoutSpace space_;
    Layout now_;
    std::vector<Candidate> out_;
};

} // namespace

std::vector<Candidate> candidatesFor(const ScenarioSpec& spec, const Scenario& scenario,
                                     const Catalog& catalog) {
    return Candidates(spec, scenario, catalog).all();
}

} // namespace alidade
