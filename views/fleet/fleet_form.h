// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/fleet/fleet_file.h"
#include "views/kit/question_form.h"

class QComboBox;
class QFormLayout;

namespace alidade::views {

class TextLabel;

/// What of a fleet can be changed on its page: rates and targets of the services, start times of replicas,
/// numbers of instances and the base of the pools.
class FleetForm : public QuestionForm {
    Q_OBJECT

public:
    explicit FleetForm(QWidget* parent = nullptr);

    /// Shows a fleet; the fields stay where they are if it has the same services and pools.
    void setFile(const data::FleetFile& file);
    /// With what is typed. \returns the first fault, "chat, rate: ..."
    Result<data::FleetFile> edited() const;

    QComboBox* base(int pool) const; ///< for tests; fields: "rate-0", "ttft-0", "itl-0", "instances-0", ...

signals:
    /// A field was left with another value, or a base chosen. \param what for Undo: "chat, rate"
    void committed(const QString& what);

private:
    QFormLayout* addGroup(const QString& title);
    void addField(QFormLayout& form, const QString& name, const QString& owner, const QString& label,
                  const QString& placeholder, const QString& help);
    void addService(int index);
    void addStarts();
    void addPool(int index);
    void makeFields();
    void showValues();
    void show(const QString& name, const QString& value);
    std::optional<double> common(double ScalingPolicy::* time) const;
    Result<std::optional<double>> typed(const QString& name, Dimension dimension, double low,
                                        double high) const;
    std::string editService(std::size_t index, FleetService& service, data::ServiceTraffic& traffic) const;
    std::string editStarts(Fleet& fleet) const;
    std::string editPool(std::size_t index, FleetPool& pool) const;

    data::FleetFile file_;
    QWidget* fields_ = nullptr; ///< of the present file
    QList<TextLabel*> details_; ///< below the titles: of the services, of the starts, of the pools
};

} // namespace alidade::views
