//! Errors as responses.

use std::fmt;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Why a request was refused. As a response it is
/// `{"error": "what is wrong and what to do next", "code": "short-name"}`.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    extra: Option<(&'static str, Value)>,
}

impl ApiError {
    /// An error with a status, a short name and a message.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError { status, code, message: message.into(), extra: None }
    }

    /// The same error with one more key in its body.
    #[must_use]
    pub fn with(self, key: &'static str, value: Value) -> Self {
        ApiError { extra: Some((key, value)), ..self }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The short name.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// 400: the request cannot be understood.
    pub fn bad(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// 403: the request is understood but not allowed.
    pub fn forbidden(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// 404: the resource does not exist.
    pub fn missing(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// 409: the request is not possible in the current state.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, code, message)
    }

    /// 422: the content is invalid.
    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// 503: the server cannot do this at the moment.
    pub fn unavailable(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = json!({"error": self.message, "code": self.code});
        if let Some((key, value)) = self.extra {
            body[key] = value;
        }
        (self.status, Json(body)).into_response()
    }
}

impl From<magister_store::StoreError> for ApiError {
    fn from(error: magister_store::StoreError) -> Self {
        tracing::error!(%error, "store");
        ApiError::unavailable("the store cannot be reached at the moment; try again later")
    }
}

impl From<magister_core::MatchError> for ApiError {
    fn from(error: magister_core::MatchError) -> Self {
        ApiError::conflict("match", error.to_string())
    }
}

impl From<magister_core::Halt> for ApiError {
    fn from(halt: magister_core::Halt) -> Self {
        match halt {
            magister_core::Halt::Stopped => {
                ApiError::unavailable("the computation took longer than this server allows")
            }
            halt => ApiError::invalid("rules", halt.to_string()),
        }
    }
}

impl From<magister::Error> for ApiError {
    fn from(error: magister::Error) -> Self {
        match &error {
            magister::Error::Unknown { name, similar } => {
                let hint = match similar.first() {
                    Some(near) => format!("did you mean {near}?"),
                    None => "GET /api/games lists the games".to_owned(),
                };
                ApiError::missing(format!("there is no game called {name}; {hint}"))
            }
            magister::Error::Rules(findings) => {
                let diagnostics = crate::tools::diagnostics(findings);
                ApiError::invalid("rules", error.to_string()).with("diagnostics", diagnostics)
            }
            magister::Error::NotPlayable { .. } => ApiError::invalid("rules", error.to_string()),
            _ => ApiError::missing(error.to_string()),
        }
    }
}
