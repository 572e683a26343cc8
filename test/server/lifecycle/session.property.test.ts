/** One session against a simple model of it, over random sequences of steps. */
import * as fc from 'fast-check';
import { createServer, resource, type Server, tool } from 'tenon';
import { expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { handshake, type Json, openRaw, type RawConnection, request } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
const uris = ['a://b', 'a://c'];

type Step =
  | { readonly do: 'initialize' | 'initialized' | 'ping' | 'update' | 'finish' | 'cancel' | 'start' }
  | { readonly do: 'setLevel' | 'log'; readonly level: (typeof levels)[number] }
  | { readonly do: 'subscribe' | 'unsubscribe' | 'updated'; readonly uri: string };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('initialize' as const, 'initialized' as const).map((name) => ({ do: name })),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('ping' as const, 'update' as const, 'finish' as const, 'cancel' as const, 'start' as const)
      .map((name) => ({ do: name })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('setLevel' as const, 'log' as const),
      level: fc.constantFrom(...levels),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('subscribe' as const, 'unsubscribe' as const, 'updated' as const),
      uri: fc.constantFrom(...uris),
    }),
  },
);

/** The model of a session: handshake state, log level, subscribed resources, running calls. */
interface Model {
  state: 'new' | 'initializing' | 'ready';
  level: (typeof levels)[number];
  readonly subscribed: Set<string>;
  readonly running: string[];
}

const done = (id: string, result: unknown = {}): Json => ({ jsonrpc: '2.0', id, result });
const textResult = (text: string): Json => ({ content: [{ type: 'text', text }] });
const failed = (id: string, code: number): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
});
const notification = (method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  ...(params && { params }),
});

const handshakeAt = (revision: string): unknown => expect.objectContaining({ protocolVersion: revision });

/** The messages that the client should receive for one step. Updates the model. */
function expected(model: Model, step: Step, id: string, revision: string): Json[] {
  const early = model.state === 'new';
  switch (step.do) {
    case 'initialize':
      if (!early) return [failed(id, -32600)];
      model.state = 'initializing';
      return [done(id, handshakeAt(revision))];
    case 'initialized':
      if (model.state === 'initializing') model.state = 'ready';
      return [];
    case 'ping':
      return [done(id)];
    case 'setLevel':
      if (!early) model.level = step.level;
      return [early ? failed(id, -32602) : done(id)];
    case 'subscribe':
      if (!early) model.subscribed.add(step.uri);
      return [early ? failed(id, -32602) : done(id)];
    case 'unsubscribe':
      model.subscribed.delete(step.uri);
      return [early ? failed(id, -32602) : done(id)];
    case 'update':
      return model.state === 'ready' ? [notification('tools/list_changed')] : [];
    case 'updated':
      return model.state === 'ready' && model.subscribed.has(step.uri)
        ? [notification('resources/updated', { uri: step.uri })]
        : [];
    case 'log': {
      if (early) return [failed(id, -32602)];
      const isReceived = levels.indexOf(step.level) >= levels.indexOf(model.level);
      return [
        ...(isReceived ? [notification('message', { level: step.level, data: id })] : []),
        done(id, textResult('logged')),
      ];
    }
    case 'start':
      if (early) return [failed(id, -32602)];
      model.running.push(id);
      return [];
    case 'finish': {
      const oldest = model.running.shift();
      return oldest === undefined ? [] : [done(oldest, textResult(oldest))];
    }
    case 'cancel':
      model.running.pop();
      return [];
  }
}

interface Fixture {
  readonly server: Server;
  readonly raw: RawConnection;
  /** Finishes the call with this id. */
  readonly finish: Map<string, () => void>;
  readonly aborted: string[];
}

function createFixture(): Fixture {
  const finish = new Map<string, () => void>();
  const aborted: string[] = [];
  const server: Server = createServer({
    name: 'session',
    version: '1',
    tools: {
      log: tool({}, ({ level, data }, ctx) => {
        ctx.log(level as never, data);
        return 'logged';
      }),
      wait: tool({}, ({ id }, { signal }) => {
        signal.addEventListener('abort', () => aborted.push(String(id)));
        return new Promise<string>((resolve) => finish.set(String(id), () => resolve(String(id))));
      }),
    },
    resources: { 'a://b': resource({}, () => 'b') },
  });
  return { server, raw: openRaw(server), finish, aborted };
}

/** Performs one step on the server. */
function perform(
  { server, raw: { send }, finish }: Fixture,
  model: Model,
  step: Step,
  id: string,
  revision: string,
): void {
  const call = (name: string, given: Json): void => send(request(id, 'tools/call', { name, arguments: given }));
  switch (step.do) {
    case 'initialize':
      return send({ ...handshake(revision), id });
    case 'initialized':
      return send(notification('initialized'));
    case 'ping':
      return send(request(id, 'ping'));
    case 'setLevel':
      return send(request(id, 'logging/setLevel', { level: step.level }));
    case 'subscribe':
    case 'unsubscribe':
      return send(request(id, `resources/${step.do}`, { uri: step.uri }));
    case 'update':
      return server.update((draft) => {
        draft.tools[`t${id}`] = tool({}, () => 'x');
      });
    case 'updated':
      return server.sendResourceUpdated(step.uri);
    case 'log':
      return call('log', { level: step.level, data: id });
    case 'start':
      return call('wait', { id });
    case 'finish':
      return finish.get(model.running[0] ?? '')?.();
    case 'cancel':
      return send(notification('cancelled', { requestId: model.running.at(-1) ?? 'nothing' }));
  }
}

it.each(sessionVersions)(
  'a session at %s behaves as its model, for any sequence of steps [S02, s-lifecycle-03, s-lifecycle-09]',
  async (revision) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), async (script) => {
        const fixture = createFixture();
        const model: Model = { state: 'new', level: 'info', subscribed: new Set(), running: [] };
        const cancelled: string[] = [];
        for (const [n, step] of script.entries()) {
          const id = `s${n}`;
          const last = model.running.at(-1);
          if (step.do === 'cancel' && last !== undefined) cancelled.push(last);
          perform(fixture, model, step, id, revision);
          const received = await fixture.raw.settled();
          expect(received).toEqual(expected(model, step, id, revision));
        }
        expect(fixture.aborted).toEqual(cancelled);
        fixture.raw.transport.close();
      }),
      { seed: 7, numRuns: scaled(15, 150) },
    );
  },
);
