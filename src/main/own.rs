//! A person's own files, as they are copied: part after part, from wherever they are, and with the checksums of what methods must read.

use js_sys::{Array, ArrayBuffer, Promise, Uint8Array};
use opfs_bench_core::job::Job;
use opfs_bench_core::ops;
use opfs_bench_core::reference::{Copying, Reference};
use opfs_bench_core::seed::Seed;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::methods;
use crate::opfs::{told, whole};

#[wasm_bindgen]
extern "C" {
    /// A file where it is: a `File`, or what reads one of the server's.
    #[derive(Clone)]
    pub type Source;
    #[wasm_bindgen(method, getter, structural)]
    fn size(this: &Source) -> f64;
    #[wasm_bindgen(method, structural)]
    fn slice(this: &Source, from: f64, to: f64) -> Part;

    type Part;
    #[wasm_bindgen(method, structural, js_name = arrayBuffer)]
    fn array_buffer(this: &Part) -> Promise;
}

/// The files that a run copies, and what is known of their bytes once they are.
pub struct OwnFiles {
    sources: Vec<Source>,
    copying: Option<Copying>,
    /// Which group of the job each reference is of.
    groups: Vec<u32>,
    references: Vec<Reference>,
}

impl OwnFiles {
    /// None of them is read yet.
    pub fn new(sources: &Array) -> Self {
        Self { sources: sources.iter().map(JsValue::unchecked_into).collect(), copying: None, groups: Vec::new(), references: Vec::new() }
    }

    /// Their sizes, in their order.
    pub fn sizes(&self) -> Vec<u64> {
        self.sources.iter().map(|source| whole(source.size())).collect()
    }

    /// The size of one.
    pub fn size(&self, file: u32) -> u64 {
        whole(self.sources[file as usize].size())
    }

    /// The files are about to be read, each once and from its beginning to its end, for this job.
    pub fn begin(&mut self, job: &Job, seed: Seed) {
        let groups = (0..).zip(&job.groups).filter(|(_, group)| group.own.is_some());
        let watched: Vec<_> =
            groups.map(|(index, group)| (index, (group, ops::verification(group, seed, index), methods::reads_text(group)))).collect();
        self.groups = watched.iter().map(|(index, _)| *index).collect();
        self.copying = Some(Copying::new(&watched.into_iter().map(|(_, watched)| watched).collect::<Vec<_>>()));
    }

    /// Reads a part of a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no longer as long as it was.
    pub async fn read(&mut self, file: u32, from: u64, to: u64) -> Result<Uint8Array, String> {
        let place = || format!("file {} of the {} that were chosen", file + 1, self.sources.len());
        let part = self.sources[file as usize].slice(from as f64, to as f64);
        let read = JsFuture::from(part.array_buffer()).await;
        let buffer: ArrayBuffer = read
            .map_err(|error| format!("{} could not be read: {}. Choose it again, if it is still there", place(), told(&error)))?
            .unchecked_into();
        if u64::from(buffer.byte_length()) != to - from {
            return Err(format!(
                "{} ended after {} B: it has become shorter since. Choose it again",
                place(),
                from + u64::from(buffer.byte_length())
            ));
        }
        let bytes = Uint8Array::new(&buffer);
        if let Some(copying) = &mut self.copying {
            copying.pass(file, from, &bytes.to_vec());
        }
        Ok(bytes)
    }

    /// All is read.
    pub fn end(&mut self) {
        self.references = self.copying.take().map_or_else(Vec::new, Copying::finish);
    }

    /// What a group's methods must read. None of a group that reads no own files.
    pub fn reference(&self, index: u32) -> Option<Reference> {
        let place = self.groups.iter().position(|group| *group == index)?;
        Some(self.references.get(place).cloned().unwrap_or_default())
    }
}
