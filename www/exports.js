// What a person can take away: the result as text, Markdown or JSON on the clipboard, as files, by the share sheet, and as a link.

import { place } from './place.js';

// Long enough for a browser that asks where to save the file.
const REVOKE_AFTER_MS = 60_000;
// The file of the share sheet: browsers let HTML through, and few of them JSON.
const SHARED_TYPE = 'text/html';

/**
 * @typedef {{name: string, json: string, report: {text: string, markdown: string, page: string, sentence: string, link?: string}}} Result
 *   `name` is the stem of file names
 */

/**
 * Wires the buttons.
 *
 * @param {() => Result} current what is shown now
 * @param {{csv: (json: string) => string, code: (text: string) => string}} make a result's samples as CSV, and a text as a code for cameras, in
 *   SVG; `code` throws where the text is too long
 */
export function wireExports(current, make) {
  const copies = {
    'copy-text': (result) => result.report.text,
    'copy-markdown': (result) => result.report.markdown,
    'copy-json': (result) => result.json,
  };
  for (const [id, text] of Object.entries(copies)) place(id).addEventListener('click', () => copy(text(current())));
  place('copy-link').addEventListener('click', () => copy(addressOf(current())));
  place('download-json').addEventListener('click', () => download(`${current().name}.json`, 'application/json', current().json));
  place('download-html').addEventListener('click', () => download(`${current().name}.html`, SHARED_TYPE, current().report.page));
  place('download-csv').addEventListener('click', () => download(`${current().name}.csv`, 'text/csv', make.csv(current().json)));
  place('share').addEventListener('click', () => share(current()));
  place('show-link').addEventListener('click', () => toggleLink(current(), make.code));
}

/** Shows the buttons that there is something for. Forgets what was said of an earlier result. @param {Result | undefined} result */
export function showExports(result) {
  say('');
  place('copy-by-hand').hidden = true;
  place('copy-by-hand').value = '';
  closeLink();
  place('exports').hidden = result === undefined;
  if (result === undefined) return;
  for (const id of ['copy-text', 'copy-markdown', 'download-html', 'download-csv']) place(id).hidden = result.report === undefined;
  place('show-link').hidden = result.report?.link === undefined;
  place('share').hidden = result.report === undefined || !canShare(result);
}

/** The stem of a result's file names: opfs-bench-quick-2026-08-01T12-30-00Z. Colons are not allowed in Windows' names. */
export function fileStem(jobName, started) {
  return `opfs-bench-${jobName}-${started.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}`;
}

// The page's address without its query and its token: whoever gets the link gets no right to send anything.
function addressOf({ report }) {
  return `${location.origin}${location.pathname}#result=${report.link}`;
}

function toggleLink(result, drawCode) {
  if (!place('link').hidden) {
    closeLink();
    return;
  }
  try {
    place('code').innerHTML = drawCode(addressOf(result));
  } catch {
    place('code').replaceChildren();
  }
  place('link-reach').hidden = !['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  place('link').hidden = false;
  place('show-link').setAttribute('aria-expanded', 'true');
}

function closeLink() {
  place('link').hidden = true;
  place('code').replaceChildren();
  place('show-link').setAttribute('aria-expanded', 'false');
}

function shared({ name, report }) {
  return { title: 'opfs-bench', text: report.sentence, files: [new File([report.page], `${name}.html`, { type: SHARED_TYPE })] };
}

function canShare(result) {
  return typeof navigator.canShare === 'function' && navigator.canShare(shared(result));
}

async function share(result) {
  try {
    await navigator.share(shared(result));
  } catch (error) {
    // Whoever closes the sheet has said enough.
    if (error.name !== 'AbortError') say(`It could not be shared: ${error.message}`);
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    // Some browsers and embedded pages refuse the clipboard: then a person copies it.
    const field = place('copy-by-hand');
    field.value = text;
    field.hidden = false;
    field.focus();
    field.select();
    say('The browser refused to copy. The text is selected below: copy it by hand.');
  }
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_AFTER_MS);
  say(`Saved as ${name}.`);
}

function say(text) {
  place('export-status').textContent = text;
}
