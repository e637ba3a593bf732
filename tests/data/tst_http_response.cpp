// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_response.h"

#include <QTest>

namespace tst_http_response {

using namespace alidade::data;
using State = HttpResponseReader::State;

namespace {

struct Reading {
    State state = State::head;
    int status = 0;
    std::string body;
    bool keepsAlive = false;
};

/// Read in pieces of so many bytes; at the end the other side closes, if asked.
Reading readIn(std::size_t pieces, std::string_view text, bool closes) {
    Reading out;
    HttpResponseReader reader([](const HttpHead&) {}, [&](std::string_view piece) { out.body += piece; });
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, pieces);
        text.remove_prefix(piece.size());
        reader.feed(piece);
    }
    out.keepsAlive = reader.keepsAlive();
    if (closes)
        reader.closed();
    out.state = reader.state();
    out.status = reader.head().status;
    return out;
}

} // namespace

class TestHttpResponse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<bool>("closes");
        QTest::addColumn<int>("state");
        QTest::addColumn<std::string>("body");
        QTest::addColumn<bool>("keepsAlive");
        const auto row = [](const char* name, std::string text, bool closes, State state, std::string body,
                            bool keepsAlive) {
            QTest::newRow(name) << std::move(text) << closes << static_cast<int>(state) << std::move(body)
                                << keepsAlive;
        };
        const std::string ok = "HTTP/1.1 200 OK\r\n", chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
        row("length", ok + "content-LENGTH: 3\r\n\r\nabc", false, State::complete, "abc", true);
        row("nothing", ok + "Content-Length: 0\r\n\r\n", false, State::complete, "", true);
        row("no content", "HTTP/1.1 204 No Content\r\n\r\n", false, State::complete, "", true);
        row("close", ok + "Content-Length: 1\r\nConnection: Close\r\n\r\na", false, State::complete, "a",
            false);
        row("old", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", false, State::complete, "a", false);
        row("line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 1\n\na", false, State::complete, "a", true);
        row("until closed", ok + "\r\nabc", true, State::complete, "abc", false);
        row("not closed yet", ok + "\r\nabc", false, State::body, "abc", false);
        row("continue first", "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na", false,
            State::complete, "a", true);
        row("chunks", chunked + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", false,
            State::complete, "abc0123456789", true);
        row("chunks cut off", chunked + "3\r\nabc\r\n", true, State::broken, "abc", false);
        row("chunk without size", chunked + "xyz\r\n", false, State::broken, "", false);
        row("negative chunk", chunked + "-1\r\n", false, State::broken, "", false);
        row("huge chunk", chunked + "ffffffffffffffffff\r\n", false, State::broken, "", false);
        row("chunk longer than it says", chunked + "1\r\nabc\r\n", false, State::broken, "a", false);
        row("too short", ok + "Content-Length: 5\r\n\r\nabc", true, State::broken, "abc", false);
        row("more than one reply", ok + "Content-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n", false,
            State::complete, "a", false);
        row("two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", false, State::broken, "",
            false);
        row("no length", ok + "Content-Length: -1\r\n\r\n", false, State::broken, "", false);
        row("other coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", false, State::broken, "", false);
        row("length and chunks",
            ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", false,
            State::complete, "a", false);
        row("no HTTP", "SSH-2.0-x\r\n\r\n", false, State::broken, "", false);
        row("HTTP/2", "HTTP/2 200\r\n\r\n", false, State::broken, "", false);
        row("no status", "HTTP/1.1 abc\r\n\r\n", false, State::broken, "", false);
        row("field without colon", ok + "nonsense\r\n\r\n", false, State::broken, "", false);
        row("endless head", ok + "X: " + std::string(70'000, 'x'), false, State::broken, "", false);
        row("closed in the head", "HTTP/1.1 200 O", true, State::broken, "", false);
        row("nothing at all", "", true, State::broken, "", false);
    }
    void reads() {
        QFETCH(std::string, text);
        QFETCH(bool, closes);
        QFETCH(int, state);
        QFETCH(std::string, body);
        QFETCH(bool, keepsAlive);
        for (const std::size_t pieces :
             {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{1} << 20}) {
            const Reading reading = readIn(pieces, text, closes);
            QCOMPARE(static_cast<int>(reading.state), state);
            QCOMPARE(reading.body, body);
            QCOMPARE(reading.keepsAlive, keepsAlive);
        }
    }
};

QTEST_APPLESS_MAIN(TestHttpResponse)

} // namespace tst_http_response

#include "tst_http_response.moc"
