/** A server of raw messages that has its client run requests as tasks. */
import { type ClientHandlers, connect, type ElicitFormResult, type HandlerContext } from 'tenon';
import { onTestFinished } from 'vitest';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../../src/lib/time/internal-deadlines.ts';
import { createDeferred } from '../../../../src/lib/values/deferred.ts';

import { inbox } from '../../../kit/inbox.ts';
import type { Json } from '../../../kit/transport/raw-connection.ts';
import { answer, scriptedServer, session } from '../../../kit/transport/scripted-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

/** A form that the client shows, and how the test answers it. */
export interface ShownForm {
  readonly message: string;
  readonly request: Json;
  readonly context: HandlerContext;
  reply(result: ElicitFormResult): void;
  fail(error: Error): void;
}

export const form: Json = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};

/** A client whose forms the test answers, and the server that asks it. */
export async function taskingServer(handlers: Partial<ClientHandlers> = {}, protocolVersion = '2025-11-25') {
  const clock = createFakeClock();
  const forms = inbox<ShownForm>();
  const notifications: Json[] = [];
  const warnings: Error[] = [];
  let ids = 0;
  const waiting = new Map<unknown, (message: Json) => void>();
  const calls = inbox<Json>();
  const server = scriptedServer(
    session({ revision: protocolVersion, capabilities: { tools: {} } }, (message, send) => {
      if (message.method === undefined) waiting.get(message.id)?.(message);
      else if (message.method === 'tools/call') calls.put(message);
      else if (message.id === undefined) notifications.push(message);
      else send(answer(message, {}));
    }),
  );
  const client = await connect(server.transport, {
    ...withClock(clock),
    protocolVersions: [protocolVersion as never],
    timeoutMs: 1000,
    onWarning: (error) => warnings.push(error),
    handlers: {
      elicitForm: (request, context) => {
        const { promise, resolve, reject } = createDeferred<ElicitFormResult>();
        forms.put({ message: request.message, request: { ...request }, context, reply: resolve, fail: reject });
        return promise;
      },
      ...handlers,
    },
  });
  const declared = (server.received.find(({ method }) => method === 'initialize') as { params: Json }).params
    .capabilities as Json;
  onTestFinished(() => {
    const closing = client.close({ timeoutMs: 1 });
    clock.advance(2);
    return closing;
  });
  /** Sends a request to the client and resolves with its response. */
  function ask(method: string, params: Json = {}, id = `s${++ids}`): Promise<Json> {
    const response = new Promise<Json>((resolve) => waiting.set(id, resolve));
    server.send({ jsonrpc: '2.0', id, method, params });
    return withTimeout(response, `the response to ${method}`);
  }
  const elicit = (task?: Json, more: Json = {}): Promise<Json> =>
    ask('elicitation/create', { ...form, ...more, ...(task && { task }) });
  return {
    client,
    clock,
    declared,
    notifications,
    warnings,
    ask,
    elicit,
    /** Starts an elicitation as a task. */
    start: async (task: Json = {}, more: Json = {}): Promise<Json> =>
      (resultOf(await elicit(task, more)) as { task: Json }).task,
    shown: () => withTimeout(forms.next(), 'a form'),
    send: (message: Json) => server.send({ jsonrpc: '2.0', ...message }),
    called: () => withTimeout(calls.next(), 'a call'),
    /** Resolves when everything that was sent before has been received. */
    settled: () => client.ping(),
  };
}

export const resultOf = (message: Json): Json => {
  if (message.result === undefined) throw new Error(`No result: ${JSON.stringify(message.error)}`);
  return message.result as Json;
};

export const errorOf = (message: Json): Json => (message.error ?? {}) as Json;
