// Results that are kept on this device, in a database of IndexedDB.
//
// Why not in the private file system, where the measured files are: that is left as it was found after every run, and writing there takes a
// worker in some browsers. The database is opened for each call and closed after it, and nobody calls while a run is under way. Its name is
// none of those that a run makes and removes.

const DATABASE = 'results kept by opfs-bench';
// What a list shows, and apart from it the results themselves, which are large.
const ENTRIES = 'entries';
const RESULTS = 'results';

/**
 * @typedef {{id: number, name: string, started: string, browser: string, sentence: string, bytes: number}} Entry
 *   `name` is the person's own or the job's
 */

/**
 * Keeps a result.
 *
 * @param {Omit<Entry, 'id' | 'bytes'>} entry
 * @param {string} json
 * @returns {Promise<number>} its id
 */
export function keep(entry, json) {
  return within('readwrite', async (entries, results) => {
    const bytes = new Blob([json]).size;
    const id = await answered(entries.add({ ...entry, bytes }));
    await answered(results.add(json, id));
    return id;
  });
}

/** All entries, the latest first. @returns {Promise<Entry[]>} */
export async function list() {
  const entries = await within('readonly', (store) => answered(store.getAll()));
  return entries.reverse();
}

/** The JSON of a result. */
export async function load(id) {
  const json = await within('readonly', (_, results) => answered(results.get(id)));
  if (json === undefined) throw new Error('it is no longer kept here');
  return json;
}

/** Gives a result another name. */
export function rename(id, name) {
  return within('readwrite', async (entries) => {
    const entry = await answered(entries.get(id));
    if (entry !== undefined) await answered(entries.put({ ...entry, name }));
  });
}

/** Removes a result. */
export function remove(id) {
  return within('readwrite', (entries, results) => Promise.all([answered(entries.delete(id)), answered(results.delete(id))]));
}

/** Removes all results, and the database with them. */
export function removeAll() {
  return answered(indexedDB.deleteDatabase(DATABASE));
}

async function within(mode, work) {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true });
    request.result.createObjectStore(RESULTS);
  };
  const database = await answered(request);
  try {
    const transaction = database.transaction([ENTRIES, RESULTS], mode);
    const ended = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave it up'));
    });
    const [done] = await Promise.all([work(transaction.objectStore(ENTRIES), transaction.objectStore(RESULTS)), ended]);
    return done;
  } finally {
    database.close();
  }
}

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('another tab of this page uses them: close it first'));
  });
}
