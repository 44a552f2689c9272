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

/** The exception behind the last -1. */
export function takeThrown() {
  const error = thrown;
  thrown = undefined;
  return error;
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
