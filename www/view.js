// What is on the screen apart from the checks. Only functions that write to the document; none of them decides anything.
//
// HTML comes from the Wasm module's report alone, which escapes whatever a job or a browser put into it. All else is text.

import { place } from './place.js';
import { State, state } from './state.js';
import { formatBytes, formatSeconds } from './units.js';

/** What the next run measures, writes and takes. */
export function showJob({ plan, seed }, again) {
  place('job').textContent = seed === undefined ? plan.title : `${plan.title}. Seed ${seed}.`;
  place('start-word').textContent = again ? 'Start again' : 'Start';
  place('start-cost').textContent = `writes ${formatBytes(plan.bytesWritten)}, takes about ${formatSeconds(plan.seconds)}`;
  place('start').disabled = false;
}

/** Remarks that stand in nobody's way: sentences, or `{heading, sentence}` where one should be read first. */
export function showNotes(notes) {
  place('notes').replaceChildren(...notes.map(noteElement));
  place('notes').hidden = notes.length === 0;
}

function noteElement(note) {
  if (typeof note === 'string') return textElement('li', note);
  const item = document.createElement('li');
  item.className = 'condition';
  item.append(textElement('strong', `${note.heading}.`), ` ${note.sentence}`);
  return item;
}

/** Why a run failed or could not start; null takes the message away. */
export function showFailure(title, error) {
  const card = place('failure');
  card.hidden = error === null;
  if (error === null) {
    card.replaceChildren();
    return;
  }
  // Only fixed-width type keeps a pointer under its place in a line of TOML; all else comes as sentences, a line each.
  const drawn = /^\s*\|/m.test(error);
  const words = drawn ? [textElement('pre', error)] : error.split('\n').map((line) => textElement('p', sentence(line)));
  card.replaceChildren(textElement('h2', title), ...words);
}

/** The phase, also for those who do not see the screen. */
export function showPhase(text) {
  place('status').textContent = text;
}

/** An empty screen for a run that begins: one place per group, to be filled as groups finish. */
export function showRunBegins(plan) {
  showFailure('', null);
  showProgress({ fraction: 0, doing: 'Preparing', secondsLeft: plan.seconds });
  place('stop').textContent = 'Stop';
  for (const id of ['doubts', 'answer', 'environment']) place(id).replaceChildren();
  for (const id of ['origin', 'comparison']) place(id).hidden = true;
  place('groups').replaceChildren(
    ...plan.groups.map(({ title }) => {
      const waiting = document.createElement('div');
      waiting.className = 'group-waiting';
      waiting.append(textElement('p', title));
      return waiting;
    }),
  );
  place('result').hidden = false;
  moveFocus('start', 'stop');
}

/** How far the run is. */
export function showProgress({ fraction, doing, secondsLeft }) {
  place('progress').value = fraction;
  place('percent').textContent = `${Math.floor(fraction * 100)} %`;
  place('doing').textContent = doing;
  place('time-left').textContent = `about ${formatSeconds(secondsLeft)} left`;
}

/** A group that has finished, in its place. One that is measured again replaces its first attempt. */
export function showGroup({ index, html }) {
  const finished = document.createElement('div');
  finished.innerHTML = html;
  place('groups').children[index].replaceWith(finished);
}

/** A run that was asked to stop. The button stays enabled: disabling it would take the keyboard's focus away. */
export function showStopping() {
  place('stop').textContent = 'Stopping …';
}

/** All of a result, or nothing where there is none. `origin` says where one comes from that is not of the last run. */
export function showReport(report, origin) {
  for (const id of ['doubts', 'answer', 'groups', 'environment']) place(id).innerHTML = report?.[id] ?? '';
  place('origin').textContent = origin ?? '';
  place('origin').hidden = origin === undefined;
  place('comparison').hidden = true;
  place('result').hidden = report === undefined;
}

/** After a run that ended. */
export function moveFocusToEnd() {
  moveFocus('stop', place('result').hidden ? 'start' : 'result');
}

/** Two results side by side, as A and B, and what those are: names are too long to stand at every number. */
export function showComparison(html, names) {
  place('comparison').innerHTML = html;
  const key = document.createElement('ul');
  key.className = 'sides';
  for (const [side, name] of names.entries()) {
    const item = document.createElement('li');
    item.append(textElement('strong', 'AB'[side]), ` ${name}`);
    key.append(item);
  }
  place('comparison').querySelector('.comparison-title').after(key);
  place('comparison').hidden = false;
  place('comparison').focus();
}

/** Goes where a result that a person asked for is shown. */
export function goToResult() {
  place('result').focus();
}

/** The address that a page on an insecure one should be opened at, as a code. */
export function showBetterAddress(svg) {
  const card = document.createElement('div');
  card.className = 'better-address';
  card.innerHTML = svg;
  card.append(textElement('p', 'The https address as a code, for another device’s camera.'));
  place('checks').querySelector('.card')?.after(card);
}

// The button under the focus disappears with the state that it belongs to; the keyboard must not fall back to the page's top.
function moveFocus(from, to) {
  if (document.activeElement === place(from)) {
    place(to).focus({ preventScroll: state() !== State.FINISHED });
  }
}

// Errors are written to stand inside a sentence; here they are one. A function's or a file's name at the start keeps its spelling.
function sentence(text) {
  const begun = /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}

function textElement(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
