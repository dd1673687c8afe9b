//! The HTTP messages that carry GGP messages.
//!
//! GGP programs use HTTP/1.0 loosely: bodies without a length, unusual header names, lines that end
//! with LF alone, replies that end with the connection. HTTP libraries refuse or misread some of
//! these. This module therefore reads what such programs send and writes the exact bytes that they
//! expect. It works on buffers and has no connections.

use std::error::Error;
use std::fmt;
use std::fmt::Write as _;

use crate::term;

/// The limits of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// The maximum number of bytes of the first line and the headers.
    pub head: usize,
    /// The maximum number of bytes of the body.
    pub body: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits { head: 16 << 10, body: 16 << 20 }
    }
}

impl HttpLimits {
    /// Limits for replies of players, which are short.
    pub const REPLY: HttpLimits = HttpLimits { head: 16 << 10, body: 1 << 20 };
}

/// Why bytes are not an HTTP message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    /// The first line and the headers are longer than the limit.
    HeadTooLong,
    /// The body is longer than the limit.
    BodyTooLong,
    /// The first line is not valid HTTP.
    FirstLine,
    /// The length of the body is not a number.
    Length,
    /// A chunk is malformed.
    Chunk,
    /// The connection ended in the middle of the message.
    Cut,
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HttpError::HeadTooLong => "the head of the HTTP message is too long",
            HttpError::BodyTooLong => "the body of the HTTP message is too long",
            HttpError::FirstLine => "the first line is not a valid HTTP line",
            HttpError::Length => "the Content-Length is not a number",
            HttpError::Chunk => "a chunk of the body is malformed",
            HttpError::Cut => "the connection ended in the middle of the message",
        })
    }
}

impl Error for HttpError {}

/// Whether a reader expects a request or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request of a manager.
    Request,
    /// A reply of a player.
    Reply,
}

/// A message that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpMessage {
    /// The first line, split at blanks: method, path and version, or version, code and reason.
    pub first: Vec<String>,
    /// The headers as received.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpMessage {
    /// The value of a header, whose name may have any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The method of a request.
    pub fn method(&self) -> &str {
        self.first.first().map_or("", String::as_str)
    }

    /// The GGP message of a request: the body, or the path of a GET request. Bytes that are not
    /// UTF-8 are replaced.
    pub fn text(&self) -> String {
        if self.method().eq_ignore_ascii_case("GET") {
            let path = self.first.get(1).map_or("", String::as_str);
            return decode(path.strip_prefix('/').unwrap_or(path));
        }
        String::from_utf8_lossy(&self.body).trim().to_owned()
    }

    /// The text of a reply.
    pub fn reply_text(&self) -> String {
        String::from_utf8_lossy(&self.body).trim().to_owned()
    }
}

/// Reads one message incrementally from the bytes of a connection.
#[derive(Debug)]
pub struct HttpReader {
    kind: Kind,
    limits: HttpLimits,
    buffer: Vec<u8>,
    /// Where to continue the search for the end of the head.
    looked: usize,
    message: HttpMessage,
    body: Option<Framing>,
}

/// How the end of the body is found.
#[derive(Debug)]
enum Framing {
    Length(usize),
    Chunks,
    /// At the end of the connection, or when the parentheses of a request are balanced.
    Open,
}

impl HttpReader {
    /// A reader of one message.
    pub fn new(kind: Kind, limits: HttpLimits) -> Self {
        HttpReader {
            kind,
            limits,
            buffer: Vec::new(),
            looked: 0,
            message: HttpMessage::default(),
            body: None,
        }
    }

    /// Processes received bytes. Returns true when the message is complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<bool, HttpError> {
        self.buffer.extend_from_slice(bytes);
        if self.body.is_none() {
            let Some((end, rest)) = self.head_end() else {
                if self.buffer.len() > self.limits.head {
                    return Err(HttpError::HeadTooLong);
                }
                self.looked = self.buffer.len().saturating_sub(3);
                return Ok(false);
            };
            if end > self.limits.head {
                return Err(HttpError::HeadTooLong);
            }
            let framing = self.head(end)?;
            self.buffer.drain(..rest);
            if self.is_interim() {
                // The actual reply follows.
                self.looked = 0;
                self.message = HttpMessage::default();
                return self.feed(&[]);
            }
            self.body = Some(framing);
        }
        self.advance()
    }

    /// The message, after the connection has ended or [`feed`](HttpReader::feed) has returned true.
    pub fn finish(mut self) -> Result<HttpMessage, HttpError> {
        match self.body {
            None => return Err(HttpError::Cut),
            Some(Framing::Length(length)) => {
                if self.buffer.len() < length {
                    return Err(HttpError::Cut);
                }
                if let Some(bytes) = bytes_of(&self.buffer, length) {
                    self.buffer.truncate(bytes);
                }
                self.message.body = self.buffer;
            }
            Some(Framing::Open) => self.message.body = self.buffer,
            Some(Framing::Chunks) => {
                if !self.buffer.is_empty() || self.message.body.is_empty() {
                    return Err(HttpError::Cut);
                }
            }
        }
        Ok(self.message)
    }

    /// Whether the client waits for `100 Continue` before it sends the body, as curl does with long
    /// bodies.
    pub fn expects_continue(&self) -> bool {
        let expects = self.message.header("expect");
        self.body.is_some() && expects.is_some_and(|text| text.eq_ignore_ascii_case("100-continue"))
    }

    /// Whether the head is that of an interim response such as `100 Continue`.
    fn is_interim(&self) -> bool {
        let code = self.message.first.get(1).map_or("", String::as_str);
        self.kind == Kind::Reply && code.len() == 3 && code.starts_with('1') && code != "101"
    }

    /// Where the head ends, and where the body begins.
    fn head_end(&self) -> Option<(usize, usize)> {
        let mut at = self.looked;
        loop {
            at += self.buffer[at..].iter().position(|&byte| byte == b'\n')?;
            match self.buffer[at + 1..] {
                [b'\n', ..] => return Some((at, at + 2)),
                [b'\r', b'\n', ..] => return Some((at, at + 3)),
                _ => at += 1,
            }
        }
    }

    fn head(&mut self, end: usize) -> Result<Framing, HttpError> {
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        let mut lines = head.lines().map(str::trim);
        let first = lines.next().unwrap_or_default();
        let words: Vec<String> = first.split_whitespace().map(str::to_owned).collect();
        let is_http =
            |word: &String| word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("HTTP/"));
        let fits = match self.kind {
            // The path of a GET request may contain blanks that a careless client did not encode.
            Kind::Request => words.len() >= 3 && words.last().is_some_and(is_http),
            Kind::Reply => words.first().is_some_and(is_http),
        };
        if !fits {
            return Err(HttpError::FirstLine);
        }
        self.message.first = match self.kind {
            Kind::Request => {
                let path = words[1..words.len() - 1].join(" ");
                vec![words[0].clone(), path, words[words.len() - 1].clone()]
            }
            Kind::Reply => words,
        };
        for line in lines {
            // A line without a colon contains no information.
            if let Some((name, value)) = line.split_once(':') {
                let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
                self.message.headers.push((name, value));
            }
        }
        let coding = self.message.header("transfer-encoding");
        if coding.is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked")) {
            return Ok(Framing::Chunks);
        }
        if let Some(length) = self.message.header("content-length") {
            let length: usize = length.parse().map_err(|_| HttpError::Length)?;
            if length > self.limits.body {
                return Err(HttpError::BodyTooLong);
            }
            return Ok(Framing::Length(length));
        }
        let posts = ["POST", "PUT"].iter().any(|m| self.message.method().eq_ignore_ascii_case(m));
        Ok(if self.kind == Kind::Reply || posts { Framing::Open } else { Framing::Length(0) })
    }

    /// Processes the part of the body in the buffer.
    fn advance(&mut self) -> Result<bool, HttpError> {
        match self.body {
            None => Ok(false),
            Some(Framing::Length(length)) => Ok(bytes_of(&self.buffer, length).is_some()),
            Some(Framing::Chunks) => self.chunks(),
            Some(Framing::Open) => {
                if self.buffer.len() > self.limits.body {
                    return Err(HttpError::BodyTooLong);
                }
                // A client that gives no length may wait for the reply without closing its side.
                let ends = self.buffer.ends_with(b")")
                    || self.buffer.iter().rev().take(4).any(|&byte| byte == b')');
                Ok(self.kind == Kind::Request
                    && ends
                    && std::str::from_utf8(&self.buffer).is_ok_and(term::is_complete))
            }
        }
    }

    /// Moves complete chunks from the buffer to the body. Returns true after the last chunk.
    fn chunks(&mut self) -> Result<bool, HttpError> {
        let mut at = 0;
        let done = loop {
            let Some(line) = self.buffer[at..].iter().position(|&byte| byte == b'\n') else {
                if self.buffer.len() - at > 1024 {
                    return Err(HttpError::Chunk);
                }
                break false;
            };
            let text = String::from_utf8_lossy(&self.buffer[at..at + line]).into_owned();
            let digits = text.split(';').next().unwrap_or_default().trim();
            let length = usize::from_str_radix(digits, 16).map_err(|_| HttpError::Chunk)?;
            if length == 0 {
                at = self.buffer.len();
                break true;
            }
            if self.message.body.len().saturating_add(length) > self.limits.body {
                return Err(HttpError::BodyTooLong);
            }
            let start = at + line + 1;
            // The line end after the chunk belongs to it.
            let Some(after) = self.buffer.get(start + length..) else { break false };
            let skip = match after {
                [b'\r', b'\n', ..] => 2,
                [b'\n', ..] => 1,
                [] | [b'\r'] => break false,
                _ => return Err(HttpError::Chunk),
            };
            self.message.body.extend_from_slice(&self.buffer[start..start + length]);
            at = start + length + skip;
        };
        self.buffer.drain(..at);
        Ok(done)
    }
}

/// The number of bytes of a body of this length; `None` if more bytes are needed. Some programs
/// count characters instead of bytes. This shows if the text is not ASCII: the bytes up to the
/// length then end within a character or within parentheses.
fn bytes_of(buffer: &[u8], length: usize) -> Option<usize> {
    let head = buffer.get(..length)?;
    if head.is_ascii() || std::str::from_utf8(head).is_ok_and(|text| !term::is_open(text)) {
        return Some(length);
    }
    // The byte after that number of characters.
    let starts = |byte: u8| byte & 0xc0 != 0x80;
    let mut count = 0;
    for (at, &byte) in buffer.iter().enumerate() {
        if starts(byte) && count == length {
            return Some(at);
        }
        count += usize::from(starts(byte));
    }
    let whole = count == length && std::str::from_utf8(buffer).is_ok();
    whole.then_some(buffer.len())
}

/// Decodes URL encoding tolerantly: invalid escapes are kept.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()))
            .flatten();
        match (bytes[at], escape) {
            (_, Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', None) => out.push(b' '),
            (byte, None) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).trim().to_owned()
}

/// The contents of the headers of a request besides its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestHeaders {
    /// The host of the player, without a port.
    pub host: String,
    /// The name of the player.
    pub receiver: String,
    /// Further headers, such as `GGP-Match-ID`.
    pub extra: Vec<(String, String)>,
}

/// The bytes of a request, as ggp-base's server sends it.
pub fn write_request(headers: &RequestHeaders, body: &str) -> Vec<u8> {
    let mut out = String::with_capacity(body.len() + 256);
    let _ = write!(
        out,
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {}\r\n",
        clean(&headers.host),
        clean(&headers.receiver)
    );
    for (name, value) in &headers.extra {
        let _ = write!(out, "{}: {}\r\n", clean(name), clean(value));
    }
    let _ = write!(out, "Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    out.into_bytes()
}

/// The bytes of a reply, as ggp-base's players send it: never chunked, and with the headers that
/// let pages in a browser read it.
pub fn write_reply(body: &str) -> Vec<u8> {
    write_status(200, "OK", body)
}

/// The bytes of a reply with another status.
pub fn write_status(code: u16, reason: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.0 {code} {}\r\nContent-type: text/acl\r\nContent-length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\r\n{body}",
        clean(reason),
        body.len()
    )
    .into_bytes()
}

/// The value of a header without characters that would end it.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, bytes: &[u8]) -> Result<HttpMessage, HttpError> {
        // However the bytes are divided, the message is the same.
        let mut results = [1, 3, bytes.len().max(1)].map(|size| {
            let mut reader = HttpReader::new(kind, HttpLimits::default());
            for part in bytes.chunks(size) {
                if reader.feed(part)? {
                    break;
                }
            }
            reader.finish()
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0], results[2]);
        std::mem::replace(&mut results[0], Err(HttpError::Cut))
    }

    #[test]
    fn a_request_of_ggp_base() {
        let headers = RequestHeaders {
            host: "localhost".into(),
            receiver: "Random".into(),
            extra: Vec::new(),
        };
        let bytes = write_request(&headers, "( PLAY ticTacToe.1 NIL )");
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
             Receiver: Random\r\nContent-Type: text/acl\r\nContent-Length: 24\r\n\r\n\
             ( PLAY ticTacToe.1 NIL )"
        );
        let message = read(Kind::Request, &bytes).unwrap();
        assert_eq!(message.text(), "( PLAY ticTacToe.1 NIL )");
        assert_eq!(message.header("RECEIVER"), Some("Random"));
    }

    #[test]
    fn odd_requests_are_understood() {
        let cases: [&[u8]; 7] = [
            b"POST / HTTP/1.1\ncOnTeNt-LENGTH : 8\n\n( INFO )",
            b"POST / HTTP/1.0\r\n\r\n( INFO )",
            b"POST /any/path HTTP/1.0\r\nno colon here\r\n\r\n( INFO )",
            b"GET /%28%20INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /(+INFO+) HTTP/1.0\r\n\r\n",
            b"GET /( INFO ) HTTP/1.0\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\n( I\r\n5\r\nNFO )\r\n0\r\n\r\n",
        ];
        for bytes in cases {
            let message = read(Kind::Request, bytes);
            let text = message.map(|message| message.text());
            assert_eq!(text.as_deref(), Ok("( INFO )"), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn lengths_in_bytes_and_in_characters() {
        for length in [11, 12] {
            let text = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n(play m1 é)x");
            let text = text.strip_suffix('x').unwrap();
            let message = read(Kind::Request, text.as_bytes()).unwrap();
            assert_eq!(message.text(), "(play m1 é)", "{length}");
        }
        let open = "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(é";
        assert_eq!(read(Kind::Request, open.as_bytes()).unwrap().text(), "(é");
    }

    #[test]
    fn a_reply_after_continue() {
        let bytes =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnoop";
        assert_eq!(read(Kind::Reply, bytes).unwrap().reply_text(), "noop");
        let mut reader = HttpReader::new(Kind::Request, HttpLimits::default());
        let head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n";
        assert_eq!(reader.feed(head), Ok(false));
        assert!(reader.expects_continue());
    }

    #[test]
    fn replies_in_every_framing() {
        let cases: [&[u8]; 4] = [
            b"HTTP/1.0 200 OK\r\nContent-length: 5\r\n\r\nready",
            b"HTTP/1.0 200 OK\r\n\r\nready",
            b"HTTP/1.1 500\nContent-LENGTH:5\n\nready",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nready\r\n0\r\n\r\n",
        ];
        for bytes in cases {
            let message = read(Kind::Reply, bytes);
            let text = message.map(|message| message.reply_text());
            assert_eq!(text.as_deref(), Ok("ready"), "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(read(Kind::Reply, &write_reply("done")).unwrap().reply_text(), "done");
    }

    #[test]
    fn limits_hold() {
        let limits = HttpLimits { head: 100, body: 10 };
        let feed = |bytes: &[u8]| HttpReader::new(Kind::Request, limits).feed(bytes);
        assert_eq!(feed(&[b'a'; 200]), Err(HttpError::HeadTooLong));
        let long = b"POST / HTTP/1.0\r\nContent-Length: 11\r\n\r\n";
        assert_eq!(feed(long), Err(HttpError::BodyTooLong));
        let endless = b"POST / HTTP/1.0\r\n\r\n(((((((((((((((((((((((";
        assert_eq!(feed(endless), Err(HttpError::BodyTooLong));
        let chunk = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n";
        assert_eq!(feed(chunk), Err(HttpError::BodyTooLong));
        assert_eq!(feed(b"garbage\r\n\r\n"), Err(HttpError::FirstLine));
    }
}
