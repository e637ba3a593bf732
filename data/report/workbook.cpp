// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/workbook.h"

#include <QString>
#include <QXmlStreamReader>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <zlib.h>

namespace alidade::data {
namespace {

constexpr std::size_t mostUnpacked = std::size_t{256} << 20;
constexpr int mostSheetColumns = 16'384, mostSheetRows = 1'048'576; // of Excel

/// The files of a ZIP archive (APPNOTE 6.3) without encryption and parts, by their names.
class Archive {
public:
    explicit Archive(const std::string& bytes)
        : bytes_(bytes) {
        constexpr std::size_t endSize = 22, entrySize = 46;
        const std::size_t end = bytes_.rfind("PK\5\6");
        if (end == std::string::npos || end + endSize > bytes_.size())
            return;
        std::size_t at = number(end + 16, 4);
        for (std::size_t left = number(end + 10, 2); left > 0; --left) {
            if (at + entrySize > bytes_.size() || bytes_.compare(at, 4, "PK\1\2") != 0)
                return;
            const std::size_t name = number(at + 28, 2);
            if (at + entrySize + name > bytes_.size())
                return;
            entries_.emplace(
                bytes_.substr(at + entrySize, name),
                Entry{number(at + 42, 4), number(at + 20, 4), number(at + 24, 4), number(at + 10, 2)});
            at += entrySize + name + number(at + 30, 2) + number(at + 32, 2);
        }
    }

    bool isEmpty() const { return entries_.empty(); }

    /// Empty for a file that is not there or is damaged.
    std::string file(const std::string& name) const {
        const auto found = entries_.find(name);
        constexpr std::size_t headSize = 30, stored = 0, deflated = 8;
        if (found == entries_.end() || found->second.at + headSize > bytes_.size())
            return {};
        const Entry& entry = found->second;
        const std::size_t begin = entry.at + headSize + number(entry.at + 26, 2) + number(entry.at + 28, 2);
        if (begin + entry.packed > bytes_.size() || entry.size > mostUnpacked)
            return {};
        if (entry.method == stored)
            return bytes_.substr(begin, entry.packed);
        return entry.method == deflated ? inflated(begin, entry) : std::string();
    }

private:
    struct Entry {
        std::size_t at = 0, packed = 0, size = 0, method = 0;
    };

    std::size_t number(std::size_t at, std::size_t count) const {
        std::size_t out = 0;
        for (std::size_t i = count; i-- > 0;)
            out = out << 8U | static_cast<unsigned char>(bytes_[at + i]);
        return out;
    }

    std::string inflated(std::size_t begin, const Entry& entry) const {
        z_stream stream{};
        if (inflateInit2(&stream, -15) != Z_OK) // without a head
            return {};
        std::string out(entry.size, '\0');
        // zlib does not write to its input; its interface is older than const.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + begin));
        stream.avail_in = static_cast<uInt>(entry.packed);
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        const int result = inflate(&stream, Z_FINISH);
        inflateEnd(&stream);
        return result == Z_STREAM_END && stream.avail_out == 0 ? out : std::string();
    }

    const std::string& bytes_;
    std::map<std::string, Entry, std::less<>> entries_;
};

/// How a cell looks.
struct Style {
    std::string format; ///< "#,##0.00"; empty: general
    bool bold = false;
};

std::string attribute(const QXmlStreamReader& xml, QLatin1StringView name) {
    return xml.attributes().value(name).toString().toStdString();
}

QByteArray bytesOf(const std::string& text) { return QByteArray::fromStdString(text); }

std::vector<Style> stylesOf(const std::string& file) {
    std::map<std::string, std::string> formats{{"1", "0"},        {"2", "0.00"}, {"3", "#,##0"},
                                               {"4", "#,##0.00"}, {"9", "0%"},   {"10", "0.00%"}};
    std::vector<bool> bold;
    std::vector<Style> out;
    bool cells = false;
    QXmlStreamReader xml(bytesOf(file));
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.name() == u"cellXfs")
            cells = xml.isStartElement();
        if (!xml.isStartElement())
            continue;
        if (xml.name() == u"numFmt")
            formats[attribute(xml, QLatin1StringView("numFmtId"))] =
                attribute(xml, QLatin1StringView("formatCode"));
        else if (xml.name() == u"font")
            bold.push_back(false);
        else if (xml.name() == u"b" && !bold.empty())
            bold.back() = true;
        else if (xml.name() == u"xf" && cells) {
            const auto font = xml.attributes().value(QLatin1StringView("fontId")).toUInt();
            out.push_back(
                {formats[attribute(xml, QLatin1StringView("numFmtId"))], font < bold.size() && bold[font]});
        }
    }
    return out;
}

std::vector<std::string> sharedStrings(const std::string& file) {
    std::vector<std::string> out;
    QXmlStreamReader xml(bytesOf(file));
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && xml.name() == u"si")
            out.emplace_back();
        else if (xml.isStartElement() && xml.name() == u"t" && !out.empty())
            out.back() += xml.readElementText().toStdString();
    }
    return out;
}

/// "12,345.60" by "#,##0.00"; optional digits ("#") behind the point end with the last that is not 0.
std::string formatted(double value, const std::string& code) {
    if (code.empty() || code == "General")
        return QString::number(value, 'g', 11).toStdString(); // as many as a cell of usual width shows
    const bool percent = code.find('%') != std::string::npos;
    const std::size_t point = code.find('.');
    std::size_t least = 0, most = 0;
    for (std::size_t i = point == std::string::npos ? code.size() : point + 1;
         i < code.size() && (code[i] == '0' || code[i] == '#'); ++i) {
        ++most;
        least = code[i] == '0' ? most : least;
    }
    std::string digits =
        QString::number(std::abs(percent ? value * 100 : value), 'f', static_cast<int>(most)).toStdString();
    for (std::size_t i = most; i > least && digits.back() == '0'; --i)
        digits.pop_back();
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    if (digits.ends_with('.'))
        digits.pop_back();
    if (code.substr(0, point).find(',') != std::string::npos)
        for (std::size_t i = whole; i > 3; i -= 3)
            digits.insert(i - 3, ",");
    const bool zero = digits.find_first_of("123456789") == std::string::npos;
    return (value < 0 && !zero ? "-" : "") + digits + (percent ? "%" : "");
}

/// Column of "AB12", from 0; row from 0. nullopt: not an address.
std::optional<std::array<int, 2>> addressOf(const std::string& text) {
    int column = 0, row = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= 'A' && text[i] <= 'Z' && column <= mostSheetColumns; ++i)
        column = column * 26 + (text[i] - 'A' + 1);
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && row <= mostSheetRows; ++i)
        row = row * 10 + (text[i] - '0');
    if (column < 1 || column > mostSheetColumns || row < 1 || row > mostSheetRows || i < text.size())
        return std::nullopt;
    return std::array{column - 1, row - 1};
}

/// \pre the reader is at the beginning of a cell
SheetCell cellOf(QXmlStreamReader& xml, const std::vector<std::string>& strings,
                 const std::vector<Style>& styles) {
    const std::string type = attribute(xml, QLatin1StringView("t"));
    const auto style = xml.attributes().value(QLatin1StringView("s")).toUInt();
    const Style look = style < styles.size() ? styles[style] : Style{};
    SheetCell out;
    out.bold = look.bold;
    QString value;
    while (xml.readNextStartElement())
        if (xml.name() == u"f")
            out.formula = "=" + xml.readElementText().toStdString();
        else if (xml.name() == u"v")
            value = xml.readElementText();
        else if (xml.name() == u"is")
            value = xml.readElementText(QXmlStreamReader::IncludeChildElements);
        else
            xml.skipCurrentElement();
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    const auto index = static_cast<std::size_t>(std::max(0.0, number));
    if (type == "s")
        out.text = isNumber && index < strings.size() ? strings[index] : "";
    else if (type.empty() && isNumber)
        out.text = formatted(number, look.format);
    else
        out.text = value.toStdString();
    out.number = type.empty() && isNumber;
    return out;
}

Sheet sheetOf(const std::string& name, const std::string& file, const std::vector<std::string>& strings,
              const std::vector<Style>& styles) {
    Sheet out{.name = name, .rows = {}};
    QXmlStreamReader xml(bytesOf(file));
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement() || xml.name() != u"c")
            continue;
        const auto at = addressOf(attribute(xml, QLatin1StringView("r")));
        SheetCell cell = cellOf(xml, strings, styles);
        if (!at)
            continue;
        const auto column = static_cast<std::size_t>((*at)[0]), row = static_cast<std::size_t>((*at)[1]);
        if (out.rows.size() <= row)
            out.rows.resize(row + 1);
        if (out.rows[row].size() <= column)
            out.rows[row].resize(column + 1);
        out.rows[row][column] = std::move(cell);
    }
    return out;
}

} // namespace

Result<std::vector<Sheet>> readWorkbook(const std::string& xlsx) {
    const Archive archive(xlsx);
    if (archive.isEmpty())
        return Error{"it is not a ZIP archive"};
    const std::vector<std::string> strings = sharedStrings(archive.file("xl/sharedStrings.xml"));
    const std::vector<Style> styles = stylesOf(archive.file("xl/styles.xml"));
    std::vector<Sheet> out;
    QXmlStreamReader book(bytesOf(archive.file("xl/workbook.xml")));
    while (!book.atEnd()) {
        book.readNext();
        if (!book.isStartElement() || book.name() != u"sheet")
            continue;
        // The library numbers their files in the order of the sheets.
        const std::string file =
            archive.file("xl/worksheets/sheet" + std::to_string(out.size() + 1) + ".xml");
        if (file.empty())
            return Error{"a sheet of it is missing or damaged"};
        out.push_back(sheetOf(attribute(book, QLatin1StringView("name")), file, strings, styles));
    }
    if (out.empty())
        return Error{"it has no sheets"};
    return out;
}

} // namespace alidade::data
