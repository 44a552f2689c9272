//! Certificates as clients see them: with rustls, which reads dates, names and constraints.

use std::fs;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::pki_types::{ServerName, UnixTime};
use tokio_rustls::rustls::{Error, RootCertStore};

use super::*;

/// A day in March 2026.
const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH.saturating_add(Duration::seconds(1_772_366_400));
const HOME: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 5);
const OFFICE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 7);

fn read(folder: &Path, file: &str) -> Made {
    serde_json::from_str(&fs::read_to_string(folder.join(file)).expect("kept")).expect("as it was written")
}

fn der(made: &Made) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(made.certificate.as_bytes()).expect("a certificate")
}

/// Whether a client that trusts the one takes the other for this name at this time.
fn accepts(trusted: &Made, shown: &Made, name: &str, at: OffsetDateTime) -> Result<(), Error> {
    let mut roots = RootCertStore::empty();
    roots.add(der(trusted)).expect("a certificate");
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider())).build().expect("a verifier");
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let at = UnixTime::since_unix_epoch(std::time::Duration::from_secs(u64::try_from(at.unix_timestamp()).expect("after 1970")));
    verifier.verify_server_cert(&der(shown), &[], &name, &[], at).map(drop)
}

#[test]
fn a_certificate_names_the_addresses_and_is_good_for_ninety_days() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().join("new/opfs-bench");
    assert!(identity(&folder, &[HOME, OFFICE], false, NOW).expect("made").fresh);
    let own = read(&folder, "self-signed.json");
    for name in ["192.168.1.5", "10.0.0.7", "localhost", "127.0.0.1", "::1"] {
        accepts(&own, &own, name, NOW).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for name in ["192.168.1.6", "example.org"] {
        assert!(accepts(&own, &own, name, NOW).is_err(), "{name}");
    }
    // serverAuth, 1.3.6.1.5.5.7.3.1, without which iOS refuses it.
    let purpose = [0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
    assert!(der(&own).windows(purpose.len()).any(|bytes| bytes == purpose));
    for (at, good) in [
        (NOW - Duration::hours(23), true),
        (NOW - Duration::hours(25), false),
        (NOW + Duration::days(88), true),
        (NOW + Duration::days(90), false),
    ] {
        assert_eq!(accepts(&own, &own, "192.168.1.5", at).is_ok(), good, "{at}");
    }
}

#[cfg(unix)]
#[test]
fn keys_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().join("opfs-bench");
    identity(&folder, &[HOME], true, NOW).expect("made");
    identity(&folder, &[HOME], false, NOW).expect("made");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<PathBuf> = fs::read_dir(&folder).expect("there").map(|entry| entry.expect("readable").path()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

#[test]
fn a_certificate_is_kept_until_it_will_not_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = |addresses: &[Ipv4Addr], now| {
        let fresh = identity(folder.path(), addresses, false, now).expect("made").fresh;
        (fresh, read(folder.path(), "self-signed.json"))
    };
    let (fresh, first) = made(&[HOME], NOW);
    assert!(fresh);
    for days in [0, 30, 58] {
        let (fresh, kept) = made(&[HOME], NOW + Duration::days(days));
        assert!(!fresh && kept.certificate == first.certificate, "after {days} days");
    }
    let (fresh, renewed) = made(&[HOME], NOW + Duration::days(60));
    assert!(fresh && renewed.certificate != first.certificate && renewed.key != first.key);
    // In another network it names that one too, and goes on to do for the first.
    let (fresh, both) = made(&[OFFICE], NOW + Duration::days(60));
    assert!(fresh && both.addresses == [OFFICE, HOME]);
    assert!(!made(&[HOME], NOW + Duration::days(61)).0 && !made(&[OFFICE, HOME], NOW + Duration::days(61)).0);
}

#[test]
fn a_file_that_is_of_no_use_is_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("self-signed.json");
    identity(folder.path(), &[HOME], false, NOW).expect("made");
    let good = fs::read_to_string(&file).expect("there");
    let mut strange = read(folder.path(), "self-signed.json");
    strange.key = KeyPair::generate().expect("random").serialize_pem();
    for text in ["", "{}", &good[..good.len() / 2], &good.replace("BEGIN", "BEGUN"), &serde_json::to_string(&strange).expect("plain data")]
    {
        fs::write(&file, text).expect("writable");
        assert!(identity(folder.path(), &[HOME], false, NOW).expect("made").fresh, "{text}");
        assert!(!identity(folder.path(), &[HOME], false, NOW).expect("kept").fresh, "{text}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writable");
    let error = format!("{:#}", identity(&file.join("opfs-bench"), &[HOME], false, NOW).expect_err("no folder"));
    assert!(error.contains("cannot keep the certificate in") && error.contains("XDG_DATA_HOME"), "{error}");
}

#[test]
fn an_authority_vouches_for_these_addresses_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let identity = identity(folder.path(), &[HOME], true, NOW).expect("made");
    let [trusted, own] = ["authority.json", "signed.json"].map(|file| read(folder.path(), file));
    for name in ["192.168.1.5", "localhost", "127.0.0.1", "::1"] {
        accepts(&trusted, &own, name, NOW).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(accepts(&trusted, &own, "10.0.0.7", NOW).is_err());
    let installed = identity.authority.expect("it has one");
    assert!(installed.certificate == der(&trusted).to_vec() && installed.fingerprint.len() == 32 * 3 - 1, "{installed:?}");

    // Whoever had the key of the authority could sign this; nobody would take it.
    let issuer = || Issuer::new(authority(&trusted.name, &[HOME], NOW), KeyPair::from_pem(&trusted.key).expect("a key"));
    let forge = |change: &dyn Fn(&mut CertificateParams)| {
        let (key, mut params) = (KeyPair::generate().expect("random"), site(&[], NOW));
        change(&mut params);
        let certificate = params.signed_by(&key, &issuer()).expect("signed");
        Made::new(SITE.to_owned(), None, &[], &params, &certificate, &key)
    };
    let named = |name: SanType| forge(&move |params| params.subject_alt_names = vec![name.clone()]);
    let dns = |name: &str| SanType::DnsName(name.try_into().expect("plain letters"));
    accepts(&trusted, &named(dns("localhost")), "localhost", NOW).expect("what is allowed can be forged");
    for (name, text) in [
        (dns("example.org"), "example.org"),
        (dns("localhost.example.org"), "localhost.example.org"),
        (SanType::IpAddress(OFFICE.into()), "10.0.0.7"),
        (SanType::IpAddress(Ipv4Addr::new(192, 168, 1, 6).into()), "192.168.1.6"),
        (SanType::IpAddress("2001:db8::1".parse().expect("an address")), "2001:db8::1"),
    ] {
        let error = accepts(&trusted, &named(name), text, NOW).expect_err(text);
        assert!(format!("{error:?}").contains("NameConstraintViolation"), "{text}: {error:?}");
    }
}

#[test]
fn an_authority_is_kept_for_as_long_as_what_it_signs_may_be_good() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = |addresses: &[Ipv4Addr], now| {
        let identity = identity(folder.path(), addresses, true, now).expect("made");
        let files = ["authority.json", "signed.json"].map(|file| read(folder.path(), file));
        accepts(&files[0], &files[1], "192.168.1.5", now).expect("they fit");
        (identity.authority.expect("it has one"), identity.fresh)
    };
    let (first, _) = made(&[HOME], NOW);
    assert_eq!(made(&[HOME], NOW + Duration::days(10)), (first.clone(), false));
    // The certificate is renewed, and nobody has to install anything.
    assert_eq!(made(&[HOME], NOW + Duration::days(70)), (first.clone(), true));
    assert_eq!(made(&[HOME], NOW + Duration::days(300)), (first.clone(), true));
    let (second, fresh) = made(&[HOME], NOW + Duration::days(310));
    assert!(second != first && fresh, "what it signed for 90 days would outlive it");
    let (third, fresh) = made(&[HOME, OFFICE], NOW + Duration::days(311));
    assert!(third != second && fresh, "it may not vouch for the new address");
}
