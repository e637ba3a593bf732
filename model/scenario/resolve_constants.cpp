// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alidade::resolving {

namespace {

/// Returns whether this kind of workload uses the constant. The sides of reinforcement learning have those of
/// training and serving; the whole has only its own.
bool appliesTo(const Scenario& scenario, Input input) {
    if (!isConstant(input))
        return false;
    if (scenario.isReinforcement() || isOfPostTraining(input)) {
        return scenario.isReinforcement() &&
               (isOfPostTraining(input) || familyOf(input) == InputFamily::reliability);
    }
    return isOfServing(input) == scenario.isServing() || isShared(input);
}

/// The parameters of a profile by input, with the words of their scopes as numbers, so that choosing among
/// them compares no text.
struct ConstantTable {
    struct Row {
        std::uint16_t position = 0; ///< in the profile's list
        std::uint16_t part = 0, format = 0, stack = 0;
        bool ofHead = false; ///< constant of the layer GEMMs used for the head GEMMs, which are in 16 bits
    };
    std::array<std::vector<Row>, inputCount> rows;   ///< in the order of the profile
    std::vector<std::string> parts, formats, stacks; ///< distinct words
};

std::uint16_t numberOf(const std::string& word, std::vector<std::string>& words) {
    const auto known = std::ranges::find(words, word);
    if (known == words.end()) {
        words.push_back(word);
        return static_cast<std::uint16_t>(words.size() - 1);
    }
    return static_cast<std::uint16_t>(known - words.begin());
}

ConstantTable tableOf(const ParameterList& parameters) {
    std::unordered_map<std::string_view, std::size_t> inputs;
    for (std::size_t i = 0; i < inputCount; ++i)
        inputs.emplace(inputInfo(static_cast<Input>(i)).name, i);
    ConstantTable out;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& each = parameters[i];
        const auto input = inputs.find(each.name);
        if (input == inputs.end())
            continue;
        ConstantTable::Row row{.position = static_cast<std::uint16_t>(i),
                               .part = numberOf(each.gpu, out.parts),
                               .format = numberOf(each.precision, out.formats),
                               .stack = numberOf(each.stack, out.stacks)};
        out.rows[input->second].push_back(row);
        if (input->second == static_cast<std::size_t>(Input::gemmComputeEfficiency)) {
            row.ofHead = true;
            out.rows[static_cast<std::size_t>(Input::headGemmEfficiency)].push_back(row);
        }
    }
    return out;
}

const std::vector<std::string> noWords;

/// How well each word of a vocabulary matches a wanted key.
class Fits {
public:
    Fits(const std::vector<std::string>& words, std::string_view wanted, std::string_view exact = {}) {
        add(words, [&](std::string_view word) {
            return !exact.empty() && word == exact ? 4 : keyFit(wanted, word);
        });
    }
    static Fits ofStacks(const std::vector<std::string>& words, std::string_view wanted) {
        Fits out;
        out.add(words, [&](std::string_view word) { return stackFit(wanted, word); });
        return out;
    }
    int operator[](std::uint16_t word) const {
        return word < here_.size() ? here_[word] : more_[word - here_.size()];
    }

private:
    Fits() = default;

    template <class Fit>
    void add(const std::vector<std::string>& words, const Fit& fitOf) {
        for (const std::string& word : words) {
            const int fit = fitOf(word);
            if (count_ < here_.size())
                here_[count_++] = static_cast<std::uint8_t>(fit);
            else
                more_.push_back(fit);
        }
    }

    std::array<std::uint8_t, 160> here_; ///< enough for the shipped profile: no allocation
    std::size_t count_ = 0;
    std::vector<int> more_;
};

/// Key of the software's constants. Servers as they usually run have some of their own.
std::string stackOf(const Context& context) {
    std::string out = context.framework ? context.framework->stack : "*";
    if (context.out.isServing() && context.out.spec.plan.tuning.value_or("as_run") == "as_run")
        out += "/as_run";
    return out;
}

using Chosen = std::array<const Parameter*, inputCount>;

/// What a constant depends on besides the software: the stack words of its entries begin with it.
struct Qualifier {
    Input input;
    std::string_view stack; ///< "attention/fa2"
};

/// A resolved scenario has a kind in any case: "full" alone is pre-training too.
bool isFinetuning(const FinetuneSpec& spec) {
    return spec.kind.value_or("full") != "full" || spec.method || spec.examples;
}

/// Constants of a choice of the plan take precedence over those of the software that makes the choice, and
/// the errors that fine-tuning was measured to have over those of pre-training. Of two choices that a
/// constant depends on, the later one decides.
std::array<Qualifier, 15> qualifiersOf(const ScenarioSpec& spec, bool blackwell, std::string_view stack,
                                       std::array<std::string, 5>& words) {
    const PlanSpec& plan = spec.plan;
    // PyTorch's scaled_dot_product_attention runs cuDNN on Blackwell, FlashAttention-2 on what came before.
    std::string kernel = plan.attentionKernel.value_or("");
    if (kernel == "sdpa" && !blackwell)
        kernel = "fa2";
    // Transformers does not ask for segments that grow.
    const bool grows = stack.starts_with("fsdp") && !stack.starts_with("fsdp-eager/transformers");
    const std::string loss = "loss/" + plan.loss.value_or("");
    words = {"attention/" + kernel, "graphs/" + plan.cudaGraphScope.value_or(""),
             "dispatch/" + plan.dispatcher.value_or(""), loss, loss + (grows ? "/sharded" : "")};
    const std::string_view errors = isFinetuning(spec.workload.finetune) ? "finetune" : "none";
    return {{{Input::attentionEfficiency, words[0]},
             {Input::attentionBackwardRatio, words[0]},
             {Input::attentionHalfLength, words[0]},
             {Input::attentionScoreBytes, words[0]},
             {Input::hostGraphShare, words[1]},
             {Input::expertBiasBytes, words[1]},
             {Input::expertPermuteBytes, words[2]},
             {Input::expertRowTime, words[2]},
             {Input::expertPermuteBytes, words[1]},
             {Input::expertRowTime, words[1]},
             {Input::logitsBytes, words[3]},
             {Input::lossHoleBytes, words[4]},
             {Input::memoryLogSd, errors},
             {Input::timeLogSd, errors},
             {Input::timeLogSdMoe, errors}}};
}

/// Returns the best-matching parameter of each input; the first if several match equally. FP8 recipes have
/// their own entries where they differ.
Chosen parametersOf(const Context& context, const Profile& profile) {
    const auto table = profile.parameters.derived<ConstantTable>(tableOf);
    const Gpu& gpu = *context.gpu;
    const bool serving = context.out.isServing();
    // Engines run the same kernels on all GPUs of a generation: "Blackwell Ultra" counts as Blackwell.
    const std::string_view architecture(gpu.architecture);
    const Fits part(table->parts, architecture, gpu.id);
    const Fits partOfEngines(serving ? table->parts : noWords, architecture.substr(0, architecture.find(' ')),
                             gpu.id);
    // Network constants depend on the kind of network, those of the building on the Region, all others on
    // the software.
    const Fits network(table->stacks, context.network);
    const std::string stack = stackOf(context);
    const Fits software = Fits::ofStacks(table->stacks, stack);
    const Fits weightPath(table->stacks, context.out.isReinforcement()
                                             ? std::string_view(*context.out.spec.roles.read().weightSync)
                                             : std::string_view("*"));
    const auto& place = context.out.spec.cluster.region;
    const Fits region(table->stacks, place ? std::string_view(*place) : std::string_view("*"));
    const ServingPlan* served = serving ? &context.out.pools.front().plan : nullptr;
    const std::string_view precision =
        serving ? std::string_view(served->denseFormat) : wordOf(context.out.plan.precision);
    const Fits format(table->formats, precision);
    const Fits ofExperts(serving ? table->formats : noWords,
                         serving ? std::string_view(served->expertFormat) : precision);
    const Fits ofHead(serving ? noWords : table->formats, wordOf(Precision::bf16));
    const std::string recipe = context.out.spec.plan.fp8Recipe.value_or("");
    const std::string withRecipe = recipe.empty() ? std::string() : std::string(precision) + "-" + recipe;

    const Fits ofRecipe(withRecipe.empty() ? noWords : table->formats, withRecipe);

    // Engines that run kernels of TensorRT-LLM (FlashInfer) share their constants.
    const Fits ofTensorRt = Fits::ofStacks(table->stacks, "trtllm");
    const auto runsTensorRt = [&](Input input) {
        const bool reduction =
            input == Input::servingAllReduceLatency || input == Input::servingAllReduceFill;
        return served && ((reduction && served->fusedReductions) ||
                          (input == Input::servingExpertLaunch && served->fusedExperts));
    };

    Chosen out{};
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (!appliesTo(context.out, input))
            continue;
        const Fits& parts = isOfServing(input) ? partOfEngines : part;
        const Fits& stacks = familyOf(input) == InputFamily::network      ? network
                             : familyOf(input) == InputFamily::site       ? region
                             : familyOf(input) == InputFamily::weightPath ? weightPath
                             : runsTensorRt(input)                        ? ofTensorRt
                                                                          : software;
        const Fits& formats = familyOf(input) == InputFamily::servingExperts ? ofExperts : format;
        int best = 0, bestOfRecipe = 0;
        const ConstantTable::Row* chosen = nullptr;
        const ConstantTable::Row* chosenOfRecipe = nullptr;
        for (const ConstantTable::Row& row : table->rows[i]) {
            if (parts[row.part] == 0 || stacks[row.stack] == 0)
                continue;
            const auto rank = [&](const Fits& fits) {
                return parameterRank(parts[row.part], stacks[row.stack], fits[row.format]);
            };
            if (const int plain = rank(row.ofHead ? ofHead : formats); plain > best) {
                best = plain;
                chosen = &row;
            }
            if (withRecipe.empty() || row.ofHead)
                continue;
            if (const int special = rank(ofRecipe); special > bestOfRecipe) {
                bestOfRecipe = special;
                chosenOfRecipe = &row;
            }
        }
        if (chosenOfRecipe && table->formats[chosenOfRecipe->format] == withRecipe)
            chosen = chosenOfRecipe;
        out[i] = chosen ? &profile.parameters[chosen->position] : nullptr;
    }
    if (serving)
        return out;
    std::array<std::string, 5> words;
    for (const Qualifier& each :
         qualifiersOf(context.out.spec, architecture.starts_with("Blackwell"), stack, words)) {
        const auto i = static_cast<std::size_t>(each.input);
        int best = 0;
        for (const ConstantTable::Row& row : table->rows[i]) {
            const bool qualified = table->stacks[row.stack] == each.stack;
            const int rank = qualified ? parameterRank(part[row.part], 3, format[row.format]) : 0;
            if (rank > best) {
                best = rank;
                out[i] = &profile.parameters[row.position];
            }
        }
    }
    return out;
}

} // namespace

void resolveConstants(Context& context) {
    const Chosen own = parametersOf(context, context.profile);
    const bool isDefault = &context.profile == &context.catalog.defaultProfile;
    const Chosen shipped = isDefault ? Chosen{} : parametersOf(context, context.catalog.defaultProfile);
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (!appliesTo(context.out, input))
            continue;
        const Parameter* parameter = own[i] ? own[i] : shipped[i];
        if (parameter)
            set(context, input, parameter->value, parameter->source, parameter->kind);
        else
            context.out.origins[i] = {"not in the profile", SourceKind::assumed, false};
    }
    if (context.out.isServing() && context.out.spec.workload.sampling == "plain")
        set(context, Input::servingSortBytes, 0, "plain sampling sorts nothing", SourceKind::derived);
    if (!context.out.isServing() && !context.out.isReinforcement() &&
        !context.out.spec.plan.cudaGraphs.value_or(false)) {
        set(context, Input::hostGraphShare, 1, "CUDA graphs are off", SourceKind::derived);
    }
}

} // namespace alidade::resolving
