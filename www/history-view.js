// The list of results: those kept on this device, and files that were opened. Each can be shown, named, deleted, and compared with another.

import * as history from './history.js';
import { place } from './place.js';
import { messageOf } from './run.js';
import { formatBytes } from './units.js';

/**
 * An entry of the list.
 *
 * @typedef {{name: string, started: string, browser: string, sentence: string, bytes: number, id?: number, json?: string}} Listed
 *   kept under `id`, or from a file that was opened: then `json` is at hand
 */

/** Files that were opened. @type {Listed[]} */
let files = [];
/** What is ticked, in the order in which it was. @type {Listed[]} */
let ticked = [];
let hooks;

/**
 * Wires the list.
 *
 * @param {{show: (json: string, origin: string) => void, compare: (base: [string, string], other: [string, string]) => void,
 *   changed: () => void}} given `compare` gets JSON and name of each side; `changed` hears that something was stored or deleted
 */
export async function wireHistory(given) {
  hooks = given;
  place('compare').addEventListener('click', () => attempt(compareTicked));
  place('to-history').addEventListener('click', () => {
    place('history').open = true;
    place('history').querySelector('summary').focus();
  });
  await refresh();
  place('kept').hidden = false;
}

/** Keeps a result and lists it. */
export async function keepResult(entry, json) {
  await attempt(async () => {
    await history.keep(entry, json);
    await changed();
  }, 'The result could not be kept on this device');
}

/** Lists a file that was opened, so that it can be compared. */
export async function addFile(entry, json) {
  files = [{ ...entry, json, bytes: new Blob([json]).size }, ...files];
  await refresh();
}

/** Deletes all that is kept. */
export async function deleteAll() {
  await history.removeAll();
  await refresh();
}

/** What is kept: how many results, and their bytes. */
export async function keptSize() {
  const entries = await history.list();
  return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Lists anew. */
export async function refresh() {
  ticked = [];
  await attempt(async () => {
    const entries = [...files, ...(await history.list())];
    place('history-list').replaceChildren(...entries.map(row));
    place('history-count').textContent = entries.length === 0 ? '' : `(${entries.length})`;
    place('history-empty').hidden = entries.length > 0;
    place('compare').hidden = entries.length < 2;
  }, 'The results kept here cannot be read');
  showCompare();
}

async function changed() {
  await refresh();
  hooks?.changed();
}

async function attempt(work, what = 'That did not work') {
  try {
    say('');
    await work();
  } catch (error) {
    say(`${what}: ${messageOf(error)}.`);
  }
}

async function jsonOf(entry) {
  return entry.json ?? (await history.load(entry.id));
}

async function compareTicked() {
  const [base, other] = ticked;
  hooks.compare([await jsonOf(base), sideName(base, other)], [await jsonOf(other), sideName(other, base)]);
}

/** A side's name: its own, with its browser, and its date where two are alike. */
function sideName(entry, other) {
  const name = ({ name, browser }) => `${name}, ${browser}`;
  return name(entry) === name(other) ? `${name(entry)}, ${when(entry.started)}` : name(entry);
}

function tick(entry, box) {
  ticked = box.checked ? [...ticked, entry] : ticked.filter((other) => other !== entry);
  showCompare();
}

function showCompare() {
  place('compare').disabled = ticked.length !== 2;
  place('compare').textContent = ticked.length === 2 ? 'Compare the two' : 'Compare two';
  for (const box of place('history-list').querySelectorAll('.tick input')) box.disabled = ticked.length === 2 && !box.checked;
}

function row(entry) {
  const name = made('span', 'entry-name', entry.name);
  const of = entry.json === undefined ? when(entry.started) : `File, ${when(entry.started)}`;
  const details = made('details', 'entry', [
    made('summary', '', made('span', 'entry-words', [name, made('span', 'entry-when', `${of}, ${entry.browser}`)])),
    made('p', 'entry-sentence', entry.sentence),
    made('p', 'hint', `${formatBytes(entry.bytes)}.`),
    ...(entry.id === undefined ? [] : [naming(entry, name)]),
    made('div', 'buttons', [button('Show', () => show(entry)), button('Delete', () => forget(entry), `Delete ${entry.name}`)]),
  ]);
  const box = Object.assign(made('input'), { type: 'checkbox' });
  box.addEventListener('change', () => tick(entry, box));
  return made('li', '', [details, made('label', 'tick', [box, made('span', 'visually-hidden', `Compare ${entry.name}`)])]);
}

async function show(entry) {
  await attempt(async () => {
    const from = entry.json === undefined ? 'Kept on this device' : 'From a file';
    hooks.show(await jsonOf(entry), `${from}: ${entry.name}, ${when(entry.started)}.`);
  });
}

async function forget(entry) {
  await attempt(async () => {
    if (entry.id === undefined) files = files.filter((file) => file !== entry);
    else await history.remove(entry.id);
    await changed();
    say(`Deleted ${entry.name}.`);
    place('history').querySelector('summary').focus();
  });
}

function naming(entry, shown) {
  const input = Object.assign(made('input'), { type: 'text', value: entry.name, maxLength: 60, autocomplete: 'off' });
  input.addEventListener('change', () =>
    attempt(async () => {
      const name = input.value.trim();
      if (name === '') {
        input.value = entry.name;
        return;
      }
      await history.rename(entry.id, name);
      entry.name = name;
      shown.textContent = name;
      say(`Named ${name}.`);
    }),
  );
  return made('label', 'field', [made('span', '', 'Name'), input]);
}

/** A moment as the person's own language writes it. A file may hold anything. */
function when(started) {
  const date = new Date(started);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

function button(words, onClick, label) {
  const element = made('button', '', words);
  element.type = 'button';
  if (label) element.setAttribute('aria-label', label);
  element.addEventListener('click', onClick);
  return element;
}

function made(name, className = '', content = []) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...[content].flat());
  return element;
}

function say(text) {
  place('history-status').textContent = text;
}
