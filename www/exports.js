// What a person can take away: the result as Markdown on the clipboard, as JSON, and as an HTML page of its own.

const place = (id) => document.getElementById(id);

// Long enough for a browser that asks where to save the file.
const REVOKE_AFTER_MS = 60_000;

/**
 * Wires the three buttons.
 *
 * @param {() => {name: string, json: string, report: {markdown: string, page: string}}} current what is shown now;
 *   `name` is the stem of file names
 */
export function wireExports(current) {
  place('copy-markdown').addEventListener('click', () => copy(current().report.markdown));
  place('download-json').addEventListener('click', () => {
    const { name, json } = current();
    download(`${name}.json`, 'application/json', json);
  });
  place('download-html').addEventListener('click', () => {
    const { name, report } = current();
    download(`${name}.html`, 'text/html', report.page);
  });
}

/** Forgets what was said of an earlier result. */
export function resetExports() {
  say('');
  place('copy-text').hidden = true;
  place('copy-text').value = '';
}

/** The stem of a result's file names: opfs-bench-quick-2026-08-01T12-30-00Z. Colons are not allowed in Windows' names. */
export function fileStem(jobName, started) {
  return `opfs-bench-${jobName}-${started.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}`;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    // Some browsers and embedded pages refuse the clipboard: then a person copies it.
    const field = place('copy-text');
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
