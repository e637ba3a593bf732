// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/policy_editor.h"

#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/text_label.h"
#include "views/live/policy_limits.h"
#include "views/live/policy_model.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace alidade::views {

namespace {

constexpr char ownMark = '+';
/// Widths of the columns at first, logical pixels at 10 pt.
constexpr int policyColumns[] = {170, 130, 260, 380, 260};

/// A list of the actions in the cell.
class ActionDelegate : public CellDelegate {
public:
    using CellDelegate::CellDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
        auto* choice = new QComboBox(parent);
        for (const HealthAction each : allHealthActions())
            choice->addItem(text(actionLabel(each)));
        return choice;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        static_cast<QComboBox*>(editor)->setCurrentIndex(index.data(Qt::EditRole).toInt());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        model->setData(index, static_cast<QComboBox*>(editor)->currentIndex());
    }
};

} // namespace

std::string basePolicy(const std::string& id) { return id.substr(0, id.find(ownMark)); }

PolicyEditor::PolicyEditor(QWidget* parent)
    : QDialog(parent)
    , choice_(new QComboBox)
    , name_(new QLineEdit)
    , about_(new TextLabel(FontRole::small, Role::text2))
    , table_(new DataTableView)
    , model_(new PolicyModel(this))
    , limits_(new PolicyLimits)
    , copy_(new QPushButton(tr("&Copy to Edit")))
    , reset_(new QPushButton(tr("&Reset")))
    , remove_(new QPushButton(tr("&Delete"))) {
    setWindowTitle(tr("Health policies"));
    setObjectName(QStringLiteral("policyEditor"));
    const Theme& look = theme();
    choice_->setObjectName(QStringLiteral("policy"));
    choice_->setAccessibleName(tr("Policy"));
    choice_->setMinimumContentsLength(24);
    name_->setObjectName(QStringLiteral("policyName"));
    name_->setAccessibleName(tr("Name of the policy"));
    copy_->setObjectName(QStringLiteral("copy"));
    reset_->setObjectName(QStringLiteral("reset"));
    remove_->setObjectName(QStringLiteral("delete"));
    reset_->setToolTip(tr("Reset everything to the preset that it was copied from"));
    about_->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->addWidget(choice_);
    head->addWidget(name_, 1);
    head->addStretch(1);
    for (QPushButton* button : {copy_, reset_, remove_}) {
        button->setAutoDefault(false);
        head->addWidget(button);
    }
    table_->setObjectName(QStringLiteral("rules"));
    table_->setAccessibleName(tr("Rules"));
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setItemDelegateForColumn(PolicyModel::action, new ActionDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    for (int i = 0; i < PolicyModel::columns; ++i)
        table_->setColumnWidth(i, look.px(policyColumns[i]));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* use = buttons->addButton(tr("&Use This Policy"), QDialogButtonBox::AcceptRole);
    use->setObjectName(QStringLiteral("use"));
    use->setProperty(primaryProperty, true);
    use->setDefault(true);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(look.px(20), look.px(18), look.px(20), look.px(16));
    all->setSpacing(look.px(10));
    all->addLayout(head);
    all->addWidget(about_);
    all->addWidget(table_, 1);
    all->addWidget(new TextLabel(FontRole::title, Role::text, tr("Limits")));
    all->addWidget(limits_);
    all->addWidget(buttons);
    resize(look.px(1060), look.px(640));

    connect(choice_, &QComboBox::activated, this, [this](int index) {
        keep();
        shown_ = static_cast<std::size_t>(index);
        show_();
    });
    connect(name_, &QLineEdit::textEdited, this, [this](const QString& words) {
        if (!isOwn() || words.trimmed().isEmpty())
            return;
        policies_[shown_].name = words.trimmed().toStdString();
        choice_->setItemText(static_cast<int>(shown_), words.trimmed());
    });
    connect(model_, &PolicyModel::edited, this, &PolicyEditor::renewButtons);
    connect(limits_, &PolicyLimits::edited, this, [this] {
        if (!showing_ && isOwn()) {
            model_->setLimits(limits_->limits());
            renewButtons();
        }
    });
    connect(copy_, &QPushButton::clicked, this, &PolicyEditor::copy);
    connect(reset_, &QPushButton::clicked, this, &PolicyEditor::reset);
    connect(remove_, &QPushButton::clicked, this, &PolicyEditor::removeShown);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        keep();
        std::vector<HealthPolicy> own;
        std::ranges::copy_if(policies_, std::back_inserter(own),
                             [](const HealthPolicy& each) { return basePolicy(each.id) != each.id; });
        emit applied(own, policies_.empty() ? std::string() : shown().id);
        accept();
    });
}

void PolicyEditor::setPolicies(const std::vector<HealthPolicy>& policies, const std::string& chosen) {
    policies_ = policies;
    const auto found = std::ranges::find(policies_, chosen, &HealthPolicy::id);
    shown_ = found == policies_.end() ? 0 : static_cast<std::size_t>(found - policies_.begin());
    choice_->clear();
    for (const HealthPolicy& each : policies_)
        choice_->addItem(text(each.name));
    show_();
}

const HealthPolicy& PolicyEditor::shown() const {
    static const HealthPolicy none;
    return shown_ < policies_.size() ? policies_[shown_] : none;
}

bool PolicyEditor::isOwn() const { return baseOf(shown()) != nullptr; }

const HealthPolicy* PolicyEditor::baseOf(const HealthPolicy& policy) const {
    const std::string base = basePolicy(policy.id);
    if (base == policy.id)
        return nullptr;
    const auto found = std::ranges::find(policies_, base, &HealthPolicy::id);
    return found == policies_.end() ? &policy : &*found; // its preset is gone: it stays editable
}

void PolicyEditor::show_() {
    if (policies_.empty())
        return;
    showing_ = true;
    const HealthPolicy& policy = shown();
    const HealthPolicy* base = baseOf(policy);
    choice_->setCurrentIndex(static_cast<int>(shown_));
    model_->setPolicy(policy, base);
    limits_->setLimits(policy.limits, base != nullptr);
    name_->setText(text(policy.name));
    name_->setVisible(base != nullptr);
    about_->setText(
        base == nullptr
            ? tr("A preset: %1. Copy it to change what is advised and when.").arg(text(policy.source))
            : tr("Yours, from %1. Your changes are highlighted.").arg(text(base->name)));
    renewButtons();
    showing_ = false;
}

/// Takes over what was edited in the table.
void PolicyEditor::keep() {
    if (shown_ < policies_.size() && isOwn()) {
        const std::string name = policies_[shown_].name;
        policies_[shown_] = model_->policy();
        policies_[shown_].name = name;
    }
}

void PolicyEditor::copy() {
    keep();
    HealthPolicy own = shown();
    const std::string base = basePolicy(own.id);
    int number = 1;
    const auto taken = [&](const std::string& id) {
        return std::ranges::find(policies_, id, &HealthPolicy::id) != policies_.end();
    };
    while (taken(base + ownMark + std::to_string(number)))
        ++number;
    own.id = base + ownMark + std::to_string(number);
    own.name = tr("%1, mine").arg(text(own.name)).toStdString();
    policies_.push_back(own);
    choice_->addItem(text(own.name));
    shown_ = policies_.size() - 1;
    show_();
}

void PolicyEditor::reset() {
    const HealthPolicy* base = baseOf(shown());
    if (base == nullptr)
        return;
    HealthPolicy again = *base;
    again.id = shown().id;
    again.name = shown().name;
    policies_[shown_] = again;
    show_();
}

void PolicyEditor::removeShown() {
    if (!isOwn())
        return;
    const std::string base = basePolicy(shown().id);
    policies_.erase(policies_.begin() + static_cast<std::ptrdiff_t>(shown_));
    choice_->removeItem(static_cast<int>(shown_));
    const auto found = std::ranges::find(policies_, base, &HealthPolicy::id);
    shown_ = found == policies_.end() ? 0 : static_cast<std::size_t>(found - policies_.begin());
    show_();
}

void PolicyEditor::renewButtons() {
    const bool own = isOwn();
    reset_->setVisible(own);
    remove_->setVisible(own);
    const HealthPolicy* base = baseOf(shown());
    reset_->setEnabled(own &&
                       (model_->policy().rules != base->rules || !(model_->policy().limits == base->limits)));
}

} // namespace alidade::views
