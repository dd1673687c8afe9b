//! The numbers of a network: each kind has its own type, so that a fluent cannot be confused with
//! the node of a gate.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The value with an index.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }

            /// Its index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A node of a [`Graph`](super::Graph): the constant, then the inputs, then the gates.
    NodeId
    /// An input of a network: the fluents, then the moves and the idle inputs.
    InputId
    /// A fluent, by its index in a state.
    FluentId
    /// A move of a role, by its index in [`Network::moves`](super::Network::moves).
    MoveId
}

impl InputId {
    /// Its node.
    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId(self.0 + 1)
    }
}

impl FluentId {
    /// Its input.
    pub const fn input(self) -> InputId {
        InputId(self.0)
    }

    /// Its node.
    pub const fn node(self) -> NodeId {
        self.input().node()
    }
}

impl NodeId {
    /// The constant true.
    pub const TRUE: NodeId = NodeId(0);

    /// The fluent of this node, in a network in which it is one.
    pub(crate) const fn fluent(self) -> FluentId {
        FluentId(self.0 - 1)
    }
}
