//! Certificates for this machine's addresses, kept between starts, so that a device on which a person has accepted one need not ask again.
//!
//! Without an authority a certificate signs itself. An authority is one that people install on their devices; whoever had its key could then pose as
//! other sites, so it is constrained: it can vouch for the addresses that it was made for and for `localhost`, and for no others.

use std::fs;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use etcetera::BaseStrategy;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints, SanType,
};
use ring::digest;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// How long a certificate is good. iOS accepts 825 days at most, and browsers ask for ever less.
const GOOD_FOR: Duration = Duration::days(90);
/// With less than this left a new one is made.
const RENEWED_WITH: Duration = Duration::days(30);
/// How long an authority is good: renewing it means installing it anew.
const AUTHORITY_GOOD_FOR: Duration = Duration::days(397);
/// Clocks of phones may be behind.
const BACKDATED: Duration = Duration::days(1);
/// Addresses of earlier networks that a certificate goes on to name, so that coming back to one does not take a new one.
const MOST_ADDRESSES: usize = 12;
const SITE: &str = "opfs-bench";
const AUTHORITY: &str = "opfs-bench's own authority";

/// What a server shows of itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// For the server.
    pub tls: Arc<ServerConfig>,
    /// Who has signed its certificate, where it is not itself.
    pub authority: Option<Authority>,
    /// Whether the certificate was made just now: browsers then ask.
    pub fresh: bool,
}

/// A certificate for people to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// As devices read it: DER.
    pub certificate: Vec<u8>,
    /// Its SHA-256 as devices show it: `AB:CD:…`.
    pub fingerprint: String,
    /// Its name, as devices list it.
    pub name: String,
}

/// The user's folder for certificates: `opfs-bench` in the folder for data, which `XDG_DATA_HOME` names.
///
/// # Errors
/// When there is no home.
pub fn folder() -> Result<PathBuf> {
    let base = etcetera::choose_base_strategy().context("cannot tell where your home folder is, and certificates are kept there")?;
    Ok(base.data_dir().join("opfs-bench"))
}

/// The certificate for these addresses: the one that is kept in the folder if it will do, else a new one.
///
/// # Errors
/// When it cannot be made or kept.
pub fn identity(folder: &Path, addresses: &[Ipv4Addr], with_authority: bool, now: OffsetDateTime) -> Result<Identity> {
    let keep = Keep { folder, addresses, now };
    if !with_authority {
        let (own, fresh) = keep.find_or_make("self-signed.json", RENEWED_WITH, |_| true, Made::self_signed)?;
        return Ok(Identity { tls: own.server_config()?, authority: None, fresh });
    }
    // What it signs must not outlive it.
    let (authority, _) = keep.find_or_make("authority.json", GOOD_FOR, |_| true, Made::authority)?;
    let sign = |addresses: &[Ipv4Addr], now| Made::signed(addresses, now, &authority);
    let signed_by_it = |other: &Made| other.issuer.as_ref() == Some(&authority.name);
    let (own, fresh) = keep.find_or_make("signed.json", RENEWED_WITH, signed_by_it, sign)?;
    Ok(Identity { tls: own.server_config()?, authority: Some(authority.to_install()?), fresh })
}

/// Where certificates are kept, and what they must be good for.
struct Keep<'a> {
    folder: &'a Path,
    addresses: &'a [Ipv4Addr],
    now: OffsetDateTime,
}

impl Keep<'_> {
    /// The certificate in the file if it will do for so long, else a new one; and whether it is new.
    fn find_or_make(
        &self,
        file: &str,
        left: Duration,
        fits: impl Fn(&Made) -> bool,
        make_new: impl Fn(&[Ipv4Addr], OffsetDateTime) -> Result<Made>,
    ) -> Result<(Made, bool)> {
        let path = self.folder.join(file);
        // Whatever is wrong with a file, a new one makes up for it.
        let found: Option<Made> = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let earlier = found.as_ref().map_or_else(Vec::new, |found| found.addresses.clone());
        let good = |found: &Made| {
            found.expires - self.now.unix_timestamp() >= left.whole_seconds()
                && self.addresses.iter().all(|address| found.addresses.contains(address))
                && found.server_config().is_ok()
                && fits(found)
        };
        if let Some(found) = found.filter(good) {
            return Ok((found, false));
        }
        let mut addresses = self.addresses.to_vec();
        for address in earlier {
            if addresses.len() < MOST_ADDRESSES && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        let made = make_new(&addresses, self.now).context("cannot make a certificate")?;
        write_secret(self.folder, &path, &serde_json::to_string_pretty(&made)?).with_context(|| {
            let folder = self.folder.display();
            format!("cannot keep the certificate in {folder}; XDG_DATA_HOME may name another folder for such files than its parent")
        })?;
        Ok((made, true))
    }
}

/// A certificate and its key, as they are kept.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    name: String,
    issuer: Option<String>,
    addresses: Vec<Ipv4Addr>,
    /// Seconds since 1970.
    expires: i64,
    /// PEM.
    certificate: String,
    /// PEM. Whoever has it can pose as this server.
    key: String,
}

impl Made {
    fn self_signed(addresses: &[Ipv4Addr], now: OffsetDateTime) -> Result<Self> {
        let (key, params) = (KeyPair::generate()?, site(addresses, now));
        let certificate = params.self_signed(&key)?;
        Ok(Self::new(SITE.to_owned(), None, addresses, &params, &certificate, &key))
    }

    fn signed(addresses: &[Ipv4Addr], now: OffsetDateTime, by: &Self) -> Result<Self> {
        let (key, params) = (KeyPair::generate()?, site(addresses, now));
        // The authority's own dates and addresses have no part in what it signs: only its name and its key do.
        let issuer = Issuer::new(authority(&by.name, &by.addresses, now), KeyPair::from_pem(&by.key)?);
        let certificate = params.signed_by(&key, &issuer)?;
        Ok(Self::new(SITE.to_owned(), Some(by.name.clone()), addresses, &params, &certificate, &key))
    }

    fn authority(addresses: &[Ipv4Addr], now: OffsetDateTime) -> Result<Self> {
        // The moment tells one from another, for devices and in what they signed.
        let name = format!("{AUTHORITY}, {} {:02}:{:02}:{:02} UTC", now.date(), now.hour(), now.minute(), now.second());
        let (key, params) = (KeyPair::generate()?, authority(&name, addresses, now));
        let certificate = params.self_signed(&key)?;
        Ok(Self::new(name, None, addresses, &params, &certificate, &key))
    }

    fn new(
        name: String,
        issuer: Option<String>,
        addresses: &[Ipv4Addr],
        params: &CertificateParams,
        certificate: &rcgen::Certificate,
        key: &KeyPair,
    ) -> Self {
        Self {
            name,
            issuer,
            addresses: addresses.to_vec(),
            expires: params.not_after.unix_timestamp(),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// Fails where certificate and key do not belong together.
    fn server_config(&self) -> Result<Arc<ServerConfig>> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes()).context("no certificate")?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).context("no key")?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider())).with_safe_default_protocol_versions()?;
        let mut config = config.with_no_client_auth().with_single_cert(vec![certificate], key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    fn to_install(&self) -> Result<Authority> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes()).context("no certificate")?.to_vec();
        let digest = digest::digest(&digest::SHA256, &certificate);
        let fingerprint = digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":");
        Ok(Authority { certificate, fingerprint, name: self.name.clone() })
    }
}

/// This machine under all names that it is served by.
fn site(addresses: &[Ipv4Addr], now: OffsetDateTime) -> CertificateParams {
    let mut params = dated(SITE, now, GOOD_FOR);
    params.subject_alt_names = addresses.iter().map(|address| SanType::IpAddress(IpAddr::V4(*address))).collect();
    params.subject_alt_names.extend([
        SanType::DnsName("localhost".try_into().expect("plain letters")),
        SanType::IpAddress(Ipv4Addr::LOCALHOST.into()),
        SanType::IpAddress(Ipv6Addr::LOCALHOST.into()),
    ]);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.is_ca = IsCa::ExplicitNoCa;
    params.use_authority_key_identifier_extension = true;
    params
}

/// One that may sign for these addresses and this machine itself, and nothing else.
fn authority(name: &str, addresses: &[Ipv4Addr], now: OffsetDateTime) -> CertificateParams {
    let mut params = dated(name, now, AUTHORITY_GOOD_FOR);
    let only = |address: IpAddr| {
        let whole = if address.is_ipv4() { 32 } else { 128 };
        GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, whole))
    };
    let mut permitted: Vec<GeneralSubtree> = addresses.iter().map(|address| only(IpAddr::V4(*address))).collect();
    permitted.extend([GeneralSubtree::DnsName("localhost".to_owned()), only(Ipv4Addr::LOCALHOST.into()), only(Ipv6Addr::LOCALHOST.into())]);
    params.name_constraints = Some(NameConstraints { permitted_subtrees: permitted, excluded_subtrees: vec![] });
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // It signs servers, and no further authorities.
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params
}

fn dated(name: &str, now: OffsetDateTime, good_for: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = now - BACKDATED;
    params.not_after = params.not_before + good_for;
    params
}

/// Writes a file that only its owner can read, whole or not at all.
fn write_secret(folder: &Path, path: &Path, text: &str) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Temporary files are their owner's alone.
    let mut file = tempfile::Builder::new().prefix(".opfs-bench-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
