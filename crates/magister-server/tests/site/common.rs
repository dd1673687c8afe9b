//! A site in this process, and requests to it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use magister_server::{Config, Limits, Site};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A folder that is deleted when this is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("magister-server-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) struct App {
    pub(crate) site: Arc<Site>,
    pub(crate) router: Router,
    folder: Option<Folder>,
}

pub(crate) fn config(folder: &Folder) -> Config {
    // Hashes use little memory, so that tests with many sign-ins are fast.
    let limits = Limits { rate: 1e6, burst: 1e6, password_kib: 64, ..Limits::default() };
    let store = format!("sqlite:{}", folder.0.join("site.db").display());
    Config { store, limits, ..Config::default() }
}

impl App {
    pub(crate) async fn new() -> Self {
        App::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = Folder::new();
        let mut config = config(&folder);
        change(&mut config);
        let mut app = App::open(&config).await;
        app.folder = Some(folder);
        app
    }

    pub(crate) async fn open(config: &Config) -> Self {
        let (site, _) = Site::open(config).await.unwrap();
        let router = magister_server::router(&site);
        App { site, router, folder: None }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header("x-seat", token);
        }
        let body = match body {
            None => Body::empty(),
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
        };
        let response = self.send(request.body(body).unwrap()).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        (status, serde_json::from_str(&text).unwrap_or_else(|_| json!(text)))
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, value) = self.call("GET", path, None, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    pub(crate) async fn get_as(&self, path: &str, token: &str) -> Value {
        let (status, value) = self.call("GET", path, Some(token), None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    pub(crate) async fn post(&self, path: &str, token: Option<&str>, body: Value) -> Value {
        let (status, value) = self.call("POST", path, token, Some(body)).await;
        assert!(status.is_success(), "{path}: {status} {value}");
        value
    }

    /// The status of a request that is refused, with its code.
    pub(crate) async fn refused(
        &self,
        path: &str,
        token: Option<&str>,
        body: Value,
    ) -> (StatusCode, String) {
        let (status, value) = self.call("POST", path, token, Some(body)).await;
        assert!(!status.is_success(), "{path}: {value}");
        assert!(value["error"].is_string(), "{path}: {value}");
        (status, value["code"].as_str().unwrap_or_default().to_owned())
    }

    /// Waits until a match satisfies a condition.
    pub(crate) async fn wait(
        &self,
        id: &str,
        token: Option<&str>,
        done: impl Fn(&Value) -> bool,
    ) -> Value {
        for _ in 0..6_000 {
            let path = format!("/api/matches/{id}");
            let (status, whole) = self.call("GET", &path, token, None).await;
            assert_eq!(status, StatusCode::OK, "{whole}");
            if done(&whole) {
                return whole;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let (_, whole) = self.call("GET", &format!("/api/matches/{id}"), token, None).await;
        panic!("the match did not reach the expected state: {whole}");
    }

    /// A page as text.
    pub(crate) async fn page(&self, path: &str, cookie: Option<&str>) -> (StatusCode, String) {
        let mut request = Request::builder().uri(path);
        if let Some(cookie) = cookie {
            request = request.header("cookie", cookie);
        }
        let response = self.send(request.body(Body::empty()).unwrap()).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A browser with its cookie and its CSRF token.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browser {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

impl Browser {
    /// Signs in. Returns the status of the answer, and the browser if it is signed in.
    pub(crate) async fn sign_in(
        app: &App,
        name: &str,
        password: &str,
    ) -> Result<Browser, StatusCode> {
        let body = json!({"name": name, "password": password}).to_string();
        let request = Request::post("/api/session").header("content-type", "application/json");
        let response = app.send(request.body(Body::from(body)).unwrap()).await;
        if response.status() != StatusCode::OK {
            return Err(response.status());
        }
        let line = response.headers()["set-cookie"].to_str().unwrap().to_owned();
        assert!(line.contains("HttpOnly") && line.contains("SameSite=Strict"), "{line}");
        let cookie = line.split(';').next().unwrap().to_owned();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let answer: Value = serde_json::from_slice(&bytes).unwrap();
        Ok(Browser { cookie, csrf: answer["csrf"].as_str().unwrap().to_owned() })
    }

    /// Sends a request with the cookie and the token.
    pub(crate) async fn call(
        &self,
        app: &App,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(path);
        if !self.cookie.is_empty() {
            request = request.header("cookie", &self.cookie);
        }
        if !self.csrf.is_empty() {
            request = request.header("x-csrf-token", &self.csrf);
        }
        request = request.header("content-type", "application/json");
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let response = app.send(request.body(body).unwrap()).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        (status, serde_json::from_str(&text).unwrap_or_else(|_| json!(text)))
    }

    /// Sends a request that succeeds.
    pub(crate) async fn done(&self, app: &App, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(app, method, path, Some(body)).await;
        assert!(status.is_success(), "{method} {path}: {status} {answer}");
        answer
    }
}

/// The moves of a role in a scene.
pub(crate) fn legal(scene: &Value) -> Vec<String> {
    let moves = scene["legal"][0]["moves"].as_array().cloned().unwrap_or_default();
    moves.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}
