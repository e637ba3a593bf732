// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/policy_json.h"
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/kit/data_table_view.h"
#include "views/live/calibration_dialog.h"
#include "views/live/calibration_model.h"
#include "views/live/connection_dialog.h"
#include "views/live/connection_form.h"
#include "views/live/mapping_editor.h"
#include "views/live/policy_editor.h"
#include "views/live/policy_model.h"
#include "views/live/range_dialog.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

namespace tst_live_dialogs {

using namespace alidade;
using namespace alidade::views;

namespace {

const QString secretWords = QStringLiteral("s3cr3t-t0ken-4711");

data::Connection bearer(const char* name, const char* url) {
    data::Connection out;
    out.name = name;
    out.url = url;
    out.authentication = data::Authentication::bearer;
    return out;
}

template <class W>
W* child(const QWidget& in, const char* name) {
    W* found = in.findChild<W*>(QLatin1String(name));
    if (found == nullptr)
        qFatal("no %s", name);
    return found;
}

MetricRule rule(Signal signal, const char* metric, const char* source) {
    MetricRule out;
    out.signal = signal;
    out.metric = metric;
    out.source = source;
    return out;
}

} // namespace

/// The dialogs of the live part, on values.
class TestLiveDialogs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void connectionIsTestedAndSaved();
    void keptSecretsAreNeverShown();
    void secretsStayWithTheirAddress();
    void plainHttpIsWarnedOf();
    void everyFaultIsMarkedAtOnce();
    void policyIsCopiedEditedAndReset();
    void mappingIsEditedAndPreviewed();
    void calibrationSaysWhatTheDataTell();
    void rangeIsChosenBetweenTwoInstants();
};

void TestLiveDialogs::connectionIsTestedAndSaved() {
    std::function<void(const ConnectionTest&)> answer;
    data::Credentials asked;
    std::stop_token stop;
    ConnectionDialog dialog([&](const data::Connection&, const data::Credentials& typed, const std::string&,
                                const std::stop_token& token,
                                std::function<void(const ConnectionTest&)> done) {
        asked = typed;
        stop = token;
        answer = std::move(done);
    });
    present(dialog, {760, 520});
    child<QLineEdit>(dialog, "name")->setText(QStringLiteral("prometheus-a"));
    child<QLineEdit>(dialog, "url")->setText(QStringLiteral("https://prometheus.example"));
    child<QComboBox>(dialog, "authentication")->setCurrentIndex(2);
    QVERIFY(child<QLineEdit>(dialog, "token")->isVisible());
    QVERIFY(!child<QLineEdit>(dialog, "user")->isVisible());
    // Without the token nothing is asked.
    child<QPushButton>(dialog, "test")->click();
    QVERIFY(!dialog.isTesting() && !answer);
    QVERIFY(!dialog.testText().isEmpty());
    child<QLineEdit>(dialog, "token")->setText(secretWords);
    child<QPushButton>(dialog, "test")->click();
    QVERIFY(dialog.isTesting());
    QCOMPARE(asked.token, secretWords.toStdString());
    answer({true, QStringLiteral("Connected: Prometheus 2.42.0, 24,012 series."), {}});
    QVERIFY(!dialog.isTesting());
    QVERIFY(dialog.testText().contains(QStringLiteral("24,012")));
    // The same button gives a test up; its answer is not heard any more.
    child<QPushButton>(dialog, "test")->click();
    child<QPushButton>(dialog, "test")->click();
    QVERIFY(stop.stop_requested());
    answer({false, QStringLiteral("late"), {}});
    QVERIFY(!dialog.testText().contains(QStringLiteral("late")));

    QString savedName;
    data::Credentials saved;
    connect(&dialog, &ConnectionDialog::saveRequested, this,
            [&](const data::Connection& connection, const data::Credentials& typed, const QString&, bool) {
                savedName = QString::fromStdString(connection.name);
                saved = typed;
            });
    child<QPushButton>(dialog, "save")->click();
    QCOMPARE(savedName, QStringLiteral("prometheus-a"));
    QCOMPARE(saved.token, secretWords.toStdString());
    // What was typed is not kept in the field.
    QVERIFY(child<QLineEdit>(dialog, "token")->text().isEmpty());
    saveGrab(dialog, QStringLiteral("live-connection"));
}

void TestLiveDialogs::keptSecretsAreNeverShown() {
    ConnectionDialog dialog({});
    present(dialog, {760, 520});
    dialog.setConnections({bearer("a", "https://a.example"), bearer("b", "https://b.example")}, {"a"}, "a");
    auto* token = child<QLineEdit>(dialog, "token");
    QCOMPARE(token->echoMode(), QLineEdit::Password);
    QVERIFY(token->text().isEmpty());
    QVERIFY(token->placeholderText().contains(QStringLiteral("kept")));
    child<QListWidget>(dialog, "connections")->setCurrentRow(1);
    QVERIFY(!token->placeholderText().contains(QStringLiteral("kept")));
    // A name that is taken is refused.
    QSignalSpy saved(&dialog, &ConnectionDialog::saveRequested);
    token->setText(secretWords);
    child<QLineEdit>(dialog, "name")->setText(QStringLiteral("a"));
    child<QPushButton>(dialog, "save")->click();
    QCOMPARE(saved.size(), 0);
    QVERIFY(!child<QWidget>(dialog, "message")->isHidden());
}

void TestLiveDialogs::secretsStayWithTheirAddress() {
    QStringList kept;
    ConnectionDialog dialog([&](const data::Connection&, const data::Credentials&, const std::string& from,
                                const std::stop_token&, const std::function<void(const ConnectionTest&)>&) {
        kept.append(QString::fromStdString(from));
    });
    present(dialog, {760, 520});
    dialog.setConnections({bearer("a", "https://a.example")}, {"a"}, "a");
    child<QLineEdit>(dialog, "url")->setText(QStringLiteral("https://a.example/other/path"));
    child<QPushButton>(dialog, "test")->click();
    QCOMPARE(kept, QStringList{QStringLiteral("a")});
    // At another address the kept token does not go along, neither for a test nor in the connection.
    child<QLineEdit>(dialog, "url")->setText(QStringLiteral("https://evil.example"));
    child<QPushButton>(dialog, "test")->click();
    QCOMPARE(kept.size(), 1);
    QVERIFY(dialog.testText().contains(QStringLiteral("again")));
    QSignalSpy saved(&dialog, &ConnectionDialog::saveRequested);
    child<QPushButton>(dialog, "save")->click();
    QCOMPARE(saved.size(), 0);
}

void TestLiveDialogs::everyFaultIsMarkedAtOnce() {
    ConnectionDialog dialog({});
    present(dialog);
    const auto marked = [&dialog](const char* name) {
        return child<QLineEdit>(dialog, name)->property(refusedProperty).toBool();
    };
    QSignalSpy saved(&dialog, &ConnectionDialog::saveRequested);
    child<QLineEdit>(dialog, "url")->setText(QStringLiteral("gopher://example"));
    child<QComboBox>(dialog, "authentication")->setCurrentIndex(1); // user and password
    child<QPushButton>(dialog, "save")->click();
    for (const char* name : {"name", "url", "user", "password"})
        QVERIFY2(marked(name), name);
    QVERIFY(!marked("token") && !marked("caFile"));
    const QString message = child<QLabel>(dialog, "message")->text();
    QCOMPARE(message.count(QLatin1Char('\n')), 3); // a line each
    child<QLineEdit>(dialog, "name")->setText(QStringLiteral("A"));
    QVERIFY(!marked("name") && marked("url"));
    QCOMPARE(saved.count(), 0);
}

void TestLiveDialogs::plainHttpIsWarnedOf() {
    ConnectionForm form;
    present(form, {500, 400});
    const auto warned = [&] {
        for (auto* label : form.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QStringLiteral("Plain http")))
                return true;
        return false;
    };
    child<QLineEdit>(form, "url")->setText(QStringLiteral("http://a.example"));
    QVERIFY(!warned()); // there is no secret
    child<QComboBox>(form, "authentication")->setCurrentIndex(1);
    QVERIFY(warned());
    child<QLineEdit>(form, "url")->setText(QStringLiteral("https://a.example"));
    QVERIFY(!warned());
}

void TestLiveDialogs::policyIsCopiedEditedAndReset() {
    PolicyEditor editor;
    present(editor, {1060, 640});
    editor.setPolicies(data::shippedHealthPolicies(), "nvidia");
    const auto presets = editor.policies().size();
    QVERIFY(presets >= 3);
    QVERIFY(!editor.isOwn());
    const QModelIndex action = editor.model()->index(0, PolicyModel::action);
    QVERIFY(!(editor.model()->flags(action) & Qt::ItemIsEditable));
    child<QPushButton>(editor, "copy")->click();
    QCOMPARE(editor.policies().size(), presets + 1);
    QVERIFY(editor.isOwn());
    QCOMPARE(basePolicy(editor.shown().id), editor.policies().front().id);
    const int before = editor.model()->data(action, Qt::EditRole).toInt();
    QVERIFY(editor.model()->setData(action, (before + 1) % 6, Qt::EditRole));
    QVERIFY(child<QPushButton>(editor, "reset")->isEnabled());
    QVERIFY(!editor.model()->setData(action, 99, Qt::EditRole));
    std::vector<HealthPolicy> own;
    std::string judging;
    connect(&editor, &PolicyEditor::applied, this,
            [&](const std::vector<HealthPolicy>& mine, const std::string& chosen) {
                own = mine;
                judging = chosen;
            });
    saveGrab(editor, QStringLiteral("live-policy"));
    child<QPushButton>(editor, "use")->click();
    QCOMPARE(own.size(), std::size_t(1));
    QCOMPARE(judging, own.front().id);
    QCOMPARE(static_cast<int>(own.front().rules.front().action), (before + 1) % 6);
    child<QPushButton>(editor, "reset")->click();
    QCOMPARE(editor.model()->data(action, Qt::EditRole).toInt(), before);
    child<QPushButton>(editor, "delete")->click();
    QCOMPARE(editor.policies().size(), presets);
}

void TestLiveDialogs::mappingIsEditedAndPreviewed() {
    std::vector<std::vector<MetricRule>> read;
    MappingEditor editor([&](const std::vector<MetricRule>& rules, const LabelNames&, const std::stop_token&,
                             std::function<void(Signal, const MappingPreview&)> done) {
        read.push_back(rules);
        for (const MetricRule& each : rules)
            done(each.signal, {QStringLiteral("1,290 MHz"), QStringLiteral("odd unit"), true, {}});
    });
    present(editor, {1180, 680});
    MetricMapping detected;
    detected.rules = {rule(Signal::smClock, "DCGM_FI_DEV_SM_CLOCK", "dcgm"),
                      rule(Signal::stepTime, "training_step_seconds", "training")};
    detected.absent = {{Signal::smActive, "DCGM_FI_PROF_SM_ACTIVE is not exported"}};
    editor.setMapping(QStringLiteral("prometheus-a"), detected, detected);
    QTRY_COMPARE(read.size(), std::size_t(1)); // all of them, at first
    QCOMPARE(read.front().size(), std::size_t(2));
    MappingModel& model = *editor.model();
    const int clock = model.rowOf(Signal::smClock);
    QCOMPARE(model.index(clock, MappingModel::now).data().toString(), QStringLiteral("1,290 MHz"));
    QVERIFY(model.index(model.rowOf(Signal::smActive), MappingModel::remark)
                .data()
                .toString()
                .contains(QStringLiteral("not exported")));
    // An edit is read alone, after a rest; a wrong number is refused with a word.
    QVERIFY(model.setData(model.index(clock, MappingModel::scale), QStringLiteral("1e6"), Qt::EditRole));
    QVERIFY(model.isChanged(clock));
    QTRY_COMPARE(read.size(), std::size_t(2));
    QCOMPARE(read.back().size(), std::size_t(1));
    QCOMPARE(read.back().front().scale, 1e6);
    QVERIFY(!model.setData(model.index(clock, MappingModel::scale), QStringLiteral("none"), Qt::EditRole));
    QVERIFY(!child<QWidget>(editor, "message")->isHidden());
    // A metric for what is missing; taking it away makes it missing again.
    QVERIFY(model.setData(model.index(model.rowOf(Signal::smActive), MappingModel::metric),
                          QStringLiteral("my_metric"), Qt::EditRole));
    QVERIFY(editor.mapping().rule(Signal::smActive) != nullptr);
    QVERIFY(model.setData(model.index(model.rowOf(Signal::smActive), MappingModel::metric), QString(),
                          Qt::EditRole));
    QVERIFY(editor.mapping().rule(Signal::smActive) == nullptr);
    model.resetRow(model.rowOf(Signal::smClock));
    QCOMPARE(editor.mapping().rule(Signal::smClock)->scale, 1.0);
    saveGrab(editor, QStringLiteral("live-mapping"));
}

void TestLiveDialogs::calibrationSaysWhatTheDataTell() {
    LiveCalibration found;
    found.quantity = "inter-token latency";
    found.samples = 53;
    found.before = {0.31, 0.33};
    found.after = {0.02, 0.03};
    found.leftOut = ErrorFigures{0.025, 0.03};
    const auto add = [&](const char* name, double before, double after, double share, bool interval) {
        CalibratedParameter p;
        p.name = p.label = name;
        p.unit = "ratio";
        p.before = before;
        p.after = after;
        p.low = after * 0.95;
        p.high = after * 1.05;
        p.dataShare = share;
        p.interval = interval;
        p.applied = !interval;
        p.changed = p.applied && before != after;
        found.parameters.push_back(p);
    };
    add("HBM efficiency of decoding", 0.7, 0.6, 0.98, false);
    add("Fill of NVLink", 0.5, 0.5, 0, false);
    add("GEMM efficiency", 0.6, 0.62, 0.4, true);
    found.confounded = {{0, 1, 0.97}};
    found.excluded = {{1000, 1300, "straggler gpu-0007"}};
    CalibrationSeries series;
    series.title = QStringLiteral("Step time, s");
    for (int i = 0; i < 100; ++i) {
        series.times.push_back(500 + 15.0 * i);
        series.values.push_back(i > 30 && i < 54 ? 7.7 : 6.1);
    }
    CalibrationDialog dialog;
    present(dialog, {1120, 680});
    dialog.setBusy(QStringLiteral("Fitting"));
    auto* save = child<QPushButton>(dialog, "saveProfile");
    auto* use = child<QPushButton>(dialog, "useProfile");
    QVERIFY(!save->isEnabled() && !use->isEnabled());
    dialog.setResult(found, series, QStringLiteral("a3"));
    const QString words = dialog.words();
    for (const char* told : {"31 %", "2", "leave-one-out", "0.97", "Fill of NVLink"})
        QVERIFY2(words.contains(QLatin1String(told)), qPrintable(words));
    QCOMPARE(dialog.model()->index(1, CalibrationModel::dataShare).data().toString(),
             QStringLiteral("unchanged"));
    QCOMPARE(dialog.model()->index(2, CalibrationModel::after).data().toString(), QStringLiteral("–"));
    QCOMPARE(dialog.model()->index(2, CalibrationModel::dataShare).data().toString(),
             QStringLiteral("bounds only"));
    // A clock is not a bare number of billions.
    CalibratedParameter clock = found.parameters.front();
    clock.unit = "Hz";
    QCOMPARE(calibratedText(clock, 1.83e9), QStringLiteral("1,830 MHz"));
    QCOMPARE(dialog.plot()->excluded(), 1);
    saveGrab(dialog, QStringLiteral("live-calibration"));
    // Saving does not use it.
    QSignalSpy saved(&dialog, &CalibrationDialog::saveRequested),
        used(&dialog, &CalibrationDialog::useRequested);
    QVERIFY(save->isEnabled() && !use->isEnabled());
    save->click();
    QCOMPARE(saved.size(), 1);
    QCOMPARE(used.size(), 0);
    dialog.setSaved(QStringLiteral("a3"));
    QVERIFY(use->isEnabled());
    use->click();
    QCOMPARE(used.front().front().toString(), QStringLiteral("a3"));
    dialog.setFailure(QStringLiteral("no step times in this window"));
    QVERIFY(!save->isEnabled());
    QVERIFY(dialog.words().contains(QStringLiteral("no step times")));
}

void TestLiveDialogs::rangeIsChosenBetweenTwoInstants() {
    constexpr double now = 1'767'283'200;
    const auto at = [](double time) { return QDateTime::fromSecsSinceEpoch(static_cast<qint64>(time)); };
    // It begins with what is shown.
    RangeDialog dialog({.last = 3600}, now);
    QCOMPARE(dialog.from()->dateTime(), at(now - 3600));
    QCOMPARE(dialog.to()->dateTime(), at(now));
    QPushButton* const show = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(show->isEnabled());
    const auto fault = [&dialog] {
        QString out;
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->text().endsWith(QLatin1Char('.')))
                out = label->text();
        return out;
    };
    dialog.to()->setDateTime(at(now - 3600 + 30));
    QVERIFY(!show->isEnabled() && fault().contains(QStringLiteral("a minute after the beginning")));
    dialog.to()->setDateTime(at(now - 7200)); // before the beginning
    QVERIFY(!show->isEnabled());
    dialog.from()->setDateTime(at(now - 2 * 366 * 86400.0));
    QVERIFY(!show->isEnabled() && fault().contains(QStringLiteral("At most a year")));
    dialog.from()->setDateTime(at(now + 60));
    dialog.to()->setDateTime(at(now + 600));
    QVERIFY(!show->isEnabled() && fault().contains(QStringLiteral("in the future")));
    dialog.from()->setDateTime(at(now - 5400));
    dialog.to()->setDateTime(at(now - 1800));
    QVERIFY(show->isEnabled() && fault().isEmpty());
    std::optional<LiveSpan> chosen;
    connect(&dialog, &RangeDialog::chosen, &dialog, [&chosen](const LiveSpan& span) { chosen = span; });
    show->click();
    QVERIFY(chosen && chosen->fixed);
    QCOMPARE(chosen->start, now - 5400);
    QCOMPARE(chosen->end, now - 1800);
    // A fixed time is what it begins with next time.
    const RangeDialog again(*chosen, now);
    QCOMPARE(again.from()->dateTime(), at(now - 5400));
    QCOMPARE(again.to()->dateTime(), at(now - 1800));
}

QTEST_MAIN(TestLiveDialogs)

} // namespace tst_live_dialogs

#include "tst_live_dialogs.moc"
