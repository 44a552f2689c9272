// Plain-JavaScript twins of the hot loops: the same reads as src/methods, with nothing of Rust or Wasm around them. They run as ordinary
// methods (worker/sync-js, main/slice-js ...), so that what the Wasm around a read costs can be measured like anything else.
//
// Every loop takes its ops as two lists, the number of the file and the offset of each, and returns [milliseconds, bytes, last buffer].

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
