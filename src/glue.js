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

/**
 * A function that posts a question to the port and returns a promise of the answer. One question at a time: as long as an answer is owed,
 * the next one to come would be taken for another's.
 */
export function asker(port) {
  let settle;
  port.onmessage = ({ data }) => {
    settle(data);
    settle = undefined;
  };
  return (file, at) => {
    if (settle) throw { call: "owed" };
    return new Promise((resolve) => {
      settle = resolve;
      port.postMessage([file, at]);
    });
  };
}

/**
 * So many of them for one port, each for one question at a time. The worker may answer in another order, so questions and answers say
 * whose they are.
 */
export function askers(port, count) {
  const settle = [];
  port.onmessage = ({ data: [lane, answer] }) => {
    settle[lane](answer);
    settle[lane] = undefined;
  };
  return Array.from({ length: count }, (_, lane) => (file, at) => {
    if (settle[lane]) throw { call: "owed" };
    return new Promise((resolve) => {
      settle[lane] = resolve;
      port.postMessage([file, at, lane]);
    });
  });
}

/**
 * A function that asks where the answer comes in shared memory: the promise is settled when the worker has changed the first number of
 * `state`, which is 0 while a question is open. One question at a time; where there are several such memories, it says which is its own.
 */
export function sharedAsker(port, state, lane) {
  return (file, at) => {
    if (state[0] === 0) throw { call: "owed" };
    Atomics.store(state, 0, 0);
    port.postMessage(lane === undefined ? [file, at] : [file, at, lane]);
    return Promise.resolve(Atomics.waitAsync(state, 0, 0).value);
  };
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

/** Milliseconds from one frame to the next, the median of ten; null where the page is not drawn. */
export function frameMs() {
  return new Promise((resolve) => {
    const times = [];
    const undrawn = setTimeout(() => resolve(null), 1000);
    const frame = (now) => {
      times.push(now);
      if (times.length <= 10) {
        requestAnimationFrame(frame);
        return;
      }
      clearTimeout(undrawn);
      const gaps = times.slice(1).map((time, place) => time - times[place]);
      resolve(gaps.sort((one, other) => one - other)[5]);
    };
    requestAnimationFrame(frame);
  });
}

/** `[charging, level]`, or null where the browser does not tell. */
export async function battery() {
  try {
    const { charging, level } = await navigator.getBattery();
    return [charging, level];
  } catch {
    return null;
  }
}
