// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/words.h"

#include "model/scenario/choice_names.h"
#include "views/document/text.h"

#include <QCoreApplication>

namespace alidade::views {

namespace {

struct EditorTexts {
    Q_DECLARE_TR_FUNCTIONS(ScenarioView)
};

} // namespace

QString choiceText(std::string_view path, std::string_view word) {
    const char* name = choiceName(path, word);
    return name == nullptr ? text(word) : EditorTexts::tr(name);
}

QString unitOf(const Field& field) {
    return field.unit.empty() ? QString() : EditorTexts::tr(field.unit.data());
}

} // namespace alidade::views
