//! Under which addresses other devices may reach this machine.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context, Result, bail};
use if_addrs::{IfOperStatus, Interface};

/// Networks inside this machine begin so: of containers and of virtual machines. No phone is in them.
const INSIDE: [&str; 9] = ["docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "podman", "cni"];

/// The addresses that were named, or all that look as if a phone could reach them.
///
/// # Errors
/// When this machine does not have one that was named, or has none at all.
pub fn choose(named: &[Ipv4Addr]) -> Result<Vec<Ipv4Addr>> {
    let interfaces = if_addrs::get_if_addrs().context("cannot ask the system for this machine's addresses")?;
    if named.is_empty() { usable(&interfaces) } else { check(named, &interfaces) }
}

fn usable(interfaces: &[Interface]) -> Result<Vec<Ipv4Addr>> {
    let reachable = interfaces.iter().filter(|interface| {
        let up = matches!(interface.oper_status, IfOperStatus::Up | IfOperStatus::Unknown);
        let inside = INSIDE.iter().any(|begin| interface.name.starts_with(begin));
        up && !inside && !interface.is_loopback() && !interface.is_link_local()
    });
    let addresses = distinct(reachable.filter_map(four));
    if addresses.is_empty() {
        let found = list(interfaces);
        bail!(
            "this machine has no address in a network: connect it to the Wi-Fi that the phone is in, or name an address with --address; found {found}"
        );
    }
    Ok(addresses)
}

fn check(named: &[Ipv4Addr], interfaces: &[Interface]) -> Result<Vec<Ipv4Addr>> {
    // On Linux all of 127.0.0.0/8 is this machine, though only one address of it is listed.
    let has = |address: &Ipv4Addr| address.is_loopback() || interfaces.iter().filter_map(four).any(|own| own == *address);
    if let Some(missing) = named.iter().find(|address| !has(address)) {
        bail!("this machine has no address {missing}; it has {}", list(interfaces));
    }
    Ok(distinct(named.iter().copied()))
}

fn four(interface: &Interface) -> Option<Ipv4Addr> {
    match interface.ip() {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn distinct(addresses: impl Iterator<Item = Ipv4Addr>) -> Vec<Ipv4Addr> {
    let mut distinct = Vec::new();
    for address in addresses {
        if !distinct.contains(&address) {
            distinct.push(address);
        }
    }
    distinct
}

fn list(interfaces: &[Interface]) -> String {
    let found: Vec<String> = interfaces.iter().filter_map(|interface| Some(format!("{} ({})", four(interface)?, interface.name))).collect();
    if found.is_empty() { "no IPv4 address".to_owned() } else { found.join(", ") }
}

#[cfg(test)]
mod tests {
    use if_addrs::{IfAddr, Ifv4Addr};

    use super::*;

    fn interface(name: &str, ip: [u8; 4], oper_status: IfOperStatus) -> Interface {
        let addr = IfAddr::V4(Ifv4Addr { ip: ip.into(), netmask: Ipv4Addr::new(255, 255, 255, 0), prefixlen: 24, broadcast: None });
        Interface {
            name: name.to_owned(),
            addr,
            index: None,
            oper_status,
            is_p2p: false,
            #[cfg(windows)]
            adapter_name: String::new(),
        }
    }

    #[test]
    fn addresses_that_a_phone_may_reach_are_found() {
        let all = [
            interface("lo", [127, 0, 0, 1], IfOperStatus::Unknown),
            interface("docker0", [172, 17, 0, 1], IfOperStatus::Up),
            interface("eth0", [169, 254, 3, 4], IfOperStatus::Up),
            interface("eth1", [10, 0, 0, 9], IfOperStatus::Down),
            interface("wlan0", [192, 168, 1, 5], IfOperStatus::Up),
            interface("wlan0", [192, 168, 1, 5], IfOperStatus::Up),
            interface("tun0", [10, 8, 0, 2], IfOperStatus::Unknown),
        ];
        assert_eq!(usable(&all).expect("two"), [Ipv4Addr::new(192, 168, 1, 5), Ipv4Addr::new(10, 8, 0, 2)]);
        let error = usable(&all[..3]).expect_err("none").to_string();
        assert!(error.contains("no address in a network") && error.contains("172.17.0.1 (docker0)"), "{error}");
        assert!(usable(&[]).expect_err("none").to_string().contains("no IPv4 address"));
    }

    #[test]
    fn an_address_that_is_named_must_be_this_machines() {
        let all = [interface("docker0", [172, 17, 0, 1], IfOperStatus::Up)];
        let (docker, other) = (Ipv4Addr::new(172, 17, 0, 1), Ipv4Addr::new(172, 17, 0, 2));
        assert_eq!(check(&[docker, docker], &all).expect("it has it"), [docker]);
        let error = check(&[docker, other], &all).expect_err("not its own").to_string();
        assert!(error.contains("no address 172.17.0.2; it has 172.17.0.1 (docker0)"), "{error}");
    }
}
