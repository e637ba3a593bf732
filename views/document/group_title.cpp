// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/group_title.h"

#include <QCoreApplication>

namespace alidade::views {

QString groupTitle(FieldGroup group) {
    switch (group) {
    case FieldGroup::workload:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Workload");
    case FieldGroup::cluster:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Cluster");
    case FieldGroup::plan:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Plan");
    case FieldGroup::speculation:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Speculation");
    case FieldGroup::prefillPool:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Prefill pool");
    case FieldGroup::decodePool:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Decode pool");
    case FieldGroup::roles:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Pools");
    case FieldGroup::run:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Whole run");
    case FieldGroup::machine:
        return QCoreApplication::translate("alidade::views::ScenarioView", "Model of the machine");
    }
    return {};
}

} // namespace alidade::views
