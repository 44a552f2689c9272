//! Details below an error: what happened comes first, what may explain it after it.

use anyhow::{Result, anyhow};

/// Adds details to an error, where [`anyhow::Context`] would put them before it.
pub trait Below<T> {
    /// The same with the details below, unless they are empty.
    ///
    /// # Errors
    /// The error that there was.
    fn below(self, details: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Below<T> for Result<T> {
    fn below(self, details: impl FnOnce() -> String) -> Self {
        self.map_err(|error| {
            let details = details();
            if details.trim().is_empty() { error } else { anyhow!("{error:#}\n{}", details.trim_end()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_stand_below_and_only_when_there_are_any() {
        let failed = || -> Result<()> { Err(anyhow!("cause").context("what")) };
        assert_eq!(format!("{:#}", failed().below(|| "details\n".into()).expect_err("failed")), "what: cause\ndetails");
        assert_eq!(format!("{:#}", failed().below(|| "\n".into()).expect_err("failed")), "what: cause");
    }
}
