/** Calls of all kinds by some principals, at full speed or at a rate: alone, in sessions, with keys, lists, new sessions. */
import { openSession, openSessions } from '../http/loads.mjs';
import { messageIn } from '../http/response.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';

const { session, exchange } = lifecycles;
const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const alone = (method, name) => ({
  'mcp-protocol-version': exchange.revision,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

/** Calls at once, at most. */
const together = 32;
const sessionsEach = 4;

/** Of every hundred calls, one opens a session that is never closed, five have a new key, ten list tools, thirty are in a session. */
function kindOf(n) {
  const place = n % 100;
  if (place === 0) return 'opening';
  if (place % 20 === 1) return 'keyed';
  if (place % 10 === 2) return 'list';
  return place % 10 > 6 ? 'inSession' : 'alone';
}

/** `headers` are those of each principal. `work(ms, perSecond)` calls for so long and resolves with the number of calls. */
export async function openLoad(server, headers) {
  const opened = [];
  for (const own of headers)
    for (const known of await openSessions(server, sessionsEach, own)) opened.push({ ...own, ...known });
  const adding = (n) => ({ a: n, b: 7 });
  /** Throws with the response, unless its result is right. */
  const post = async (own, message, isRight) => {
    const { status, text } = await server.post({ ...plain, ...own }, message);
    if (status !== 200 || !isRight(messageIn(text).result)) throw new Error(`${status} ${text.slice(0, 500)}`);
  };
  const isSum = (n) => (result) => result?.content?.[0]?.text === String(n + 7);

  const kinds = {
    alone: (n, own) => post({ ...own, ...alone('tools/call', 'add') }, exchange.call(n, 'add', adding(n)), isSum(n)),
    keyed(n, own) {
      const message = exchange.call(n, 'add', adding(n), { 'dev.tenon/idempotency-key': `key ${n}` });
      return post({ ...own, ...alone('tools/call', 'add') }, message, isSum(n));
    },
    list: (n, own) => post({ ...own, ...alone('tools/list') }, exchange.list(n), (result) => result?.tools?.length > 1),
    inSession: (n) => post(opened[n % opened.length], session.call(n, 'add', adding(n)), isSum(n)),
    opening: (_n, own) => openSession(server, own),
  };

  let sent = 0;
  const one = async () => {
    const n = ++sent;
    const kind = kindOf(n);
    try {
      await kinds[kind](n, headers[n % headers.length]);
    } catch (error) {
      throw new Error(`call ${n} (${kind}) has a wrong answer: ${error.message}`, { cause: error });
    }
  };

  return {
    async work(ms, perSecond = Infinity) {
      const started = performance.now();
      let next = 0;
      const worker = async () => {
        for (;;) {
          const due = started + (next++ / perSecond) * 1000;
          const now = performance.now();
          if (Math.max(due, now) > started + ms) return;
          if (due > now) await new Promise((resolve) => setTimeout(resolve, due - now));
          await one();
        }
      };
      const before = sent;
      await Promise.all(Array.from({ length: together }, worker));
      return sent - before;
    },
  };
}
