// Keeps the screen on while a run is under way, where the browser can: a device that goes to sleep measures nothing.

/**
 * Holds the screen until the returned function is called. The browser lets go of it whenever the page is hidden, and may refuse on a low
 * battery; the page says anyway what a person can do.
 */
export function keepScreenOn() {
  let held = null;
  let ended = false;
  const hold = async () => {
    if (document.visibilityState !== 'visible') return;
    try {
      const lock = await navigator.wakeLock.request('screen');
      if (ended) await lock.release();
      else held = lock;
    } catch {
      // Old browsers have none.
    }
  };
  document.addEventListener('visibilitychange', hold);
  hold();
  return () => {
    ended = true;
    document.removeEventListener('visibilitychange', hold);
    held?.release().catch(() => {});
  };
}
