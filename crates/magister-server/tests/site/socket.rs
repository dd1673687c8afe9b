//! A server on a real socket: events with resume.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::common::{App, Folder, config};
use serde_json::{Value, json};

fn request(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        address.port(),
        body.len()
    )
    .unwrap();
    stream
}

fn post(address: SocketAddr, path: &str, token: &str, body: &Value) -> Value {
    let headers = format!("Content-Type: application/json\r\nx-seat: {token}\r\n");
    let mut stream = request(address, "POST", path, &headers, &body.to_string());
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let value: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{text}"));
    assert!(value["error"].is_null(), "{value}");
    value
}

/// One event: its number, name and data.
fn event(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> (u64, String, Value) {
    let (mut id, mut name, mut data) = (0, String::new(), String::new());
    loop {
        let line = lines.next().unwrap().unwrap();
        if let Some(rest) = line.strip_prefix("id: ") {
            id = rest.parse().unwrap();
        } else if let Some(rest) = line.strip_prefix("event: ") {
            rest.clone_into(&mut name);
        } else if let Some(rest) = line.strip_prefix("data: ") {
            data.push_str(rest);
        } else if line.is_empty() && !data.is_empty() {
            return (id, name, serde_json::from_str(&data).unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_resume_where_they_stopped() {
    let folder = Folder::new();
    let app = App::open(&config(&folder)).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let until = async move {
        let _ = stopped.await;
    };
    let serving = tokio::spawn(magister_server::serve(app.site.clone(), listener, until));
    let client = tokio::task::spawn_blocking(move || {
        let order = json!({"game": "tictactoe", "mode": "standalone"});
        let made = post(address, "/api/matches", "", &order);
        let (id, token) = (made["id"].as_str().unwrap(), made["owner"].as_str().unwrap());
        let events = format!("/api/matches/{id}/events?seat={token}");
        let stream = request(address, "GET", &events, "", "");
        let mut lines = BufReader::new(stream).lines();
        let (_, name, first) = event(&mut lines);
        assert_eq!((name.as_str(), &first["plies"]), ("match", &json!(0)));
        let moves = format!("/api/matches/{id}/moves");
        post(address, &moves, token, &json!({"ply": 0, "move": "(put 1 1)"}));
        let (last, step) = loop {
            let (id, name, data) = event(&mut lines);
            if name == "step" {
                break (id, data);
            }
        };
        assert_eq!(step["entry"]["moves"][0]["text"], "(put 1 1)");
        assert_eq!(step["scene"]["ply"], 1);
        drop(lines);
        // Two moves are missed and are sent after the client reconnects.
        post(address, &moves, token, &json!({"ply": 1, "move": "(put 2 2)"}));
        post(address, &moves, token, &json!({"ply": 2, "move": "(put 3 3)"}));
        let header = format!("Last-Event-ID: {last}\r\n");
        let stream = request(address, "GET", &events, &header, "");
        let mut lines = BufReader::new(stream).lines();
        let mut texts = Vec::new();
        while texts.len() < 2 {
            let (id, name, data) = event(&mut lines);
            assert!(id > last && name != "match", "{name}: {data}");
            if name == "step" {
                texts.push(data["entry"]["moves"][0]["text"].clone());
            }
        }
        assert_eq!(texts, ["(put 2 2)", "(put 3 3)"]);
        // A number from before a restart gives the whole match.
        let stream = request(address, "GET", &events, "Last-Event-ID: 17\r\n", "");
        let (_, name, whole) = event(&mut BufReader::new(stream).lines());
        assert_eq!((name.as_str(), &whole["plies"]), ("match", &json!(3)));
        // An undo is announced as a whole match.
        let stream = request(address, "GET", &events, "", "");
        let mut lines = BufReader::new(stream).lines();
        event(&mut lines);
        post(address, &format!("/api/matches/{id}/undo"), token, &json!({}));
        let whole = loop {
            let (_, name, data) = event(&mut lines);
            if name == "match" {
                break data;
            }
        };
        assert_eq!(whole["plies"], 2);
    });
    client.await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

#[test]
fn binding_to_the_outside_must_be_asked_for() {
    let loopback = "127.0.0.1".parse().unwrap();
    let outside = "0.0.0.0".parse().unwrap();
    assert!(magister_server::may_bind(loopback, false, false).is_ok());
    assert!(magister_server::may_bind(outside, false, false).is_err());
    assert!(magister_server::may_bind(outside, false, true).is_ok());
    // A proxy makes a loopback address reachable from outside.
    assert!(magister_server::may_bind(loopback, true, false).is_err());
    assert!(magister_server::may_bind(loopback, true, true).is_ok());
}
