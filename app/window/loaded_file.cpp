// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/loaded_file.h"

#include "app/window/workspace_session.h"
#include "data/fleet/fleet_file.h"
#include "data/import/file_nature.h"
#include "data/import/huggingface.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"
#include "views/document/text.h"

#include <QFileInfo>

namespace alidade::app {

using views::text;

namespace {

/// A config.json of Hugging Face names its model type; a scenario says which version of ours it is.
bool isModelConfig(const QByteArray& content) {
    return content.contains("\"model_type\"") && !content.contains("\"alidade\"");
}

} // namespace

LoadedFile loadFile(const QString& fileName, const std::stop_token& stop) {
    LoadedFile out;
    if (looksLikeWorkspace(fileName)) {
        out.isWorkspace = true;
        return out;
    }
    const std::string name = fileName.toStdString();
    const Result<std::string> bytes = data::readFile(name, largestScenarioFile, stop);
    if (!bytes) {
        out.isMissing = !QFileInfo::exists(fileName);
        out.fault = fileName + QStringLiteral(": ") + text(bytes.error());
        return out;
    }
    out.content = QByteArray::fromStdString(*bytes);
    if (isModelConfig(out.content)) {
        auto model = data::importHuggingFaceConfig(*bytes, name);
        if (model)
            out.model = *std::move(model);
        else
            out.fault = text(model.error()).section(QLatin1Char('\n'), 0, 0);
        return out;
    }
    if (data::isFleet(*bytes)) {
        out.isFleet = true;
        return out;
    }
    if (const std::string other = data::notScenario(*bytes, name); !other.empty()) {
        out.fault = text(other);
        return out;
    }
    auto spec = data::readScenario(*bytes, name);
    if (spec)
        out.spec = *std::move(spec);
    else
        out.fault = text(spec.error());
    return out;
}

} // namespace alidade::app
