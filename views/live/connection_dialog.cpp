// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/connection_dialog.h"

#include "data/prometheus/connection_json.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/live/connection_form.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// Scheme, host and port: where a secret may go.
QUrl originOf(const std::string& url) {
    QUrl origin(text(url).trimmed());
    return origin.adjusted(QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveFragment |
                           QUrl::RemoveUserInfo);
}

} // namespace

ConnectionDialog::ConnectionDialog(Tester tester, QWidget* parent)
    : QDialog(parent)
    , tester_(std::move(tester))
    , list_(new QListWidget)
    , form_(new ConnectionForm)
    , secrets_(new TextLabel(FontRole::small, Role::text2))
    , result_(new TextLabel(FontRole::body, Role::text))
    , message_(new TextLabel(FontRole::small, Role::err))
    , test_(new QPushButton(tr("&Test")))
    , save_(new QPushButton(tr("&Save")))
    , connect_(new QPushButton(tr("Save and C&onnect")))
    , remove_(new QPushButton(tr("&Delete"))) {
    setWindowTitle(tr("Connections to Prometheus"));
    setObjectName(QStringLiteral("connectionDialog"));
    const Theme& look = theme();
    list_->setObjectName(QStringLiteral("connections"));
    list_->setAccessibleName(tr("Saved connections"));
    list_->setFixedWidth(look.px(200));
    auto* add = new QPushButton(tr("Ne&w"));
    add->setObjectName(QStringLiteral("new"));
    auto* leftButtons = new QHBoxLayout;
    leftButtons->addWidget(add);
    leftButtons->addWidget(remove_);
    auto* left = new QVBoxLayout;
    left->addWidget(list_, 1);
    left->addLayout(leftButtons);

    for (TextLabel* label : {secrets_, result_, message_})
        label->setWordWrap(true);
    result_->setObjectName(QStringLiteral("testResult"));
    message_->setObjectName(QStringLiteral("message"));
    test_->setObjectName(QStringLiteral("test"));
    save_->setObjectName(QStringLiteral("save"));
    connect_->setObjectName(QStringLiteral("connect"));
    remove_->setObjectName(QStringLiteral("delete"));
    connect_->setProperty(primaryProperty, true);
    connect_->setDefault(true);
    for (QPushButton* button : {test_, save_, remove_, add})
        button->setAutoDefault(false);
    auto* testRow = new QHBoxLayout;
    testRow->addWidget(test_, 0, Qt::AlignTop);
    testRow->addWidget(result_, 1);
    auto* inner = new QWidget;
    auto* right = new QVBoxLayout(inner);
    right->setContentsMargins(look.px(16), 0, look.px(4), 0);
    right->setSpacing(look.px(10));
    right->addWidget(form_);
    right->addWidget(secrets_);
    right->addLayout(testRow);
    right->addWidget(message_);
    right->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(inner);
    auto* body = new QHBoxLayout;
    body->addLayout(left);
    body->addWidget(scroll, 1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(save_, QDialogButtonBox::ActionRole);
    buttons->addButton(connect_, QDialogButtonBox::ActionRole);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(look.px(20), look.px(18), look.px(20), look.px(16));
    all->setSpacing(look.px(12));
    all->addLayout(body, 1);
    all->addWidget(buttons);
    resize(look.px(760), look.px(520));

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::finished, this, [this] {
        stopTest();
        form_->clearSecrets();
    });
    connect(list_, &QListWidget::currentRowChanged, this, &ConnectionDialog::showChosen);
    connect(add, &QPushButton::clicked, this, &ConnectionDialog::startNew);
    connect(test_, &QPushButton::clicked, this, [this] { testing_ ? stopTest() : test(); });
    connect(save_, &QPushButton::clicked, this, [this] { save(false); });
    connect(connect_, &QPushButton::clicked, this, [this] { save(true); });
    connect(remove_, &QPushButton::clicked, this, [this] { emit removeRequested(text(before_)); });
    connect(form_, &ConnectionForm::edited, this, [this] {
        stopTest();
        result_->clear();
        setMessage({});
        renew();
    });
    startNew();
}

ConnectionDialog::~ConnectionDialog() { testing_source_.request_stop(); }

void ConnectionDialog::setConnections(const std::vector<data::Connection>& connections,
                                      const std::set<std::string>& withSecrets, const std::string& chosen) {
    connections_ = connections;
    withSecrets_ = withSecrets;
    {
        const QSignalBlocker quiet(list_);
        list_->clear();
        for (const data::Connection& each : connections_) {
            auto* item = new QListWidgetItem(text(each.name), list_);
            item->setToolTip(text(each.url));
        }
    }
    const auto found = std::ranges::find(connections_, chosen, &data::Connection::name);
    if (found == connections_.end()) {
        startNew();
    } else {
        list_->setCurrentRow(static_cast<int>(found - connections_.begin()));
        showChosen(list_->currentRow());
    }
}

void ConnectionDialog::setSecretsNote(BadgeKind kind, const QString& words) {
    secrets_->setInk(kind == BadgeKind::warn ? Role::warn : Role::text2);
    secrets_->setText(words);
}

void ConnectionDialog::setMessage(const QString& words) {
    message_->setText(words);
    message_->setVisible(!words.isEmpty());
}

QString ConnectionDialog::testText() const { return result_->text(); }

void ConnectionDialog::showChosen(int row) {
    if (row < 0 || row >= static_cast<int>(connections_.size()))
        return;
    stopTest();
    result_->clear();
    setMessage({});
    const data::Connection& chosen = connections_[static_cast<std::size_t>(row)];
    before_ = chosen.name;
    form_->setConnection(chosen, withSecrets_.contains(before_));
    renew();
}

void ConnectionDialog::startNew() {
    stopTest();
    result_->clear();
    setMessage({});
    const QSignalBlocker quiet(list_);
    list_->setCurrentRow(-1);
    before_.clear();
    form_->setConnection({}, false);
    form_->setFocus();
    renew();
}

/// Kept secrets go only where they went before: at another address they have to be typed again.
std::string ConnectionDialog::keptFor(const data::Connection& connection) const {
    const auto before = std::ranges::find(connections_, before_, &data::Connection::name);
    if (before == connections_.end() || !withSecrets_.contains(before_) ||
        originOf(before->url) != originOf(connection.url))
        return {};
    return before_;
}

void ConnectionDialog::test() {
    const data::Connection connection = form_->connection();
    if (const std::string fault = data::faultOf(connection); !fault.empty()) {
        showTest({false, text(fault), {}});
        return;
    }
    const std::string kept = form_->needsKept() ? keptFor(connection) : std::string();
    if (form_->needsKept() && kept.empty()) {
        showTest({false,
                  before_.empty() || !withSecrets_.contains(before_)
                      ? tr("A secret is missing; enter it.")
                      : tr("The address changed. Enter the secrets again."),
                  {}});
        return;
    }
    testing_source_ = std::stop_source();
    testing_ = true;
    const int number = ++tests_;
    result_->setInk(Role::text2);
    result_->setText(tr("Asking %1").arg(originOf(connection.url).toString()));
    renew();
    tester_(connection, form_->typed(), kept, testing_source_.get_token(),
            [self = QPointer(this), number](const ConnectionTest& answer) {
                if (self && self->testing_ && number == self->tests_)
                    self->showTest(answer);
            });
}

void ConnectionDialog::stopTest() {
    if (!testing_)
        return;
    testing_source_.request_stop();
    testing_ = false;
    result_->clear();
    renew();
}

void ConnectionDialog::showTest(const ConnectionTest& answer) {
    testing_ = false;
    result_->setInk(answer.connected ? Role::ok : Role::err);
    result_->setText(answer.remark.isEmpty() ? answer.text : answer.text + QLatin1Char('\n') + answer.remark);
    renew();
}

void ConnectionDialog::save(bool andConnect) {
    const data::Connection connection = form_->connection();
    QStringList others;
    for (const data::Connection& each : connections_)
        if (each.name != before_)
            others.append(text(each.name));
    const QStringList faults = form_->markFaults(others, !keptFor(connection).empty());
    setMessage(faults.join(QLatin1Char('\n')));
    if (!faults.isEmpty())
        return;
    const data::Credentials typed = form_->typed();
    form_->clearSecrets();
    emit saveRequested(connection, typed, text(before_), andConnect);
}

void ConnectionDialog::renew() {
    test_->setText(testing_ ? tr("Cancel") : tr("&Test"));
    remove_->setEnabled(!before_.empty());
    const bool empty = form_->connection().url.empty();
    test_->setEnabled(testing_ || !empty);
    save_->setEnabled(!empty);
    connect_->setEnabled(!empty);
}

} // namespace alidade::views
