//! `opfs-bench`: how should a page read its files? Serves the page, runs it in a browser, shows results.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use opfs_bench_cli::commands::{compare, job, report, run, serve, validate};
use opfs_bench_cli::driver::supervisor::Supervise;
use opfs_bench_cli::exit::{self, Exit, Failure};

/// Measures how fast browsers read files from the Origin Private File System.
#[derive(Debug, Parser)]
#[command(name = "opfs-bench", version, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Run(run::Run),
    Job(job::JobCommand),
    Report(report::Report),
    Compare(compare::Compare),
    Validate(validate::Validate),
    #[command(hide = true)]
    Supervise(Supervise),
}

fn main() -> ExitCode {
    let ended = match Arguments::parse().command {
        Command::Serve(serve) => asynchronous(serve.run()),
        Command::Run(run) => asynchronous(run.run()),
        Command::Job(job) => job.run(),
        Command::Report(report) => report.run(),
        Command::Compare(compare) => compare.run(),
        Command::Validate(validate) => asynchronous(validate.run()),
        Command::Supervise(supervise) => supervise.run().map(|()| Exit::Finished).map_err(Failure::from),
    };
    let exit = ended.unwrap_or_else(|failure| {
        opfs_bench_cli::tell!("error: {:#}", failure.error);
        failure.exit
    });
    exit.into()
}

/// One thread is enough: what takes time happens in the browser, and on a small machine its cores are the browser's.
fn asynchronous(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(anyhow::Error::from)?;
    runtime.block_on(command)
}
