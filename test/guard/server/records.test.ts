/** The audit log of a guarded server: starts before handlers, ends before answers, refusals, and what happens if it cannot be written. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { repeatingModes } from '../../kit/server-request-modes.ts';
import { envelope, type Json, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { createGuarded, memoryAudit, rules } from './kit.ts';

const ada = { issuer: 'https://id.example', subject: 'ada', client: 'app', scopes: ['a'], claims: { team: 'x' } };

describe.each(protocolVersions)('under %s', (revision) => {
  it('a call is recorded before its handler runs and before its answer leaves [S24]', async () => {
    const audit = memoryAudit();
    const seen: string[][] = [];
    const server = createServer(
      {
        name: 'x',
        version: '1',
        tools: {
          open_it: tool({ inputSchema: z.object({ n: z.coerce.number() }) }, () => {
            seen.push(audit.kinds());
            return 'done';
          }),
        },
      },
      { guard: guard({ policy: createPolicy(rules), audit, unknownNames: 'warn' }), onError: () => undefined },
    );
    const { send, next, ask } = await openAt(server, revision, { principal: ada });
    send(ask(1, 'tools/call', { name: 'open_it', arguments: { n: '7' } }));
    await next();
    expect(seen).toEqual([['authentication', 'call-start']]);
    expect(audit.kinds()).toEqual(['authentication', 'call-start', 'call-end']);
    const [accepted, start, end] = audit.events;
    const who = {
      principal: '["https://id.example","ada"]',
      issuer: 'https://id.example',
      subject: 'ada',
      client: 'app',
    };
    expect(accepted).toMatchObject({ who, what: { outcome: 'accepted' } });
    expect(start).toMatchObject({
      who: { ...who, scopes: ['a'] },
      what: { method: 'tools/call', action: 'call', tool: 'open_it', round: 0 },
      decision: { effect: 'allow', rule: 'open' },
      private: { arguments: { n: 7 }, sent: { n: '7' }, claims: { team: 'x' } },
    });
    expect(end?.what).toEqual({ method: 'tools/call', callId: start?.what?.callId, round: 0, outcome: 'result' });
    send(ask(2, 'tools/call', { name: 'open_it', arguments: { n: 1 } }));
    await next();
    expect(audit.kinds().filter((kind) => kind === 'authentication')).toHaveLength(1);
  });

  it('nothing runs without its record [S24]', async () => {
    const { server, audit, ran } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    audit.failing = 'begin';
    send(ask(1, 'tools/call', { name: 'open_echo' }));
    expect(await next()).toMatchObject({
      error: { code: -31513, data: { outcome: 'not-started', retryAfterMs: 1000 } },
    });
    expect(ran).toEqual([]);
    audit.failing = undefined;
    send(ask(2, 'tools/call', { name: 'open_echo' }));
    expect(await next()).toMatchObject({ result: {} });
  });

  it('no answer leaves without the record of its end [S24]', async () => {
    const errors: unknown[] = [];
    const { server, audit, ran } = createGuarded(rules, { onError: (error) => errors.push(error) });
    const { send, next, ask } = await openAt(server, revision);
    audit.failing = 'append';
    send(ask(1, 'tools/call', { name: 'open_echo' }));
    const answer = await next();
    expect(answer).toMatchObject({ error: { code: -31513, data: { outcome: 'unknown' } } });
    expect(JSON.stringify(answer)).not.toContain('open_echo');
    expect(errors).toMatchObject([{ message: 'disk full' }]);
    expect(ran).toEqual(['open_echo']);
  });

  it('a refusal is recorded for a principal, and counted for a caller without one [S24]', async () => {
    const { server, audit } = createGuarded();
    const known = await openAt(server, revision, { principal: ada });
    known.send(known.ask(1, 'tools/call', { name: 'seen_wipe', arguments: { path: '/' } }));
    const { error } = (await known.next()) as { error: { data: { decisionId: string } } };
    expect(audit.events.at(-1)).toMatchObject({
      kind: 'decision',
      what: { tool: 'seen_wipe', action: 'call' },
      decision: { decisionId: error.data.decisionId, effect: 'deny', reason: 'no-rule' },
      private: { arguments: { path: '/' } },
    });
    const before = audit.events.length;
    const unknown = await openAt(server, revision);
    unknown.send(unknown.ask(1, 'tools/call', { name: 'seen_wipe', arguments: { path: '/' } }));
    await unknown.next();
    expect(audit.events.length).toBe(before);
    expect(audit.refusals).toEqual([['unknown', 'permission-denied']]);
  });

  it('credentials without the scope of a visible tool are recorded [S24]', async () => {
    const { server, audit } = createGuarded(`${rules}  - { id: all, allow: [list, call], to: any, on: any }\n`);
    const { send, next, ask } = await openAt(server, revision, { principal: ada });
    send(ask(1, 'tools/call', { name: 'hidden_drop', arguments: { region: 'eu' } }));
    expect(await next()).toMatchObject({ error: { code: -31433 } });
    expect(audit.events.at(-1)).toMatchObject({
      kind: 'authentication',
      who: { subject: 'ada' },
      what: { outcome: 'insufficient-scope', target: 'hidden_drop', scope: 'a drop' },
    });
  });

  it('credentials that are refused are counted [S24]', async () => {
    const { server, audit } = createGuarded();
    const { send, next, ask } = await openAt(server, revision, {
      authenticate: ({ header }) => header('authorization'),
    });
    send(ask(1, 'tools/call', { name: 'open_echo' }));
    expect(await next()).toMatchObject({ error: { code: -31401 } });
    expect(audit.refusals).toContainEqual(['unknown', 'authentication-challenge']);
  });

  it('the use of something hidden is recorded, and its answer stays the same if the log fails [S23, S24]', async () => {
    const { server, audit } = createGuarded();
    const { send, next, ask } = await openAt(server, revision, { principal: ada });
    send(ask(1, 'tools/call', { name: 'hidden_drop' }));
    const { error } = await next();
    expect(audit.events.at(-1)).toMatchObject({
      kind: 'decision',
      what: { action: 'list', tool: 'hidden_drop', hidden: true },
    });
    audit.failing = 'append';
    send(ask(2, 'tools/call', { name: 'hidden_drop' }));
    expect((await next()).error).toEqual(error);
  });

  it('a call over a limit is recorded once for a principal and interval, the rest is counted [S24]', async () => {
    const audit = memoryAudit();
    const limits = { perPrincipal: { rate: '1/d', burst: 1 } };
    const server = createServer(
      { name: 'x', version: '1', tools: { open_it: tool({}, () => 'done') } },
      { guard: guard({ policy: createPolicy(rules), audit, limits, unknownNames: 'warn' }), onError: () => undefined },
    );
    const { send, next, ask } = await openAt(server, revision, { principal: ada });
    const codes: unknown[] = [];
    for (let id = 1; id <= 4; id++) {
      send(ask(id, 'tools/call', { name: 'open_it' }));
      codes.push(((await next()).error as Json | undefined)?.code);
    }
    expect(codes).toEqual([undefined, -31429, -31429, -31429]);
    const limited = audit.events.filter(({ kind }) => kind === 'limit');
    expect(limited.length + audit.refusals.length).toBe(3);
    expect(limited[0]).toMatchObject({ what: { reason: 'rate-limited', limit: 'perPrincipal' } });
    // Two where the interval ends between the calls.
    expect(limited.length).toBeLessThanOrEqual(2);
  });
});

describe.each(repeatingModes)('a call with rounds, at $name', ({ revision, replay }) => {
  it('is recorded once for each round, and charged once [S24]', async () => {
    const audit = memoryAudit();
    const allow = `${rules}  - { id: elicit, allow: [elicit], to: any, on: { tool: "open*" } }\n`;
    const server = createServer(
      {
        name: 'x',
        version: '1',
        tools: {
          open_it: tool({}, async (_given, ctx) => {
            const one = await ctx.elicit('one', { message: 'One?', schema: z.object({ n: z.number() }) });
            const two = await ctx.elicit('two', { message: 'Two?', schema: z.object({ n: z.number() }) });
            return `${one.action} ${two.action}`;
          }),
        },
      },
      {
        alwaysReplay: replay,
        guard: guard({
          policy: createPolicy(allow),
          audit,
          unknownNames: 'warn',
          limits: { perPrincipal: { rate: '1/d', burst: 1 } },
        }),
        onError: () => undefined,
      },
    );
    const client = await connect(server, {
      protocolVersions: [revision],
      handlers: { elicitForm: () => ({ action: 'accept', content: { n: 1 } }) },
    });
    expect(await client.tools.call('open_it')).toMatchObject({ content: [{ text: 'accept accept' }] });
    await client.close();
    const rounds = audit.events.map(({ kind, what }) => [kind, what?.round, what?.outcome]);
    expect(rounds).toEqual([
      ['call-start', 0, undefined],
      ['call-end', 0, 'input-required'],
      ['call-start', 1, undefined],
      ['call-end', 1, 'input-required'],
      ['call-start', 2, undefined],
      ['call-end', 2, 'result'],
    ]);
    expect(new Set(audit.events.map(({ what }) => what?.callId)).size).toBe(1);
  });
});

it('a repeat of an idempotent call is not recorded again [S24]', async () => {
  const { server, audit, ran } = createGuarded();
  const { send, next, ask } = await openAt(server, '2025-11-25');
  for (const id of [1, 2]) {
    send(ask(id, 'tools/call', { name: 'open_echo', _meta: { 'dev.tenon/idempotency-key': 'k' } }));
    expect(await next()).toMatchObject({ id, result: {} });
  }
  expect(ran).toEqual(['open_echo']);
  expect(audit.kinds()).toEqual(['call-start', 'call-end']);
});

describe('a round that is sent again', () => {
  const allow = `${rules}  - { id: elicit, allow: [elicit], to: any, on: { tool: "open*" } }\n`;
  const twice = (ran: string[]) =>
    tool({}, async (_given, ctx) => {
      const one = await ctx.elicit('one', { message: 'One?', schema: z.object({ n: z.number() }) });
      ran.push(one.action);
      await ctx.elicit('two', { message: 'Two?', schema: z.object({ n: z.number() }) });
      return 'done';
    });

  async function suspended() {
    const audit = memoryAudit();
    const ran: string[] = [];
    const server = createServer(
      { name: 'x', version: '1', tools: { open_it: twice(ran) } },
      { guard: guard({ policy: createPolicy(allow), audit, unknownNames: 'warn' }), onError: () => undefined },
    );
    const { send, next } = openRaw(server);
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    let id = 1;
    const call = async (more: Json = {}): Promise<Json> => {
      send(request(id++, 'tools/call', envelope({ name: 'open_it', ...more }, capabilities)));
      return next();
    };
    const { requestState } = (await call()).result as Json;
    const answered = (action: string): Promise<Json> =>
      call({ requestState, inputResponses: { one: { action, ...(action === 'accept' && { content: { n: 1 } }) } } });
    return { audit, ran, answered };
  }

  it('with other answers runs again, and is recorded again [S24]', async () => {
    const { audit, ran, answered } = await suspended();
    await answered('accept');
    await answered('decline');
    expect(ran).toEqual(['accept', 'decline']);
    expect(audit.events.map(({ kind, what }) => [kind, what?.round])).toEqual([
      ['call-start', 0],
      ['call-end', 0],
      ['call-start', 1],
      ['call-end', 1],
      ['call-start', 1],
      ['call-end', 1],
    ]);
  });

  it('after it could not be recorded is recorded then [S24]', async () => {
    const { audit, ran, answered } = await suspended();
    audit.failing = 'begin';
    expect(await answered('accept')).toMatchObject({ error: { data: { outcome: 'not-started' } } });
    expect(ran).toEqual([]);
    audit.failing = undefined;
    await answered('accept');
    expect(ran).toEqual(['accept']);
    expect(audit.kinds()).toEqual(['call-start', 'call-end', 'call-start', 'call-end']);
  });

  it('after its end could not be recorded does not run again [S24]', async () => {
    const { audit, ran, answered } = await suspended();
    audit.failing = 'append';
    expect(await answered('accept')).toMatchObject({ error: { data: { outcome: 'unknown' } } });
    audit.failing = undefined;
    expect(await answered('accept')).toMatchObject({ error: { data: { outcome: 'unknown' } } });
    expect(ran).toEqual(['accept']);
  });
});

it('two credentials of one principal that take turns are recorded once each, also over a limit [S24]', async () => {
  const audit = memoryAudit();
  const guarded = guard({ policy: createPolicy(rules), audit, unknownNames: 'warn', limits: { perPrincipal: '1/h' } });
  const server = createServer(
    { name: 'x', version: '1', tools: { open_it: tool({}, () => 'done') } },
    { guard: guarded },
  );
  const at = Date.now() + 3_600_000;
  let requests = 0;
  const authenticate = () => ({
    issuer: 'https://id.example',
    subject: 'ada',
    expiresAt: at + (requests++ % 2) * 1000,
  });
  const http = await serveHttp(server, { port: 0, authenticate });
  onTestFinished(() => http.close());
  for (let n = 0; n < 6; n++) await send(http.url, loneCall('open_it'));
  expect(audit.kinds().filter((kind) => kind === 'authentication')).toHaveLength(2);
});
