// The worker's start: takes the module that the page compiled, so that it is compiled once, and hands over to Rust.
import init, { serveWorker } from './pkg/opfs_bench.js';

self.onmessage = async ({ data }) => {
  self.onmessage = null;
  try {
    await init({ module_or_path: data });
    serveWorker();
  } catch (error) {
    // An error that is thrown in a task of its own reaches the page as the worker's `error` event.
    setTimeout(() => {
      throw error;
    });
  }
};
