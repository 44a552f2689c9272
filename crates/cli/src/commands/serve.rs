//! `opfs-bench serve`

use std::path::PathBuf;

use crate::exit::{Exit, Failure, OrUsage};
use crate::interrupt::Interrupt;
use crate::print::print;
use crate::server::Server;

/// Serve the page on this machine, until Ctrl-C
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The port; 0 takes any free one. OPFS and all that a browser remembers belong to an address and its port
    #[arg(long, value_name = "N", default_value_t = 8642)]
    port: u16,
    /// The folder of the built page
    #[arg(long, value_name = "DIR", default_value = "www")]
    www: PathBuf,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Serve {
    /// Serves until a signal asks to end.
    ///
    /// # Errors
    /// When the folder or the port is not usable.
    pub async fn run(self) -> Result<Exit, Failure> {
        let interrupt = Interrupt::listen()?;
        let server = Server::start(&self.www, self.port).await.or_usage()?;
        print(&server.url())?;
        eprintln!("Ctrl-C ends the server.");
        if !self.no_open
            && let Err(error) = open::that_detached(server.url())
        {
            eprintln!("no browser could be opened ({error}): open the address yourself");
        }
        interrupt.raised().await;
        server.stop().await;
        Ok(Exit::Finished)
    }
}
