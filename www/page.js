// Wires the page: first checks, Wasm module, buttons, runs, results. What is shown is view.js's to say, what follows what state.js's.

import { offerAutomation } from './automation.js';
import { fileStem, resetExports, wireExports } from './exports.js';
import { readParameters } from './parameters.js';
import { messageOf, Run } from './run.js';
import { enter, isIdle, State, state } from './state.js';
import * as view from './view.js';

const WORKER_URL = new URL('worker.js', import.meta.url).href;
const SWEEP_DEADLINE_MS = 10_000;

/** The Wasm module's functions, once it is loaded. */
let wasm;
/** What the next run measures: `{toml, seed, plan}`. */
let job;
/** The run under way. */
let run = null;
/** The last run: `{name, json, report}`; the last two as far as it got. */
let last = null;
let progress = { fraction: 0, doing: '', secondsLeft: 0 };
let error = null;

offerAutomation({
  progress: () => progress,
  error: () => error ?? (window.opfsBenchChecks.failures().join('\n') || null),
  polled: () => run?.polled(),
  setJob,
  json: () => last?.json,
});
wireExports(() => last);
document.getElementById('start').addEventListener('click', () => start());
document.getElementById('stop').addEventListener('click', stop);

// The module loads while the checks run; its failure is only worth telling where they pass.
const loading = load();
loading.catch(() => {});
window.opfsBenchChecks.whenPassed(async () => {
  try {
    await prepare();
  } catch (cause) {
    window.opfsBenchChecks.fail('The benchmark itself', `It could not be prepared: ${messageOf(cause)}.`, 'Reload the page.');
  }
});

async function load() {
  const module = await import('./pkg/opfs_bench.js');
  await module.default();
  return module;
}

async function prepare() {
  try {
    wasm = await loading;
  } catch (cause) {
    window.opfsBenchChecks.fail(
      'The benchmark itself',
      `Its Wasm module (pkg/opfs_bench.js) could not be loaded: ${messageOf(cause)}.`,
      'Reload the page. In a checkout, build it first: cargo xtask serve does.',
    );
    return;
  }
  const notes = await sweep();
  const parameters = readParameters(location.search, wasm.presets());
  // The deadline of the checks may have passed meanwhile.
  if (state() !== State.CHECKING) return;
  setJob(wasm.preset(parameters.preset), parameters.seed);
  const problems = [...parameters.problems, ...(parameters.job ? await takeServersJob(parameters.seed) : [])];
  if (parameters.start && problems.length > 0) {
    // A program would take a run of the standard for the one that it asked for.
    view.showNotes(notes);
    fail('The run was not started', problems.join('\n'));
    window.opfsBenchServer.sendFailure(problems.join('\n'));
    return;
  }
  view.showNotes([...problems, ...notes, ...window.opfsBenchChecks.lacking()]);
  enter(State.READY);
  view.showPhase('');
  if (parameters.start) runByItself();
}

/** Sets the job that the server wants measured. Returns what stands in the way. */
async function takeServersJob(seed) {
  try {
    const toml = await new Promise((resolve, reject) => {
      window.opfsBenchServer.getJob((refused, text) => (refused === null ? resolve(text) : reject(new Error(refused))));
    });
    setJob(toml, seed);
    return [];
  } catch (cause) {
    return [`The server's job cannot be run: ${messageOf(cause)}`];
  }
}

/** Runs the job, and sends what came of it to the program that waits for it, where there is one. */
async function runByItself() {
  let end;
  try {
    end = await start();
  } catch (cause) {
    // Without a word the program would wait for as long as a run may take.
    window.opfsBenchServer.sendFailure(messageOf(cause));
    throw cause;
  }
  if (!window.opfsBenchServer.listens || end === undefined) return;
  if (end.result === undefined) {
    window.opfsBenchServer.sendFailure(end.error);
    return;
  }
  window.opfsBenchServer.sendResult(end.result, (refused, name) => {
    if (refused === null) view.showNotes([`The computer that serves this page has saved the result as ${name}.`]);
    else view.showFailure('The result could not be sent', refused);
  });
}

/** Removes what a killed run left, and says so. */
async function sweep() {
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${SWEEP_DEADLINE_MS / 1000} s`)), SWEEP_DEADLINE_MS);
  });
  try {
    const removed = await Promise.race([wasm.sweep(), deadline]);
    if (removed === 0) return [];
    return [`Removed what an earlier visit that was cut short had left here (${removed} ${removed === 1 ? 'entry' : 'entries'}).`];
  } catch (cause) {
    return [`Could not remove what an earlier visit that was cut short may have left here: ${messageOf(cause)}.`];
  } finally {
    clearTimeout(timer);
  }
}

/** Throws an Error with all mistakes where the job or the seed is bad; the job is then what it was. */
function setJob(toml, seed) {
  const bench = new wasm.Bench(toml, seed ?? undefined);
  job = { toml, seed: seed ?? undefined, plan: bench.plan };
  bench.free();
  view.showJob(job, last !== null);
}

function fail(title, message) {
  error = message;
  enter(State.FAILED);
  view.showFailure(title, message);
  view.showPhase('');
}

/** Runs the job. Returns how it ended, or nothing where it did not begin. */
async function start() {
  if (!isIdle()) return undefined;
  const { plan } = job;
  let bench;
  try {
    bench = new wasm.Bench(job.toml, job.seed);
  } catch (cause) {
    fail('The run could not start', messageOf(cause));
    return { error: messageOf(cause), result: undefined };
  }
  run = new Run(bench);
  last = null;
  error = null;
  progress = { fraction: 0, doing: '', secondsLeft: plan.seconds };
  const started = new Date();
  enter(State.RUNNING);
  resetExports();
  view.showNotes([]);
  view.showRunBegins(plan);
  view.showPhase('Measuring.');

  const end = await run.finish(WORKER_URL, (event) => hear(event, plan));
  run = null;
  conclude(end, fileStem(plan.name, started));
  return end;
}

function hear(event, plan) {
  if (event.kind === 'progress') {
    progress = { fraction: event.fraction, doing: event.doing, secondsLeft: event.secondsLeft };
    view.showProgress(progress);
  } else if (event.kind === 'group') {
    view.showGroup(event);
    if (state() === State.RUNNING) view.showPhase(`Measuring. Finished: ${plan.groups[event.index].title}.`);
  }
}

function stop() {
  if (state() !== State.RUNNING) return;
  enter(State.STOPPING);
  view.showStopping();
  view.showPhase('Stopping and removing the files.');
  run.stop();
}

/** Shows how a run ended and what there is of its result, in whichever state. */
function conclude(end, name) {
  error = end.error;
  let report;
  if (end.result !== undefined) {
    try {
      report = wasm.render(end.result);
    } catch (cause) {
      error = [error, `The result cannot be shown: ${messageOf(cause)}`].filter(Boolean).join('\n');
    }
  }
  // A run that failed before anything was measured has nothing to show but its error; a report tells of it among its doubts.
  if (end.state === State.FAILED && report?.groups === '') report = undefined;
  last = { name, json: end.result, report };
  progress = { fraction: end.state === State.FINISHED ? 1 : progress.fraction, doing: '', secondsLeft: 0 };
  enter(end.state);
  view.showJob(job, true);
  view.showResult(last);
  view.showFailure(end.state === State.FAILED ? 'The run failed' : 'Something went wrong', report === undefined ? error : null);
  const kept = report === undefined ? '' : ' What was measured until then is shown below.';
  view.showPhase({ [State.FINISHED]: 'Finished.', [State.STOPPED]: `Stopped.${kept}`, [State.FAILED]: `Failed.${kept}` }[end.state]);
}
