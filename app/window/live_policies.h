// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_policy.h"
#include "views/live/policy_editor.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <string>
#include <vector>

namespace alidade::app {

/// The health policies: those that the program comes with, and a person's own, kept in a file of the
/// settings.
class LivePolicies : public QObject {
    Q_OBJECT

public:
    /// \param file empty: the usual one
    explicit LivePolicies(QWidget& window, const QString& file = {});

    void load(); ///< changed() when it is read
    const std::vector<HealthPolicy>& all() const { return all_; }
    void edit(const std::string& chosen);
    views::PolicyEditor* editor() const { return editor_; } ///< null while it is not open

signals:
    void changed();
    void chosen(const QString& id);
    void failed(const QString& reason);

private:
    void setOwn(std::vector<HealthPolicy> own);
    void save(const std::vector<HealthPolicy>& own);

    QWidget& window_;
    QString file_;
    std::vector<HealthPolicy> all_;
    QPointer<views::PolicyEditor> editor_;
};

} // namespace alidade::app
