// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_marks.h"

#include "data/observation/finding_marks_json.h"
#include "data/workspace/workspace_writer.h"
#include "views/document/text.h"

namespace alidade::app {
namespace {

constexpr char marksSetting[] = "health_marks";

} // namespace

LiveMarks::LiveMarks(views::Library& library, QObject* parent)
    : QObject(parent)
    , library_(library) {
    connect(&library, &views::Library::opened, this, &LiveMarks::load);
    load();
}

void LiveMarks::load() {
    if (!library_.isOpen())
        return;
    const auto& settings = library_.content().settings;
    const auto found = settings.find(marksSetting);
    const std::string json = found == settings.end() ? std::string() : found->second;
    if (json == stored_ && !marks_.empty())
        return;
    stored_ = json;
    marks_.clear();
    if (!json.empty()) {
        Result<FindingMarks> read = data::readFindingMarks(json);
        if (read)
            marks_ = *std::move(read);
        else
            emit failed(tr("Acknowledged and muted findings could not be read"), views::text(read.error()));
    }
    emit changed();
}

void LiveMarks::set(const std::string& key, const FindingMark& mark) {
    if (mark.isEmpty())
        marks_.erase(key);
    else
        marks_[key] = mark;
    if (library_.isWritable()) {
        stored_ = data::writeFindingMarks(marks_);
        const auto done = library_.writer().commit(
            {{data::PutSetting{marksSetting, marks_.empty() ? std::nullopt : std::optional(stored_)}}});
        if (!done)
            emit failed(tr("Acknowledged and muted findings could not be saved"), views::text(done.error()));
    }
    emit changed();
}

} // namespace alidade::app
