//! `opfs-bench serve`

use std::io::IsTerminal;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use anyhow::Result;
use opfs_bench_core::report;
use time::OffsetDateTime;
use tokio::sync::mpsc;

use crate::android::Phones;
use crate::exit::{Exit, Failure, OrUsage};
use crate::inbox::{Arrival, Inbox};
use crate::interrupt::Interrupt;
use crate::lan::{Lan, addresses, certificates, guide};
use crate::print::print;
use crate::server::{Server, Settings, Site};
use crate::{results, share};

/// Serve the page to this machine, or to phones, until Ctrl-C, and keep the results that it sends
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The port; 0 takes any free one. OPFS and all that a browser remembers belong to an address and its port
    #[arg(long, value_name = "N", default_value_t = 8642)]
    port: u16,
    /// The folder for results that arrive
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// The folder of the built page, in place of the page inside this program, or of ./www where there is none
    #[arg(long, value_name = "DIR")]
    www: Option<PathBuf>,
    /// Do not open a browser, here or on a phone
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    network: Network,
    #[command(flatten)]
    android: Android,
    /// Write the page as plain files into this folder, for any host that serves files, and end
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "out", "no_open", "lan", "android"])]
    share: Option<PathBuf>,
}

/// The page on devices of the network.
#[derive(Debug, clap::Args)]
struct Network {
    /// Serve in the network too, by https, for phones: shows codes for their cameras, and what to tap
    #[arg(long)]
    lan: bool,
    /// An address of this machine, in place of all that a phone may reach; may be given several times
    #[arg(long, value_name = "IP", requires = "lan")]
    address: Vec<Ipv4Addr>,
    /// Have the certificate signed by an authority that can be installed on a device, which then no longer warns
    #[arg(long, requires = "lan")]
    ca: bool,
}

/// The page on phones on a cable.
#[derive(Debug, clap::Args)]
struct Android {
    /// Open the page on an Android phone that is connected by USB, by adb
    #[arg(long)]
    android: bool,
    /// The phone, where there are several: its serial number, as `adb devices` lists it; may be given several times
    #[arg(long, value_name = "SERIAL", requires = "android")]
    serial: Vec<String>,
}

impl Serve {
    /// Serves until a signal asks to end.
    ///
    /// # Errors
    /// When a folder or the port is not usable.
    pub async fn run(self) -> Result<Exit, Failure> {
        let site = Site::choose(self.www.as_deref()).or_usage()?;
        if let Some(folder) = &self.share {
            let files = share::write(&site, folder).or_usage()?;
            print(&folder.display().to_string())?;
            crate::tell!("{files} files for any host. Of those the file _headers says what should be sent with them, where the host can.");
            return Ok(Exit::Finished);
        }
        let interrupt = Interrupt::listen()?;
        results::check_folder(&self.out).or_usage()?;
        let lan = self.network.prepare().or_usage()?;
        let (inbox, mut arrivals) = Inbox::new(&self.out, None)?;
        let token = inbox.token().clone();
        let server = Server::start(Settings { inbox: Some(inbox), lan: lan.clone(), ..Settings::new(site, self.port) }).await.or_usage()?;
        let address = format!("{}#token={}", server.url(), token.as_str());
        print(&address)?;
        if let Some(lan) = &lan {
            let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            print(&format!("\n{}", guide::text(lan, server.port(), &token, colours)?))?;
        }
        crate::tell!("Results that the page sends go to {}. Ctrl-C ends the server.", self.out.display());
        let phones = match self.android.connect(server.port()).await.or_usage() {
            Ok(phones) => phones,
            Err(failure) => {
                server.stop().await;
                return Err(failure);
            }
        };
        match &phones {
            _ if self.no_open => {}
            Some(phones) => phones.open(&address).await,
            // It is meant for other devices.
            None if self.network.lan => {}
            None => open_browser(&address),
        }
        let shown = until_interrupted(&interrupt, &mut arrivals).await;
        // What is under way still arrives.
        let last = async {
            while let Some(arrival) = arrivals.recv().await {
                show(arrival)?;
            }
            Ok::<_, Failure>(Exit::Finished)
        };
        let ((), ended) = tokio::join!(server.stop(), last);
        if let Some(phones) = phones {
            phones.disconnect().await;
        }
        shown?;
        ended
    }
}

impl Network {
    fn prepare(&self) -> Result<Option<Lan>> {
        if !self.lan {
            return Ok(None);
        }
        let addresses = addresses::choose(&self.address)?;
        let identity = certificates::identity(&certificates::folder()?, &addresses, self.ca, OffsetDateTime::now_utc())?;
        Ok(Some(Lan { addresses, identity }))
    }
}

impl Android {
    /// Phones that were asked for. Where none is named, adb's own variable may name one.
    async fn connect(&self, port: u16) -> Result<Option<Phones>> {
        if !self.android {
            return Ok(None);
        }
        let usual = std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty());
        let named = if self.serial.is_empty() { usual.into_iter().collect() } else { self.serial.clone() };
        Ok(Some(Phones::connect(&named, port).await?))
    }
}

/// Shows what arrives until a signal asks to end.
async fn until_interrupted(interrupt: &Interrupt, arrivals: &mut mpsc::Receiver<Arrival>) -> Result<()> {
    loop {
        tokio::select! {
            () = interrupt.raised() => return Ok(()),
            Some(arrival) = arrivals.recv() => show(arrival)?,
        }
    }
}

fn open_browser(address: &str) {
    // Without a display a browser for terminals might be found, and would take this one over.
    if cfg!(target_os = "linux") && ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().all(|name| std::env::var_os(name).is_none()) {
        crate::tell!("There is no display: open the address in a browser of this machine.");
    } else if let Err(error) = open::that_detached(address) {
        crate::tell!("no browser could be opened ({error}): open the address yourself");
    }
}

/// What came, in a line, and where it is. Whoever sent it chose the words, so nothing of them may redraw the terminal.
fn show(arrival: Arrival) -> Result<()> {
    match arrival {
        Arrival::Result(received) => {
            let [json, html] = [&received.written.json, &received.written.html].map(|path| path.display());
            print(&format!("\n{}\n  {json}\n  {html}", received.answer))?;
            for difference in &received.differences {
                crate::tell!(
                    "WARNING: what was sent does not hold what its samples give, which is shown here and in the report: {}",
                    report::one_line(difference)
                );
            }
            Ok(())
        }
        Arrival::Failure(words) => {
            let lines: Vec<String> = words.lines().map(report::one_line).filter(|line| !line.is_empty()).collect();
            print(&format!("\nA page could not measure:\n  {}", lines.join("\n  ")))
        }
    }
}
