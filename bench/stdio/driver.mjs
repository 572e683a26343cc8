/** Keeps a server busy with a number of calls in flight, and compares every answer with the right one. */
import { within } from '../lib/line-server.mjs';
import { processorMs } from '../lib/processor-time.mjs';
import { quantile } from '../lib/statistics.mjs';

const newline = 10;
const patienceMs = 30_000;
/** Larger requests are written one by one: joining them would cost more than it saves. */
const joinedBytes = 65_536;

/** Returns `slice(ms)` for `alternate`, with `p90Ms`, the 90th percentile of the time from request to answer. */
export function createDriver(server, requests, inFlight) {
  const judge = createJudge(requests);
  const sentAt = new Float64Array(requests.length);
  /** The indexes of the requests in flight, oldest first. */
  const waiting = [];
  let next = 0;

  function send(count) {
    const now = performance.now();
    const pieces = [];
    for (let n = 0; n < count; n += 1) {
      sentAt[next] = now;
      waiting.push(next);
      pieces.push(requests[next].bytes);
      next = (next + 1) % requests.length;
    }
    if (pieces[0].length < joinedBytes) server.write(Buffer.concat(pieces));
    else for (const piece of pieces) server.write(piece);
  }

  function work(ms) {
    const { promise, resolve, reject } = withResolvers();
    const times = [];
    const started = performance.now();
    const receive = createSplitter((lines) => {
      const now = performance.now();
      for (const line of lines) {
        const place = judge(line, waiting);
        times.push(now - sentAt[place]);
      }
      if (now - started < ms) send(lines.length);
      else if (waiting.length === 0) resolve({ times, ms: now - started });
    });
    server.listen((chunk) => {
      try {
        receive(chunk);
      } catch (error) {
        reject(error);
      }
    });
    send(inFlight);
    return within(ms + patienceMs, Promise.race([promise, server.lost]), () => `${waiting.length} answers are missing`);
  }

  return async function slice(ms) {
    const before = processorMs(server.pid);
    const { times, ms: took } = await work(ms);
    const cpuMs = processorMs(server.pid) - before;
    return { count: times.length, ms: took, cpuMs, p90Ms: quantile(times, 0.9) };
  };
}

/**
 * Takes a line and the indexes in flight, removes the index it answers and returns it. The first answer to an id is
 * parsed and compared. Later answers with the same bytes are right. Most servers answer in order, so the oldest is tried first.
 */
function createJudge(requests) {
  const known = Array.from({ length: requests.length });
  return (line, waiting) => {
    if (known[waiting[0]]?.equals(line)) return waiting.shift();
    const { id, result } = JSON.parse(line.toString('utf8'));
    const at = waiting.indexOf(id - 1);
    const text = result?.content?.[0]?.text;
    if (at === -1 || result?.isError === true || text !== requests[id - 1].text) {
      throw new Error(`wrong answer: ${line.toString('utf8', 0, 500)}`);
    }
    known[id - 1] = Buffer.from(line);
    return waiting.splice(at, 1)[0];
  };
}

/** Calls `onLines` with the complete lines of each chunk. */
function createSplitter(onLines) {
  let held = [];
  return (chunk) => {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      lines.push(held.length === 0 ? piece : Buffer.concat([...held, piece]));
      held = [];
      start = end + 1;
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
    if (lines.length > 0) onLines(lines);
  };
}

/** As `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
