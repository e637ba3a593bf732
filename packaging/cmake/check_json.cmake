# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -D FILE=x.json -P check_json.cmake: fails where the file is not one JSON document.
file(READ ${FILE} text)
string(JSON kind ERROR_VARIABLE error TYPE "${text}")
if(error)
  message(FATAL_ERROR "${FILE}: ${error}")
endif()
