// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <map>
#include <optional>
#include <vector>

namespace alidade::views {

/// A text string of PDF: UTF-16BE in hexadecimal digits, which need no escapes.
QByteArray pdfText(const QString& text);
QByteArray pdfReference(int object); ///< "12 0 R"
/// The dictionary with one entry more.
QByteArray withEntry(QByteArray dictionary, const QByteArray& entry);

/// Objects that are added to a PDF, or replace others, as an incremental update. Of a PDF as
/// QPdfWriter writes it: with one plain cross-reference table.
class PdfUpdate {
public:
    /// \param pdf outlives this
    explicit PdfUpdate(const QByteArray& pdf);

    bool good() const { return !pages_.empty(); } ///< false: it has another structure
    int root() const { return root_; }
    int info() const { return info_; }
    const std::vector<int>& pages() const { return pages_; } ///< in order

    /// The dictionary of an object as it is by now; empty if there is none.
    QByteArray dictionary(int object) const;
    void addEntry(int object, const QByteArray& entry);
    void set(int object, QByteArray body) { objects_[object] = std::move(body); }
    int reserve() { return next_++; } ///< the number of a new object
    int add(QByteArray body);
    /// What is painted on a page; nullopt: it is not written as expected.
    std::optional<QByteArray> content(std::size_t page) const;
    void setContent(std::size_t page, const QByteArray& content);

    QByteArray written() const;

private:
    QByteArray original(int object) const;

    const QByteArray& bytes_;
    QByteArray trailer_;
    qint64 xref_ = 0;
    std::vector<qint64> places_; ///< of objects in the file
    std::vector<int> pages_;
    int root_ = 0, info_ = 0, next_ = 0;
    std::map<int, QByteArray> objects_;
};

} // namespace alidade::views
