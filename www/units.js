// Sizes and durations as a person reads them: two digits or more, always with a unit.

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes, in the largest unit that gives at least 1: "33 MiB", "1.5 GiB". */
export function formatBytes(bytes) {
  let amount = bytes;
  let unit = 0;
  // 1023.6 KiB would round to 1024 KiB.
  while (Math.round(amount) >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${round(amount)} ${BYTE_UNITS[unit]}`;
}

/** Seconds of which nobody knows the fractions: "40 s", "2.5 min", "12 h". At least 1 s. */
export function formatSeconds(seconds) {
  if (seconds < 119.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 119.5 * 60) return `${round(seconds / 60)} min`;
  return `${round(seconds / 3600)} h`;
}

/** One decimal where the number is small and the decimal says something. */
function round(amount) {
  return amount < 9.95 ? Number(amount.toFixed(1)) : Math.round(amount);
}
