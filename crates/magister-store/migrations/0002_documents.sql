CREATE TABLE documents (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
