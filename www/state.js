// What the page is doing, in one place: the attribute data-state of the root element. The style sheet shows and hides by it,
// programs read it, and checks.js, which must run where modules do not, sets it to "checking" and "unable".

/** Every state of the page. */
export const State = Object.freeze({
  CHECKING: 'checking',
  UNABLE: 'unable',
  READY: 'ready',
  RUNNING: 'running',
  STOPPING: 'stopping',
  FINISHED: 'finished',
  STOPPED: 'stopped',
  FAILED: 'failed',
});

const ENDS = [State.FINISHED, State.STOPPED, State.FAILED];

// Which states may follow which. Stop can come too late, so a stopping run may still finish.
const NEXT = Object.freeze({
  [State.CHECKING]: [State.READY, State.FAILED],
  [State.UNABLE]: [],
  [State.READY]: [State.RUNNING, State.FAILED],
  [State.RUNNING]: [State.STOPPING, ...ENDS],
  [State.STOPPING]: ENDS,
  [State.FINISHED]: [State.RUNNING, State.FAILED],
  [State.STOPPED]: [State.RUNNING, State.FAILED],
  [State.FAILED]: [State.RUNNING, State.FAILED],
});

const root = document.documentElement;

/** The current state. */
export function state() {
  return root.dataset.state;
}

/** Whether no run is under way and one may be started. */
export function isIdle() {
  return state() === State.READY || ENDS.includes(state());
}

/** Whether a run is under way. */
export function isBusy() {
  return state() === State.RUNNING || state() === State.STOPPING;
}

/** Goes on to another state. Throws where the two do not follow each other: that is a mistake in the page. */
export function enter(next) {
  if (!NEXT[state()].includes(next)) {
    throw new Error(`the page cannot go from "${state()}" to "${next}"`);
  }
  root.dataset.state = next;
  // In the browser's timeline, for tools that read it: how long the page took to be ready, how long a run was.
  performance.mark(`opfs-bench ${next}`);
}
