// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_desk.h"

#include "app/window/file_session.h"
#include "app/window/library_desk.h"
#include "data/workspace/library.h"
#include "views/compare/compare_view.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/start/samples.h"

#include <QScopedValueRollback>

#include <limits>

namespace alidade::app {

using data::ListedScenario;

CompareDesk::CompareDesk(views::CompareView& view, const views::Document& document, LibraryDesk& library,
                         FileSession& files, QObject* parent)
    : QObject(parent)
    , view_(view)
    , document_(document)
    , library_(library)
    , files_(files) {
    WorkspaceSession& session = library.session();
    view.setScenarios({.choices =
                           [this] {
                               QList<views::CompareView::Choice> all;
                               for (const auto& [name, id] : library_.latest(std::numeric_limits<int>::max()))
                                   all.append({tr("Library"),
                                               {.kind = ListedScenario::Kind::stored,
                                                .id = id,
                                                .name = name.toStdString(),
                                                .spec = {}}});
                               const auto& pinned = document_.baselines().list();
                               for (const ListedScenario& each : pinned)
                                   all.append({tr("Baselines"), each});
                               for (const views::Sample& sample : views::samples())
                                   all.append({tr("Samples"),
                                               {.kind = ListedScenario::Kind::fixed,
                                                .name = sample.name.toStdString(),
                                                .spec = sample.spec}});
                               return all;
                           },
                       .stored = [this](std::int64_t id) -> Result<ScenarioSpec> {
                           const data::StoredScenario* stored = library_.session().library().scenario(id);
                           if (stored == nullptr)
                               return Error{"it is not in the library any more"};
                           const Result<ScenarioSpec> spec = data::specOf(*stored);
                           if (!spec)
                               return spec;
                           ScenarioSpec named = *spec;
                           named.name = stored->name;
                           return named;
                       }});
    connect(&view, &views::CompareView::openRequested, this, &CompareDesk::open);
    connect(&session.library(), &views::Library::changed, &view, &views::CompareView::scenariosChanged);
    connect(&session, &WorkspaceSession::opened, this, [this] {
        const QScopedValueRollback guard(restoring_, true);
        view_.list().restore(library_.session().setting(data::setting::comparison));
    });
    connect(&view.list(), &views::CompareList::changed, this, [this] {
        if (!restoring_ && library_.session().isWritable())
            library_.session().keepSetting(data::setting::comparison, view_.list().saved());
    });
}

void CompareDesk::open(const ListedScenario& scenario) {
    switch (scenario.kind) {
    case ListedScenario::Kind::open:
        emit showPlan();
        break;
    case ListedScenario::Kind::stored:
        library_.openScenario(scenario.id);
        break;
    case ListedScenario::Kind::fixed:
        files_.settle([this, scenario] {
            ScenarioSpec spec = scenario.spec;
            spec.name = scenario.name;
            files_.openSpec(spec, FileSession::Origin::planned);
        });
        break;
    }
}

} // namespace alidade::app
