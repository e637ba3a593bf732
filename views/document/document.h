// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/document/selection.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class QUndoStack;

namespace alidade {
struct Catalog;
struct Field;
struct Fix;
struct Suggestion;
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

class Baselines;
struct Engine;

/// What all views share: the scenario with its undo stack, the catalog, the newest estimate, the suggestions
/// and the selection. A newer edit supersedes an older one; edits within one turn of the event loop cost one
/// estimate.
///
/// Why one object: views never talk to each other. Each reads from here and changes here, so that a change in
/// one is seen by all, is one step of undo, and cannot leave two views with different figures.
///
/// Invariants: the catalog is never null; an estimate is immutable and belongs to one state of the scenario;
/// while an edit is being estimated, or after it failed, estimate() is older than spec(), and busy() or
/// error() says so; a preview changes shownSpec() but not spec() and is not a step of undo. Threads: every
/// call and signal is on the GUI thread. Estimates run on a worker with copies of what they need; each
/// request has a generation, and the result of any but the newest is dropped.
class Document : public QObject {
    Q_OBJECT

public:
    /// The catalog must not be null.
    Document(std::shared_ptr<const Catalog> catalog, Engine engine, QObject* parent = nullptr);
    ~Document() override;

    const ScenarioSpec& spec() const;      ///< as written
    const ScenarioSpec& shownSpec() const; ///< with a previewed change, while there is one
    std::shared_ptr<const Catalog> catalog() const;
    void setCatalog(std::shared_ptr<const Catalog> catalog);
    const Engine& engine() const; ///< for further estimates, see BatchEstimator

    /// The newest finished estimate; null before the first. While busy() or after failed() it is older than
    /// spec().
    std::shared_ptr<const Estimate> estimate() const;
    double estimateSeconds() const; ///< that computing it took
    const std::vector<Suggestion>& suggestions() const;
    bool suggestionsPending() const; ///< the estimate is there, its suggestions are not
    bool busy() const;               ///< an estimate of the shown spec is on its way
    QString error() const; ///< why the shown spec has no estimate: "/workload/model: ..."; else empty
    void recompute();      ///< "Try again"
    void cancel();         ///< gives up the estimate on its way; the older one stays

    // Changes. Each is one undo step. Values are texts, as a person types them, and must be ones that
    // parseField accepts; an empty text clears the field.
    /// \param gesture not 0: merges with the step before if that has the same gesture and field (drags,
    /// stepping)
    /// \returns an empty text, or why nothing was changed
    QString setField(const Field& field, const QString& text, int gesture = 0);
    /// Several fields in one step.
    /// \param undoText "use p5en.48xlarge": follows the words Undo and Redo
    QString setFields(const std::vector<std::pair<std::string, std::string>>& set, const QString& undoText);
    /// Another scenario in place of this one, such as an older state of it; one undo step. The name stays.
    /// \param undoText as of setFields
    void replaceSpec(const ScenarioSpec& spec, const QString& undoText);
    static int newGesture(); ///< a number not given before
    QUndoStack* undoStack() const;

    /// Shows what a change would bring, without making it. Any edit ends the preview first.
    void preview(const Fix& fix);
    void adoptPreview();
    void endPreview();
    const Fix* previewed() const; ///< null: none

    /// What the estimate is set against.
    Baselines& baselines() const;

    const Selection& selection() const;
    void setSelection(const Selection& selection);
    void clearSelection() { setSelection({}); }
    ServingStep servingStep() const; ///< that all views on a step of serving show
    void setServingStep(ServingStep step);

    // The file
    QString fileName() const;    ///< empty: never saved
    QString displayName() const; ///< the scenario's name, else the file's, else "Untitled"
    bool isModified() const;
    /// Replaces the scenario; drops undo steps, selection and the old estimate.
    void open(const ScenarioSpec& spec, const QString& fileName);
    void setSaved(const QString& fileName);
    /// The file on disk is no longer what was opened or saved: counts as modified until saved.
    void setOutdated();
    /// Each step is kept elsewhere as it is made: nothing counts as modified. open() ends this.
    void setKept(bool kept);
    bool isKept() const;
    /// Another name; no undo step, nothing is estimated again.
    void rename(const QString& name);

signals:
    void aboutToOpen();     ///< open() is going to replace the scenario
    void specChanged();     ///< spec() or shownSpec()
    void estimateChanged(); ///< estimate() or error()
    void suggestionsChanged();
    void busyChanged(bool busy);
    void failed(const QString& error);
    void previewChanged();
    void selectionChanged();
    void servingStepChanged();
    void catalogChanged();
    void fileNameChanged();
    void modifiedChanged(bool modified);

private:
    struct Private;
    class FieldCommand;
    class SpecCommand;
    void specHasChanged();
    void requestEstimate();
    void startEstimate();
    void acceptEstimate(std::uint64_t generation, std::shared_ptr<const Estimate> estimate, double seconds,
                        const QString& error);
    void acceptSuggestions(std::uint64_t generation, const std::vector<Suggestion>& suggestions);
    void setBusy(bool busy);
    void tellModified();

    std::unique_ptr<Private> d;
};

} // namespace alidade::views
