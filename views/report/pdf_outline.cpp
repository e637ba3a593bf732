// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/pdf_outline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace alidade::views {
namespace {

/// The objects of an outline, the first of which is its root.
std::map<int, QByteArray> outlineObjects(const std::vector<OutlineEntry>& entries,
                                         const std::vector<int>& pages, int root) {
    std::map<int, QByteArray> out;
    const auto objectOf = [root](std::size_t entry) { return root + 1 + static_cast<int>(entry); };
    const std::size_t none = entries.size();
    // The parent of each; an entry without a title above it is at the top.
    std::vector<std::size_t> parents(entries.size(), none);
    for (std::size_t i = 0, top = none; i < entries.size(); ++i)
        if (entries[i].level == 0)
            top = i;
        else
            parents[i] = top;
    const auto childrenOf = [&](std::size_t parent) {
        std::vector<std::size_t> children;
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (parents[i] == parent)
                children.push_back(i);
        return children;
    };
    const auto ends = [&](const std::vector<std::size_t>& children) {
        return children.empty() ? QByteArray()
                                : QByteArray("/First " + pdfReference(objectOf(children.front())) +
                                             " /Last " + pdfReference(objectOf(children.back())) +
                                             " /Count " + QByteArray::number(qsizetype(children.size())));
    };
    out[root] = "<< /Type /Outlines " + ends(childrenOf(none)) + " >>";
    for (std::size_t parent = 0; parent <= none; ++parent) {
        const std::vector<std::size_t> siblings = childrenOf(parent);
        for (std::size_t s = 0; s < siblings.size(); ++s) {
            const std::size_t i = siblings[s];
            const OutlineEntry& entry = entries[i];
            QByteArray text = "<< /Title " + pdfText(entry.title) + "\n/Parent " +
                              pdfReference(parent == none ? root : objectOf(parent));
            if (s > 0)
                text += " /Prev " + pdfReference(objectOf(siblings[s - 1]));
            if (s + 1 < siblings.size())
                text += " /Next " + pdfReference(objectOf(siblings[s + 1]));
            text += "\n/Dest [" + pdfReference(pages.at(std::min(entry.page, pages.size() - 1))) +
                    " /XYZ 0 " + QByteArray::number(entry.y, 'f', 1) + " 0]\n" + ends(childrenOf(i)) + " >>";
            out[objectOf(i)] = text;
        }
    }
    return out;
}

} // namespace

void addPdfOutline(PdfUpdate& pdf, const std::vector<OutlineEntry>& entries) {
    if (entries.empty())
        return;
    const int root = pdf.reserve();
    for (std::size_t i = 0; i < entries.size(); ++i)
        pdf.reserve();
    for (auto& [number, body] : outlineObjects(entries, pdf.pages(), root))
        pdf.set(number, body);
    pdf.addEntry(pdf.root(), "/Outlines " + pdfReference(root) + " /PageMode /UseOutlines");
}

} // namespace alidade::views
