// One run from Start to its end, with what must hold meanwhile: leaving the page is warned of and stops the run, and a crash
// of the Wasm module, after which its promises never settle, ends the run instead of leaving the page waiting.

import { State } from './state.js';
import { keepScreenOn } from './wakelock.js';

// Stopping takes under a second; a browser that is deleting large files may need several.
const STOP_DEADLINE_MS = 30_000;

const RELOAD = 'Reload the page: what the run left behind is removed then.';

/** A run under way. */
export class Run {
  #bench;
  #stopDeadline;
  #giveUp;
  #givenUp = new Promise((_, reject) => {
    this.#giveUp = (message) => reject(new Error(message));
  });

  /** @param bench a Bench of the Wasm module that has not run yet */
  constructor(bench) {
    this.#bench = bench;
  }

  /**
   * Runs to the end. Never rejects.
   *
   * @param {string} workerUrl the script of the benchmark's worker
   * @param {(event: object) => void} onEvent hears "progress" and "group" events
   * @returns {Promise<{state: string, error: string | null, result: string | undefined}>} how it ended, and the result's JSON
   */
  async finish(workerUrl, onEvent) {
    let end = { state: State.FAILED, error: 'The run ended without saying how.' };
    const hear = (event) => {
      if (event.kind === 'end') end = { state: event.state, error: event.error ?? null };
      else onEvent(event);
    };
    const release = this.#guard();
    const letScreenSleep = keepScreenOn();
    try {
      await Promise.race([this.#bench.run(workerUrl, hear), this.#givenUp]);
      const result = this.#bench.result();
      this.#bench.free();
      return { ...end, result };
    } catch (error) {
      return { state: State.FAILED, error: messageOf(error), result: undefined };
    } finally {
      release();
      letScreenSleep();
    }
  }

  /** Asks the run to end. It ends when `finish` resolves. */
  stop() {
    this.#bench.stop();
    this.#stopDeadline ??= setTimeout(() => {
      this.#giveUp(`The run did not stop within ${STOP_DEADLINE_MS / 1000} s. ${RELOAD}`);
    }, STOP_DEADLINE_MS);
  }

  /** A program outside asked how far the run is. */
  polled() {
    this.#bench.polled();
  }

  #guard() {
    const watchForCrash = (thrown) => {
      if (thrown instanceof WebAssembly.RuntimeError) {
        this.#giveUp(`The benchmark crashed (${thrown.message}). ${RELOAD}`);
      }
    };
    const guards = {
      pagehide: () => this.stop(),
      beforeunload: (event) => event.preventDefault(),
      error: (event) => watchForCrash(event.error),
      unhandledrejection: (event) => watchForCrash(event.reason),
    };
    for (const [name, guard] of Object.entries(guards)) addEventListener(name, guard);
    return () => {
      clearTimeout(this.#stopDeadline);
      for (const [name, guard] of Object.entries(guards)) removeEventListener(name, guard);
    };
  }
}

/** The words of anything that was thrown. */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
