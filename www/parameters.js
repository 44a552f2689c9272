// What the page's address asks for: ?preset=quick&seed=00c0ffee00c0ffee&start
// A program whose server has a job of its own asks for it: ?job&start

const KNOWN = ['preset', 'job', 'seed', 'start'];
const WITHOUT_VALUE = { job: 'its presence asks the server for a job', start: 'its presence starts a run' };
const DEFAULT_PRESET = 'quick';

/**
 * Reads the address's query. Never throws: what cannot be used is described in `problems`, and the standard takes its place.
 *
 * @param {string} query `location.search`
 * @param {string[]} presets the names that `preset` may have
 * @returns {{preset: string, job: boolean, seed: string | undefined, start: boolean, problems: string[]}}
 */
export function readParameters(query, presets) {
  const given = new URLSearchParams(query);
  const problems = [];
  for (const name of new Set(given.keys())) {
    if (!KNOWN.includes(name)) {
      problems.push(`The address has “${name}”, which is no parameter of this page. Parameters are ${list(KNOWN)}.`);
    } else if (given.getAll(name).length > 1) {
      problems.push(`The address has “${name}” more than once. The first one counts.`);
    }
  }

  let preset = given.get('preset') ?? DEFAULT_PRESET;
  if (!presets.includes(preset)) {
    problems.push(`There is no preset “${preset}”. Presets are ${list(presets)}. This page is set to ${DEFAULT_PRESET}.`);
    preset = DEFAULT_PRESET;
  }

  let seed = given.get('seed') ?? undefined;
  if (seed !== undefined && !/^[0-9a-f]{1,16}$/i.test(seed)) {
    problems.push(`“${seed}” is not a seed. A seed is 1 to 16 hexadecimal digits. Each run will draw its own.`);
    seed = undefined;
  }

  for (const [name, meaning] of Object.entries(WITHOUT_VALUE)) {
    const value = given.get(name);
    if (value) problems.push(`The address has “${name}=${value}”. The parameter ${name} takes no value: ${meaning}.`);
  }
  return { preset, job: given.has('job'), seed, start: given.has('start'), problems };
}

function list(names) {
  return names.join(', ');
}
