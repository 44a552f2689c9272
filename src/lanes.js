// The timed loops of everything that reads by promises. They are JavaScript, since coming back to Wasm after each `await` costs a worker of
// Firefox 25 us: what a page would not pay, a measurement must not add. Verification, allocation and time all run these very loops.
//
// A lane reads one op after another; several reads in flight are as many lanes, each of which takes the next op when its own has ended.
//
//   lane.read(file, at, length, pieces)   a promise of what comes
//   lane.count(came, pieces)              how many bytes that is
//
// `pieces` is undefined while time is taken. While bytes are checked it is a list that takes them: buffers, arrays, or strings. Where they are
// copies of what was read, `pieces.made` says how many bytes of buffers the browser made for the op.
// Whoever fails with something to say about it throws { call, error }: the call that failed, where it is not the method's usual one.
//
// What a promise is of is held until it is settled, in a property: an awaiting function holds only what it uses afterwards. In Chromium the
// promise of a handle or a stream that nothing else holds sometimes never settles.

/** Reads all ops. [milliseconds, bytes] */
export async function readAll(lanes, files, offsets, lengths, turn, taken) {
  const start = performance.now();
  const bytes =
    lanes.length === 1
      ? await inTurn(lanes[0], files, offsets, lengths, turn, taken)
      : await allLanes(lanes.map((lane) => inTurn(lane, files, offsets, lengths, turn, taken)));
  return [performance.now() - start, bytes];
}

/** A lane: reads the op that comes next, until there is none. After a failure no lane begins another. */
async function inTurn(lane, files, offsets, lengths, turn, taken) {
  let bytes = 0;
  let place = 0;
  try {
    while ((place = turn.next) < files.length) {
      turn.next = place + 1;
      const pieces = taken && [];
      const came = await lane.read(files[place], offsets[place], lengths[place], pieces);
      bytes += lane.count(came, pieces);
      if (taken) taken[place] = pieces;
    }
  } catch (thrown) {
    turn.next = Infinity;
    throw failure(place, thrown);
  }
  return bytes;
}

/** What ended a batch at this op: the call, empty where it is the method's usual one, and what it threw. */
const failure = (place, thrown) => ({ place, call: thrown?.call ?? "", error: thrown?.call === undefined ? thrown : thrown.error });

/** What all of them read. Where one fails, the others' reads that are under way end first: what comes next is not disturbed by them. */
async function allLanes(lanes) {
  const settled = await Promise.allSettled(lanes);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
  return settled.reduce((bytes, { value }) => bytes + value, 0);
}

/** Whose turn it is. A batch that nobody waits for any more is stopped. */
export const newTurn = () => ({ next: 0 });
export const stop = (turn) => {
  turn.next = Infinity;
};

/** A lane on files that are open. `how` reads a blob: a part of the file, or all of it. */
export const keptLane = (opened, parts, how) => ({
  held: undefined,
  read(file, at, length, pieces) {
    const blob = opened[file];
    this.held = parts ? blob.slice(at, at + length) : blob;
    return how.read(this.held, pieces);
  },
  count: how.count,
});

/** The same where an op looks its file up and opens it. */
export const eachLane = (directory, names, parts, how) => {
  const open = opener(directory, names);
  return {
    held: undefined,
    async read(file, at, length, pieces) {
      const blob = await open(file);
      this.held = parts ? blob.slice(at, at + length) : blob;
      return await how.read(this.held, pieces);
    },
    count: how.count,
  };
};

/** Looks a file up and opens it, for a promise of the blob. */
export const opener = (directory, names) => {
  // Of a lane's files one is looked up at a time, of several lanes' that share this one several.
  const held = new Set();
  return async (file) => {
    let call = "getFileHandle";
    let handle;
    try {
      handle = await directory.getFileHandle(names[file]);
      held.add(handle);
      call = "getFile";
      return await handle.getFile();
    } catch (error) {
      throw { call, error };
    } finally {
      held.delete(handle);
    }
  };
};

/** Reads blobs one after another. */
export async function readBlobs(how, blobs, pieces) {
  for (const blob of blobs) how.count(await how.read(blob, pieces), pieces);
}

/** Asks for lists of ops, each answered as a whole by its buffers or by an error's text. [milliseconds, bytes] */
export async function readLists(ask, lists, taken) {
  let bytes = 0;
  const start = performance.now();
  try {
    for (const { files, offsets } of lists) {
      const buffers = await ask(files, offsets);
      if (typeof buffers === "string") throw { call: "answered", error: buffers };
      for (const buffer of buffers) bytes += buffer.byteLength;
      taken?.push(...buffers);
    }
  } catch (thrown) {
    throw failure(0, thrown);
  }
  return [performance.now() - start, bytes];
}
