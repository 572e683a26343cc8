/** Tasks of Tenon on a store: created over HTTP without a socket, and run by the same process. */
import { createServer, toFetchHandler, tool } from '../../dist/node.js';
import { lifecycles } from '../lib/lifecycles.mjs';
import { openStore } from '../stores/subjects.mjs';
import { Finished } from './finished.mjs';

const { revision } = lifecycles.exchange;
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
const schema = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value) => ({ value }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: { ok: { type: 'boolean' } } }),
      output: () => ({ type: 'object', properties: { ok: { type: 'boolean' } } }),
    },
  },
};

/** A client gets a task at once, not the result of a call that is quick. */
const task = { support: 'required', answerWithinMs: 0 };
const tools = {
  plain: tool({}, () => 'done'),
  empty: tool({ task }, () => 'done'),
  steps: tool({ task }, async (_given, ctx) => {
    for (const key of ['one', 'two', 'three']) await ctx.step(key, () => 1);
    return 'done';
  }),
  waits: tool({ task }, async (_given, ctx) => {
    await ctx.elicit('go', { message: 'Go on?', schema });
    return 'done';
  }),
};

/** `onRun` replaces the handlers, for workers that are lost. */
export async function openTenon(address, { leaseMs, onRun } = {}) {
  const store = await openStore(address);
  const finished = new Finished();
  const parked = new Finished();
  const server = createServer(
    { name: 'bench', version: '1.0.0', tools: onRun ? { empty: tool({ task }, onRun) } : tools },
    {
      secrets: ['the secret of a benchmark'],
      tasks: { maxPerPrincipal: 1_000_000, maxConcurrent: 32, ...(leaseMs && { leaseMs }) },
    },
  );
  const handle = toFetchHandler(server, {
    store: { ...store, tasks: watched(store.tasks, finished, parked) },
    // A busy machine must not fail the run.
    timeouts: { storeMs: 60_000 },
  });

  async function ask(method, name, params) {
    const headers = { 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': name };
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers, ...types }, body });
    const response = await handle(request);
    const { result, error } = await response.json();
    if (result === undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    return result;
  }

  const call = (name) => ask('tools/call', name, { name, arguments: {} });
  return {
    /** Creates a task; resolves with its ID. */
    create: async (load) => (await call(load)).taskId,
    /** Resolves when its result is stored. */
    finished: (id) => finished.of(id),
    /** Resolves when it waits. */
    parked: (id) => parked.of(id),
    /** Has it go on. */
    resume: (id) =>
      ask('tasks/update', id, { taskId: id, inputResponses: { '1.go': { action: 'accept', content: { ok: true } } } }),
    plain: () => call('plain'),
    read: (id) => ask('tasks/get', id, { taskId: id }),
    tasks: store.tasks,
    async close() {
      await handle.close();
      await store.close?.();
    },
  };
}

/** Reports the tasks that are stored as finished or waiting. */
const watched = (tasks, finished, parked) =>
  new Proxy(tasks, {
    get(target, name) {
      const operation = target[name].bind(target);
      if (name !== 'write') return operation;
      return async (row, change) => {
        const isWritten = await operation(row, change);
        if (isWritten && change.isOver) finished.add(row.id);
        else if (isWritten && change.data.includes('"is":"parked"')) parked.add(row.id);
        return isWritten;
      };
    },
  });
