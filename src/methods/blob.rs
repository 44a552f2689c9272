//! Everything that reads a blob of a file: `getFile()`, perhaps a `slice()`, then whatever the family does with it. A family says how
//! one blob is read, in a line or two of JavaScript; the loops stand in `src/lanes.js`.

use js_sys::Array;
use opfs_bench_core::fixture::Form;
use opfs_bench_core::job;
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::Stage;
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::lanes::{self, How, Lanes, each_lane, kept_lane};
use super::{Context, Laps, Reader, Unopened};
use crate::opfs::{self, Call, Directory, OpfsError};

/// How a family reads.
pub(super) struct Family<H> {
    /// The call that reads.
    pub call: Call,
    /// Whether an op reads a part, which has to be cut out.
    pub parts: bool,
    /// What it makes of the bytes.
    pub form: Form,
    /// Each read in flight has its own of what this makes.
    pub how: H,
}

impl<H: Fn() -> How> Family<H> {
    /// One that reads parts of files.
    pub const fn new(call: Call, how: H) -> Self {
        Self { call, parts: true, form: Form::Bytes, how }
    }

    /// Opens the group's files.
    pub async fn open(self, context: &Context) -> Result<Box<dyn Reader>, Unopened> {
        if context.group.open == job::Open::Kept {
            return Ok(Box::new(self.kept(context, context.snapshots().await?)));
        }
        let Family { call, parts, form, how } = self;
        let names = names(&context.names);
        let directory: &Directory = &context.directory;
        let lanes = Lanes::new(context.group.iodepth, &context.names, call, || each_lane(directory.js(), &names, parts, &how()));
        Ok(Box::new(lanes.form(form).of_blobs(directory.clone(), parts, how())))
    }

    /// A reader of files, or of other blobs, that are at hand.
    pub fn kept(self, context: &Context, files: Vec<Blob>) -> Lanes {
        let opened: Array = files.into_iter().map(JsValue::from).collect();
        Lanes::new(context.group.iodepth, &context.names, self.call, || kept_lane(&opened, self.parts, &(self.how)())).form(self.form)
    }
}

/// Takes the work on a file apart that is read by blobs: looks it up, opens it, cuts the parts out and reads them. `read` reads blobs one
/// after another, and gives what they bring to a list where there is one.
pub(super) async fn take_apart(
    directory: &Directory,
    name: &str,
    parts: bool,
    ops: &[Op],
    laps: &mut Laps,
    read: impl AsyncFn(&Array, Option<&Array>) -> Result<(), OpfsError>,
) -> Result<(), OpfsError> {
    let handle = laps.look_up(directory, name).await?;
    let file = handle.snapshot().await?;
    laps.end(Stage::Open, 1);
    let cut = |op: &Op| if parts { opfs::slice(&file, name, op.at, op.len) } else { Ok(file.clone()) };
    read(&Array::of1(&cut(&ops[0])?.into()), None).await?;
    laps.end(Stage::FirstRead, 1);
    let blobs = Array::new();
    laps.begin();
    for op in ops {
        blobs.push(&cut(op)?.into());
    }
    if parts {
        laps.end(Stage::Slice, ops.len());
    } else {
        laps.begin();
    }
    read(&blobs, None).await?;
    laps.end(Stage::Read, ops.len());
    let pieces = Array::new();
    read(&blobs.slice(0, 1), Some(&pieces)).await?;
    laps.copy(&lanes::arrays(&pieces));
    Ok(())
}

/// Names as JavaScript takes them.
pub(super) fn names(names: &[String]) -> Array {
    names.iter().map(|name| JsValue::from(name.as_str())).collect()
}
