// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf_update.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace alidade::views {
namespace {

/// The number before "0 R" that follows a key in a dictionary.
std::optional<int> referenceAfter(const QByteArray& dictionary, const char* key) {
    const qsizetype at = dictionary.indexOf(key);
    if (at < 0)
        return std::nullopt;
    static const QRegularExpression form(QStringLiteral("^\\s*(\\d+)\\s+0\\s+R"));
    const auto match = form.match(QString::fromLatin1(dictionary.mid(at + qsizetype(qstrlen(key)), 40)));
    return match.hasMatch() ? std::optional(match.captured(1).toInt()) : std::nullopt;
}

std::vector<int> kidsOf(const QByteArray& pages) {
    std::vector<int> out;
    const qsizetype from = pages.indexOf("/Kids"), open = pages.indexOf('[', from);
    const qsizetype close = pages.indexOf(']', open);
    if (from < 0 || open < 0 || close < 0)
        return out;
    const QList<QByteArray> words = pages.mid(open + 1, close - open - 1).simplified().split(' ');
    for (qsizetype i = 0; i + 2 < words.size(); i += 3)
        out.push_back(words[i].toInt());
    return out;
}

} // namespace

QByteArray pdfText(const QString& text) {
    QByteArray bytes("\xFE\xFF");
    for (const QChar c : text) {
        bytes += static_cast<char>(c.unicode() >> 8);
        bytes += static_cast<char>(c.unicode() & 0xFF);
    }
    return '<' + bytes.toHex() + '>';
}

QByteArray pdfReference(int object) { return QByteArray::number(object) + " 0 R"; }

QByteArray withEntry(QByteArray dictionary, const QByteArray& entry) {
    return dictionary.insert(dictionary.lastIndexOf(">>"), entry + '\n');
}

PdfUpdate::PdfUpdate(const QByteArray& pdf)
    : bytes_(pdf) {
    const qsizetype trailer = pdf.lastIndexOf("\ntrailer");
    const qsizetype start = pdf.lastIndexOf("startxref");
    if (trailer < 0 || start < trailer)
        return;
    trailer_ = pdf.mid(trailer + 8, start - trailer - 8);
    xref_ = pdf.mid(start + 9, 30).simplified().split(' ').value(0).toLongLong();
    constexpr qsizetype entry = 20;
    const qsizetype line = pdf.indexOf("\n0 ", xref_) + 1; // "0 117"
    const qsizetype table = pdf.indexOf('\n', line) + 1;
    next_ = pdf.mid(line + 2, table - line - 2).trimmed().toInt();
    const auto root = referenceAfter(trailer_, "/Root"), info = referenceAfter(trailer_, "/Info");
    if (pdf.mid(xref_, 4) != "xref" || !root || !info || next_ <= 0 || table + next_ * entry > pdf.size())
        return;
    for (int i = 0; i < next_; ++i)
        places_.push_back(pdf.mid(table + i * entry, 10).toLongLong());
    root_ = *root;
    info_ = *info;
    if (const auto pages = referenceAfter(dictionary(root_), "/Pages"))
        pages_ = kidsOf(dictionary(*pages));
}

QByteArray PdfUpdate::original(int object) const {
    const auto number = static_cast<std::size_t>(object);
    if (object <= 0 || number >= places_.size())
        return {};
    const qsizetype end = bytes_.indexOf("endobj", places_[number]);
    const QByteArray text = bytes_.mid(places_[number], end - places_[number]);
    return end < 0 || !text.startsWith(QByteArray(QByteArray::number(object) + " 0 obj")) ? QByteArray()
                                                                                          : text;
}

QByteArray PdfUpdate::dictionary(int object) const {
    if (const auto known = objects_.find(object); known != objects_.end())
        return known->second;
    const QByteArray text = original(object);
    const qsizetype first = text.indexOf("<<"), last = text.lastIndexOf(">>");
    return first < 0 || last < first ? QByteArray() : text.mid(first, last + 2 - first);
}

void PdfUpdate::addEntry(int object, const QByteArray& entry) {
    set(object, withEntry(dictionary(object), entry));
}

int PdfUpdate::add(QByteArray body) {
    const int number = reserve();
    set(number, std::move(body));
    return number;
}

std::optional<QByteArray> PdfUpdate::content(std::size_t page) const {
    const auto object = referenceAfter(dictionary(pages_.at(page)), "/Contents");
    if (!object || *object <= 0 || static_cast<std::size_t>(*object) >= places_.size())
        return std::nullopt;
    const qsizetype place = places_[static_cast<std::size_t>(*object)];
    const qsizetype stream = bytes_.indexOf("stream\n", place);
    const QByteArray head = bytes_.mid(place, stream - place);
    const auto length = referenceAfter(head, "/Length");
    if (stream < 0 || !length || !head.contains("/FlateDecode"))
        return std::nullopt;
    const QList<QByteArray> words = original(*length).simplified().split(' '); // "14 0 obj 4711"
    const qsizetype size = words.value(3).toLongLong();
    // qUncompress() wants the expected size before the data; it grows what is too small.
    QByteArray data("\x00\x08\x00\x00", 4);
    data += bytes_.mid(stream + 7, size);
    QByteArray out = qUncompress(data);
    return out.isEmpty() ? std::nullopt : std::optional(std::move(out));
}

void PdfUpdate::setContent(std::size_t page, const QByteArray& content) {
    const QByteArray data = qCompress(content).mid(4); // without its size
    const auto object = referenceAfter(dictionary(pages_.at(page)), "/Contents");
    if (object)
        set(*object, "<< /Length " + QByteArray::number(data.size()) + " /Filter /FlateDecode >>\nstream\n" +
                         data + "\nendstream");
}

QByteArray PdfUpdate::written() const {
    if (!good() || objects_.empty())
        return bytes_;
    QByteArray out = bytes_;
    if (!out.endsWith('\n'))
        out += '\n';
    QByteArray table = "xref\n", run;
    int first = 0, count = 0;
    const auto endRun = [&] {
        if (count > 0)
            table += QByteArray::number(first) + ' ' + QByteArray::number(count) + '\n' + run;
        run.clear();
        count = 0;
    };
    for (const auto& [number, body] : objects_) {
        if (number != first + count)
            endRun();
        first = count == 0 ? number : first;
        ++count;
        run += QByteArray::number(out.size()).rightJustified(10, '0') + " 00000 n \n";
        out += QByteArray::number(number) + " 0 obj\n" + body + "\nendobj\n";
    }
    endRun();
    QByteArray trailer = trailer_;
    static const QRegularExpression sizeForm(QStringLiteral("/Size\\s+\\d+"));
    const auto match = sizeForm.match(QString::fromLatin1(trailer));
    trailer.replace(match.capturedStart(), match.capturedLength(),
                    QByteArray("/Size " + QByteArray::number(next_)));
    trailer = withEntry(trailer, "/Prev " + QByteArray::number(xref_));
    const qsizetype start = out.size();
    return out + table + "trailer\n" + trailer.trimmed() + "\nstartxref\n" + QByteArray::number(start) +
           "\n%%EOF\n";
}

} // namespace alidade::views
