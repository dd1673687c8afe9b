//! The addresses of remote players, and which of them may be connected to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// The address of a player: `http://host:port`, or one of the [other forms](Protocol).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerAddress {
    /// Its protocol.
    pub protocol: Protocol,
    /// The name of the player, for protocols that address players by name.
    pub name: Option<String>,
    /// The host: a name or an IP address, an IPv6 address without its brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// The protocol of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// GGP messages over HTTP: `http://host:port`.
    #[default]
    Ggp,
    /// Gamemaster's envelopes over HTTP: `gamemaster+http://name@host:port`.
    GamemasterHttp,
    /// Gamemaster's envelopes over WebSocket: `ws://name@host:port`.
    GamemasterWebSocket,
}

impl Protocol {
    /// All protocols.
    const ALL: [Protocol; 3] =
        [Protocol::Ggp, Protocol::GamemasterHttp, Protocol::GamemasterWebSocket];

    /// The first word of an address.
    pub fn scheme(self) -> &'static str {
        match self {
            Protocol::Ggp => "http",
            Protocol::GamemasterHttp => "gamemaster+http",
            Protocol::GamemasterWebSocket => "ws",
        }
    }

    /// Whether players get Gamemaster's envelopes.
    pub fn is_gamemaster(self) -> bool {
        self != Protocol::Ggp
    }
}

/// The conventional port of GGP players.
pub const PORT: u16 = 9147;

impl PlayerAddress {
    /// Whether a text is meant as an address and not as the name of a player.
    pub fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        let known = |scheme: &str| Protocol::ALL.iter().any(|one| one.scheme() == scheme);
        scheme.is_some_and(|scheme| known(scheme) || ["https", "wss"].contains(&scheme))
    }
}

impl FromStr for PlayerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| Err(format!("`{text}` {what}; write http://host:port"));
        let found = Protocol::ALL.iter().find_map(|&protocol| {
            let rest = text.strip_prefix(protocol.scheme())?.strip_prefix("://")?;
            Some((protocol, rest))
        });
        let Some((protocol, rest)) = found else {
            return wrong("is not an address of a player");
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (name, rest) = match rest.split_once('@') {
            Some((name, rest)) if protocol.is_gamemaster() => (Some(name.to_owned()), rest),
            _ => (None, rest),
        };
        let is_word = |name: &String| {
            let fits = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            !name.is_empty() && name.len() <= 64 && name.chars().all(fits)
        };
        if name.as_ref().is_some_and(|name| !is_word(name)) {
            return wrong("has no valid name of a player");
        }
        if rest.contains('/') || rest.contains('@') || rest.contains('?') {
            return wrong("has more than a host and a port");
        }
        let (host, port) = match rest.strip_prefix('[') {
            Some(six) => match six.split_once(']') {
                Some((host, "")) => (host, None),
                Some((host, after)) if after.starts_with(':') => (host, Some(&after[1..])),
                _ => return wrong("has an unclosed bracket"),
            },
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        let port = match port.map(str::parse) {
            None => PORT,
            Some(Ok(port)) if port > 0 => port,
            Some(_) => return wrong("has no valid port"),
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || ".-_:%".contains(c);
        if host.is_empty() || host.len() > 255 || !host.chars().all(fits) {
            return wrong("has no valid host");
        }
        Ok(PlayerAddress { protocol, name, host: host.to_owned(), port })
    }
}

impl fmt::Display for PlayerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.protocol.scheme())?;
        if let Some(name) = &self.name {
            write!(f, "{name}@")?;
        }
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Which addresses may be connected to. The check is made on the resolved address of each
/// connection, because a name may resolve to another address the next time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressPolicy {
    /// Only addresses of the public internet. This is for addresses that users of a server provide.
    #[default]
    Public,
    /// All addresses. This is for addresses of the command line and of administrators.
    Any,
}

impl AddressPolicy {
    /// Whether a resolved address may be connected to.
    pub fn allows(self, address: SocketAddr) -> bool {
        match self {
            AddressPolicy::Any => true,
            AddressPolicy::Public => is_public(address.ip()),
        }
    }
}

/// Whether an address belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !(reserved
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    match address.segments() {
        // Translation to IPv4, and 6to4: the embedded address counts.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            is_public_v4(inner(high, low))
        }
        // Teredo, documentation, benchmarks, ORCHID.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Only 2000::/3 is global unicast.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |text: &str| text.parse::<PlayerAddress>().map(|a| a.to_string());
        assert_eq!(read("http://127.0.0.1:9147"), Ok("http://127.0.0.1:9147".into()));
        assert_eq!(read("http://player.example/"), Ok("http://player.example:9147".into()));
        assert_eq!(read("http://[::1]:80"), Ok("http://[::1]:80".into()));
        assert_eq!(read("ws://indy@a"), Ok("ws://indy@a:9147".into()));
        assert_eq!(read("gamemaster+http://[::1]:80"), Ok("gamemaster+http://[::1]:80".into()));
        for wrong in [
            "ftp://a:1",
            "https://a:1",
            "http://",
            "http://:80",
            "http://a:0",
            "http://a:99999",
            "http://a/b",
            "http://u@a",
            "ws://u:p@a",
            "ws://@a",
            "wss://a",
            "http://[::1",
            "http://a b",
            "http://a\r\nX: y",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn private_addresses_are_not_public() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.2.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "2001:db8::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "::127.0.0.1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }
}
