// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"
#include "model/explore/comparison.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <memory>
#include <string_view>
#include <vector>

class QUndoStack;

namespace alidade::views {

class Document;
struct ComparedItem;

/// The shown estimate against a baseline.
struct BaselineDifference {
    QString name;                           ///< of the baseline
    int place = 0;                          ///< of the baseline in its list, for its dashes
    std::shared_ptr<const Estimate> before; ///< of the baseline; never null
    std::shared_ptr<const Estimate> after;  ///< that was shown when this was asked for; never null
    Comparison comparison;                  ///< baseline first

    /// The change of a figure by its path; null: one of the two does not have it.
    const FigureChange* change(std::string_view path) const;
    /// Of the time of a step, or of an output token.
    const FigureChange* timeChange() const;
    /// Whether more of the figure is better.
    bool moreIsBetter(std::string_view path) const;
};

/// States of scenarios that what is open is set against: several, with names, one of them at a time. Every
/// view shows the difference where it matters. Each change of the list is one step of its own undo stack.
class Baselines : public QObject {
    Q_OBJECT

public:
    static constexpr int most = 12;

    explicit Baselines(Document& document);
    ~Baselines() override;

    const std::vector<data::ListedScenario>& list() const { return state_.scenarios; }
    int current() const; ///< place in the list; -1: none
    bool isShown() const { return shown_ && current() >= 0; }
    QUndoStack* undoStack() const { return undo_; }

    /// Adds a state and takes it as the current baseline. A name that is taken gets a number. The oldest one
    /// makes room where there are too many.
    void pin(const ScenarioSpec& spec, const QString& name);
    void choose(int index);
    void remove(int index);
    void rename(int index, const QString& name);
    /// Shows the differences, or keeps them back; no undo step.
    void setShown(bool shown);

    /// Null: none is shown, or it is not known yet. It may be one estimate older than the document's.
    const std::shared_ptr<const BaselineDifference>& difference() const { return difference_; }
    QString error() const { return error_; } ///< why the current one has no estimate; empty: it has

    QByteArray saved() const;
    /// What was saved; nothing where that is empty or damaged. Drops undo steps.
    void restore(const QByteArray& saved);

signals:
    void listChanged(); ///< list(), current() or isShown()
    void differenceChanged();

private:
    struct Private;
    void push(const QString& undoText, data::ScenarioList next);
    void hasChanged();
    void request();
    void drop();
    void accept(int generation, const std::shared_ptr<const ComparedItem>& item,
                const std::shared_ptr<const BaselineDifference>& difference);

    Document& document_;
    std::unique_ptr<Private> d;
    data::ScenarioList state_;
    QUndoStack* undo_;
    std::shared_ptr<const BaselineDifference> difference_;
    QString error_;
    bool shown_ = true;
    int generation_ = 0; ///< of the baseline and the catalog
};

} // namespace alidade::views
