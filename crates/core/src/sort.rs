//! Sorting lists of a few entries, whatever their type.
//!
//! The standard library's sort is compiled once for every type and every comparison, and each time it is kilobytes of the page. Here all
//! share one, which sorts places. Numbers by the thousand are sorted by the standard library ([`crate::stats`]).

use std::cmp::Ordering;
use std::mem;

/// The places of so many things in their order; equal ones stay as they are.
#[must_use]
pub fn places(number: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..number).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Sorts; equal entries stay in their order.
pub fn by<T>(entries: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let places = places(entries.len(), &|one, other| compare(&entries[one], &entries[other]));
    let mut from: Vec<Option<T>> = mem::take(entries).into_iter().map(Some).collect();
    entries.extend(places.into_iter().filter_map(|place| from[place].take()));
}

/// Sorts by a key; entries of equal keys stay in their order.
pub fn by_key<T, K: Ord>(entries: &mut Vec<T>, key: impl Fn(&T) -> K) {
    by(entries, |one, other| key(one).cmp(&key(other)));
}

/// Sorts, and keeps of equal entries the first.
pub fn distinct<T: Ord>(entries: &mut Vec<T>) {
    by(entries, T::cmp);
    entries.dedup();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(numbers in prop::collection::vec(0_u8..20, 0..60)) {
            let numbered: Vec<(u8, usize)> = numbers.iter().copied().zip(0..).collect();
            let (mut found, mut wanted) = (numbered.clone(), numbered);
            by_key(&mut found, |(number, _)| *number);
            wanted.sort_by_key(|(number, _)| *number);
            prop_assert_eq!(found, wanted);
            let (mut found, mut wanted) = (numbers.clone(), numbers);
            distinct(&mut found);
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
