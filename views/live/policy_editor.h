// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_policy.h"

#include <QDialog>

#include <string>
#include <vector>

class QComboBox;
class QLineEdit;
class QPushButton;

namespace alidade::views {

class DataTableView;
class PolicyLimits;
class PolicyModel;
class TextLabel;

/// Id of the preset that an own policy was copied from: "nvidia" of "nvidia+2"; of a preset its own id.
std::string basePolicy(const std::string& id);

/// The health policies: presets, which are fixed, and a person's own copies of them.
class PolicyEditor : public QDialog {
    Q_OBJECT
public:
    explicit PolicyEditor(QWidget* parent = nullptr);

    /// \param presets and then own ones, whose id has the preset's before a '+'
    void setPolicies(const std::vector<HealthPolicy>& policies, const std::string& chosen);
    const std::vector<HealthPolicy>& policies() const { return policies_; }
    const HealthPolicy& shown() const;
    bool isOwn() const;
    DataTableView* table() const { return table_; }
    PolicyModel* model() const { return model_; }

signals:
    /// A person is done: own policies, and which one is to judge.
    void applied(const std::vector<alidade::HealthPolicy>& own, const std::string& chosen);

private:
    void show_();
    void copy();
    void reset();
    void removeShown();
    void keep();
    const HealthPolicy* baseOf(const HealthPolicy& policy) const;
    void renewButtons();

    std::vector<HealthPolicy> policies_;
    std::size_t shown_ = 0;
    QComboBox* choice_;
    QLineEdit* name_;
    TextLabel* about_;
    DataTableView* table_;
    PolicyModel* model_;
    PolicyLimits* limits_;
    QPushButton *copy_, *reset_, *remove_;
    bool showing_ = false;
};

} // namespace alidade::views
