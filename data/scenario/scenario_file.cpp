// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_file.h"

#include "data/file/write_file.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"

namespace alidade::data {

Result<ScenarioSpec> readScenarioFile(const std::string& file) {
    const Result<std::string> text = readFile(file);
    if (!text)
        return Error{file + ": " + text.error()};
    return readScenario(*text, file);
}

QString writeScenarioFile(const ScenarioSpec& spec, const QString& file) {
    return writeFile(file, QByteArray::fromStdString(writeScenario(spec)));
}

} // namespace alidade::data
