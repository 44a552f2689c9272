// Wires the page: first checks, Wasm module, buttons, runs, results. What is shown is view.js's to say, what follows what state.js's.

import { offerAutomation } from './automation.js';
import { fileStem, showExports, wireExports } from './exports.js';
import { listenForFiles } from './files.js';
import { addFile, deleteAll, keepResult, keptSize, wireHistory } from './history-view.js';
import { hideOptions, showChanges, showMistakes, showOptions, wireOptions } from './options.js';
import { checkNotEmpty, servedFiles, showOwnFiles, showOwnProblem, wireOwnFiles } from './own-files.js';
import { changed, queryOf, readParameters } from './parameters.js';
import { place } from './place.js';
import { messageOf, Run } from './run.js';
import { sendUnlessDeclined, showSending, wireSending } from './sending.js';
import { enter, isBusy, isIdle, State, state } from './state.js';
import { showStored, wireStored } from './stored.js';
import { formatBytes } from './units.js';
import * as view from './view.js';

const WORKER_URL = new URL('worker.js', import.meta.url).href;
const SWEEP_DEADLINE_MS = 10_000;
// A server takes results up to 16 MiB.
const LARGEST_FILE = 64 * 1024 * 1024;

/** The Wasm module's functions, once it is loaded. */
let wasm;
/** What the address and the person ask for. */
let choice;
/** What the next run measures: `{toml, seed, changes, plan}`. */
let job;
/** A person's own files, which it measures in place of made-up ones. */
let own;
/** The run under way. */
let run = null;
/** The last run: `{name, json, report}`; the last two as far as it got. */
let last = null;
/** What is shown, in the same form: the last run, or one of the history, of a file or of a link. */
let shown = null;
/** Resolves when the last result is kept; the next run waits for it, since the storage must be at rest. */
let keeping = Promise.resolve();
let progress = { fraction: 0, doing: '', secondsLeft: 0 };
let error = null;

offerAutomation({
  progress: () => progress,
  error: () => error ?? (window.opfsBenchChecks.failures().join('\n') || null),
  polled: () => run?.polled(),
  setJob(toml, seed) {
    setJob(toml, seed);
    hideOptions();
  },
  setFixture: async (token) => measureFiles(await servedFiles(token)),
  json: () => last?.json,
});
wireExports(() => shown, { csv: (json) => wasm.csv(json), code: (text) => wasm.qr(text) });
wireSending(() => shown.json);
listenForFiles(openFile, chooseFiles, (name) => showOwnProblem(`${name} is a folder: drop the files in it.`));
addEventListener('hashchange', showLinked);
place('start').addEventListener('click', () => start());
place('stop').addEventListener('click', stop);

// The module loads while the checks run; its failure is only worth telling where they pass.
const loading = load();
loading.then(
  () => {
    showLinked();
    showBetterAddress();
  },
  () => {},
);
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
  wasm = module;
}

async function prepare() {
  try {
    await loading;
  } catch (cause) {
    window.opfsBenchChecks.fail(
      'The benchmark itself',
      `Its Wasm module (pkg/opfs_bench.js) could not be loaded: ${messageOf(cause)}.`,
      'Reload the page. In a checkout, build it first: cargo xtask serve does.',
    );
    return;
  }
  const swept = sweep();
  const presets = wasm.presets();
  const { parameters, problems } = readParameters(location.search, presets, wasm.changeable());
  wireOptions(
    presets,
    (preset) => rechoose({ preset, changes: {} }),
    (changes) => rechoose({ changes }),
  );
  try {
    choose(parameters);
  } catch (cause) {
    problems.push(...messageOf(cause).split('\n'), 'This page is set to the preset’s own values.');
    choose(changed(parameters, { changes: {} }));
  }
  showOptions(choice.preset, job.plan);
  wireOwnFiles(chooseFiles, () => measureFiles(undefined));
  if (parameters.job) problems.push(...(await takeServersJob(parameters.seed)));
  if (parameters.fixture) problems.push(...(await takeServersFiles()));
  const notes = await swept;
  // The deadline of the checks may have passed meanwhile.
  if (state() !== State.CHECKING) return;
  if (parameters.start && problems.length > 0) {
    // A program would take a run of the standard for the one that it asked for.
    view.showNotes(notes);
    fail('The run was not started', problems.join('\n'));
    window.opfsBenchServer.sendFailure(problems.join('\n'));
    return;
  }
  const told = [...problems, ...notes, ...window.opfsBenchChecks.lacking()];
  view.showNotes(told);
  enter(State.READY);
  view.showPhase('');
  await wireHistory({ show: showResult, compare, changed: () => showStored(keptSize) });
  wireStored(keptSize, deleteAll, () => wasm.sweep());
  if (parameters.start) runByItself();
  else await showConditions(told);
}

/** What would make a run doubtful that began now. It takes some frames to find out, for which nobody has to wait. */
async function showConditions(told) {
  const conditions = await wasm.conditions();
  if (state() === State.READY) view.showNotes([...conditions, ...told]);
}

/** Takes a choice over, with all that follows from it. Throws an Error with all mistakes, and is then what it was. */
function choose(next) {
  setJob(wasm.preset(next.preset), next.seed, next.changes);
  choice = changed(next, { changes: Object.fromEntries(job.plan.changes) });
}

/** The same for what a person changed; the address then says so too. */
function rechoose(replaced) {
  const next = changed(choice, { ...replaced, job: false, fixture: false, start: false });
  try {
    choose(next);
    // Fields that somebody is going through must stay.
    if (replaced.preset !== undefined) showOptions(choice.preset, job.plan);
    showMistakes('');
    showChanges(job.plan.told);
    history.replaceState(null, '', `${location.pathname}${queryOf(choice)}${location.hash}`);
  } catch (cause) {
    showMistakes(messageOf(cause));
  }
}

/** Has the files measured that the server offers. Returns what stands in the way. */
async function takeServersFiles() {
  const { token } = window.opfsBenchServer;
  if (token === null) return ['The files to measure cannot be asked for: the address lacks the token of its server.'];
  try {
    measureFiles(await servedFiles(token));
    return [];
  } catch (cause) {
    return [`The files cannot be measured: ${messageOf(cause)}`];
  }
}

/** Takes the files that a person chose or dropped, and says what is wrong with them. */
function chooseFiles(files) {
  if (isBusy() || job === undefined) return;
  try {
    checkNotEmpty(files);
    measureFiles(files);
  } catch (cause) {
    showOwnProblem(messageOf(cause));
  }
}

/** Has these files measured, or made-up ones. Throws an Error with all mistakes, and it is then as it was. */
function measureFiles(files) {
  if (isBusy()) throw new Error(`the page is "${state()}"; files can be chosen when it is ready or a run has ended`);
  const before = own;
  own = files;
  try {
    setJob(job.toml, job.seed, job.changes);
  } catch (cause) {
    own = before;
    throw cause;
  }
  // What could not be measured with other files may be chosen still.
  if (!place('options').hidden) showOptions(choice.preset, job.plan);
}

/** Sets the job that the server wants measured. Returns what stands in the way. */
async function takeServersJob(seed) {
  try {
    const toml = await new Promise((resolve, reject) => {
      window.opfsBenchServer.getJob((refused, text) => (refused === null ? resolve(text) : reject(new Error(refused))));
    });
    setJob(toml, seed);
    hideOptions();
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
  // A result is sent as any other is.
  if (end !== undefined && end.result === undefined) window.opfsBenchServer.sendFailure(end.error);
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
function setJob(toml, seed, changes = {}) {
  const bench = makeBench({ toml, seed: seed ?? undefined, changes });
  job = { toml, seed: seed ?? undefined, changes, plan: bench.plan };
  bench.free();
  view.showJob(job, last !== null);
  showOwnFiles(job.plan);
}

function makeBench({ toml, seed, changes }) {
  const pairs = Object.entries(changes).map(([name, value]) => `${name}=${value}`);
  return new wasm.Bench(toml, seed, pairs, own);
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
    bench = makeBench(job);
  } catch (cause) {
    fail('The run could not start', messageOf(cause));
    return { error: messageOf(cause), result: undefined };
  }
  run = new Run(bench);
  last = null;
  shown = null;
  error = null;
  progress = { fraction: 0, doing: '', secondsLeft: plan.seconds };
  const started = new Date();
  enter(State.RUNNING);
  view.showNotes([]);
  view.showRunBegins(plan);
  showExports(undefined);
  showSending(undefined);
  view.showPhase('Measuring.');

  await keeping;
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
  present(last);
  view.moveFocusToEnd();
  view.showFailure(end.state === State.FAILED ? 'The run failed' : 'Something went wrong', report === undefined ? error : null);
  const kept = report === undefined ? '' : ' What was measured until then is shown below.';
  view.showPhase({ [State.FINISHED]: 'Finished.', [State.STOPPED]: `Stopped.${kept}`, [State.FAILED]: `Failed.${kept}` }[end.state]);
  if (end.result !== undefined) sendUnlessDeclined(end.result);
  // One that ended before anything was measured is not worth keeping.
  if (report !== undefined && report.groups !== '') keeping = keepResult(report, end.result);
}

/** Shows a result with what can be done with it. `origin` says where one comes from that is not of the last run. */
function present(result, origin) {
  shown = result;
  view.showReport(result.report, origin);
  showExports(result.json === undefined ? undefined : result);
  showSending(result.json);
}

/** Shows a result of the history, or of a file. Throws where it is none. */
function showResult(json, origin) {
  if (isBusy()) return;
  const report = wasm.render(json);
  const started = new Date(report.started);
  present({ name: fileStem(report.name, Number.isNaN(started.getTime()) ? new Date() : started), json, report }, origin);
  view.goToResult();
}

function compare([base, baseName], [other, otherName]) {
  if (!isBusy()) view.showComparison(wasm.renderComparison(base, other, 'A', 'B'), [baseName, otherName]);
}

/** A file that a person chose or dropped: a result, or a job. */
async function openFile(file) {
  if (isBusy() || wasm === undefined) return;
  const { name, size } = file;
  view.showFailure('', null);
  try {
    if (size > LARGEST_FILE) throw new Error(`it has ${formatBytes(size)}, and no result has more than ${formatBytes(LARGEST_FILE)}`);
    const text = await file.text();
    if (name.endsWith('.toml')) {
      setJob(text);
      hideOptions();
      return;
    }
    showResult(text, `From the file ${name}. Whoever wrote it may have changed it.`);
    await addFile({ ...shown.report, name }, text);
  } catch (cause) {
    view.showFailure(`${name} cannot be used`, messageOf(cause));
  }
}

/** Shows what the address's fragment brings, if it is a result. */
function showLinked() {
  const [, content] = /[#&]result=([^&]*)/.exec(location.hash) ?? [];
  if (content === undefined || wasm === undefined || isBusy()) return;
  try {
    present({ report: wasm.renderLink(content) });
    view.goToResult();
  } catch (cause) {
    view.showFailure('The result in this link cannot be shown', messageOf(cause));
  }
}

/** On an insecure address: the one to use, for a camera too. */
function showBetterAddress() {
  const address = window.opfsBenchChecks.betterAddress();
  if (address !== null) view.showBetterAddress(wasm.qr(address));
}
