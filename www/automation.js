// The page's interface for programs: tests and the command drive a run through it, over WebDriver or by hand in a console.

import { isIdle, state } from './state.js';

/**
 * Defines `window.opfsBench`:
 * - `poll()`: `{state, fraction, doing, secondsLeft, error}`. Call it rarely; each call during a run is recorded in the result.
 * - `setJob(toml, seed)`: what the next run measures. Throws an Error that lists all mistakes of the job.
 * - `setFixture(token)`: has it measure the files that its server offers. A promise, rejected where they cannot be measured.
 * - `resultLength()`: the length of the last run's JSON in UTF-16 units, 0 without a result.
 * - `resultSlice(from, to)`: a part of it, since drivers limit the size of an answer.
 *
 * @param {{progress: () => object, error: () => string | null, polled: () => void,
 *   setJob: (toml: string, seed?: string) => void, setFixture: (token: string) => Promise<void>, json: () => string | undefined}} page
 */
export function offerAutomation(page) {
  window.opfsBench = Object.freeze({
    poll() {
      page.polled();
      return { state: state(), ...page.progress(), error: page.error() };
    },
    setJob(toml, seed) {
      if (!isIdle()) throw new Error(`the page is "${state()}"; a job can be set when it is ready or a run has ended`);
      page.setJob(toml, seed);
    },
    async setFixture(token) {
      await page.setFixture(token);
    },
    resultLength() {
      return page.json()?.length ?? 0;
    },
    resultSlice(from, to) {
      return page.json()?.slice(from, to) ?? '';
    },
  });
}
