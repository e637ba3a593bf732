// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_task.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <utility>

class QHBoxLayout;
class QPushButton;
class QStackedWidget;

namespace alidade::views {

class EmptyState;
class ExplorePanel;
class QuestionForm;
class VerdictLabel;

/// The layout of a page that asks one question: the answer in words and the buttons on top, the form at the
/// left, the picture with what is below it at the right.
class QuestionPage : public QWidget {
    Q_OBJECT

public:
    /// \param empty takes the place of form and picture until showEmpty(false); null: they are always there
    QuestionPage(QuestionForm* form, ExplorePanel* panel, QWidget* below, EmptyState* empty = nullptr);

    VerdictLabel* verdict() const { return verdict_; }
    void addButton(QPushButton* button); ///< at the right end of the top
    void showEmpty(bool isEmpty);
    /// While work is under way the picture fades, and the form's button stops it.
    void setBusy(bool busy, const QString& what = {});
    void setProgress(double share);

signals:
    void stopRequested(); ///< by the form or over the picture

private:
    QuestionForm* form_;
    ExplorePanel* panel_;
    VerdictLabel* verdict_;
    QHBoxLayout* strip_;
    QStackedWidget* states_;
};

/// The work on such a question, on a separate thread; a newer one supersedes an older one. Until it ends
/// the page is busy and shows how far it is.
template <class Answer>
class QuestionTask {
public:
    using Progress = std::function<void(double share)>; ///< 0..1, from any thread of the job
    using Job = std::function<Answer(const std::stop_token& stop, const Progress& progress)>;
    using Take = std::function<void(const std::shared_ptr<const Answer>& answer)>;

    QuestionTask(QuestionPage* page, Take take)
        : page_(page)
        , take_(std::move(take))
        , task_(page, [this](const std::shared_ptr<const Step>& step, bool finished) {
            if (!finished) {
                page_->setProgress(step->done);
                return;
            }
            page_->setBusy(false);
            take_(step->answer);
        }) {
        QObject::connect(page, &QuestionPage::stopRequested, page, [this] { task_.stop(); });
    }

    /// \param what is being done, for a person
    void start(const QString& what, Job job) {
        task_.start([job = std::move(job)](const std::stop_token& stop,
                                           const typename ExploreTask<Step>::Partly& partly) {
            auto last = std::make_shared<Step>();
            last->answer = std::make_shared<const Answer>(job(stop, [&partly](double share) {
                auto step = std::make_shared<Step>();
                step->done = share;
                partly(step);
            }));
            return std::shared_ptr<const Step>(last);
        });
        page_->setBusy(true, what);
    }
    /// No answer is wanted any more.
    void drop() {
        if (task_.busy())
            page_->setBusy(false);
        task_.drop();
    }
    bool busy() const { return task_.busy(); }

private:
    struct Step {
        double done = 0;
        std::shared_ptr<const Answer> answer; ///< of the last one
    };
    QuestionPage* page_;
    Take take_;
    ExploreTask<Step> task_;
};

} // namespace alidade::views
