# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -D ROOM=model -D FOLDER=/path/model -P check_includes.cmake: refuses an #include that the room may not use.
set(forbidden_model "<(Q[A-Z]|Qt|nlohmann|sqlite3|SQLiteCpp|CLI/|fstream|filesystem|iostream|chrono|ctime)|\"(data|views|app|tests)/")
set(forbidden_model_headers "<Eigen/")
set(forbidden_data "<(QtWidgets|QtGui|QtPrintSupport|QtSvg|QWidget|QApplication|QPainter|qcustomplot|CLI/)|\"(views|app|tests)/")
set(forbidden_views "<(nlohmann|QJson|sqlite3|SQLiteCpp|QtSql|QSql|QtNetwork|QNetwork|QTcp|QSsl|CLI/)|\"(app|tests)/")
set(forbidden_app "<(sqlite3|SQLiteCpp|QtSql|QSql)|\"tests/")

file(GLOB_RECURSE sources ${FOLDER}/*.cpp ${FOLDER}/*.h)
set(faults 0)
foreach(source IN LISTS sources)
  file(STRINGS ${source} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(line MATCHES "${forbidden_${ROOM}}" OR (DEFINED forbidden_${ROOM}_headers AND source MATCHES "\\.h$"
                                               AND line MATCHES "${forbidden_${ROOM}_headers}"))
      message("${source}: ${ROOM}/ must not use this: ${line}")
      math(EXPR faults "${faults} + 1")
    endif()
  endforeach()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults} forbidden includes in ${ROOM}/")
endif()
