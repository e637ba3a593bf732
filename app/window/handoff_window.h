// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/handoff.h"

#include <QDialog>

#include <map>
#include <memory>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace alidade::views {
class Document;
}

namespace alidade::app {

struct Settings;

/// The files that run the open scenario, as a preview that stays open: a change of the plan changes them, and
/// what it has changed is marked. Copies one file or writes the whole folder.
class HandoffWindow : public QDialog {
    Q_OBJECT

public:
    /// The document and the settings must outlive this.
    /// \param userCatalog with a folder of further versions of tools; empty: none
    HandoffWindow(views::Document& document, Settings& settings, std::string userCatalog, QWidget* parent);

    void open() override;

signals:
    /// \param reason empty: all files are in the folder
    void saved(const QString& folder, const QString& reason);

private:
    void fillTargets();
    bool fill(QComboBox& box, const std::vector<data::TargetChoice>& choices, const QString& usual);
    void readTools();
    void fillVersions();
    void rememberVersion();
    QString toolText(const data::TargetInfo& target) const;
    void refresh();
    void take(const data::Handoff& handoff, const QString& error);
    void showFile(int row);
    void markChanges(const data::HandoffFile& file);
    void copy();
    void askFolder();
    void save(const QString& folder);

    views::Document& document_;
    Settings& settings_;
    std::string userCatalog_;
    std::shared_ptr<const data::handoff::Tools> tools_; ///< with the versions of the user's catalog
    QString toolsFault_;                                ///< why those are left out; empty: they are not
    QComboBox* tool_;
    QLabel* versionLabel_;
    QComboBox* version_; ///< hidden where the tool has only one
    QComboBox* cluster_;
    QListWidget* files_;
    QPlainTextEdit* preview_;
    QLabel* note_;
    QPushButton* copy_;
    QPushButton* save_;
    data::Handoff handoff_;
    std::map<std::string, QString> before_; ///< file → text of the preview before the last change of the plan
    QString shown_;                         ///< name of the file in the preview
    QString targets_;                       ///< that the preview shows
    int generation_ = 0;
};

} // namespace alidade::app
