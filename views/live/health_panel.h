// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding_marks.h"
#include "views/live/health_card.h"
#include "views/live/live_session.h"

#include <QStringList>
#include <QWidget>

class QPushButton;
class QComboBox;
class QScrollArea;
class QVBoxLayout;

namespace alidade::views {

class Badge;

/// Faults of the cluster, worst first, by the chosen policy. Cards stay the same widgets from answer to
/// answer while the fault persists.
class HealthPanel : public QWidget {
    Q_OBJECT
public:
    explicit HealthPanel(LiveSession* session, QWidget* parent = nullptr);

    void setFindings(const std::vector<Finding>& findings, double rangeLength);
    QList<HealthCard*> cards() const { return cards_; }
    QComboBox* policies() const { return policies_; }
    QPushButton* excludeButton() const { return exclude_; }
    QPushButton* topologyButton() const { return topology_; }
    void setCurrentHost(const QString& host);
    /// What was said of findings; muted ones are behind a button and count nowhere.
    void setMarks(const FindingMarks& marks);
    QPushButton* detailsButton() const { return details_; }
    QPushButton* mutedButton() const { return muted_; }

signals:
    void findingChosen(const alidade::Finding& finding);
    void excludeRequested(const QStringList& hosts);
    void topologyRequested(const QStringList& hosts);
    void editPolicyRequested();
    void detailsRequested(const QString& host);
    /// What a person said of a finding; an empty mark takes it back.
    void markRequested(const QString& key, const alidade::FindingMark& mark);

private:
    QWidget* makeHead();
    void showMarkMenu(HealthCard* card, const QPoint& at);
    void annotate(const QString& key);
    std::vector<Finding> quiet() const;
    void fillPolicies();
    void showCounts();

    LiveSession* session_;
    std::vector<Finding> findings_;
    double rangeLength_ = 0;
    QList<HealthCard*> cards_;
    QStringList replace_, ailing_;
    bool all_ = false, showMuted_ = false;
    FindingMarks marks_;
    QString current_;
    Badge *urgent_, *watched_;
    QComboBox* policies_;
    QScrollArea* scroll_;
    QWidget* none_;
    QVBoxLayout* list_;
    QPushButton *more_, *exclude_, *topology_, *details_, *muted_;
};

} // namespace alidade::views
