CREATE TABLE games (
    rules_hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,
    added_ms BIGINT NOT NULL
);

CREATE TABLE matches (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    rules_hash TEXT NOT NULL,
    status TEXT NOT NULL,
    started_ms BIGINT NOT NULL,
    ended_ms BIGINT,
    tournament TEXT,
    head TEXT NOT NULL,
    record TEXT
);
CREATE INDEX matches_by_status ON matches (status);
CREATE INDEX matches_by_game ON matches (game, started_ms);

CREATE TABLE seats (
    match_id TEXT NOT NULL,
    seat BIGINT NOT NULL,
    role TEXT NOT NULL,
    player TEXT NOT NULL,
    address TEXT,
    repeats BIGINT NOT NULL,
    reward DOUBLE PRECISION,
    faults BIGINT NOT NULL,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX seats_by_player ON seats (player);

CREATE TABLE steps (
    match_id TEXT NOT NULL,
    step BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (match_id, step)
);

CREATE TABLE requests (
    match_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    turn BIGINT NOT NULL,
    seat BIGINT NOT NULL,
    PRIMARY KEY (match_id, kind, turn, seat)
);

CREATE TABLE answers (
    match_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    turn BIGINT NOT NULL,
    seat BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (match_id, kind, turn, seat)
);

CREATE TABLE tournaments (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE ratings (
    scale TEXT NOT NULL,
    game TEXT NOT NULL,
    player TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    low DOUBLE PRECISION,
    high DOUBLE PRECISION,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (scale, game, player)
);

CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    secret_hash TEXT NOT NULL,
    is_admin BIGINT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE uploads (
    rules_hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (rules_hash, owner)
);
