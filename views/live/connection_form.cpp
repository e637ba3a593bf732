// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/connection_form.h"

#include "data/prometheus/connection_json.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLineEdit>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace alidade::views {

using data::Authentication;

namespace {

std::string plain(const QLineEdit* field) { return field->text().trimmed().toStdString(); }
void markLine(QLineEdit* line, const QString& fault) {
    line->setProperty(refusedProperty, !fault.isEmpty());
    line->setAccessibleDescription(fault);
    line->setToolTip(fault);
    line->update();
}

/// Spaces belong to a secret.
std::string secret(const QLineEdit* field) { return field->text().toStdString(); }

} // namespace

ConnectionForm::ConnectionForm(QWidget* parent)
    : QWidget(parent)
    , form_(new QFormLayout(this))
    , authentication_(new QComboBox)
    , plainHttp_(new TextLabel(FontRole::small, Role::warn)) {
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setSpacing(theme().px(8));
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    name_ = addLine("name", tr("&Name"), tr("Cluster A"));
    setFocusProxy(name_);
    url_ = addLine("url", tr("&Address"), tr("https://prometheus.example:9090"));
    plainHttp_->setWordWrap(true);
    form_->addRow(QString(), plainHttp_);
    for (const QString& words :
         {tr("None"), tr("User and password"), tr("Token"), tr("Amazon Managed Prometheus (SigV4)")})
        authentication_->addItem(words);
    authentication_->setObjectName(QStringLiteral("authentication"));
    authentication_->setAccessibleName(tr("Authentication"));
    form_->addRow(tr("A&uthentication"), authentication_);
    user_ = addLine("user", tr("User"), {});
    password_ = addLine("password", tr("Password"), {}, true);
    token_ = addLine("token", tr("Token"), {}, true);
    region_ = addLine("region", tr("Region"), tr("us-east-2"));
    profile_ = addLine("awsProfile", tr("AWS profile"), tr("as AWS_PROFILE says, else default"));
    accessKey_ =
        addLine("accessKey", tr("Access key"), tr("empty: from the environment or the profile"), true);
    secretKey_ = addLine("secretKey", tr("Secret key"), {}, true);
    sessionToken_ = addLine("sessionToken", tr("Session token"), tr("of temporary keys"), true);
    caFile_ = addLine("caFile", tr("&CA file"), tr("the system's authorities"));
    QAction* choose = caFile_->addAction(icon(QLatin1StringView("open")), QLineEdit::TrailingPosition);
    choose->setToolTip(tr("Choose a PEM file with the authority that signed the server's certificate"));
    connect(choose, &QAction::triggered, this, &ConnectionForm::chooseCa);
    grafana_ =
        addLine("grafana", tr("&Grafana"), tr("URL of a dashboard, with {from} and {to}; may be empty"));

    auto* headers = new QWidget;
    auto* column = new QVBoxLayout(headers);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(4));
    headerRows_ = new QVBoxLayout;
    headerRows_->setSpacing(theme().px(4));
    column->addLayout(headerRows_);
    auto* add = new QToolButton;
    add->setObjectName(QStringLiteral("addHeader"));
    add->setText(tr("Add a header"));
    add->setIcon(icon(QLatin1StringView("add")));
    add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add->setToolTip(tr("Such as X-Scope-OrgID of Mimir and Loki; its value is kept like a password"));
    connect(add, &QToolButton::clicked, this, [this] {
        addHeader({});
        headers_.last().name->setFocus(Qt::OtherFocusReason);
    });
    column->addWidget(add);
    form_->addRow(tr("Headers"), headers);

    connect(authentication_, &QComboBox::currentIndexChanged, this, [this] {
        renewRows();
        emit edited();
    });
    renewRows();
}

QLineEdit* ConnectionForm::addLine(const char* name, const QString& label, const QString& hint,
                                   bool isSecret) {
    auto* line = new QLineEdit;
    line->setObjectName(QLatin1String(name));
    line->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    line->setPlaceholderText(hint);
    if (isSecret) {
        line->setEchoMode(QLineEdit::Password);
        // Neither the input method nor a completer remembers it.
        line->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhSensitiveData | Qt::ImhNoPredictiveText |
                                  Qt::ImhNoAutoUppercase);
    }
    form_->addRow(label, line);
    connect(line, &QLineEdit::textChanged, this, [this, line] {
        markLine(line, {});
        renewRows();
        emit edited();
    });
    return line;
}

void ConnectionForm::addHeader(const QString& name) {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme().px(4));
    Header header{row, new QLineEdit(name), new QLineEdit};
    header.name->setPlaceholderText(tr("X-Scope-OrgID"));
    header.name->setAccessibleName(tr("Name of a header"));
    header.name->setObjectName(QStringLiteral("headerName"));
    header.value->setEchoMode(QLineEdit::Password);
    header.value->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhSensitiveData);
    header.value->setAccessibleName(tr("Value of a header"));
    header.value->setObjectName(QStringLiteral("headerValue"));
    auto* remove = new QToolButton;
    remove->setIcon(icon(QLatin1StringView("delete")));
    remove->setAutoRaise(true);
    remove->setAccessibleName(tr("Remove the header"));
    remove->setToolTip(remove->accessibleName());
    line->addWidget(header.name, 1);
    line->addWidget(header.value, 1);
    line->addWidget(remove);
    for (QLineEdit* field : {header.name, header.value})
        connect(field, &QLineEdit::textChanged, this, &ConnectionForm::edited);
    connect(remove, &QToolButton::clicked, this, [this, row] {
        headers_.removeIf([row](const Header& each) { return each.row == row; });
        row->deleteLater();
        emit edited();
    });
    headerRows_->addWidget(row);
    headers_.append(header);
    renewRows();
}

/// Only what the chosen way of authentication needs.
void ConnectionForm::renewRows() {
    if (caFile_ == nullptr || headerRows_ == nullptr)
        return;
    const auto way = static_cast<Authentication>(authentication_->currentIndex());
    const auto show = [this](QWidget* field, bool on) {
        field->setVisible(on);
        if (QWidget* label = form_->labelForField(field))
            label->setVisible(on);
    };
    show(user_, way == Authentication::basic);
    show(password_, way == Authentication::basic);
    show(token_, way == Authentication::bearer);
    for (QLineEdit* field : {region_, profile_, accessKey_, secretKey_, sessionToken_})
        show(field, way == Authentication::sigv4);
    const QString kept = hasSecrets_ ? tr("kept; type to replace it") : QString();
    for (QLineEdit* field : {password_, token_, secretKey_})
        field->setPlaceholderText(kept);
    for (const Header& each : std::as_const(headers_))
        each.value->setPlaceholderText(hasSecrets_ ? kept : tr("value"));
    const bool open =
        QUrl(url_->text().trimmed()).scheme().compare(QLatin1String("http"), Qt::CaseInsensitive) == 0;
    const bool secrets = way != Authentication::none || !headers_.isEmpty();
    plainHttp_->setText(tr("Plain http: the secrets can be read in transit. Use https where possible."));
    plainHttp_->setVisible(open && secrets);
}

void ConnectionForm::setConnection(const data::Connection& connection, bool hasSecrets) {
    const QSignalBlocker quiet(this);
    hasSecrets_ = hasSecrets;
    clearSecrets();
    for (const Header& each : std::as_const(headers_))
        delete each.row;
    headers_.clear();
    name_->setText(text(connection.name));
    url_->setText(text(connection.url));
    authentication_->setCurrentIndex(static_cast<int>(connection.authentication));
    user_->setText(text(connection.user));
    region_->setText(text(connection.region));
    profile_->setText(text(connection.awsProfile));
    grafana_->setText(text(connection.grafana));
    caFile_->setText(text(connection.caFile));
    for (const std::string& each : connection.headers)
        addHeader(text(each));
    renewRows();
}

data::Connection ConnectionForm::connection() const {
    data::Connection out;
    out.name = plain(name_);
    out.url = plain(url_);
    out.authentication = static_cast<Authentication>(authentication_->currentIndex());
    if (out.authentication == Authentication::basic)
        out.user = plain(user_);
    if (out.authentication == Authentication::sigv4) {
        out.region = plain(region_);
        out.awsProfile = plain(profile_);
    }
    out.grafana = grafana_->text().trimmed().toStdString();
    out.caFile = plain(caFile_);
    for (const Header& each : headers_)
        if (!plain(each.name).empty())
            out.headers.push_back(plain(each.name));
    return out;
}

data::Credentials ConnectionForm::typed() const {
    data::Credentials out;
    const auto way = static_cast<Authentication>(authentication_->currentIndex());
    if (way == Authentication::basic)
        out.password = secret(password_);
    if (way == Authentication::bearer)
        out.token = secret(token_);
    if (way == Authentication::sigv4) {
        out.accessKey = plain(accessKey_);
        out.secretKey = secret(secretKey_);
        out.sessionToken = secret(sessionToken_);
    }
    for (const Header& each : headers_)
        if (!plain(each.name).empty() && !each.value->text().isEmpty())
            out.headers.emplace_back(plain(each.name), secret(each.value));
    return out;
}

QStringList ConnectionForm::markFaults(const QStringList& otherNames, bool kept) {
    const data::Connection whole = connection();
    QStringList all;
    const auto check = [&all](QLineEdit* line, const QString& fault) {
        markLine(line, fault);
        if (!fault.isEmpty())
            all.append(fault);
    };
    const QString name = text(whole.name);
    check(name_, name.isEmpty() ? tr("Give the connection a name.")
                 : otherNames.contains(name)
                     ? tr("There is already a connection of that name; choose another one.")
                     : QString());
    // Each field next to others that are right.
    data::Connection one;
    one.name = "one";
    one.url = whole.url;
    check(url_, text(data::faultOf(one)));
    one.url = "http://localhost:9090";
    one.authentication = whole.authentication;
    one.user = whole.user;
    one.region = whole.region;
    const QString fault = text(data::faultOf(one));
    check(user_, whole.authentication == data::Authentication::basic ? fault : QString());
    check(region_, whole.authentication == data::Authentication::sigv4 ? fault : QString());
    const bool missing = needsKept() && !kept;
    for (QLineEdit* secret : {password_, token_, secretKey_}) {
        const bool asked = form_->isRowVisible(secret) && secret->text().isEmpty() &&
                           (secret != secretKey_ || !accessKey_->text().isEmpty());
        check(secret, missing && asked ? tr("A secret is missing; enter it.") : QString());
    }
    if (missing && !all.contains(tr("A secret is missing; enter it."))) // a value of a header
        all.append(tr("A secret is missing; enter it."));
    if (all.isEmpty())
        all.append(text(data::faultOf(whole)));
    all.removeAll(QString());
    return all;
}

bool ConnectionForm::needsKept() const {
    const data::Connection as = connection();
    const data::Credentials given = typed();
    return (as.authentication == Authentication::basic && given.password.empty()) ||
           (as.authentication == Authentication::bearer && given.token.empty()) ||
           given.headers.size() < as.headers.size();
}

void ConnectionForm::clearSecrets() {
    for (QLineEdit* field : {password_, token_, accessKey_, secretKey_, sessionToken_})
        field->clear();
    for (const Header& each : std::as_const(headers_))
        each.value->clear();
}

void ConnectionForm::chooseCa() {
    auto* dialog = new QFileDialog(this, tr("Certificate of the authority"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Certificates (*.pem *.crt *.cer)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, caFile_, &QLineEdit::setText);
    dialog->open();
}

} // namespace alidade::views
