// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/summaries.h"

#include "model/posttraining/rl_step.h"
#include "model/units/constants.h"
#include "model/validation/error_figures.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade {

namespace {

constexpr std::string_view memory = "peak_memory_bytes", layer = "layer_time_s", stepTime = "step_time_s",
                           timeOfCollective = "time_s";

bool isRate(const ValidationRow& row) {
    return row.quantity == "tokens_per_s_per_gpu" || row.quantity == "model_flops_per_s_per_gpu" ||
           row.quantity == "mfu";
}

bool isCollective(const ValidationRow& row) { return row.kind == RowKind::collective; }
bool isServing(const ValidationRow& row) { return row.kind == RowKind::serving; }
bool isReinforcement(const ValidationRow& row) { return row.kind == RowKind::reinforcement; }
bool isFinetune(const ValidationRow& row) { return row.kind == RowKind::finetune; }
bool isRun(const ValidationRow& row) { return row.kind == RowKind::run; }
bool isMemory(const ValidationRow& row) { return row.quantity == memory && !isFinetune(row); }
bool isStep(const ValidationRow& row) {
    return !isCollective(row) && !isServing(row) && !isReinforcement(row) && !isFinetune(row) &&
           !isRun(row) && !isMemory(row) && row.quantity != layer;
}

bool isExpertExchange(const ValidationRow& row) { return row.operation.starts_with("moe_"); }

bool hasExpertsOverEfa(const ValidationRow& row) {
    return row.family == "moe" && row.scenario && row.scenario->cluster.instance.has_value();
}

/// "10-99": GPU counts by powers of ten.
std::string decade(int gpus) {
    int low = 1;
    while (gpus >= 10 * low)
        low *= 10;
    return std::to_string(low) + "-" + std::to_string(10 * low - 1);
}

/// Collects classes in the order in which they are asked for.
class Classes {
public:
    explicit Classes(const std::vector<ValidationRow>& rows)
        : rows_(rows) {}

    template <class Wanted>
    void add(const std::string& name, std::string_view quantity, Wanted wanted) {
        std::vector<const ValidationRow*> chosen;
        for (const ValidationRow& row : rows_)
            if (wanted(row))
                chosen.push_back(&row);
        append(name, quantity, chosen);
    }

    /// One class for each value of a field.
    template <class Wanted>
    void addEach(const std::string& prefix, std::string_view field, std::string_view quantity,
                 Wanted wanted) {
        std::map<std::string, std::vector<const ValidationRow*>> chosen;
        for (const ValidationRow& row : rows_)
            if (const std::string key = wanted(row) ? summaryKey(row, field) : std::string(); !key.empty())
                chosen[key].push_back(&row);
        for (const auto& [key, rows] : chosen)
            append(prefix + key, quantity, rows);
    }

    std::vector<ValidationSummary> take() { return std::move(out_); }

private:
    void append(const std::string& name, std::string_view quantity,
                const std::vector<const ValidationRow*>& rows) {
        if (rows.empty())
            return;
        ValidationSummary summary = errorFigures(rows);
        summary.group = name;
        summary.quantity = quantity;
        out_.push_back(std::move(summary));
    }

    const std::vector<ValidationRow>& rows_;
    std::vector<ValidationSummary> out_;
};

void addSteps(Classes& classes) {
    const auto judged = [](const ValidationRow& row) { return isStep(row) && isJudged(row); };
    classes.add("all", stepTime, judged);
    for (const char* family : {"dense", "moe"}) {
        const auto ofFamily = [&](const ValidationRow& row) { return judged(row) && row.family == family; };
        classes.add(family, stepTime, ofFamily);
    }
    classes.add("moe without AWS EFA", stepTime, [&](const ValidationRow& row) {
        return judged(row) && row.family == "moe" && !hasExpertsOverEfa(row);
    });
    classes.addEach("gpu ", "gpu", stepTime, judged);
    for (const char* family : {"dense", "moe"}) {
        const auto ofFamily = [&](const ValidationRow& row) {
            return judged(row) && row.family == family && !hasExpertsOverEfa(row);
        };
        classes.addEach(std::string(family) + " gpu ", "gpu", stepTime, ofFamily);
    }
    classes.addEach("precision ", "precision", stepTime, judged);
    classes.add("at least 1,024 GPUs", stepTime,
                [&](const ValidationRow& row) { return judged(row) && row.gpus >= 1024; });
    classes.add("AWS EFA expert parallelism", stepTime,
                [&](const ValidationRow& row) { return judged(row) && hasExpertsOverEfa(row); });
    classes.addEach("framework ", "framework", stepTime, judged);
    classes.addEach("source ", "source", stepTime, judged);
    classes.addEach("GPUs ", "gpus", stepTime, judged);
    classes.add("incomplete rows", stepTime,
                [](const ValidationRow& row) { return isStep(row) && !isJudged(row); });
}

void addMemory(Classes& classes) {
    const auto judged = [](const ValidationRow& row) { return isMemory(row) && isJudged(row); };
    classes.add("all", memory, judged);
    classes.add("known configuration", memory,
                [&](const ValidationRow& row) { return judged(row) && knowsConfiguration(row); });
    classes.addEach("framework ", "framework", memory, judged);
    classes.add("incomplete rows", memory,
                [](const ValidationRow& row) { return isMemory(row) && !isJudged(row); });
    classes.add("all", layer, [](const ValidationRow& row) { return row.quantity == layer; });
}

void addCollectives(Classes& classes) {
    const auto judged = [](const ValidationRow& row) { return isCollective(row) && isJudged(row); };
    classes.add("all", timeOfCollective, judged);
    const auto large = [&](const ValidationRow& row) {
        return judged(row) && !isExpertExchange(row) && row.bytes >= bytesPerMib &&
               row.framework.find("nccl-tests") != std::string::npos;
    };
    classes.add("NCCL in one NVLink domain, at least 1 MiB", timeOfCollective,
                [&](const ValidationRow& row) { return large(row) && row.nodes == 1; });
    classes.add("NCCL across nodes, at least 1 MiB", timeOfCollective,
                [&](const ValidationRow& row) { return large(row) && row.nodes > 1; });
    classes.add("expert dispatch and combine", timeOfCollective,
                [&](const ValidationRow& row) { return judged(row) && isExpertExchange(row); });
    classes.addEach("operation ", "operation", timeOfCollective, judged);
    classes.addEach("gpu ", "gpu", timeOfCollective, judged);
    classes.addEach("library ", "framework", timeOfCollective, judged);
}

/// The quantities of serving rows, those that most rows have first.
constexpr std::string_view servingQuantities[] = {"tpot_s",
                                                  "ttft_s",
                                                  "output_tokens_per_s_per_gpu",
                                                  "input_tokens_per_s_per_gpu",
                                                  "itl_s",
                                                  "e2e_s",
                                                  "prefill_s",
                                                  "tokens_per_s_per_user",
                                                  "itl_intercept_s",
                                                  "itl_s_per_context_token"};

auto isOf(std::string_view quantity, bool judged) {
    return [quantity, judged](const ValidationRow& row) {
        return isServing(row) && isJudged(row) == judged && summaryQuantity(row) == quantity;
    };
}

void addServing(Classes& classes) {
    for (const std::string_view quantity : servingQuantities) {
        const auto judged = isOf(quantity, true);
        classes.add("all", quantity, judged);
        for (const char* family : {"dense", "moe"}) {
            classes.add(family, quantity,
                        [&](const ValidationRow& row) { return judged(row) && row.family == family; });
        }
        classes.addEach("gpu ", "gpu", quantity, judged);
        classes.addEach("precision ", "precision", quantity, judged);
        classes.addEach("engine ", "framework", quantity, judged);
        classes.addEach("load ", "load", quantity, judged);
        classes.addEach("source ", "source", quantity, judged);
        classes.addEach("GPUs ", "gpus", quantity, judged);
        classes.add("quality C", quantity, isOf(quantity, false));
    }
}

/// The quantities of whole runs.
constexpr std::string_view runQuantities[] = {
    "goodput",          "restore_s",           "checkpoint_s", "checkpoint_stall_s",
    "checkpoint_bytes", "storage_bytes_per_s", "power_w",      "energy_j_per_output_token",
    "energy_kwh"};

auto isRunOf(std::string_view quantity, bool judged) {
    return [quantity, judged](const ValidationRow& row) {
        return isRun(row) && isJudged(row) == judged && row.quantity == quantity;
    };
}

void addRuns(Classes& classes) {
    for (const std::string_view quantity : runQuantities) {
        const auto judged = isRunOf(quantity, true);
        classes.add("all", quantity, judged);
        classes.addEach("gpu ", "gpu", quantity, judged);
        classes.addEach("source ", "source", quantity, judged);
        classes.add("low quality", quantity, isRunOf(quantity, false));
    }
    classes.add("storage", "storage", [](const ValidationRow& row) {
        return isRun(row) && isJudged(row) &&
               (row.quantity.starts_with("checkpoint_") || row.quantity == "storage_bytes_per_s");
    });
    classes.add("energy", "energy", [](const ValidationRow& row) {
        return isRun(row) && isJudged(row) &&
               (row.quantity == "power_w" || row.quantity.starts_with("energy_"));
    });
}

std::vector<ValidationRow> asTimes(const std::vector<ValidationRow>& rows) {
    std::vector<ValidationRow> out;
    out.reserve(rows.size());
    for (const ValidationRow& row : rows)
        out.push_back(asTime(row));
    return out;
}

} // namespace

bool isJudged(const ValidationRow& row) {
    if (isCollective(row) || isServing(row))
        return row.quality == "A" || row.quality == "B";
    if (isReinforcement(row) || isFinetune(row))
        return row.quality == "high" || row.quality == "medium";
    if (isRun(row))
        return row.quality != "low" && row.quality != "C";
    return row.complete && (row.rowKind == "benchmark" || row.rowKind == "production") &&
           (row.quality == "high" || row.quality == "medium");
}

bool knowsConfiguration(const ValidationRow& row) {
    return std::ranges::none_of(row.assumed, [](const std::string& field) {
        return field == "plan.recompute" || field == "plan.micro_batch";
    });
}

ValidationRow asTime(const ValidationRow& row) {
    ValidationRow out = row;
    if (!isRate(row))
        return out;
    const auto inverse = [](double value) { return value != 0 ? 1 / value : 0; };
    out.quantity = stepTime;
    out.measured = inverse(row.measured);
    out.predicted = inverse(row.predicted);
    out.error = out.predicted / out.measured - 1;
    out.low = inverse(row.high);
    out.high = inverse(row.low);
    return out;
}

std::string summaryQuantity(const ValidationRow& row) {
    // Of the same GPUs, both have the same error.
    return row.quantity == "output_tokens_per_s" || row.quantity == "input_tokens_per_s"
               ? row.quantity + "_per_gpu"
               : row.quantity;
}

const std::vector<std::string>& summaryFields() {
    static const std::vector<std::string> fields = {
        "family", "gpu",   "precision", "source",    "framework", "engine", "release", "gpus",
        "model",  "group", "quality",   "operation", "kind",      "load",   "quantity"};
    return fields;
}

std::string summaryKey(const ValidationRow& row, std::string_view field) {
    const std::pair<std::string_view, const std::string*> texts[] = {
        {"family", &row.family},       {"gpu", &row.gpu},
        {"precision", &row.precision}, {"source", &row.sourceTitle},
        {"framework", &row.framework}, {"engine", &row.framework},
        {"release", &row.release},     {"load", &row.rowKind},
        {"model", &row.model},         {"group", &row.group},
        {"quality", &row.quality},     {"operation", &row.operation},
        {"quantity", &row.quantity}};
    if ((field == "engine" || field == "load") && !isServing(row))
        return {};
    if (field == "kind")
        return std::string(rowKindName(row.kind));
    for (const auto& [name, text] : texts)
        if (name == field)
            return *text;
    return field == "gpus" && row.gpus > 0 ? decade(row.gpus) : std::string();
}

/// The quantities of rows of reinforcement learning.
constexpr std::string_view rlQuantities[] = {"rl_step_s", "generation_s", "update_s", "log_prob_s",
                                             "weight_sync_s"};

void addPostTraining(Classes& classes) {
    for (const std::string_view quantity : rlQuantities) {
        const auto judged = [&](const ValidationRow& row) {
            return isReinforcement(row) && isJudged(row) && row.quantity == quantity;
        };
        classes.add("all", quantity, judged);
        for (const char* family : {"dense", "moe"}) {
            classes.add(family, quantity,
                        [&](const ValidationRow& row) { return judged(row) && row.family == family; });
        }
        for (const std::string_view placement : wordsOf(placementWords)) {
            classes.add(std::string(placement), quantity,
                        [&](const ValidationRow& row) { return judged(row) && row.rowKind == placement; });
        }
        classes.addEach("gpu ", "gpu", quantity, judged);
        classes.addEach("framework ", "framework", quantity, judged);
        classes.addEach("source ", "source", quantity, judged);
    }
    const auto step = [](const ValidationRow& row) {
        return isFinetune(row) && isJudged(row) && row.quantity != memory && row.quantity != layer;
    };
    const auto held = [](const ValidationRow& row) {
        return isFinetune(row) && isJudged(row) && row.quantity == memory;
    };
    classes.add("fine-tuning", stepTime, step);
    for (const char* family : {"dense", "moe"}) {
        classes.add(std::string("fine-tuning ") + family, stepTime,
                    [&](const ValidationRow& row) { return step(row) && row.family == family; });
    }
    classes.addEach("fine-tuning framework ", "framework", stepTime, step);
    classes.addEach("fine-tuning source ", "source", stepTime, step);
    classes.add("fine-tuning", memory, held);
    classes.addEach("fine-tuning source ", "source", memory, held);
}

std::vector<ValidationSummary> summarize(const std::vector<ValidationRow>& rows) {
    const std::vector<ValidationRow> times = asTimes(rows);
    Classes classes(times);
    addSteps(classes);
    addMemory(classes);
    addServing(classes);
    addCollectives(classes);
    addPostTraining(classes);
    addRuns(classes);
    return classes.take();
}

std::vector<ValidationSummary> summarizeBy(const std::vector<ValidationRow>& rows, std::string_view field) {
    const std::vector<ValidationRow> times = asTimes(rows);
    Classes classes(times);
    std::vector<std::pair<std::string_view, std::function<bool(const ValidationRow&)>>> parts = {
        {stepTime, [](const ValidationRow& row) { return isStep(row) && isJudged(row); }},
        {memory, [](const ValidationRow& row) { return isMemory(row) && isJudged(row); }},
        {timeOfCollective, [](const ValidationRow& row) { return isCollective(row) && isJudged(row); }}};
    for (const std::string_view quantity : servingQuantities)
        parts.emplace_back(quantity, isOf(quantity, true));
    for (const std::string_view quantity : rlQuantities) {
        parts.emplace_back(quantity, [quantity](const ValidationRow& row) {
            return isReinforcement(row) && isJudged(row) && row.quantity == quantity;
        });
    }
    for (const std::string_view quantity : runQuantities)
        parts.emplace_back(quantity, isRunOf(quantity, true));
    for (const auto& [quantity, wanted] : parts) {
        classes.add("all", quantity, wanted);
        classes.addEach("", field, quantity, wanted);
    }
    return classes.take();
}

} // namespace alidade
