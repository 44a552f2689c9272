// What the page's address asks for: ?preset=quick&bs=64KiB&budget_s=10&seed=00c0ffee00c0ffee&start
// A program whose server has a job of its own, or files, asks for them: ?job&fixture&start

const KNOWN = ['preset', 'job', 'fixture', 'seed', 'start'];
const WITHOUT_VALUE = {
  job: 'its presence asks the server for a job',
  fixture: 'its presence asks the server for files to measure',
  start: 'its presence starts a run',
};
const DEFAULT_PRESET = 'quick';

/**
 * What is asked for. Frozen: another choice is another object.
 *
 * @typedef {Readonly<{preset: string, job: boolean, fixture: boolean, seed: string | undefined, start: boolean,
 *   changes: Readonly<Record<string, string>>}>} Parameters `changes` are values that replace the preset's own, by name
 */

/**
 * Reads the address's query. Never throws: what cannot be used is described in `problems`, and the standard takes its place. Whether changes
 * fit the preset is for the job's check to say.
 *
 * @param {string} query `location.search`
 * @param {string[]} presets the names that `preset` may have
 * @param {string[]} changeable the names of what may be changed in a preset
 * @returns {{parameters: Parameters, problems: string[]}}
 */
export function readParameters(query, presets, changeable) {
  const given = new URLSearchParams(query);
  const problems = [];
  const known = [...KNOWN, ...changeable];
  for (const name of new Set(given.keys())) {
    if (!known.includes(name)) {
      problems.push(`The address has “${name}”, which is no parameter of this page. Parameters are ${list(known)}.`);
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
  const changes = Object.fromEntries(changeable.filter((name) => given.has(name)).map((name) => [name, given.get(name)]));
  const [job, fixture, start] = ['job', 'fixture', 'start'].map((name) => given.has(name));
  return { parameters: frozen({ preset, job, fixture, seed, start, changes }), problems };
}

/** The same parameters with some replaced. */
export function changed(parameters, replaced) {
  return frozen({ ...parameters, ...replaced });
}

/** The query that `readParameters` reads as these parameters: nothing for what is standard. */
export function queryOf({ preset, job, fixture, seed, start, changes }) {
  const query = new URLSearchParams(changes);
  if (preset !== DEFAULT_PRESET) query.set('preset', preset);
  if (seed !== undefined) query.set('seed', seed);
  const flags = Object.entries({ job, fixture, start }).filter(([, is]) => is);
  // Commas and slashes may stand in a query as they are, and methods are full of them.
  const values = query.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  const parts = [values, ...flags.map(([name]) => name)].filter(Boolean);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function frozen(parameters) {
  return Object.freeze({ ...parameters, changes: Object.freeze({ ...parameters.changes }) });
}

function list(names) {
  return names.join(', ');
}
