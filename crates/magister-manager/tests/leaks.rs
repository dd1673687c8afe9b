//! No message reveals more to a role than its information state. `cargo xtask leaks` is the long
//! form.

mod leak;

use std::sync::Arc;

use magister_manager::wire;

#[tokio::test]
async fn twins_are_sent_the_same_bytes() {
    for game in ["blind-tictactoe", "kuhn-poker", "krieg-tictactoe", "meier"] {
        let source = magister::Options::default().find(game).unwrap();
        let (playable, wire) = wire::open(&source).unwrap();
        let found = leak::listen(&playable, &Arc::new(wire), 25).await;
        assert_eq!(found.leak, None, "{game}");
        assert!(found.twins > 0, "{game}: {found:?}");
    }
}
