// Tries a synchronous access handle on a throw-away file, in a module worker as the benchmark's own worker is one.
// Started by checks.js, which names the file and ends the worker.

const BYTES = Uint8Array.of(79, 80, 70, 83);

async function useSyncHandle(fileHandle) {
  if (typeof fileHandle.createSyncAccessHandle !== 'function') {
    return { kind: 'missing' };
  }
  const handle = await fileHandle.createSyncAccessHandle();
  try {
    // Early browsers return promises here.
    if (typeof handle.getSize() !== 'number') {
      return { kind: 'asynchronous' };
    }
    handle.write(BYTES, { at: 0 });
    const found = new Uint8Array(BYTES.length);
    const count = handle.read(found, { at: 0 });
    if (count !== BYTES.length || found.some((byte, index) => byte !== BYTES[index])) {
      return { kind: 'error', name: 'Wrong bytes', message: `wrote ${BYTES}, read ${found}` };
    }
    return { kind: 'passed' };
  } finally {
    await handle.close();
  }
}

async function probe(name, tries) {
  const directory = await navigator.storage.getDirectory();
  try {
    return await useSyncHandle(await directory.getFileHandle(name, { create: true }));
  } catch (error) {
    // Another tab that begins right now sweeps what it takes for the leftovers of an earlier visit.
    if (error.name !== 'NotFoundError' || tries <= 1) throw error;
    return await probe(name, tries - 1);
  } finally {
    // Where the file is locked still, checks.js removes it after this worker has ended.
    await directory.removeEntry(name).catch(() => {});
  }
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage(await probe(data.file, 3));
  } catch (error) {
    self.postMessage({ kind: 'error', name: error.name, message: error.message });
  }
};

self.postMessage({ kind: 'started' });

// Makes the file a module in the eyes of every tool.
export {};
