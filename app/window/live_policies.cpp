// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_policies.h"

#include "app/window/small_file.h"
#include "data/catalog/policy_json.h"
#include "views/document/text.h"
#include "views/live/policy_editor.h"

#include <QWidget>

namespace alidade::app {

using views::PolicyEditor;
using views::text;

LivePolicies::LivePolicies(QWidget& window, const QString& file)
    : QObject(&window)
    , window_(window)
    , file_(file.isEmpty() ? settingsFile(QStringLiteral("health-policies.json")) : file)
    , all_(data::shippedHealthPolicies()) {}

void LivePolicies::load() {
    readSmallFile(this, file_, [this](const SmallFile& read) {
        if (!read.error.isEmpty()) {
            emit failed(read.error);
            return;
        }
        if (!read.exists)
            return;
        const auto own = data::readHealthPolicies(file_.toStdString(), read.content.toStdString());
        if (own)
            setOwn(*own);
        else
            emit failed(text(own.error()));
    });
}

void LivePolicies::setOwn(std::vector<HealthPolicy> own) {
    all_ = data::shippedHealthPolicies();
    all_.insert(all_.end(), own.begin(), own.end());
    emit changed();
}

void LivePolicies::edit(const std::string& id) {
    if (!editor_) {
        editor_ = new PolicyEditor(&window_);
        editor_->setAttribute(Qt::WA_DeleteOnClose);
        connect(editor_, &PolicyEditor::applied, this,
                [this](const std::vector<HealthPolicy>& own, const std::string& judging) {
                    setOwn(own);
                    save(own);
                    emit chosen(text(judging));
                });
    }
    editor_->setPolicies(all_, id);
    editor_->open();
}

void LivePolicies::save(const std::vector<HealthPolicy>& own) {
    writeSmallFile(this, file_, QByteArray::fromStdString(data::writeHealthPolicies(own)),
                   [this](const QString& error) {
                       if (!error.isEmpty())
                           emit failed(error);
                   });
}

} // namespace alidade::app
