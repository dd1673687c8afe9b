DROP TABLE accounts;
DROP TABLE uploads;

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role TEXT NOT NULL,
    is_disabled BIGINT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    csrf_token TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    UNIQUE (owner, kind, name)
);

ALTER TABLE tournaments ADD COLUMN status TEXT NOT NULL DEFAULT 'running';
ALTER TABLE tournaments ADD COLUMN result TEXT;
ALTER TABLE tournaments ADD COLUMN ended_ms BIGINT;

ALTER TABLE matches ADD COLUMN manner TEXT;
