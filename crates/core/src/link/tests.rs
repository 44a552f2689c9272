use super::*;
use crate::job::Job;
use crate::report;
use crate::seed::Seed;
use crate::simulate::{Clock, Device, MethodModel, Noise, run as simulate};
use crate::units::Nanos;

fn quick() -> RunResult {
    let job = Job::from_toml(Job::preset("quick").expect("shipped")).expect("valid");
    let methods = job.groups.iter().flat_map(|group| group.methods.iter().chain([&group.baseline])).map(ToString::to_string);
    let models: Vec<MethodModel> =
        methods.enumerate().map(|(place, name)| MethodModel::new(&name, 20_000.0 * (place + 1) as f64)).collect();
    let clocks = [Clock::regular(Nanos(5_000)), Clock::regular(Nanos(5_000))];
    let mut run = simulate(&job, Seed(1), &mut Device::new(models, clocks, Noise::default(), Seed(1)));
    run.environment.browser = "Chromium 156".into();
    run.environment.system = "Android".into();
    run
}

#[test]
fn a_link_tells_what_the_report_leads_with() {
    let run = quick();
    let content = encode(&run).expect("it fits");
    assert!(content.len() < 900, "a code that a phone's camera reads easily holds it: {}", content.len());
    let Linked { run: linked, doubts } = decode(&content).expect("whole");
    assert_eq!(report::answer(&linked), report::answer(&run));
    assert_eq!((linked.environment.browser.as_str(), linked.job.title), ("Chromium 156", run.job.title.clone()));
    assert!(doubts.len() <= report::doubts(&run).len());
    for (linked, group) in linked.groups.iter().zip(&run.groups) {
        let kept: Vec<_> = rows(group).collect();
        assert_eq!(linked.record.arms.len(), kept.len());
        for ((arm, estimate), (of, from)) in linked.record.arms.iter().zip(&linked.estimates.arms).zip(kept) {
            assert_eq!((&arm.method, arm.role, &estimate.verdict), (&of.method, of.role, &from.verdict));
            let near = |one: f64, other: f64| (one / other - 1.0).abs() < 2.0 / PARTS;
            assert!(near(estimate.per_op.expect("measured").median_ns, from.per_op.expect("measured").median_ns));
            // What a row leads with.
            let lead = |estimate: &ArmEstimate| match estimate.total.filter(|_| !estimate.notes.is_empty()) {
                Some(total) if estimate.notes.contains(&Note::TailDominated { tail: Tail::Dominates }) => Some(total.log),
                _ => estimate.ratio.map(|ratio| ratio.log),
            };
            let [found, wanted] = [lead(estimate), lead(from)];
            assert!(found.zip(wanted).is_none_or(|(found, wanted)| (found - wanted).abs() <= 0.5 / PARTS + 1e-9), "{found:?} {wanted:?}");
            assert_eq!(found.is_some(), wanted.is_some());
        }
    }
    let fragments = report::linked(&decode(&content).expect("whole"));
    assert!(fragments.doubts.contains("not checked") && fragments.groups.contains("<svg"));
}

#[test]
fn a_damaged_link_is_told_and_a_newer_one_too() {
    let content = encode(&quick()).expect("it fits");
    for broken in ["", "A", "AQ", "AQAA", &content[..content.len() - 4], &content.replace('a', "b"), &format!("{content}AAAA")] {
        assert_eq!(decode(broken), Err(BadLink::Damaged), "{broken}");
    }
    assert_eq!(decode(&"A".repeat(1 << 20)), Err(BadLink::Damaged));
    let mut bytes = bytes::from_text(&content).expect("base64");
    bytes[0] = 2;
    assert_eq!(decode(&bytes::to_text(&bytes)), Err(BadLink::Newer));
}

/// Whoever knows the format can make its checksum fit; then every byte counts.
#[test]
fn whatever_a_link_holds_nothing_breaks() {
    let whole = bytes::from_text(&encode(&quick()).expect("it fits")).expect("base64");
    let with_checksum = |content: &[u8]| bytes::to_text(&[&[VERSION], &checksum(content)[..], content].concat());
    let content = &whole[3..];
    let mut shown = 0;
    for place in 0..content.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = content.to_vec();
            changed[place] = byte;
            if let Ok(linked) = decode(&with_checksum(&changed)) {
                let report::Fragments { answer, doubts, groups, .. } = report::linked(&linked);
                assert!([answer, doubts, groups].iter().all(|html| !html.contains("<script")));
                shown += 1;
            }
        }
        assert!(decode(&with_checksum(&content[..place])).is_err(), "cut after {place} bytes");
    }
    assert!(shown > 100, "most changes are of numbers and letters: {shown}");
    let mut huge = Writer::default();
    (0..6).for_each(|_| huge.number(u64::from(u32::MAX)));
    assert_eq!(decode(&with_checksum(&huge.0)), Err(BadLink::Damaged));
}

#[test]
fn text_in_a_link_is_text() {
    let mut run = quick();
    run.job.title = "<script>alert(1)</script>\u{202e}".into();
    run.groups[0].record.group.title = "\"><img src=x onerror=alert(1)>".into();
    let report::Fragments { answer, doubts, groups, .. } = report::linked(&decode(&encode(&run).expect("it fits")).expect("whole"));
    for html in [answer, doubts, groups] {
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains('\u{202e}'), "{html}");
    }
}

#[test]
fn what_is_too_long_for_a_link_has_none() {
    let mut run = quick();
    let group = run.groups[0].clone();
    run.groups = vec![group; 64];
    assert_eq!(encode(&run), None);
}
