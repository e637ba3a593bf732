// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf_outline.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace alidade::views {
namespace {

/// A text string of PDF: UTF-16BE in hexadecimal digits, which need no escapes.
QByteArray pdfText(const QString& text) {
    QByteArray bytes("\xFE\xFF");
    for (const QChar c : text) {
        bytes += static_cast<char>(c.unicode() >> 8);
        bytes += static_cast<char>(c.unicode() & 0xFF);
    }
    return '<' + bytes.toHex() + '>';
}

QByteArray reference(int object) { return QByteArray::number(object) + " 0 R"; }

/// The number before "0 R" that follows a key in a dictionary.
std::optional<int> referenceAfter(const QByteArray& dictionary, const char* key) {
    const qsizetype at = dictionary.indexOf(key);
    if (at < 0)
        return std::nullopt;
    static const QRegularExpression form(QStringLiteral("^\\s*(\\d+)\\s+0\\s+R"));
    const auto match = form.match(QString::fromLatin1(dictionary.mid(at + qsizetype(qstrlen(key)), 40)));
    return match.hasMatch() ? std::optional(match.captured(1).toInt()) : std::nullopt;
}

/// A PDF whose last cross-reference section is a table.
class PdfFile {
public:
    explicit PdfFile(const QByteArray& bytes)
        : bytes_(bytes) {
        const qsizetype trailer = bytes.lastIndexOf("\ntrailer");
        const qsizetype start = bytes.lastIndexOf("startxref");
        if (trailer < 0 || start < trailer)
            return;
        trailer_ = bytes.mid(trailer + 8, start - trailer - 8);
        bool number = false;
        xref_ = bytes.mid(start + 9, 30).simplified().split(' ').value(0).toLongLong(&number);
        good_ = number && bytes.mid(xref_, 4) == "xref";
    }

    bool good() const { return good_; }
    qint64 xref() const { return xref_; }
    const QByteArray& trailer() const { return trailer_; }

    /// The dictionary of an object, from << to its end; empty if there is none.
    QByteArray dictionary(int object) const {
        const qsizetype at = bytes_.indexOf(QByteArray('\n' + QByteArray::number(object) + " 0 obj"));
        const qsizetype end = at < 0 ? -1 : bytes_.indexOf("endobj", at);
        if (end < 0)
            return {};
        const QByteArray text = bytes_.mid(at, end - at);
        const qsizetype first = text.indexOf("<<"), last = text.lastIndexOf(">>");
        return first < 0 || last < first ? QByteArray() : text.mid(first, last + 2 - first);
    }

private:
    const QByteArray& bytes_;
    QByteArray trailer_;
    qint64 xref_ = 0;
    bool good_ = false;
};

QByteArray withEntry(QByteArray dictionary, const QByteArray& entry) {
    return dictionary.insert(dictionary.lastIndexOf(">>"), entry + '\n');
}

/// Page objects in order.
std::vector<int> pageObjects(const QByteArray& pages) {
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

/// The objects of an outline, the first of which is its root.
std::map<int, QByteArray> outlineObjects(const std::vector<OutlineEntry>& entries,
                                         const std::vector<int>& pages, int root) {
    std::map<int, QByteArray> out;
    const auto objectOf = [root](std::size_t entry) { return root + 1 + static_cast<int>(entry); };
    const std::size_t none = entries.size();
    // The parent of each; an entry without a title above it stands at the top.
    std::vector<std::size_t> parents(entries.size(), none);
    for (std::size_t i = 0, top = none; i < entries.size(); ++i) {
        if (entries[i].level == 0)
            top = i;
        else
            parents[i] = top;
    }
    const auto childrenOf = [&](std::size_t parent) {
        std::vector<std::size_t> children;
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (parents[i] == parent)
                children.push_back(i);
        return children;
    };
    const auto ends = [&](const std::vector<std::size_t>& children) {
        return children.empty() ? QByteArray()
                                : QByteArray("/First " + reference(objectOf(children.front())) + " /Last " +
                                             reference(objectOf(children.back())) + " /Count " +
                                             QByteArray::number(qsizetype(children.size())));
    };
    out[root] = "<< /Type /Outlines " + ends(childrenOf(none)) + " >>";
    for (std::size_t parent = 0; parent <= none; ++parent) {
        const std::vector<std::size_t> siblings = childrenOf(parent);
        for (std::size_t s = 0; s < siblings.size(); ++s) {
            const std::size_t i = siblings[s];
            const OutlineEntry& entry = entries[i];
            QByteArray text = "<< /Title " + pdfText(entry.title) + "\n/Parent " +
                              reference(parent == none ? root : objectOf(parent));
            if (s > 0)
                text += " /Prev " + reference(objectOf(siblings[s - 1]));
            if (s + 1 < siblings.size())
                text += " /Next " + reference(objectOf(siblings[s + 1]));
            text += "\n/Dest [" + reference(pages.at(std::min(entry.page, pages.size() - 1))) + " /XYZ 0 " +
                    QByteArray::number(entry.y, 'f', 1) + " 0]\n" + ends(childrenOf(i)) + " >>";
            out[objectOf(i)] = text;
        }
    }
    return out;
}

} // namespace

QByteArray withOutline(const QByteArray& pdf, const std::vector<OutlineEntry>& entries,
                       const QString& author) {
    const PdfFile file(pdf);
    const auto root = referenceAfter(file.trailer(), "/Root"), info = referenceAfter(file.trailer(), "/Info");
    const auto size = file.trailer().indexOf("/Size");
    if (!file.good() || !root || !info || size < 0 || entries.empty())
        return pdf;
    const QByteArray catalog = file.dictionary(*root), about = file.dictionary(*info);
    const auto pagesObject = referenceAfter(catalog, "/Pages");
    const std::vector<int> pages =
        pagesObject ? pageObjects(file.dictionary(*pagesObject)) : std::vector<int>();
    const int next = file.trailer().mid(size + 5, 20).simplified().split(' ').value(0).toInt();
    if (pages.empty() || about.isEmpty() || next <= 0)
        return pdf;
    std::map<int, QByteArray> objects = outlineObjects(entries, pages, next);
    objects[*root] = withEntry(catalog, "/Outlines " + reference(next) + " /PageMode /UseOutlines");
    if (!author.isEmpty())
        objects[*info] = withEntry(about, "/Author " + pdfText(author));

    QByteArray out = pdf;
    if (!out.endsWith('\n'))
        out += '\n';
    QByteArray table = "xref\n";
    for (const auto& [number, body] : objects) {
        const QByteArray place = QByteArray::number(out.size()).rightJustified(10, '0');
        table += QByteArray::number(number) + " 1\n" + place + " 00000 n \n";
        out += QByteArray::number(number) + " 0 obj\n" + body + "\nendobj\n";
    }
    QByteArray trailer = file.trailer();
    const QByteArray count = QByteArray::number(next + 1 + static_cast<int>(entries.size()));
    static const QRegularExpression sizeForm(QStringLiteral("/Size\\s+\\d+"));
    const auto match = sizeForm.match(QString::fromLatin1(trailer));
    trailer.replace(match.capturedStart(), match.capturedLength(), QByteArray("/Size " + count));
    trailer = withEntry(trailer, "/Prev " + QByteArray::number(file.xref()));
    const qsizetype start = out.size();
    out +=
        table + "trailer\n" + trailer.trimmed() + "\nstartxref\n" + QByteArray::number(start) + "\n%%EOF\n";
    return out;
}

} // namespace alidade::views
