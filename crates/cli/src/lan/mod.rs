//! What it takes to be reached from other devices of the network: addresses, a certificate that names them, and words for people.
//!
//! Browsers give a page its private file system on secure addresses alone. `http://192.168.1.5` is none, so the page is served by https, with a
//! certificate that this program makes and keeps ([`certificates`]). A person accepts it once on each device, or trusts the authority that
//! has signed it.

pub mod addresses;
pub mod certificates;
pub mod guide;

use std::net::Ipv4Addr;

use certificates::Identity;

/// All of it.
#[derive(Clone, Debug)]
pub struct Lan {
    /// This machine's addresses that are served.
    pub addresses: Vec<Ipv4Addr>,
    /// What they are served with.
    pub identity: Identity,
}
