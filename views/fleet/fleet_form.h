// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/fleet/fleet_file.h"
#include "views/kit/question_form.h"

class QComboBox;
class QFormLayout;

namespace alidade::views {

/// What of a fleet can be changed on its page: rates and targets of the services, numbers of instances and
/// the base of the pools.
class FleetForm : public QuestionForm {
    Q_OBJECT

public:
    explicit FleetForm(QWidget* parent = nullptr);

    void setFile(const data::FleetFile& file);
    /// With what is typed. \returns the first fault, "chat, rate: ..."
    Result<data::FleetFile> edited() const;

    QComboBox* base(int pool) const; ///< for tests; fields: "rate-0", "ttft-0", "itl-0", "instances-0", ...

private:
    QFormLayout* addGroup(const QString& title, const QString& detail);
    void addField(QFormLayout& form, const QString& name, const QString& owner, const QString& label,
                  const QString& value, const QString& placeholder, const QString& help);
    void addService(int index);
    void addPool(int index);
    Result<std::optional<double>> typed(const QString& name, Dimension dimension, double low,
                                        double high) const;
    std::string editService(std::size_t index, FleetService& service, data::ServiceTraffic& traffic) const;
    std::string editPool(std::size_t index, FleetPool& pool) const;

    data::FleetFile file_;
    QWidget* fields_ = nullptr; ///< of the present file
};

} // namespace alidade::views
