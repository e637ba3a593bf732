// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_parts.h"
#include "data/catalog/architecture_json.h"
#include "data/import/huggingface.h"
#include "data/json/json.h"
#include "data/json/writer.h"
#include "model/units/format.h"
#include "model/workload/parameters.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <sstream>

namespace alidade::cli {

namespace {

struct ImportArguments {
    std::vector<std::string> files;
    std::string out;
};

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(std::move(line));
    return lines;
}

Architecture importOne(const std::string& file) {
    auto architecture = data::importHuggingFaceConfig(contentOf(file), file);
    if (!architecture)
        throw Failure(Failure::request, linesOf(architecture.error()));
    return *std::move(architecture);
}

/// One user catalog with all of the models.
std::string catalogOf(const std::vector<Architecture>& models) {
    auto catalog = nlohmann::ordered_json::parse(data::architectureToCatalogText(models.front()));
    for (std::size_t i = 1; i < models.size(); ++i) {
        const auto other = nlohmann::ordered_json::parse(data::architectureToCatalogText(models[i]));
        catalog["entries"].push_back(other["entries"].front());
    }
    return catalog.dump(2) + '\n';
}

std::string summary(const ImportArguments& options, const std::vector<Architecture>& models, bool json) {
    std::string text = "Wrote " + options.out + "\n";
    data::JsonWriter writer;
    writer.beginObject({});
    writer.integer("alidade", 1);
    writer.text("file", options.out);
    writer.beginArray("models");
    for (const Architecture& model : models) {
        const auto parameters = static_cast<double>(countParameters(model).total);
        text += "  " + model.id + ": " + model.name + ", " + formatQuantity(parameters, Dimension::number) +
                " parameters\n";
        writer.beginObject({});
        writer.text("id", model.id);
        writer.text("name", model.name);
        writer.number("parameters", parameters);
        writer.endObject();
    }
    writer.endArray();
    writer.endObject();
    return json ? writer.take() : text + "Use it with --catalog " + options.out + "\n";
}

void importModels(Call& call, const ImportArguments& options) {
    std::vector<Architecture> models;
    for (const std::string& file : options.files)
        models.push_back(importOne(file));
    const std::string catalog = catalogOf(models);
    if (options.out.empty()) {
        call.out = catalog;
        return;
    }
    writeFile(options.out, catalog);
    call.out = summary(options, models, call.common.json);
}

} // namespace

void addImportCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<ImportArguments>();
    CLI::App* command = program.add_subcommand("import", "Read files of other programs");
    command->require_subcommand(1);
    command->footer("Example:\n  alidade import model config.json -o my-model.json");
    CLI::App* model =
        command->add_subcommand("model", "Hugging Face config.json to a catalog with the model");
    model
        ->add_option("FILE", options->files,
                     "config.json of Llama, Mistral, Mixtral, Qwen2, Qwen3, DeepSeek V2 or V3, "
                     "or gpt-oss models")
        ->required();
    model->add_option("-o,--out", options->out, "Catalog file to write; standard output if absent")
        ->type_name("OUT");
    addCommonOptions(*model, call.common);
    model->footer("Example:\n  alidade import model config.json -o my-model.json");
    model->callback([&call, options] { call.action = [&call, options] { importModels(call, *options); }; });
    addImportTopology(*command, call);
    addImportNcclLog(*command, call);
    addImportJob(*command, call);
}

} // namespace alidade::cli
