// What this site stores on the device, in words and sizes, and a button that deletes it. Nothing of it is looked at while a run is under way.

import { place } from './place.js';
import { messageOf } from './run.js';
import { formatBytes } from './units.js';

const DELETE = 'Delete all of it';
const SURE = 'Really delete? Press again';

/**
 * Wires the list and its button.
 *
 * @param {() => Promise<{count: number, bytes: number}>} kept what the history holds
 * @param {() => Promise<void>} deleteKept deletes it
 * @param {() => Promise<number>} sweep removes what runs that were cut short left; how many entries
 */
export function wireStored(kept, deleteKept, sweep) {
  place('stored').addEventListener('toggle', () => {
    if (place('stored').open) showStored(kept);
  });
  const button = place('delete-all');
  button.addEventListener('click', async () => {
    if (button.textContent !== SURE) {
      button.textContent = SURE;
      return;
    }
    button.textContent = DELETE;
    try {
      await deleteKept();
      await sweep();
      say('All of it is deleted.');
    } catch (error) {
      say(`Not all of it could be deleted: ${messageOf(error)}.`);
    }
    await showStored(kept);
  });
  button.addEventListener('blur', () => {
    button.textContent = DELETE;
  });
}

/** Lists anew, where it is unfolded. */
export async function showStored(kept) {
  if (!place('stored').open) return;
  const lines = [];
  try {
    const { count, bytes } = await kept();
    lines.push(`Results that were kept: ${count === 0 ? 'none' : `${count}, ${formatBytes(bytes)}`}.`);
    const left = await filesIn(await navigator.storage.getDirectory());
    lines.push(
      left.count === 0
        ? 'Files to be measured: none. They are removed when a run ends.'
        : `Files to be measured, left by a run that was cut short: ${left.count}, ${formatBytes(left.bytes)}.`,
    );
    const { usage } = await navigator.storage.estimate();
    lines.push(`By the browser’s own, rough count: ${formatBytes(usage)} in all.`);
  } catch (error) {
    lines.push(`The browser does not tell: ${messageOf(error)}.`);
  }
  place('stored-list').replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }),
  );
}

async function filesIn(folder) {
  let [count, bytes] = [0, 0];
  for await (const handle of folder.values()) {
    const inside = handle.kind === 'directory' ? await filesIn(handle) : { count: 1, bytes: (await handle.getFile()).size };
    count += inside.count;
    bytes += inside.bytes;
  }
  return { count, bytes };
}

function say(text) {
  place('stored-status').textContent = text;
}
