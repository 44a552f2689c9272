//! What the groups of a run say together, beyond each group's own comparison: what the steps of a read cost ([`costs`]), from which size on a
//! method stops beating another ([`crossover`]), and whether time is in proportion to the number of files ([`scaling`]).
//!
//! All of it follows from the estimates in a result and is computed whenever it is shown: nothing of it stands in the file, so that earlier
//! files have it too. There is no chance in it.

pub mod costs;
pub mod crossover;
mod fit;
pub mod ladder;
pub mod scaling;
pub mod steps;
