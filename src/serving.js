// What a worker does for the main thread that asks it: reads by sync handles and answers. Like the loops in lanes.js it stays out of Wasm,
// which is entered to put an error into words only.

/** The number that asks for no file: nothing is read, and the answer has as many bytes as the offset says. */
const NO_FILE = 0xffffffff;

/**
 * Answers with a buffer each, which is transferred or copied. With several questions under way, questions and answers say which lane they
 * are of. What is read of a file is as long as `lengths` says, which lies in Wasm memory.
 */
export function serveBuffers(port, files, lengths, transfers, lanes) {
  serve(port, { ...files, lengths: lengths.slice() }, lanes, {
    room: (lane, length) => new Uint8Array(length),
    answer(lane, view) {
      const answer = lanes ? [lane, view.buffer] : view.buffer;
      if (transfers) port.postMessage(answer, [view.buffer]);
      else port.postMessage(answer);
    },
    fail: (lane, text) => port.postMessage(lanes ? [lane, text] : text),
  });
}

/** Answers in memory that both threads share, one for each lane. The memory itself comes before all questions. */
export function serveShared(port, files, wasmLengths, lanes, layout) {
  const lengths = wasmLengths.slice();
  port.onmessage = ({ data }) => {
    const memories = data.map((buffer) => ({
      numbers: new Int32Array(buffer, 0, layout.data / 4),
      data: new Uint8Array(buffer, layout.data),
      view: new Uint8Array(buffer, layout.data, lengths[0]),
    }));
    const settle = ({ numbers }, state, bytes) => {
      numbers[1] = bytes;
      Atomics.store(numbers, 0, state);
      Atomics.notify(numbers, 0);
    };
    serve(port, { ...files, lengths }, lanes, {
      room(lane, length) {
        const { view, data } = memories[lane];
        return length === view.length ? view : data.subarray(0, length);
      },
      answer: (lane, view) => settle(memories[lane], layout.read, view.length),
      fail(lane, text) {
        const memory = memories[lane];
        const bytes = new TextEncoder().encode(text).subarray(0, memory.data.length);
        memory.data.set(bytes);
        settle(memory, layout.failed, bytes.length);
      },
    });
  };
}

/** Answers a list of questions with a list of buffers, which are transferred. */
export function serveLists(port, files, wasmLengths) {
  const lengths = wasmLengths.slice();
  const { handles, directory, names, told } = files;
  port.onmessage = async ({ data: [numbers, offsets] }) => {
    const buffers = [];
    let reading = { call: "read", file: 0 };
    try {
      for (let i = 0; i < numbers.length; i += 1) {
        const view = new Uint8Array(lengths[numbers[i]]);
        reading = { call: "read", file: numbers[i] };
        if (handles) fill(view, handles[numbers[i]], offsets[i]);
        else await openAndFill(view, directory, names, numbers[i], offsets[i], reading);
        buffers.push(view.buffer);
      }
      port.postMessage(buffers, buffers);
    } catch (error) {
      port.postMessage(told(reading.call, reading.file, error));
    }
  };
}

function serve(port, files, lanes, { room, answer, fail }) {
  const { handles, lengths, told } = files;
  if (handles) {
    port.onmessage = ({ data: [file, at, lane = 0] }) => {
      try {
        const view = room(lane, file === NO_FILE ? at : lengths[file]);
        if (file !== NO_FILE) fill(view, handles[file], at);
        answer(lane, view);
      } catch (error) {
        fail(lane, told("read", file, error));
      }
    };
    return;
  }
  // A handle's lock is exclusive: where several reads are under way, those of a file wait for one another.
  const turns = [];
  port.onmessage = ({ data: [file, at, lane = 0] }) => {
    if (lanes) turns[file] = (turns[file] ?? Promise.resolve()).then(() => open(files, file, at, lane, room, answer, fail));
    else open(files, file, at, lane, room, answer, fail);
  };
}

/** Opens a file, reads and closes it, and answers. */
async function open({ directory, names, lengths, told }, file, at, lane, room, answer, fail) {
  const reading = { call: "read" };
  try {
    const view = room(lane, file === NO_FILE ? at : lengths[file]);
    if (file !== NO_FILE) await openAndFill(view, directory, names, file, at, reading);
    answer(lane, view);
  } catch (error) {
    fail(lane, told(reading.call, file, error));
  }
}

/** Looks a file up, opens it, reads and closes it. `reading` says which call it is at, and holds what that is a call of. */
async function openAndFill(view, directory, names, file, at, reading) {
  reading.call = "getFileHandle";
  // Held until its promise is settled, as in lanes.js: whoever made `reading` uses it afterwards.
  reading.held = await directory.getFileHandle(names[file]);
  reading.call = "createSyncAccessHandle";
  const handle = await reading.held.createSyncAccessHandle();
  reading.call = "read";
  try {
    fill(view, handle, at);
  } finally {
    handle.close();
  }
}

/** Reads until the view is full. */
function fill(view, handle, at) {
  let filled = handle.read(view, { at });
  while (filled < view.length) {
    const read = handle.read(view.subarray(filled), { at: at + filled });
    // What is no number counts as 0 too: whatever is no progress ends the loop.
    if (!(read > 0)) throw { message: `the file ended after ${filled} of ${view.length} B from offset ${at}` };
    filled += read;
  }
}
