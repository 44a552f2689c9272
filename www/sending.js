// Sends a result to the computer that serves the page, where its address says that it takes results: by itself when a run ends, since whoever
// scanned the code on that computer's screen expects it there, unless told not to; and by a button.

import { place } from './place.js';

const server = window.opfsBenchServer;

/**
 * Wires the button, and shows before a run that its result will be sent.
 *
 * @param {() => string} current the JSON of the result that is shown
 */
export function wireSending(current) {
  place('sends').hidden = !server.listens;
  place('send-now').addEventListener('click', () => send(current()));
}

/** Shows the button where there is a result and somebody to take it. */
export function showSending(json) {
  place('send-status').textContent = '';
  place('send-now').hidden = false;
  place('sending').hidden = json === undefined || !server.listens;
}

/** Sends the result of a run that has ended, unless the person said no. */
export function sendUnlessDeclined(json) {
  if (server.listens && place('send').checked) send(json);
}

function send(json) {
  const status = place('send-status');
  place('send-now').hidden = true;
  status.textContent = 'Sending the result to the computer …';
  server.sendResult(json, (refused, name) => {
    if (refused === null) {
      status.textContent = `The computer that serves this page has saved the result as ${name}.`;
      return;
    }
    status.textContent = `The result could not be sent: ${refused}${/[.?!]$/.test(refused) ? '' : '.'} It is still here: try again.`;
    place('send-now').hidden = false;
  });
}
