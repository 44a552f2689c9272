// Plain-JavaScript twins of the hot loops: the same reads as src/methods, with nothing of Rust or Wasm around them. They run as ordinary
// methods (worker/sync-js, main/slice-js, rpc/transfer-js ...), so that what the Wasm around a read costs can be measured like anything else.
//
// Every loop takes its ops as two lists, the number of the file and the offset of each, and returns [milliseconds, bytes, last buffer].
//
// All methods that read by promises have the loop of src/lanes.js, and differ only in the calls inside it: the twins of arrayBuffer() stand
// for all of these.

/** Reads through sync handles that are open, into one view. */
export function syncKept(handles, view, files, offsets) {
  let bytes = 0;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    bytes += handles[files[i]].read(view, { at: offsets[i] });
  }
  return [performance.now() - start, bytes, undefined];
}

/** Looks a file up, opens it, reads and closes it, for each op. */
export async function syncEach(directory, names, view, files, offsets) {
  let bytes = 0;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    const file = await directory.getFileHandle(names[files[i]]);
    const handle = await file.createSyncAccessHandle();
    bytes += handle.read(view, { at: offsets[i] });
    handle.close();
  }
  return [performance.now() - start, bytes, undefined];
}

/** Reads slices of files that are open. */
export async function sliceKept(opened, length, files, offsets) {
  let bytes = 0;
  let buffer;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    const at = offsets[i];
    buffer = await opened[files[i]].slice(at, at + length).arrayBuffer();
    bytes += buffer.byteLength;
  }
  return [performance.now() - start, bytes, buffer];
}

/** Looks a file up, opens it and reads a slice, for each op. */
export async function sliceEach(directory, names, length, files, offsets) {
  let bytes = 0;
  let buffer;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    const at = offsets[i];
    const file = await (await directory.getFileHandle(names[files[i]])).getFile();
    buffer = await file.slice(at, at + length).arrayBuffer();
    bytes += buffer.byteLength;
  }
  return [performance.now() - start, bytes, buffer];
}

/** Reads whole files that are open. */
export async function wholeKept(opened, files) {
  let bytes = 0;
  let buffer;
  const start = performance.now();
  for (let i = 0; i < files.length; i += 1) {
    buffer = await opened[files[i]].arrayBuffer();
    bytes += buffer.byteLength;
  }
  return [performance.now() - start, bytes, buffer];
}

/** Looks a file up, opens it and reads it whole, for each op. */
export async function wholeEach(directory, names, files) {
  let bytes = 0;
  let buffer;
  const start = performance.now();
  for (let i = 0; i < files.length; i += 1) {
    const file = await (await directory.getFileHandle(names[files[i]])).getFile();
    buffer = await file.arrayBuffer();
    bytes += buffer.byteLength;
  }
  return [performance.now() - start, bytes, buffer];
}

// The main thread asks a worker, both in plain JavaScript. `ask` posts a question to the port and returns a promise of the answer, as it
// does for the loops in Rust (src/glue.js).

/** Asks for each op, and gets a buffer back. */
export async function askTransfer(ask, files, offsets) {
  let bytes = 0;
  let buffer;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    buffer = await ask(files[i], offsets[i]);
    if (!(buffer instanceof ArrayBuffer)) throw new Error(buffer);
    bytes += buffer.byteLength;
  }
  return [performance.now() - start, bytes, buffer];
}

/** Asks for each op, and gets the bytes in shared memory, which begins with two numbers: how it went, and how many bytes follow. */
export async function askShared(ask, numbers, files, offsets) {
  let bytes = 0;
  const start = performance.now();
  for (let i = 0; i < offsets.length; i += 1) {
    await ask(files[i], offsets[i]);
    if (numbers[0] !== READ) throw new Error(sharedText(numbers));
    bytes += numbers[1];
  }
  return [performance.now() - start, bytes, undefined];
}

/** The worker's side of `askTransfer`, with sync handles that are open. */
export function serveTransferKept(port, handles, length) {
  port.onmessage = ({ data: [file, at] }) => {
    const view = new Uint8Array(length);
    try {
      fill(view, handles[file], at);
      port.postMessage(view.buffer, [view.buffer]);
    } catch (error) {
      port.postMessage(error.message);
    }
  };
}

/** The same for files that are opened for each op. */
export function serveTransferEach(port, directory, names, length) {
  port.onmessage = async ({ data: [file, at] }) => {
    const view = new Uint8Array(length);
    try {
      await openAndFill(view, directory, names[file], at);
      port.postMessage(view.buffer, [view.buffer]);
    } catch (error) {
      port.postMessage(error.message);
    }
  };
}

/** The worker's side of `askShared`, with sync handles that are open. The memory itself comes before all questions. */
export function serveSharedKept(port, handles, length) {
  let memory;
  port.onmessage = ({ data }) => {
    if (!memory) {
      memory = new SharedAnswer(data, length);
      return;
    }
    const [file, at] = data;
    try {
      fill(memory.view, handles[file], at);
      memory.answer(READ, length);
    } catch (error) {
      memory.fail(error);
    }
  };
}

/** The same for files that are opened for each op. */
export function serveSharedEach(port, directory, names, length) {
  let memory;
  port.onmessage = async ({ data }) => {
    if (!memory) {
      memory = new SharedAnswer(data, length);
      return;
    }
    const [file, at] = data;
    try {
      await openAndFill(memory.view, directory, names[file], at);
      memory.answer(READ, length);
    } catch (error) {
      memory.fail(error);
    }
  };
}

function fill(view, handle, at) {
  const read = handle.read(view, { at });
  if (read !== view.length) throw new Error(`the file ended after ${read} of ${view.length} B from offset ${at}`);
}

async function openAndFill(view, directory, name, at) {
  const handle = await (await directory.getFileHandle(name)).createSyncAccessHandle();
  try {
    fill(view, handle, at);
  } finally {
    handle.close();
  }
}

// Shared memory, as src/methods/shared.rs lays it out: whether a question is answered and how, how many bytes follow, and those.
const READ = 1;
const FAILED = 2;
const DATA = 8;

/** Shared memory, as the worker sees it. */
class SharedAnswer {
  constructor(buffer, length) {
    this.numbers = new Int32Array(buffer, 0, DATA / 4);
    this.data = new Uint8Array(buffer, DATA);
    this.view = this.data.subarray(0, length);
  }

  /** Says how it went, and wakes the main thread. */
  answer(state, length) {
    this.numbers[1] = length;
    Atomics.store(this.numbers, 0, state);
    Atomics.notify(this.numbers, 0);
  }

  fail(error) {
    const text = new TextEncoder().encode(error.message).subarray(0, this.data.length);
    this.data.set(text);
    this.answer(FAILED, text.length);
  }
}

function sharedText(numbers) {
  // A copy: memory that is shared cannot be decoded.
  return new TextDecoder().decode(new Uint8Array(numbers.buffer, DATA, numbers[1]).slice());
}
