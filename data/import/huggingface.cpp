// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/huggingface.h"

#include "data/catalog/architecture_json.h"
#include "data/import/huggingface_reader.h"
#include "data/json/gate.h"
#include "data/json/json.h"

#include <filesystem>

namespace alidade::data {
namespace {

/// "meta-llama/Llama-3.1-8B" becomes "llama-3.1-8b".
std::string idOf(const std::string& path) {
    std::string id = path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
    for (char& c : id)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' ? '-' : c;
    return id;
}

/// Returns the model name in the document, or that of its file or folder.
std::string nameOf(ObjectReader& in, const std::string& fileName) {
    const std::string given = in.text("_name_or_path").value_or("");
    if (!given.empty() && !idOf(given).empty())
        return given.substr(given.find_last_of('/') + 1);
    const std::filesystem::path path(fileName);
    const std::string stem = path.stem().string();
    const std::string folder = path.parent_path().filename().string();
    return stem == "config" && !folder.empty() ? folder : stem.empty() ? "model" : stem;
}

std::string lines(const std::vector<JsonFault>& faults, const std::string& fileName) {
    std::string out;
    for (const JsonFault& fault : faults)
        out += (out.empty() ? "" : "\n") + text(fileName, fault);
    return out;
}

/// Python writes Infinity and NaN into its JSON (Mamba's "time_step_limit"); null represents them.
std::string withoutPythonNumbers(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
            quoted = !quoted;
        const auto skip = [&](std::string_view word) {
            if (quoted || !text.substr(i).starts_with(word))
                return false;
            out += "null";
            i += word.size() - 1;
            return true;
        };
        if (!skip("-Infinity") && !skip("Infinity") && !skip("NaN"))
            out += text[i];
    }
    return out;
}

} // namespace

Result<Architecture> importHuggingFaceConfig(std::string_view text, const std::string& fileName) {
    const Result<nlohmann::json> json = parseJson(withoutPythonNumbers(text));
    if (!json)
        return Error{fileName + ": " + json.error()};
    std::vector<JsonFault> faults;
    ObjectReader whole(*json, {}, faults);
    whole.require({"model_type"});
    const std::string outer = whole.text("model_type").value_or("");
    // A multimodal model keeps its language model apart.
    std::optional<ObjectReader> inner = whole.object("text_config");
    ObjectReader& in = inner ? *inner : whole;
    const std::string type = inner ? inner->text("model_type").value_or(outer) : outer;
    const Family* family = familyOf(type);
    if (faults.empty() && !family)
        in.fault("model_type", "model_type '" + type + "' is not supported; use one of " + knownFamilies());
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    Architecture out = readHuggingFaceConfig(in, *family);
    if (inner) {
        if (!inner->has("tie_word_embeddings"))
            out.tieEmbeddings = whole.boolean("tie_word_embeddings").value_or(out.tieEmbeddings);
        out.provenance.notes.push_back("The language model of a " + outer +
                                       "; its other parts (vision, audio) are not modeled.");
    }
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    checkArchitecture(out, {}, faults);
    // These pointers refer to the architecture, not to this document.
    for (JsonFault& fault : faults)
        if (!fault.pointer.empty())
            fault = {{}, fault.pointer.substr(1) + ": " + fault.message};
    if (!faults.empty())
        return Error{lines(faults, fileName)};
    out.name = nameOf(whole, fileName);
    out.id = idOf(out.name);
    out.provenance.sources.push_back({"Hugging Face configuration", {}, fileName, {}, "config", true, {}});
    return out;
}

} // namespace alidade::data
