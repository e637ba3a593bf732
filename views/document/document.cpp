// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/document.h"

#include "model/scenario/fields.h"
#include "views/document/baselines.h"
#include "views/document/engine.h"
#include "views/document/latest_worker.h"
#include "views/document/text.h"

#include <QFileInfo>
#include <QMetaObject>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

namespace alidade::views {

namespace {

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

std::vector<Suggestion> guardedSuggestions(const Engine& engine, const ScenarioSpec& spec,
                                           const Catalog& catalog) {
    try {
        return engine.suggest ? engine.suggest(spec, catalog) : std::vector<Suggestion>();
    } catch (const std::exception&) {
        return {}; // the answer itself stands without them
    }
}

} // namespace

struct Document::Private {
    ScenarioSpec spec;
    std::optional<ScenarioSpec> previewSpec;
    std::optional<Fix> previewFix;
    std::shared_ptr<const Catalog> catalog;
    Engine engine;
    std::shared_ptr<const Estimate> estimate;
    double estimateSeconds = 0;
    std::vector<Suggestion> suggestions;
    bool suggestionsPending = false;
    QString error;
    Selection selection;
    ServingStep servingStep = ServingStep::decode;
    QString fileName;
    bool outdated = false;
    bool kept = false;
    bool modified = false; ///< as last told
    bool busy = false;
    bool startQueued = false;
    std::uint64_t generation = 0; ///< of the newest request; results of older ones are dropped
    QUndoStack* undo = nullptr;
    Baselines* baselines = nullptr;
    LatestWorker worker;

    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

/// Sets fields to their new values; undo sets them back.
class Document::FieldCommand : public QUndoCommand {
public:
    struct Change {
        const Field* field;
        FieldValue before, after;
    };

    /// The change of a field, after those that it makes to the fields which it stands instead of.
    static void append(const ScenarioSpec& spec, const Field& field, const FieldValue& value,
                       std::vector<Change>& changes) {
        if (!std::holds_alternative<std::monostate>(value))
            for (const Field& other : fieldTable()) {
                const FieldValue present = other.get(spec);
                if (excludesPath(field, other.path) && !std::holds_alternative<std::monostate>(present))
                    changes.push_back({&other, present, {}});
            }
        changes.push_back({&field, field.get(spec), value});
    }

    FieldCommand(Document& document, std::vector<Change> changes, const QString& undoText, int gesture)
        : QUndoCommand(undoText)
        , document_(document)
        , changes_(std::move(changes))
        , gesture_(gesture) {
        if (const auto& architecture = document.d->spec.workload.architecture)
            architecture_ = std::make_unique<const Architecture>(*architecture);
    }

    int id() const override { return gesture_ == 0 ? -1 : 1; }

    bool mergeWith(const QUndoCommand* newer) override {
        const auto& other = static_cast<const FieldCommand&>(*newer);
        // Within a gesture only the first step can have cleared other fields, so the newer one has its own
        // field last.
        if (gesture_ != other.gesture_ || other.changes_.size() != 1 ||
            changes_.back().field != other.changes_.back().field)
            return false;
        changes_.back().after = other.changes_.back().after;
        setText(other.text());
        setObsolete(changes_.size() == 1 && changes_.back().before == changes_.back().after);
        return true;
    }

    void redo() override {
        QUndoCommand::redo();
        for (const Change& change : changes_)
            change.field->set(document_.d->spec, change.after);
        document_.specHasChanged();
    }

    void undo() override {
        QUndoCommand::undo();
        ScenarioSpec& spec = document_.d->spec;
        std::vector<FieldValue> wanted;
        for (const Field& field : fieldTable())
            wanted.push_back(beforeOf(field, spec));
        if (architecture_)
            spec.workload.architecture = *architecture_;
        // To set a field may clear others, so a second round brings back those that were to stay.
        for (int round = 0; round < 2; ++round) {
            auto value = wanted.begin();
            for (const Field& field : fieldTable()) {
                if (field.get(spec) != *value)
                    field.set(spec, *value);
                ++value;
            }
        }
        document_.specHasChanged();
    }

private:
    FieldValue beforeOf(const Field& field, const ScenarioSpec& spec) const {
        const auto change = std::ranges::find(changes_, &field, &Change::field);
        return change == changes_.end() ? field.get(spec) : change->before;
    }

    Document& document_;
    std::vector<Change> changes_;
    std::unique_ptr<const Architecture>
        architecture_; ///< before; naming a model drops one that is written out
    int gesture_;
};

/// Puts one scenario in the place of another; the name is not part of what is undone.
class Document::SpecCommand : public QUndoCommand {
public:
    SpecCommand(Document& document, ScenarioSpec after, const QString& undoText)
        : QUndoCommand(undoText)
        , document_(document)
        , before_(document.d->spec)
        , after_(std::move(after)) {}

    void redo() override {
        QUndoCommand::redo();
        take(after_);
    }
    void undo() override {
        QUndoCommand::undo();
        take(before_);
    }

private:
    void take(const ScenarioSpec& spec) {
        const auto name = document_.d->spec.name;
        document_.d->spec = spec;
        document_.d->spec.name = name;
        document_.specHasChanged();
    }

    Document& document_;
    ScenarioSpec before_, after_;
};

Document::Document(std::shared_ptr<const Catalog> catalog, Engine engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this)) {
    d->catalog = std::move(catalog);
    d->engine = std::move(engine);
    d->undo = new QUndoStack(this);
    connect(d->undo, &QUndoStack::cleanChanged, this, [this] { tellModified(); });
    d->baselines = new Baselines(*this);
}

Document::~Document() = default;

const ScenarioSpec& Document::spec() const { return d->spec; }
const ScenarioSpec& Document::shownSpec() const { return d->previewSpec ? *d->previewSpec : d->spec; }
std::shared_ptr<const Catalog> Document::catalog() const { return d->catalog; }
std::shared_ptr<const Estimate> Document::estimate() const { return d->estimate; }
double Document::estimateSeconds() const { return d->estimateSeconds; }
const std::vector<Suggestion>& Document::suggestions() const { return d->suggestions; }
bool Document::suggestionsPending() const { return d->suggestionsPending; }
bool Document::busy() const { return d->busy; }
QString Document::error() const { return d->error; }
QUndoStack* Document::undoStack() const { return d->undo; }
const Engine& Document::engine() const { return d->engine; }
const Fix* Document::previewed() const { return d->previewFix ? &*d->previewFix : nullptr; }
Baselines& Document::baselines() const { return *d->baselines; }
const Selection& Document::selection() const { return d->selection; }
ServingStep Document::servingStep() const { return d->servingStep; }
QString Document::fileName() const { return d->fileName; }
bool Document::isModified() const { return !d->kept && (d->outdated || !d->undo->isClean()); }
bool Document::isKept() const { return d->kept; }

void Document::setCatalog(std::shared_ptr<const Catalog> catalog) {
    d->catalog = std::move(catalog);
    emit catalogChanged();
    requestEstimate();
}

QString Document::setField(const Field& field, const QString& newText, int gesture) {
    Result<FieldValue> value = parseField(field, newText.trimmed().toStdString());
    if (!value)
        return text(value.error());
    if (const std::string fault = checkField(field, *value); !fault.empty())
        return text(fault);
    endPreview();
    if (field.get(d->spec) == *value)
        return {};
    std::vector<FieldCommand::Change> changes;
    FieldCommand::append(d->spec, field, *value, changes);
    const QString shown = text(fieldText(field, *value));
    const QString label = text(field.label);
    const QString undoText =
        shown.isEmpty() ? tr("reset %1").arg(label) : tr("set %1 to %2").arg(label, shown);
    d->undo->push(new FieldCommand(*this, std::move(changes), undoText, gesture));
    return {};
}

QString Document::setFields(const FieldTexts& set, const QString& undoText) {
    std::vector<FieldCommand::Change> changes;
    bool differs = false;
    for (const auto& [path, newText] : set) {
        const Field* field = findField(path);
        if (field == nullptr)
            return tr("there is no field %1").arg(text(path));
        Result<FieldValue> value = parseField(*field, newText);
        if (!value)
            return text(value.error());
        if (const std::string fault = checkField(*field, *value); !fault.empty())
            return text(fault);
        FieldCommand::append(d->spec, *field, *value, changes);
        differs = differs || changes.back().before != changes.back().after;
    }
    endPreview();
    if (differs)
        d->undo->push(new FieldCommand(*this, std::move(changes), undoText, 0));
    return {};
}

void Document::replaceSpec(const ScenarioSpec& spec, const QString& undoText) {
    endPreview();
    d->undo->push(new SpecCommand(*this, spec, undoText));
}

int Document::newGesture() {
    static int last = 0;
    return ++last;
}

void Document::preview(const Fix& fix) {
    ScenarioSpec spec = d->spec;
    for (const auto& [path, newText] : fix.set) {
        Result<ScenarioSpec> changed = withField(spec, path, newText);
        if (!changed)
            return;
        spec = *std::move(changed);
    }
    d->previewSpec = std::move(spec);
    d->previewFix = fix;
    emit previewChanged();
    emit specChanged();
    requestEstimate();
}

void Document::adoptPreview() {
    if (!d->previewFix)
        return;
    const Fix fix = *d->previewFix;
    QString undoText = text(fix.text);
    if (!undoText.isEmpty())
        undoText[0] = undoText[0].toLower();
    setFields(fix.set, undoText);
}

void Document::endPreview() {
    if (!d->previewFix)
        return;
    specHasChanged();
}

void Document::setSelection(const Selection& selection) {
    if (selection == d->selection)
        return;
    d->selection = selection;
    emit selectionChanged();
}

void Document::setServingStep(ServingStep step) {
    if (step == d->servingStep)
        return;
    d->servingStep = step;
    emit servingStepChanged();
}

QString Document::displayName() const {
    if (d->spec.name && !d->spec.name->empty())
        return text(*d->spec.name);
    return d->fileName.isEmpty() ? tr("Untitled") : QFileInfo(d->fileName).completeBaseName();
}

void Document::open(const ScenarioSpec& given, const QString& fileName) {
    const ScenarioSpec spec = given; // may be the present one
    emit aboutToOpen();
    const bool wasPreviewing = d->previewFix.has_value();
    d->previewFix.reset();
    d->previewSpec.reset();
    d->spec = spec;
    d->kept = false;
    d->undo->clear();
    d->estimate.reset();
    d->suggestions.clear();
    d->error.clear();
    setSaved(fileName);
    clearSelection();
    if (wasPreviewing)
        emit previewChanged();
    emit estimateChanged();
    emit suggestionsChanged();
    specHasChanged();
}

void Document::setSaved(const QString& fileName) {
    d->outdated = false;
    d->undo->setClean();
    if (d->fileName != fileName) {
        d->fileName = fileName;
        emit fileNameChanged();
    }
    tellModified();
}

void Document::setOutdated() {
    d->outdated = true;
    tellModified();
}

void Document::setKept(bool kept) {
    d->kept = kept;
    tellModified();
}

void Document::rename(const QString& name) {
    d->spec.name = name.isEmpty() ? std::nullopt : std::optional(name.toStdString());
    if (d->previewSpec)
        d->previewSpec->name = d->spec.name;
    emit specChanged();
}

void Document::tellModified() {
    if (d->modified == isModified())
        return;
    d->modified = isModified();
    emit modifiedChanged(d->modified);
}

void Document::recompute() { requestEstimate(); }

void Document::cancel() {
    ++d->generation;
    d->worker.cancel();
    d->suggestionsPending = false;
    setBusy(false);
    emit suggestionsChanged();
}

void Document::specHasChanged() {
    if (d->previewFix) {
        d->previewFix.reset();
        d->previewSpec.reset();
        emit previewChanged();
    }
    emit specChanged();
    requestEstimate();
}

void Document::requestEstimate() {
    ++d->generation;
    setBusy(true);
    if (!d->startQueued) {
        d->startQueued = true;
        QMetaObject::invokeMethod(this, [this] { startEstimate(); }, Qt::QueuedConnection);
    }
}

void Document::setBusy(bool busy) {
    if (d->busy == busy)
        return;
    d->busy = busy;
    emit busyChanged(busy);
}

void Document::startEstimate() {
    d->startQueued = false;
    if (!d->busy)
        return; // canceled in the meantime
    const std::uint64_t generation = d->generation;
    const bool wantSuggestions = !d->previewSpec;
    d->worker.start([this, generation, wantSuggestions, spec = shownSpec(), catalog = d->catalog,
                     engine = d->engine](const LatestWorker::Turn& turn) {
        const auto begin = std::chrono::steady_clock::now();
        Result<Estimate> result = guardedEstimate(engine, spec, *catalog);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        if (turn.isSuperseded())
            return;
        std::shared_ptr<const Estimate> estimate;
        if (result)
            estimate = std::make_shared<const Estimate>(*std::move(result));
        turn.post([this, generation, estimate, seconds = taken.count(), error = text(result.error())] {
            acceptEstimate(generation, estimate, seconds, error);
        });
        if (!estimate || !wantSuggestions || turn.isSuperseded())
            return;
        std::vector<Suggestion> suggestions = guardedSuggestions(engine, spec, *catalog);
        turn.post([this, generation, suggestions] { acceptSuggestions(generation, suggestions); });
    });
}

void Document::acceptEstimate(std::uint64_t generation, std::shared_ptr<const Estimate> estimate,
                              double seconds, const QString& error) {
    if (generation != d->generation)
        return;
    d->error = error;
    if (estimate) {
        d->estimate = std::move(estimate);
        d->estimateSeconds = seconds;
    }
    d->suggestionsPending = error.isEmpty() && !d->previewSpec;
    setBusy(false);
    emit estimateChanged();
    if (!error.isEmpty())
        emit failed(error);
}

void Document::acceptSuggestions(std::uint64_t generation, const std::vector<Suggestion>& suggestions) {
    if (generation != d->generation)
        return;
    d->suggestions = suggestions;
    d->suggestionsPending = false;
    emit suggestionsChanged();
}

} // namespace alidade::views
