// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf_tags.h"

#include "views/report/page_tags.h"

#include <QHash>
#include <QRegularExpression>

#include <utility>

namespace alidade::views {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// A structure element.
struct Element {
    QByteArray type;
    std::size_t parent = none;
    std::vector<std::size_t> kids{};
    std::size_t page = 0;
    int content = -1; ///< number of its marked content on the page; -1: it has elements instead
    QByteArray entries{};
};

/// Builds the tree while the marks are read in order.
class Structure {
public:
    explicit Structure(const QStringList& alternatives) {
        for (const QString& each : alternatives)
            alternatives_.insert(figureCode(each), each);
        elements.push_back({.type = "Document"});
    }

    std::vector<Element> elements;
    std::vector<std::vector<std::size_t>> onPages; ///< elements by page and number of content

    void beginContainer(PageTag tag) {
        if (tag == PageTag::contents) {
            table_ = none;
            contents_ = add("TOC", section());
            return;
        }
        if (tag == PageTag::headRow || table_ == none)
            table_ = add("Table", section());
        row_ = add("TR", table_);
    }

    /// \returns the type of the new element, with the number of its content
    std::pair<QByteArray, int> beginLeaf(int code, std::size_t page) {
        const std::size_t element = leaf(code);
        onPages.resize(std::max(onPages.size(), page + 1));
        elements[element].page = page;
        elements[element].content = static_cast<int>(onPages[page].size());
        onPages[page].push_back(element);
        return {elements[element].type, elements[element].content};
    }

private:
    std::size_t section() const { return section_ != none ? section_ : part_ != none ? part_ : 0; }

    std::size_t add(QByteArray type, std::size_t parent) {
        elements.push_back({.type = std::move(type), .parent = parent});
        elements[parent].kids.push_back(elements.size() - 1);
        return elements.size() - 1;
    }

    std::size_t leaf(int code) {
        const auto tag = static_cast<PageTag>(code);
        if (tag == PageTag::headCell || tag == PageTag::cell) {
            const std::size_t cell = add(tag == PageTag::headCell ? "TH" : "TD", row_ == none ? 0 : row_);
            if (tag == PageTag::headCell)
                elements[cell].entries = " /A << /O /Table /Scope /Column >>";
            return cell;
        }
        if (tag == PageTag::contentsLine)
            return add("TOCI", contents_ == none ? section() : contents_);
        table_ = row_ = none;
        if (code >= firstFigureCode) {
            const std::size_t figure = add("Figure", section());
            elements[figure].entries = " /Alt " + pdfText(alternatives_.value(code));
            return figure;
        }
        if (tag == PageTag::title) {
            part_ = add("Sect", 0);
            section_ = none;
            return add("H1", part_);
        }
        if (tag == PageTag::heading) {
            section_ = none;
            section_ = add("Sect", section());
            return add("H2", section_);
        }
        return add("P", section());
    }

    QHash<int, QString> alternatives_;
    std::size_t part_ = none, section_ = none, table_ = none, row_ = none, contents_ = none;
};

bool isContainer(int code) {
    return code == int(PageTag::headRow) || code == int(PageTag::row) || code == int(PageTag::contents);
}

/// The content with marked content in place of the marks; nullopt if they do not match.
std::optional<QByteArray> tagged(const QByteArray& content, std::size_t page, Structure& structure) {
    static const QRegularExpression mark(QStringLiteral("%1 %1 (\\d+) ([12]) re\nf\\*?\n").arg(tagMarkPlace));
    const QString text = QString::fromLatin1(content);
    QByteArray out = "/Artifact BMC\n";
    std::vector<int> open;
    int artifacts = 0;
    qsizetype from = 0;
    for (auto it = mark.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        const int code = match.captured(1).toInt();
        const bool begins = match.captured(2) == QLatin1String("1");
        out += content.mid(from, match.capturedStart() - from);
        from = match.capturedEnd();
        if (begins)
            open.push_back(code);
        else if (open.empty() || open.back() != code)
            return std::nullopt;
        else
            open.pop_back();
        if (code == int(PageTag::artifact))
            artifacts += begins ? 1 : -1;
        else if (artifacts > 0)
            continue;
        else if (isContainer(code)) {
            if (begins)
                structure.beginContainer(static_cast<PageTag>(code));
        } else if (begins) {
            const auto [type, number] = structure.beginLeaf(code, page);
            out += "EMC\n/" + type + " << /MCID " + QByteArray::number(number) + " >> BDC\n";
        } else {
            out += "EMC\n/Artifact BMC\n";
        }
    }
    if (!open.empty())
        return std::nullopt;
    return out + content.mid(from) + "EMC\n";
}

} // namespace

bool addPdfTags(PdfUpdate& pdf, const QStringList& alternatives) {
    Structure structure(alternatives);
    std::vector<QByteArray> contents;
    for (std::size_t page = 0; page < pdf.pages().size(); ++page) {
        const auto content = pdf.content(page);
        auto marked = content ? tagged(*content, page, structure) : std::nullopt;
        if (!marked)
            return false;
        contents.push_back(*std::move(marked));
    }
    const auto& elements = structure.elements;
    if (elements.size() < 2)
        return false;
    structure.onPages.resize(contents.size());
    const int root = pdf.reserve();
    std::vector<int> numbers;
    for (std::size_t i = 0; i < elements.size(); ++i)
        numbers.push_back(pdf.reserve());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& each = elements[i];
        QByteArray body =
            "<< /S /" + each.type + " /P " + pdfReference(each.parent == none ? root : numbers[each.parent]);
        if (each.content >= 0) {
            body +=
                " /Pg " + pdfReference(pdf.pages()[each.page]) + " /K " + QByteArray::number(each.content);
        } else {
            body += " /K [";
            for (const std::size_t kid : each.kids)
                body += pdfReference(numbers[kid]) + ' ';
            body += ']';
        }
        pdf.set(numbers[i], body + each.entries + " >>");
    }
    QByteArray parents = "<< /Nums [";
    for (std::size_t page = 0; page < contents.size(); ++page) {
        const QByteArray key = QByteArray::number(qulonglong(page));
        parents += key + " [";
        for (const std::size_t element : structure.onPages[page])
            parents += pdfReference(numbers[element]) + ' ';
        parents += "] ";
        pdf.setContent(page, contents[page]);
        pdf.addEntry(pdf.pages()[page], "/StructParents " + key + " /Tabs /S");
    }
    const int tree = pdf.add(parents + "] >>");
    pdf.set(root, "<< /Type /StructTreeRoot /K " + pdfReference(numbers.front()) + " /ParentTree " +
                      pdfReference(tree) + " /ParentTreeNextKey " +
                      QByteArray::number(qulonglong(contents.size())) + " >>");
    pdf.addEntry(pdf.root(), "/MarkInfo << /Marked true >> /StructTreeRoot " + pdfReference(root));
    return true;
}

} // namespace alidade::views
