//! What the device and the browser are, as far as a page can know.

use serde::{Deserialize, Serialize};

use crate::units::Nanos;

/// The device and the browser. What a browser does not tell is None, never a guess.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Name and version, drawn from the user agent: `Chromium 156`. The user agent itself stands beside it.
    pub browser: String,
    /// `navigator.userAgent`.
    pub user_agent: String,
    /// The operating system, drawn from the user agent: `Linux`.
    pub system: String,
    /// `navigator.hardwareConcurrency`: logical cores, as the browser reports them.
    pub cores: Option<u32>,
    /// `navigator.deviceMemory`: GiB, rounded and capped by the browser.
    pub memory_gib: Option<f64>,
    /// The screen.
    pub screen: Option<Screen>,
    /// `crossOriginIsolated`: with it, clocks are finer.
    pub isolated: bool,
    /// `navigator.webdriver`: a program drives the browser.
    pub automated: bool,
    /// How long the browser took from one frame to the next before the run, in milliseconds: 16.7 at 60 a second, 33 in most phones' low power
    /// mode. None where it drew none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_ms: Option<f64>,
    /// The battery, where the browser tells of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery: Option<Battery>,
    /// What the browser grants to this origin.
    pub storage: Option<Storage>,
    /// The page's address without its query and fragment.
    pub address: String,
}

/// A screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// CSS pixels.
    pub width: f64,
    /// CSS pixels.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub pixel_ratio: f64,
}

/// `navigator.getBattery()` before the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Battery {
    /// Whether it is being charged, or there is none.
    pub charging: bool,
    /// From 0 to 1.
    pub level: f64,
}

/// `navigator.storage.estimate()` before the run, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Storage {
    /// What the origin may fill.
    pub quota: f64,
    /// What it fills already.
    pub usage: f64,
}

/// The tick of each thread's clock: the 90th percentile of the steps between distinct readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticks {
    /// Of the main thread.
    pub main_ns: Nanos,
    /// Of the worker.
    pub worker_ns: Nanos,
}
