// The few lines that Rust cannot say as well: each is one call with its exceptions caught where they cost nothing.

let thrown;

/** Reads into `view` from offset `at`; the bytes read, or -1 after an exception, which `takeThrown` then returns. */
export function readAt(handle, view, at) {
  try {
    return handle.read(view, { at });
  } catch (error) {
    thrown = error;
    return -1;
  }
}

/** Writes `view` at offset `at`; the bytes written, or -1 after an exception, which `takeThrown` then returns. */
export function writeAt(handle, view, at) {
  try {
    return handle.write(view, { at });
  } catch (error) {
    thrown = error;
    return -1;
  }
}

/** The exception behind the last -1. */
export function takeThrown() {
  const error = thrown;
  thrown = undefined;
  return error;
}

let fulfilled;
let rejected;
// By slot; made once each, since an awaited promise must not cost new functions.
const callbacks = [];

/** What `whenSettled` calls from now on: functions of a slot and what a promise gives. */
export function callWhenSettled(onFulfilled, onRejected) {
  fulfilled = onFulfilled;
  rejected = onRejected;
}

/** Has a promise call with its slot when it settles. */
export function whenSettled(promise, slot) {
  callbacks[slot] ??= { fulfilled: calling(fulfilled, slot), rejected: calling(rejected, slot) };
  promise.then(callbacks[slot].fulfilled, callbacks[slot].rejected);
}

function calling(callback, slot) {
  return (settled) => {
    try {
      callback(slot, settled);
    } catch (error) {
      // What breaks Rust is to be an error of the thread, and not a promise that nobody looks at.
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

/** A function that posts a question to the port and returns a promise of the answer. One question at a time. */
export function asker(port) {
  let settle;
  port.onmessage = ({ data }) => settle(data);
  return (file, at) =>
    new Promise((resolve) => {
      settle = resolve;
      port.postMessage([file, at]);
    });
}

/**
 * So many of them for one port, each for one question at a time. The worker may answer in another order, so questions and answers say
 * whose they are.
 */
export function askers(port, count) {
  const settle = [];
  port.onmessage = ({ data: [lane, answer] }) => settle[lane](answer);
  return Array.from(
    { length: count },
    (_, lane) => (file, at) =>
      new Promise((resolve) => {
        settle[lane] = resolve;
        port.postMessage([file, at, lane]);
      }),
  );
}

/**
 * A function that asks where the answer comes in shared memory: the promise is settled when the worker has changed the first number of
 * `state`, which is 0 while a question is open. One question at a time; where there are several such memories, it says which is its own.
 */
export function sharedAsker(port, state, lane) {
  return (file, at) => {
    Atomics.store(state, 0, 0);
    port.postMessage(lane === undefined ? [file, at] : [file, at, lane]);
    return Promise.resolve(Atomics.waitAsync(state, 0, 0).value);
  };
}

/** A function that reads a blob with one FileReader and returns a promise of the buffer. One blob at a time. */
export function fileReader() {
  const reader = new FileReader();
  let settle;
  let fail;
  reader.onload = () => settle(reader.result);
  reader.onerror = () => fail(reader.error);
  return (blob) =>
    new Promise((resolve, reject) => {
      settle = resolve;
      fail = reject;
      reader.readAsArrayBuffer(blob);
    });
}

/** A promise of what a request of IndexedDB gives. */
export function requested(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Opens a database of one store, made where it is missing. It closes when another thread wants to delete it. */
export async function openDatabase(name, store) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(store);
  const database = await requested(request);
  database.onversionchange = () => database.close();
  return database;
}

/** Opens a file to be written by a stream: what is written is the file's when the stream is closed, beside its old bytes or alone. */
export function createWritable(file, keepExistingData) {
  return file.createWritable({ keepExistingData });
}

/** Has a stream write at an offset. */
export function writeTo(stream, data, position) {
  return stream.write({ type: "write", position, data });
}

/** Gives a stream up. */
export function abandon(stream) {
  // There is nobody to tell that it could not be.
  stream.abort().catch(() => {});
}

/** Copies a file into a stream, and closes that. */
export function pipe(file, stream) {
  return file.stream().pipeTo(stream);
}

/**
 * A function that hands bytes over to be written and returns a promise of how many were, for each of so many lanes. `flush` says what
 * is to be flushed behind it.
 */
export function handers(port, count) {
  const settle = [];
  port.onmessage = ({ data: [lane, answer] }) => settle[lane](answer);
  return Array.from(
    { length: count },
    (_, lane) => (file, at, buffer, flush) =>
      new Promise((resolve) => {
        settle[lane] = resolve;
        port.postMessage([file, at, lane, buffer, flush], [buffer]);
      }),
  );
}

/** The names in a directory. */
export async function names(directory) {
  const found = [];
  for await (const name of directory.keys()) found.push(name);
  return found;
}

/** Takes the lock that one run per origin holds: a function that gives it back, or undefined where another page has it. */
export function takeLock(name) {
  // Before Safari 15.4 there are no locks: two pages at once would disturb each other, but nothing breaks.
  if (!navigator.locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(undefined);
          return undefined;
        }
        return new Promise((release) => resolve(release));
      })
      .catch(reject);
  });
}

/** Takes the exclusive lock of a name and gives it back. */
export function takeAndRelease(name) {
  return navigator.locks.request(name, () => {});
}

/** The same. Whether the lock was held meanwhile. */
export function takeWatched(name) {
  return navigator.locks.request(name, async () => (await navigator.locks.query()).held.some((lock) => lock.name === name));
}

/** Resolves after so many milliseconds, on the main thread and in workers. */
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when what was changed in the page has been drawn, or after 50 ms where nothing is drawn (a hidden page). */
export function drawn() {
  return new Promise((resolve) => {
    setTimeout(resolve, 50);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
