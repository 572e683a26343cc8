/** One session against a plainly written account of it, over random interleavings of all that can happen to it. */
import * as fc from 'fast-check';
import { createServer, protocolVersions, resource, type Server, tool } from 'tenon';
import { expect, it } from 'vitest';
import { handshake, type Json, openRaw, type RawConnection, request } from '../../kit/channel/raw-connection.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
const uris = ['a://b', 'a://c'];

type Step =
  | { readonly do: 'initialize' | 'initialized' | 'ping' | 'update' | 'finish' | 'cancel' | 'start' }
  | { readonly do: 'setLevel' | 'say'; readonly level: (typeof levels)[number] }
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
      do: fc.constantFrom('setLevel' as const, 'say' as const),
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

/** What a session is, as one would explain it: how far it is, how much it hears, what it watches, what runs. */
interface Account {
  at: 'new' | 'greeted' | 'ready';
  level: (typeof levels)[number];
  readonly watched: Set<string>;
  readonly running: string[];
}

const done = (id: string, result: unknown = {}): Json => ({ jsonrpc: '2.0', id, result });
const text = (words: string): Json => ({ content: [{ type: 'text', text: words }] });
const failed = (id: string, code: number): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
});
const notified = (method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  ...(params && { params }),
});

const settledOn = (revision: string): unknown => expect.objectContaining({ protocolVersion: revision });

/** What the client should hear of one step; the account moves along. */
function expected(account: Account, step: Step, id: string, revision: string): Json[] {
  const early = account.at === 'new';
  switch (step.do) {
    case 'initialize':
      if (!early) return [failed(id, -32600)];
      account.at = 'greeted';
      return [done(id, settledOn(revision))];
    case 'initialized':
      if (account.at === 'greeted') account.at = 'ready';
      return [];
    case 'ping':
      return [done(id)];
    case 'setLevel':
      if (!early) account.level = step.level;
      return [early ? failed(id, -32602) : done(id)];
    case 'subscribe':
      if (!early) account.watched.add(step.uri);
      return [early ? failed(id, -32602) : done(id)];
    case 'unsubscribe':
      account.watched.delete(step.uri);
      return [early ? failed(id, -32602) : done(id)];
    case 'update':
      return account.at === 'ready' ? [notified('tools/list_changed')] : [];
    case 'updated':
      return account.at === 'ready' && account.watched.has(step.uri)
        ? [notified('resources/updated', { uri: step.uri })]
        : [];
    case 'say': {
      if (early) return [failed(id, -32602)];
      const isReceived = levels.indexOf(step.level) >= levels.indexOf(account.level);
      return [...(isReceived ? [notified('message', { level: step.level, data: id })] : []), done(id, text('said'))];
    }
    case 'start':
      if (early) return [failed(id, -32602)];
      account.running.push(id);
      return [];
    case 'finish': {
      const oldest = account.running.shift();
      return oldest === undefined ? [] : [done(oldest, text(oldest))];
    }
    case 'cancel':
      account.running.pop();
      return [];
  }
}

interface Stage {
  readonly server: Server;
  readonly raw: RawConnection;
  /** Ends the call of this id. */
  readonly finish: Map<string, () => void>;
  readonly aborted: string[];
}

function setStage(): Stage {
  const finish = new Map<string, () => void>();
  const aborted: string[] = [];
  const server: Server = createServer({
    name: 'session',
    version: '1',
    tools: {
      say: tool({}, ({ level, data }, ctx) => {
        ctx.log(level as never, data);
        return 'said';
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

/** Does one step for real. */
function perform(
  { server, raw: { send }, finish }: Stage,
  account: Account,
  step: Step,
  id: string,
  revision: string,
): void {
  const call = (name: string, given: Json): void => send(request(id, 'tools/call', { name, arguments: given }));
  switch (step.do) {
    case 'initialize':
      return send({ ...handshake(revision), id });
    case 'initialized':
      return send(notified('initialized'));
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
    case 'say':
      return call('say', { level: step.level, data: id });
    case 'start':
      return call('wait', { id });
    case 'finish':
      return finish.get(account.running[0] ?? '')?.();
    case 'cancel':
      return send(notified('cancelled', { requestId: account.running.at(-1) ?? 'nothing' }));
  }
}

it.each(protocolVersions.slice(0, -1))(
  'a session at %s is what its plain account says, whatever happens in whichever order [S02, s-lifecycle-03, s-lifecycle-09]',
  async (revision) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), async (script) => {
        const stage = setStage();
        const account: Account = { at: 'new', level: 'info', watched: new Set(), running: [] };
        const cancelled: string[] = [];
        for (const [n, step] of script.entries()) {
          const id = `s${n}`;
          const last = account.running.at(-1);
          if (step.do === 'cancel' && last !== undefined) cancelled.push(last);
          perform(stage, account, step, id, revision);
          const received = await stage.raw.settled();
          expect(received).toEqual(expected(account, step, id, revision));
        }
        expect(stage.aborted).toEqual(cancelled);
        stage.raw.channel.close();
      }),
      { seed: 7, numRuns: 150 },
    );
  },
);
