// The choice of what to measure: a preset, and folded away the few of its values that a person may change. What is allowed is the job's to say,
// in the Wasm module; here are only fields, and the mistakes beside them.

import { place } from './place.js';

/** Every changeable value: its label, and the keyboard that a phone shows for it. */
const FIELDS = Object.freeze({
  budget_s: { label: 'Time, in seconds', keyboard: 'decimal' },
  bs: { label: 'Block size', keyboard: 'text' },
  filesize: { label: 'File size', keyboard: 'text' },
  nrfiles: { label: 'Number of files', keyboard: 'numeric' },
  iodepth: { label: 'Reads in flight (iodepth)', keyboard: 'numeric' },
});

/** A person's own files are as many and as large as they are. */
const OF_MADE_UP_FILES = Object.freeze(['filesize', 'nrfiles']);

/**
 * Fills the list of presets and listens.
 *
 * @param {string[]} presets
 * @param {(preset: string) => void} onPreset one was chosen, or the same one anew
 * @param {(changes: Record<string, string>) => void} onChanges values were changed
 */
export function wireOptions(presets, onPreset, onChanges) {
  place('preset').replaceChildren(...presets.map((name) => new Option(name)));
  place('preset').addEventListener('change', () => onPreset(place('preset').value));
  place('parameter-form').addEventListener('submit', (event) => event.preventDefault());
  place('parameter-form').addEventListener('change', () => onChanges(read()));
  place('standard').addEventListener('click', () => {
    onPreset(place('preset').value);
    place('preset').focus();
  });
  place('options').hidden = false;
}

/** A job that is no preset has nothing to choose. */
export function hideOptions() {
  place('options').hidden = true;
  showChanges('');
}

/**
 * Shows a choice and nothing of mistakes.
 *
 * @param {string} preset
 * @param {{standard: [string, string][], changes: [string, string][], told: string, own: string}} plan
 */
export function showOptions(preset, { standard, changes, told, own: ownFiles }) {
  place('preset').value = preset;
  const now = Object.fromEntries(changes);
  const own = Object.fromEntries(standard);
  const hasUse = (name) => own[name] !== '' && !(ownFiles !== '' && OF_MADE_UP_FILES.includes(name));
  const fields = Object.entries(FIELDS).filter(([name]) => hasUse(name));
  place('fields').replaceChildren(...fields.map(([name, field]) => fieldOf(name, field, own[name], now[name] ?? '')));
  place('methods').replaceChildren(
    ...own.methods.split(',').map((method) => checkboxOf(method, (now.methods ?? own.methods).split(',').includes(method))),
  );
  showMistakes('');
  showChanges(told);
}

/** Says what is not the preset's own. */
export function showChanges(told) {
  place('changes').textContent = told === '' ? '' : `Not as the preset has it: ${told}.`;
  place('standard').hidden = told === '';
}

/** Mistakes, a line each, and which fields they are of. Nothing can be started meanwhile. */
export function showMistakes(text) {
  place('mistakes').hidden = text === '';
  place('mistakes').replaceChildren(
    ...text.split('\n').map((line) => {
      const told = document.createElement('p');
      told.textContent = line;
      return told;
    }),
  );
  for (const input of place('fields').querySelectorAll('input')) {
    const wrong = new RegExp(`(^|[ ,])${input.name}:`, 'm').test(text);
    input.toggleAttribute('aria-invalid', wrong);
    if (wrong) input.setAttribute('aria-describedby', 'mistakes');
    else input.removeAttribute('aria-describedby');
  }
  place('start').disabled = text !== '';
  if (text !== '') place('parameters').open = true;
}

function read() {
  const filled = [...place('fields').querySelectorAll('input')].filter(({ value }) => value.trim() !== '');
  const changes = Object.fromEntries(filled.map(({ name, value }) => [name, value.trim()]));
  const methods = [...place('methods').querySelectorAll('input')];
  const chosen = methods.filter(({ checked }) => checked);
  if (chosen.length < methods.length) changes.methods = chosen.map(({ value }) => value).join(',');
  return changes;
}

function fieldOf(name, { label, keyboard }, own, value) {
  const row = document.createElement('label');
  const words = document.createElement('span');
  words.textContent = label;
  const hint = document.createElement('small');
  hint.textContent = `preset: ${own}`;
  const input = Object.assign(document.createElement('input'), { name, value, type: 'text', inputMode: keyboard, autocomplete: 'off' });
  row.append(words, hint, input);
  return row;
}

function checkboxOf(method, checked) {
  const row = document.createElement('label');
  const input = Object.assign(document.createElement('input'), { type: 'checkbox', value: method, checked });
  row.append(input, method);
  return row;
}
