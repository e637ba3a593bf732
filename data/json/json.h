// SPDX-License-Identifier: GPL-3.0-or-later
// nlohmann::json for all that read or write it here. Its templates are a quarter of the time that a file
// takes to compile; the usual ones are compiled once, in json.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#define ALIDADE_JSON_TEMPLATES(declaration)                                                                  \
    declaration class basic_json<>;                                                                          \
    declaration class basic_json<ordered_map>;                                                               \
    namespace detail {                                                                                       \
    declaration class serializer<basic_json<>>;                                                              \
    declaration class serializer<basic_json<ordered_map>>;                                                   \
    declaration class parser<basic_json<>, iterator_input_adapter<const char*>>;                             \
    declaration class parser<basic_json<>, iterator_input_adapter<std::string::const_iterator>>;             \
    declaration class parser<basic_json<ordered_map>, iterator_input_adapter<const char*>>;                  \
    declaration class parser<basic_json<ordered_map>, iterator_input_adapter<std::string::const_iterator>>;  \
    declaration class json_sax_dom_parser<basic_json<>>;                                                     \
    declaration class json_sax_dom_parser<basic_json<ordered_map>>;                                          \
    declaration class json_sax_dom_callback_parser<basic_json<>>;                                            \
    declaration class json_sax_dom_callback_parser<basic_json<ordered_map>>;                                 \
    }

NLOHMANN_JSON_NAMESPACE_BEGIN
ALIDADE_JSON_TEMPLATES(extern template)
NLOHMANN_JSON_NAMESPACE_END
