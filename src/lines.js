// Lines: how several methods speak with one worker over its own channel, beside the requests.
//
// A page asks its worker by `worker.postMessage()`, so that is what a method must take its time by. A `MessagePort` would keep the methods
// apart as well, but in Firefox its messages go by way of another process: an answer of 4 KiB takes 2.4 times as long by it, one of 64 KiB 4 times.

/**
 * Shares the channel of a worker, at either end of it, between requests, which `hear` gets as events, and lines. Returns a function that opens
 * the line of a number. A line looks like a port: what is posted into it, the line of the same number hears at the other end.
 */
export function share(end, hear) {
  const lines = new Map();
  end.onmessage = (event) => {
    const number = event.data?.[0];
    // Requests are text, or begin with it. What comes for a line that is closed is an answer that nobody waits for any more.
    if (typeof number === 'number') lines.get(number)?.onmessage?.({ data: event.data[1] });
    else hear(event);
  };
  return (number) => {
    const line = {
      onmessage: null,
      postMessage: (data, transfer) => end.postMessage([number, data], transfer),
      close: () => lines.delete(number),
    };
    lines.set(number, line);
    return line;
  };
}
