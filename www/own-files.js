// A person's own files, in place of made-up ones: chosen with the button, dropped on the page, or offered by the command that serves it.
//
// Each is read as a File is: `size`, and `slice(from, to).arrayBuffer()`. Of their names only those of empty ones are ever looked at.

import { place } from './place.js';

/**
 * Listens.
 *
 * @param {(files: File[]) => void} onChosen
 * @param {() => void} onCleared
 */
export function wireOwnFiles(onChosen, onCleared) {
  place('own-files').addEventListener('change', (event) => {
    // A list of its own, since the field's is emptied: the same files may be chosen again.
    const files = [...event.target.files];
    event.target.value = '';
    if (files.length > 0) onChosen(files);
  });
  place('own-clear').addEventListener('click', () => {
    onCleared();
    place(place('options').hidden ? 'start' : 'own-files').focus();
  });
}

/** Throws an Error where a file holds nothing. */
export function checkNotEmpty(files) {
  const empty = files.filter(({ size }) => size === 0).map(({ name }) => name);
  if (empty.length > 0) throw new Error(`There is nothing to read in ${empty.slice(0, 5).join(', ')}: leave empty files out.`);
}

/** Shows which files are measured, and what does not fit them. @param {{own: string, leftOut: [string, string][]}} plan */
export function showOwnFiles({ own, leftOut }) {
  place('own').hidden = own === '';
  place('own-told').textContent = own === '' ? '' : `Measures ${own}.`;
  place('own-left-out').replaceChildren(
    ...leftOut.map(([what, why]) => {
      const item = document.createElement('li');
      item.textContent = `Left out: ${what}, since ${why}.`;
      return item;
    }),
  );
  showOwnProblem('');
}

/** Why files cannot be measured; an empty text takes that away. */
export function showOwnProblem(text) {
  place('own-status').textContent = text;
}

/**
 * The files that the page's server offers to who has its token: as Files are read, each range when it is asked for.
 *
 * @param {string} token
 * @returns {Promise<{size: number, slice: (from: number, to: number) => {arrayBuffer: () => Promise<ArrayBuffer>}}[]>}
 */
export async function servedFiles(token) {
  const headers = { Authorization: `Bearer ${token}` };
  const sizes = await (await answered(fetch('fixture', { headers }))).json();
  return sizes.map((size, number) => ({
    size,
    slice: (from, to) => ({
      async arrayBuffer() {
        const range = fetch(`fixture/${number}`, { headers: { ...headers, Range: `bytes=${from}-${to - 1}` } });
        return (await answered(range)).arrayBuffer();
      },
    }),
  }));
}

async function answered(request) {
  const response = await request;
  if (response.ok) return response;
  const words = await response.json().then(
    ({ error }) => error,
    () => `it answered ${response.status}`,
  );
  throw new Error(`the server: ${words}`);
}
