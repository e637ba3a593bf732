// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/question.h"

#include <QWidget>

#include <memory>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QMenu;
class QPushButton;

namespace alidade {
struct Catalog;
}

namespace alidade::views {

class TextLabel;

/// The question of a search: what to look for, what must hold, which fields may change and to what. Keeps
/// what a person typed while the scenario changes.
class QuestionPanel : public QWidget {
    Q_OBJECT

public:
    explicit QuestionPanel(QWidget* parent = nullptr);

    /// The scenario that is searched around. A scenario of the other kind of workload, or another model,
    /// starts a new question.
    void setScenario(const ScenarioSpec& spec, const std::shared_ptr<const Catalog>& catalog,
                     const Profile& profile);
    /// \returns an error in words for the person where something is not understood; it is also in the
    /// panel
    Result<SearchQuestion> question() const;
    /// Asks the same as an older question. \pre setScenario() with a scenario of its kind
    void setQuestion(const SearchQuestion& question);
    void setBusy(bool busy);
    /// \param done share of the space that was tried, 0..1
    void setProgress(double done);

    QSize sizeHint() const override;

    // For tests
    QCheckBox* box(const QString& path) const;
    QLineEdit* values(const QString& path) const;
    QLineEdit* limit(const QString& figure) const;
    QComboBox* objective() const { return objective_; }
    QComboBox* second() const { return second_; }
    QCheckBox* robust() const { return robust_; }
    QPushButton* searchButton() const { return search_; }
    QPushButton* addButton() const { return add_; }
    QMenu* addMenu() const { return addMenu_; } ///< filled when the button is clicked
    QString sizeText() const;

signals:
    void searchRequested();
    /// A limit or what to look for was edited.
    void rankingEdited();
    void stopRequested();

private:
    struct Candidate {
        QString path;
        QCheckBox* box;
        QLineEdit* values;
        TextLabel* count;
    };
    struct Limit {
        const PlanFigure* figure;
        bool atMost;
        QLineEdit* value;
    };
    void rebuild();
    void addHeading(QGridLayout* grid, int& line, const QString& words);
    void addFigures(QGridLayout* grid, int& line);
    void addLimits(QGridLayout* grid, int& line);
    void addFields(QGridLayout* grid, int& line);
    Candidate& addCandidate(const QString& path, bool isFree);
    void offerFields();
    void renewSize();
    Result<FreeField> fieldOf(const Candidate& candidate) const;

    ScenarioSpec spec_;
    std::shared_ptr<const Catalog> catalog_;
    std::unique_ptr<Profile> profile_;
    QWidget* form_ = nullptr; ///< rebuilt for another kind of workload or another model
    QWidget* holder_;
    QComboBox* objective_ = nullptr;
    QComboBox* second_ = nullptr;
    QCheckBox* robust_ = nullptr;
    QList<Limit> limits_;
    QList<Candidate> fields_;
    QGridLayout* grid_ = nullptr; ///< of the form
    QPushButton* add_ = nullptr;
    QMenu* addMenu_;
    TextLabel* size_;
    TextLabel* progress_; ///< of the search, while one is at work
    TextLabel* error_;
    QPushButton* search_;
    bool busy_ = false;
};

} // namespace alidade::views
