//! Printed messages can be read, and no bytes make a reader panic.

use magister_protocol::gamemaster::{Body, Envelope, Form};
use magister_protocol::http::{self, HttpLimits, HttpReader, Kind, RequestHeaders};
use magister_protocol::reply::read_move;
use magister_protocol::{Gdl2Variant, News, PlayerInfo, Request, Status, Style, Term};
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_?<=+.*/é-]{1,8}"
}

/// A term that is not an empty value.
fn term() -> impl Strategy<Value = Term> {
    let leaf = word().prop_map(Term::Atom);
    leaf.prop_recursive(4, 24, 4, |inner| prop::collection::vec(inner, 1..4).prop_map(Term::List))
        .prop_filter("nil stands for nothing", |term| !term.is_nil())
}

fn terms() -> impl Strategy<Value = Vec<Term>> {
    prop::collection::vec(term(), 0..4)
}

/// The contents of PLAY and STOP that a style can express.
fn news(style: Style) -> BoxedStrategy<News> {
    match style {
        Style::Gdl | Style::Gdl2 { variant: Gdl2Variant::A, .. } => {
            prop_oneof![Just(News::First), terms().prop_map(News::Terms)].boxed()
        }
        Style::Gdl2 { .. } => (0u64..5, proptest::option::of(term()), terms())
            .prop_map(|(turn, own, percepts)| News::Turn { turn, own, percepts })
            .boxed(),
    }
}

fn request(style: Style) -> impl Strategy<Value = Request> {
    let clock = 0u64..100_000;
    let start = (word(), term(), terms(), clock.clone(), clock.clone(), terms()).prop_map(
        |(id, role, rules, start, play, extra)| Request::Start {
            id,
            role,
            rules,
            start,
            play,
            extra,
        },
    );
    prop_oneof![
        Just(Request::Info),
        Just(Request::Ping),
        (terms(), clock).prop_map(|(rules, clock)| Request::Preview { rules, clock }),
        start,
        (word(), news(style)).prop_map(|(id, news)| Request::Play { id, news }),
        (word(), news(style)).prop_map(|(id, news)| Request::Stop { id, news }),
        word().prop_map(|id| Request::Abort { id }),
    ]
}

const STYLES: [Style; 4] = [
    Style::Gdl,
    Style::Gdl2 { variant: Gdl2Variant::A, upper: false },
    Style::Gdl2 { variant: Gdl2Variant::B, upper: false },
    Style::Gdl2 { variant: Gdl2Variant::C, upper: false },
];

fn styled() -> impl Strategy<Value = (Style, Request)> {
    prop::sample::select(&STYLES[..])
        .prop_flat_map(|style| request(style).prop_map(move |request| (style, request)))
}

fn infix() -> impl Strategy<Value = String> {
    let leaf = "[a-z][a-zA-Z0-9]{0,4}".prop_map(|text| text).boxed();
    leaf.prop_recursive(3, 12, 3, |inner| {
        ("[a-z]{1,4}", prop::collection::vec(inner, 1..3))
            .prop_map(|(name, arguments)| format!("{name}({})", arguments.join(",")))
    })
    .prop_filter("a request or nothing", |text| {
        let name = text.split('(').next().unwrap_or_default();
        !["ping", "start", "play", "stop", "abort", "reply", "nil", "message"].contains(&name)
    })
}

fn body() -> impl Strategy<Value = Body> {
    let id = || proptest::option::of("[a-z][a-z0-9]{0,5}");
    let rules = prop::collection::vec(infix(), 1..4);
    prop_oneof![
        Just(Body::Ping),
        (id(), "[a-z]{1,5}", rules, "[0-9]{1,3}", "[0-9]{1,3}").prop_map(
            |(id, role, rules, start, play)| Body::Start { id, role, rules, start, play }
        ),
        (id(), proptest::option::of(infix())).prop_map(|(id, action)| Body::Play { id, action }),
        (id(), proptest::option::of(infix())).prop_map(|(id, action)| Body::Stop { id, action }),
        id().prop_map(|id| Body::Abort { id }),
        infix().prop_map(Body::Reply),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_come_back(term in term()) {
        prop_assert_eq!(Term::read(&term.to_string()), Ok(term.clone()));
        prop_assert_eq!(Term::read(&term.spaced()), Ok(term));
    }

    #[test]
    fn requests_come_back((style, request) in styled()) {
        let text = request.write(style);
        prop_assert_eq!(Request::read(&text), Ok(request), "{}", text);
    }

    #[test]
    fn requests_in_upper_case_say_the_same(request in request(Style::GDL2)) {
        let style = Style::Gdl2 { variant: Gdl2Variant::C, upper: true };
        let loud = Request::read(&request.write(style)).map(|read| read.write(Style::GDL2));
        let quiet = request.write(Style::GDL2);
        prop_assert_eq!(loud.map(|text| text.to_uppercase()), Ok(quiet.to_uppercase()));
    }

    #[test]
    fn envelopes_come_back(
        id in "[0-9]{1,9}", from in "[a-z]{1,6}", to in "[a-z]{1,6}", body in body(), slides: bool,
    ) {
        let form = if slides { Form::Slides } else { Form::Site };
        let envelope = Envelope { id, from, to, body };
        let text = envelope.write(form);
        prop_assert_eq!(Envelope::read(&text), Ok(envelope), "{}", text);
    }

    #[test]
    fn http_requests_come_back(body in "[ -~]{0,200}", receiver in "[ -~]{0,20}", cut in 1usize..50) {
        let headers = RequestHeaders { host: "h".into(), receiver, extra: Vec::new() };
        let bytes = http::write_request(&headers, &body);
        let mut reader = HttpReader::new(Kind::Request, HttpLimits::default());
        for part in bytes.chunks(cut) {
            prop_assert!(reader.feed(part).is_ok());
        }
        let message = reader.finish().unwrap();
        prop_assert_eq!(String::from_utf8(message.body).unwrap(), body);
    }

    #[test]
    fn http_replies_come_back(body in "[ -~]{0,200}", code in 200u16..600, cut in 1usize..50) {
        let bytes = http::write_status(code, "Some Reason", &body);
        let mut reader = HttpReader::new(Kind::Reply, HttpLimits::default());
        for part in bytes.chunks(cut) {
            prop_assert!(reader.feed(part).is_ok());
        }
        prop_assert_eq!(reader.finish().unwrap().reply_text(), body.trim());
    }

    /// However a message is embedded in HTTP, its content is the same.
    #[test]
    fn every_framing_says_the_same((style, request) in styled(), sizes in prop::collection::vec(1usize..30, 1..20), cut in 1usize..50) {
        let text = request.write(style);
        let mut chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let (mut rest, mut sizes) = (text.as_bytes(), sizes.into_iter().cycle());
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
            chunked.extend(format!("{:x}\r\n", chunk.len()).bytes());
            chunked.extend(chunk);
            chunked.extend(b"\r\n");
            rest = after;
        }
        chunked.extend(b"0\r\n\r\n");
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let framings = [
            format!("POST / HTTP/1.0\r\n\r\n{text}").into_bytes(),
            format!("POST / HTTP/1.1\ncontent-LENGTH:{}\n\n{text}", text.len()).into_bytes(),
            // Some programs count characters.
            format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}", text.chars().count())
                .into_bytes(),
            format!("GET /{encoded} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes(),
            chunked,
        ];
        for bytes in framings {
            let mut reader = HttpReader::new(Kind::Request, HttpLimits::default());
            for part in bytes.chunks(cut) {
                if reader.feed(part).unwrap() {
                    break;
                }
            }
            let message = reader.finish().unwrap().text();
            let read = Request::read(&message);
            prop_assert_eq!(read.as_ref(), Ok(&request), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn infos_come_back(
        name in proptest::option::of("[A-Za-z0-9_.-]{1,12}"), status in 0usize..3,
        species in proptest::option::of("[a-z]{1,8}"), repeats: bool,
    ) {
        let status = [Status::Available, Status::Busy, Status::Other("asleep".into())][status].clone();
        let info = PlayerInfo { name, status, species, repeats };
        prop_assert_eq!(PlayerInfo::read(&info.write()), Ok(info));
    }

    #[test]
    fn any_info_is_written_as_one_list(name in "\\PC*", species in "\\PC*") {
        let info = PlayerInfo {
            name: Some(name), species: Some(species), ..PlayerInfo::default()
        };
        let read = PlayerInfo::read(&info.write());
        prop_assert_eq!(read.map(|info| info.status), Ok(Status::Available));
    }

    #[test]
    fn moves_come_back(term in term()) {
        prop_assert_eq!(read_move(&term.to_string()), Ok(term.clone()));
        prop_assert_eq!(read_move(&term.spaced()), Ok(term));
    }

    #[test]
    fn any_text_is_an_error_or_a_message(text in "\\PC*") {
        let _ = Request::read(&text);
        let _ = Term::read(&text);
        let _ = read_move(&text);
        let _ = PlayerInfo::read(&text);
        let _ = Envelope::read(&text);
        let _ = Body::read(&text);
    }

    #[test]
    fn texts_of_brackets_are_an_error_or_a_message(text in "[()\\[\\],\"; a1%\n]{0,80}") {
        let _ = Request::read(&format!("(play {text}"));
        let _ = read_move(&text);
        let _ = Envelope::read(&format!("message(1,a,b,{text})"));
        let _ = Body::read(&text);
    }

    #[test]
    fn any_bytes_are_an_error_or_a_message(bytes in prop::collection::vec(any::<u8>(), 0..300), head in 0usize..4, cut in 1usize..40) {
        let heads: [&[u8]; 4] = [
            b"", b"POST / HTTP/1.0\r\n\r\n", b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.0\r\nContent-Length: 20\r\n\r\n",
        ];
        for kind in [Kind::Request, Kind::Reply] {
            let mut reader = HttpReader::new(kind, HttpLimits { head: 128, body: 128 });
            let all: Vec<u8> = heads[head].iter().chain(&bytes).copied().collect();
            let fed = all.chunks(cut).try_for_each(|part| reader.feed(part).map(drop));
            if fed.is_ok()
                && let Ok(message) = reader.finish()
            {
                let _ = message.text();
                prop_assert!(message.body.len() <= 128 + cut);
            }
        }
    }
}
