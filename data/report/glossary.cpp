// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/document_sections.h"
#include "data/report/printing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace alidade::data {
namespace {

struct Term {
    std::string_view name;
    std::string_view also; ///< another way to write it; empty: none
    std::string_view meaning;
};

constexpr std::array<Term, 42> terms{{
    {"BF16", "", "A number format of 16 bits in which models are usually trained."},
    {"batch", "", "The sequences that are worked on together."},
    {"Capacity Block", "Capacity Blocks",
     "Instances that are reserved for a fixed time, paid in full when they are bought, and cannot be "
     "canceled."},
    {"checkpoint", "checkpoints", "A saved state of the training, from which it continues after a failure."},
    {"contingency", "Contingency", "A reserve for a longer run or higher prices."},
    {"Data", "data parallel", "Data parallelism: copies of the model that each work on other sequences."},
    {"decode", "", "The part of answering in which output tokens are made, one after the other."},
    {"EFA", "", "Elastic Fabric Adapter: the network between instances."},
    {"expert", "experts", "A part of a model that only some of the tokens pass through."},
    {"FLOP", "", "One addition or multiplication."},
    {"FP8", "", "A number format of 8 bits: faster than BF16, but not every training converges in it."},
    {"FSx", "FSx for Lustre", "A file system that AWS runs, shared by all instances."},
    {"GEMM", "matrix products", "Multiplication of matrices: most of the work of a model."},
    {"goodput", "Goodput",
     "The share of the time in which the training advances; the rest is lost to failures, "
     "restarts and checkpoints."},
    {"GPU", "GPUs", "The processor that computes a model."},
    {"HBM", "", "High-bandwidth memory: the memory of a GPU."},
    {"HFU", "", "Share of the peak that a GPU computes, with work that is done twice."},
    {"instance", "instances", "A server that is rented, with its GPUs."},
    {"interruption", "interruptions", "A stop of the training, by a failure or on purpose."},
    {"ITL", "", "Inter-token latency: the time between two output tokens of an answer."},
    {"KV cache", "", "What an engine keeps of each request in memory, so as not to compute it again."},
    {"LoRA", "", "Fine-tuning that only trains small additions to the weights."},
    {"MFU", "", "Share of the peak of the GPUs that the training uses for useful work."},
    {"micro-batch", "microbatch", "The part of a batch that passes through the model at once."},
    {"NVLink", "", "The connection between the GPUs of an instance or UltraServer."},
    {"on demand", "On-Demand", "Rented by the second at the list price, without a promise of capacity."},
    {"optimizer", "", "The part of training that changes the weights at the end of each step."},
    {"pipeline", "Pipeline", "Layers of the model on different GPUs, which work one after the other."},
    {"prefill", "", "The part of answering in which the prompt is read."},
    {"quantile", "quantiles", "The 10 % quantile is a value below which one of ten outcomes falls."},
    {"recomputation", "Recompute",
     "Computing values again instead of keeping them: saves memory, takes time."},
    {"replica", "replicas", "A copy of the model that works on its own."},
    {"Region", "", "A place with data centers of AWS; price and supply depend on it."},
    {"Savings Plan", "",
     "A promise to pay an amount for every hour of one or three years, used or not, for a lower rate."},
    {"spare node", "spare nodes", "A node that waits until another one fails."},
    {"Tensor", "tensor parallelism", "Each matrix is divided over several GPUs, which work on it together."},
    {"token", "tokens", "A word or a part of one: the unit in which models read and write."},
    {"TPOT", "", "Time per output token."},
    {"training plan", "Training plan",
     "Instances of SageMaker for whole days, paid in full when they are bought, at the fee of an offer."},
    {"TTFT", "", "Time to first token: how long a user waits until the answer begins."},
    {"UltraServer", "UltraServers", "Several servers whose GPUs are connected by NVLink; rented as one."},
    {"warm-up", "", "The time until a service answers at full speed."},
}};

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// As a separate word: "GPU" not in "GPUs".
bool holdsWord(std::string_view text, std::string_view word) {
    if (word.empty())
        return false;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isWordCharacter(text[at - 1])) &&
            (end == text.size() || !isWordCharacter(text[end])))
            return true;
    }
    return false;
}

/// All that a reader sees, without what programs read.
std::string textOf(const Report& report) {
    std::string out = report.title + '\n' + report.subtitle + '\n';
    for (const Sentence& sentence : report.answer)
        out += plainText(sentence) + '\n';
    for (const KeyFigure& figure : report.keyFigures)
        out += figure.question + '\n' + figure.value + ' ' + figure.unit + '\n' + figure.detail + '\n';
    for (const ReportSection& section : report.sections) {
        if (section.id == "glossary")
            continue;
        out += section.title + '\n';
        for (const std::string& text : section.text)
            out += text + '\n';
        for (const Table& table : section.tables) {
            out += table.title + '\n' + table.note + '\n';
            for (const Column& column : table.columns)
                out += column.title + '\n';
            for (const auto& row : table.rows)
                for (const Cell& cell : row)
                    out += cell.text + '\n';
        }
    }
    return out;
}

} // namespace

std::optional<ReportSection> glossarySection(const Report& report) {
    const std::string text = textOf(report);
    ReportSection section{.id = "glossary", .title = "Glossary"};
    Table table{.id = "glossary", .columns = {textColumn("Term"), textColumn("Meaning")}};
    for (const Term& term : terms)
        if (holdsWord(text, term.name) || holdsWord(text, term.also))
            table.rows.push_back(
                {textCell(capitalized(std::string(term.name))), textCell(std::string(term.meaning))});
    if (table.rows.empty())
        return std::nullopt;
    section.tables.push_back(std::move(table));
    return section;
}

} // namespace alidade::data
