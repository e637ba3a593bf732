// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What is around the data of a reply.
struct ReplyEnvelope {
    std::string status;                ///< "success" or "error"; empty: it does not say
    std::string errorType, error;      ///< of a failure
    std::string message;               ///< of a failure at AWS, whose gate answers {"message": ...}
    std::vector<std::string> warnings; ///< the server's warnings and infos, each cut to a length for a person
    std::size_t warningsLeftOut = 0;
    bool partial = false; ///< VictoriaMetrics: "isPartial"
};

/// Receives what is under "data" of a reply, in the order of the text. A function that returns false
/// refuses the reply and has said why in `refusal`.
class DataSink {
public:
    enum class Next { take, skip, refuse };

    virtual ~DataSink() = default;
    virtual bool begin(char bracket) = 0; ///< '{' or '['
    virtual bool end() = 0;
    /// What shall be done with the value of this key.
    virtual Next key(std::string& name) = 0;
    virtual bool text(std::string& value) = 0;
    virtual bool number(double value) = 0;
    virtual bool null() = 0;
    /// Called after a key whose value is taken, with the text from its colon. A sink that reads the beginning
    /// of an array by itself returns how much it has read: up to the beginning of an element that is not the
    /// array's first. The rest of the array then comes as if it were the whole.
    virtual std::size_t skim(std::string_view) { return 0; }

    std::string refusal;

protected:
    bool refuse(std::string why) {
        refusal = std::move(why);
        return false;
    }
};

/// Reads the JSON of a reply in one pass, without a document in memory. The text is not trusted: depth is
/// limited, keys that occur twice, NUL bytes, invalid UTF-8 and text after the end are refused.
/// \param skim false: the sink is not asked whether it reads by itself
/// \returns an Error whose message says what is wrong with the text: "it ends in the middle, ..."
Result<ReplyEnvelope> readReply(std::string_view text, DataSink& sink, bool skim = true);

/// A text of the server for a line of a message: control characters and bytes that are not UTF-8 as \xNN, at
/// most `longest` bytes and then "...".
std::string printableExcerpt(std::string_view text, std::size_t longest);

} // namespace alidade::data
