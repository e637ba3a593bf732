// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_effect.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/estimate/run_order.h"
#include "model/scenario/charged_price.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

#include <QCoreApplication>

namespace alidade::views {

namespace {

struct EffectTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

/// The changes without what the person did to a value: with what takes it back behind them.
Result<data::UserCatalog> without(const data::UserCatalog& user, const CatalogCell& cell) {
    const data::Signature nobody;
    const std::string entry = cell.entry.toStdString();
    auto change = cell.key == QLatin1String("id") || cell.key.isEmpty()
                      ? data::resetEntry(user, cell.kind, entry, nobody)
                      : data::resetValue(user, cell.kind, entry, cell.key.toStdString(), nobody);
    if (!change)
        return Error{change.error()};
    data::UserCatalog less = user;
    less.changes.push_back(*std::move(change));
    return less;
}

class EffectRows {
public:
    EffectRows(const Estimate& before, const Estimate& after)
        : before_(before)
        , after_(after) {}

    template <class Part>
    void add(const QString& name, Dimension dimension, Part part) {
        const std::optional<double> a = part(before_);
        const std::optional<double> b = part(after_);
        if (a == b)
            return;
        const auto shown = [&](std::optional<double> value) {
            return value ? quantity(*value, dimension, {.significant = 4}) : QStringLiteral("–");
        };
        rows.append({name, shown(a), shown(b)});
    }

    QList<EffectRow> rows;

private:
    const Estimate& before_;
    const Estimate& after_;
};

using Figure = std::optional<double>;

QList<EffectRow> effectRows(const Estimate& before, const Estimate& after) {
    EffectRows out(before, after);
    const auto verdict = [](const Estimate& e) {
        return e.runs ? e.fits ? EffectTexts::tr("fits") : EffectTexts::tr("does not fit")
                      : EffectTexts::tr("does not run");
    };
    if (verdict(before) != verdict(after))
        out.rows.append({EffectTexts::tr("Verdict"), verdict(before), verdict(after)});
    out.add(EffectTexts::tr("Step"), Dimension::seconds,
            [](const Estimate& e) { return e.training ? Figure(e.training->stepTime) : Figure(); });
    out.add(EffectTexts::tr("Run"), Dimension::seconds,
            [](const Estimate& e) { return e.training ? e.training->runTime : Figure(); });
    out.add(EffectTexts::tr("Output"), Dimension::tokensPerSecond, [](const Estimate& e) {
        return e.serving ? Figure(e.serving->outputTokensPerSecond) : Figure();
    });
    out.add(EffectTexts::tr("TTFT, mean"), Dimension::seconds,
            [](const Estimate& e) { return e.serving ? Figure(e.serving->ttft) : Figure(); });
    out.add(EffectTexts::tr("Memory of the worst GPU"), Dimension::bytes,
            [](const Estimate& e) { return e.memory ? Figure(e.memory->totalBytes) : Figure(); });
    out.add(EffectTexts::tr("Cost of the run"), Dimension::dollars, [](const Estimate& e) {
        const auto total = e.cost ? runTotal(*e.cost) : std::nullopt;
        return total ? Figure(total->dollars) : Figure();
    });
    out.add(EffectTexts::tr("Per million output tokens"), Dimension::dollars,
            [](const Estimate& e) { return e.cost ? e.cost->dollarsPerMillionOutputTokens : Figure(); });
    out.add(EffectTexts::tr("Cost per hour"), Dimension::dollars,
            [](const Estimate& e) { return e.cost ? Figure(e.cost->dollarsPerHour) : Figure(); });
    return out.rows;
}

/// What the thread needs; values only.
struct Question {
    CatalogCell cell;
    ScenarioSpec spec;
    Engine engine;
    std::shared_ptr<const Catalog> shipped;
    data::UserCatalog user;
    std::shared_ptr<const Catalog> present;
};

EffectReport answerTo(const Question& question, const std::stop_token& superseded) {
    EffectReport report{.cell = question.cell, .used = false, .compared = false, .reason = {}, .rows = {}};
    report.used =
        scenarioUses(question.spec, *question.present, question.cell.kind, question.cell.entry.toStdString());
    const Result<data::UserCatalog> less = without(question.user, question.cell);
    if (!less || superseded.stop_requested())
        return report; // the value is the shipped one
    const data::AppliedCatalog before = data::applyChanges(question.shipped, *less);
    const Result<Estimate> then = guardedEstimate(question.engine, question.spec, *before.catalog);
    if (superseded.stop_requested())
        return report;
    const Result<Estimate> now = guardedEstimate(question.engine, question.spec, *question.present);
    report.compared = bool(then) && bool(now);
    if (report.compared)
        report.rows = effectRows(*then, *now);
    else
        report.reason = text(now ? then.error() : now.error());
    return report;
}

} // namespace

struct CatalogEffect::Private {
    CatalogEditor* editor = nullptr;
    std::uint64_t generation = 0;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

CatalogEffect::CatalogEffect(CatalogEditor* editor, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->editor = editor;
}

CatalogEffect::~CatalogEffect() = default;

void CatalogEffect::ask(const CatalogCell& cell) {
    const std::uint64_t generation = ++d->generation;
    const Document& document = d->editor->document();
    Question question{cell,
                      document.spec(),
                      document.engine(),
                      d->editor->shipped(),
                      d->editor->user(),
                      d->editor->applied().catalog};
    d->worker.start([this, generation, question = std::move(question)](const LatestWorker::Turn& turn) {
        const EffectReport report = answerTo(question, turn.superseded());
        turn.post([this, generation, report] {
            if (generation == d->generation)
                emit known(report);
        });
    });
}

bool scenarioUses(const ScenarioSpec& spec, const Catalog& catalog, data::CatalogKind kind,
                  const std::string& entry) {
    const ClusterSpec& cluster = spec.cluster;
    const UltraServer* server = cluster.ultraserver ? catalog.ultraserver(*cluster.ultraserver) : nullptr;
    const Instance* instance = catalog.instance(cluster.instance    ? *cluster.instance
                                                : server != nullptr ? server->instance
                                                                    : std::string());
    switch (kind) {
    case data::CatalogKind::gpus:
        return (instance != nullptr && instance->gpu == entry) ||
               (server != nullptr && server->gpu == entry) || cluster.custom.gpu == entry;
    case data::CatalogKind::instances:
        return instance != nullptr && instance->id == entry;
    case data::CatalogKind::ultraservers:
        return server != nullptr && server->id == entry;
    case data::CatalogKind::efa: {
        const auto generation = server != nullptr && server->efaGeneration ? server->efaGeneration
                                : instance != nullptr                      ? instance->efaGeneration
                                                                           : std::nullopt;
        const EfaGeneration* efa = generation ? catalog.efaGeneration(*generation) : nullptr;
        return efa != nullptr && efa->id == entry;
    }
    case data::CatalogKind::prices:
        for (const Price& price : catalog.prices)
            if (price.id == entry)
                return (price.item == cluster.instance || price.item == cluster.ultraserver) &&
                       isPriceOf(price, spec);
        return false;
    case data::CatalogKind::models:
        return spec.workload.model == entry;
    case data::CatalogKind::frameworks:
        return spec.plan.framework == entry;
    case data::CatalogKind::engines:
        return spec.plan.engine == entry;
    case data::CatalogKind::storage:
    case data::CatalogKind::scenarios:
        break;
    }
    return false;
}

} // namespace alidade::views
