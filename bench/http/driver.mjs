/** Keeps a server busy over connections with one request in flight each, and compares every answer with the right one. */
import { connect } from 'node:net';
import { within } from '../lib/line-server.mjs';
import { processorMs } from '../lib/processor-time.mjs';
import { median, quantile } from '../lib/statistics.mjs';
import { messageIn, readResponse } from './response.mjs';

const patienceMs = 30_000;

/** The number of connections of every load. */
export const connections = 64;

/**
 * Returns `slice(ms)` for `alternate`, with `p90Ms` and `medianMs` of the time from request to answer, and
 * `driverMs`, the driver's own processor time. A request is `{ bytes, isRight(result) }`. Each slice opens new
 * connections, because servers close idle ones, and each connection answers once before the clock starts.
 */
export function createDriver(server, requests, count) {
  const judge = createJudge(requests);
  return async function slice(ms) {
    const run = { requests, judge, times: [], until: 0 };
    const open = Array.from({ length: count }, (_, n) => new Connection(server.port, run, n, count));
    const all = (work) =>
      within(ms + patienceMs, Promise.race([Promise.all(open.map(work)), server.lost]), () => 'answers are missing');
    try {
      await all((connection) => connection.work());
      run.times.length = 0;
      const before = processorMs(server.pid);
      const own = process.cpuUsage();
      const started = performance.now();
      run.until = started + ms;
      await all((connection) => connection.work());
      const took = performance.now() - started;
      const { user, system } = process.cpuUsage(own);
      const cpuMs = processorMs(server.pid) - before;
      const { times } = run;
      const driverMs = (user + system) / 1000;
      return { count: times.length, ms: took, cpuMs, p90Ms: quantile(times, 0.9), medianMs: median(times), driverMs };
    } finally {
      for (const connection of open) connection.close();
    }
  };
}

/** One connection: sends a request, reads its answer and sends the next, until the run ends. */
class Connection {
  #socket;
  #run;
  #place;
  #step;
  #sentAt = 0;
  #held;
  #done;
  #failed;

  constructor(port, run, place, step) {
    this.#run = run;
    this.#place = place % run.requests.length;
    this.#step = step;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#failed?.(error));
    this.#socket.on('close', () => this.#failed?.(new Error('the server has closed a connection')));
  }

  /** Sends at least one request, then more until the run ends. */
  work() {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#send();
    });
  }

  #send() {
    this.#sentAt = performance.now();
    this.#socket.write(this.#run.requests[this.#place].bytes);
  }

  #receive(chunk) {
    try {
      const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
      const response = readResponse(bytes);
      this.#held = response === undefined ? bytes : undefined;
      if (response !== undefined) this.#answered(response);
    } catch (error) {
      this.#failed(error);
    }
  }

  #answered(response) {
    const { judge, times, requests, until } = this.#run;
    judge(this.#place, response);
    const now = performance.now();
    times.push(now - this.#sentAt);
    this.#place = (this.#place + this.#step) % requests.length;
    if (now < until) this.#send();
    else this.#done();
  }

  close() {
    this.#failed = undefined;
    this.#socket.destroy();
  }
}

/** The first answer to a request is parsed and compared. Later answers with the same bytes are right. */
function createJudge(requests) {
  const known = Array.from({ length: requests.length });
  return (place, { status, body }) => {
    if (status === 200 && known[place]?.equals(body)) return;
    const text = body.toString('utf8');
    const { id, result } = status === 200 ? messageIn(text) : {};
    if (id !== place + 1 || result === undefined || !requests[place].isRight(result)) {
      throw new Error(`wrong answer: ${status} ${text.slice(0, 500)}`);
    }
    known[place] = Buffer.from(body);
  };
}
