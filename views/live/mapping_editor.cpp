// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/mapping_editor.h"

#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include <array>

namespace alidade::views {

namespace {

constexpr int restMilliseconds = 400;
/// Widths of the columns at first, logical pixels at 10 pt.
constexpr int mappingColumns[] = {170, 240, 80, 120, 80, 60, 60, 200, 330};

struct LabelField {
    std::string LabelNames::* member;
    const char* words;
};

constexpr std::array labelFields{
    LabelField{&LabelNames::host, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "Host")},
    LabelField{&LabelNames::gpu, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "GPU")},
    LabelField{&LabelNames::device, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "EFA device")},
    LabelField{&LabelNames::engine, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "Engine")},
    LabelField{&LabelNames::job, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "Training job")},
    LabelField{&LabelNames::model, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "Served model")},
    LabelField{&LabelNames::batchJob, QT_TRANSLATE_NOOP("alidade::views::MappingEditor", "Batch job")}};

constexpr std::array kindChoices{MetricKind::gauge,   MetricKind::counter, MetricKind::histogram,
                                 MetricKind::summary, MetricKind::ratio,   MetricKind::quotient,
                                 MetricKind::info,    MetricKind::progress};

/// A list of the kinds in the cell.
class KindDelegate : public CellDelegate {
public:
    using CellDelegate::CellDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
        auto* choice = new QComboBox(parent);
        for (const MetricKind each : kindChoices)
            choice->addItem(text(alidade::name(each)));
        return choice;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        static_cast<QComboBox*>(editor)->setCurrentText(index.data(Qt::EditRole).toString());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        model->setData(index, static_cast<QComboBox*>(editor)->currentText());
    }
};

} // namespace

MappingEditor::MappingEditor(Previewer previewer, QWidget* parent)
    : QDialog(parent)
    , previewer_(std::move(previewer))
    , model_(new MappingModel(this))
    , table_(new DataTableView)
    , about_(new TextLabel(FontRole::small, Role::text2))
    , message_(new TextLabel(FontRole::small, Role::err))
    , resetRow_(new QPushButton(tr("&Reset Row")))
    , resetAll_(new QPushButton(tr("Reset &All"))) {
    setWindowTitle(tr("Metrics of the server"));
    setObjectName(QStringLiteral("mappingEditor"));
    const Theme& look = theme();
    table_->setObjectName(QStringLiteral("mapping"));
    table_->setAccessibleName(tr("Signals and their metrics"));
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setItemDelegateForColumn(MappingModel::kind, new KindDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    for (int i = 0; i < MappingModel::columns; ++i)
        table_->setColumnWidth(i, look.px(mappingColumns[i]));
    about_->setWordWrap(true);
    message_->setWordWrap(true);
    message_->setObjectName(QStringLiteral("message"));
    message_->hide();

    auto* import = new QPushButton(tr("&Import…"));
    auto* exporting = new QPushButton(tr("&Export…"));
    resetRow_->setObjectName(QStringLiteral("resetRow"));
    resetAll_->setObjectName(QStringLiteral("resetAll"));
    resetRow_->setToolTip(tr("The chosen signal as detected"));
    auto* row = new QHBoxLayout;
    row->addWidget(about_, 1);
    for (QPushButton* button : {resetRow_, resetAll_, import, exporting}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* apply = buttons->addButton(tr("&Use These"), QDialogButtonBox::AcceptRole);
    apply->setObjectName(QStringLiteral("apply"));
    apply->setProperty(primaryProperty, true);
    apply->setDefault(true);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(look.px(20), look.px(18), look.px(20), look.px(16));
    all->setSpacing(look.px(10));
    all->addLayout(row);
    all->addWidget(table_, 1);
    all->addWidget(new TextLabel(FontRole::title, Role::text, tr("Labels that identify a row")));
    all->addWidget(makeLabels());
    all->addWidget(message_);
    all->addWidget(buttons);
    resize(look.px(1180), look.px(680));

    rest_.setSingleShot(true);
    rest_.setInterval(restMilliseconds);
    connect(&rest_, &QTimer::timeout, this, &MappingEditor::read);
    connect(model_, &MappingModel::edited, this, [this] {
        setMessage({});
        renewButtons();
        rest_.start();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        table_->clearSpans();
        for (int each = 0; each < model_->rowCount(); ++each)
            if (!model_->signalAt(each))
                table_->setSpan(each, 0, 1, MappingModel::columns);
    });
    connect(model_, &MappingModel::refused, this, &MappingEditor::setMessage);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &MappingEditor::renewButtons);
    connect(resetRow_, &QPushButton::clicked, this,
            [this] { model_->resetRow(table_->currentIndex().row()); });
    connect(resetAll_, &QPushButton::clicked, this, [this] {
        const MetricMapping detected = detected_;
        setMapping(windowTitle(), detected, detected);
    });
    connect(import, &QPushButton::clicked, this, &MappingEditor::importRequested);
    connect(exporting, &QPushButton::clicked, this, [this] { emit exportRequested(mapping()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit applied(mapping());
        accept();
    });
    connect(this, &QDialog::finished, this, [this] {
        rest_.stop();
        reading_.request_stop();
    });
}

MappingEditor::~MappingEditor() { reading_.request_stop(); }

QWidget* MappingEditor::makeLabels() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme().px(10));
    for (std::size_t i = 0; i < labelFields.size(); ++i) {
        auto* field = new QLineEdit;
        const QString words = tr(labelFields[i].words);
        field->setAccessibleName(tr("Label of: %1").arg(words));
        field->setToolTip(tr("One label, or several separated by |; the first that a series has is used"));
        const int n = static_cast<int>(i);
        grid->addWidget(new QLabel(words), n / 4, n % 4 * 2, Qt::AlignRight);
        grid->addWidget(field, n / 4, n % 4 * 2 + 1);
        labels_.append(field);
        connect(field, &QLineEdit::textEdited, this, [this] {
            LabelNames names;
            for (std::size_t k = 0; k < labelFields.size(); ++k)
                names.*labelFields[k].member =
                    labels_[static_cast<qsizetype>(k)]->text().trimmed().toStdString();
            model_->setLabels(names);
            rest_.start();
        });
    }
    return box;
}

void MappingEditor::setMapping(const QString& server, const MetricMapping& mapping,
                               const MetricMapping& detected) {
    setWindowTitle(server);
    detected_ = detected;
    model_->setMapping(mapping, detected);
    for (std::size_t i = 0; i < labelFields.size(); ++i)
        labels_[static_cast<qsizetype>(i)]->setText(text(mapping.labels.*labelFields[i].member));
    QStringList notes{tr("%1 of %2 signals are read").arg(mapping.rules.size()).arg(allSignals().size())};
    for (const std::string& each : mapping.notes)
        notes.append(text(each));
    about_->setText(notes.join(QStringLiteral(". ")) + QLatin1Char('.'));
    renewButtons();
    rest_.start();
}

MetricMapping MappingEditor::mapping() const { return model_->mapping(); }

void MappingEditor::setMessage(const QString& words) {
    message_->setText(words);
    message_->setVisible(!words.isEmpty());
}

/// What changed since it was last read. An older reading is given up.
void MappingEditor::read() {
    reading_.request_stop();
    reading_ = std::stop_source();
    const std::vector<MetricRule> rules = model_->unread();
    if (rules.empty() || !previewer_)
        return;
    previewer_(
        rules, model_->mapping().labels, reading_.get_token(),
        [self = QPointer(this), stop = reading_.get_token()](Signal signal, const MappingPreview& preview) {
            if (self && !stop.stop_requested())
                self->model_->setPreview(signal, preview);
        });
}

void MappingEditor::renewButtons() {
    resetRow_->setEnabled(model_->isChanged(table_->currentIndex().row()));
    resetAll_->setEnabled(!(model_->mapping().rules == detected_.rules));
}

} // namespace alidade::views
