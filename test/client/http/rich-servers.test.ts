/**
 * The Tenon client and the rich server of three implementations over HTTP: every primitive, revision and transport;
 * in `npm test` the server of Tenon on one transport for each revision.
 */
import { type HttpService, type ProtocolVersion, serveHttp } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Lacks, type Proofs, tryRichServer } from '../../kit/peers/client-suite.ts';
import { type Conversation, converse } from '../../kit/peers/conversation.ts';
import { v1Server, v2Server } from '../../kit/peers/programs.ts';
import { createRichServer } from '../../kit/peers/rich-server.ts';
import { isSample } from '../../kit/sampled.ts';
import { isSession, sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { startServer, stopServers } from './server-programs.ts';

afterAll(stopServers);

const alone = '2026-07-28';
const sessions = sessionVersions;

const proofsOf = (revision: ProtocolVersion): Proofs =>
  !isSession(revision) ? { cancelling: ' [e-http-26]' } : { changes: ' [s-http-29]' };

const overEvents = '2025-11-25 over /sse';

describe.each(isSample ? protocolVersions : [...protocolVersions, overEvents])('the Tenon server at %s', (name) => {
  const revision = name.slice(0, 10) as ProtocolVersion;
  let service: HttpService;
  let talk: Conversation;
  const warnings: Error[] = [];

  beforeAll(async () => {
    service = await serveHttp(createRichServer(), {
      port: 0,
      strict: true,
      onWarning: (error) => warnings.push(error),
    });
    const url = name === overEvents ? service.url.replace(/mcp$/, 'sse') : service.url;
    talk = await converse(url, { strict: true, reconnect: false, protocolVersions: [revision] });
  });
  afterAll(async () => {
    await talk.client.close();
    await service.close();
  });

  it('is used at its revision', () => {
    expect(talk.client).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'rich' },
      instructions: 'Try everything.',
    });
  });

  tryRichServer(revision, () => talk, name === overEvents ? {} : proofsOf(revision));

  it('closes with nothing dropped and nothing left [s-http-58]', async () => {
    expect(talk.warnings).toEqual([]);
    expect(warnings).toEqual([]);
    expect(talk.client.stats().dropped).toEqual({ late: 0, unknown: 0, invalid: 0 });
    await withTimeout(talk.client.close(), 'the client to close');
    await vi.waitFor(() => expect(service.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }));
  });
});

interface Cell {
  readonly name: string;
  readonly revision: ProtocolVersion;
  readonly start: () => Promise<string>;
  /** Whether the client negotiates the revision. */
  readonly open?: boolean;
  readonly lacks?: Lacks;
}

const at = async (path: string, port: Promise<number>): Promise<string> => `http://127.0.0.1:${await port}${path}`;
const v1 = (): Promise<string> => at('/mcp', startServer({ ...v1Server(), args: [...v1Server().args, '--http'] }));
const v1Events = (): Promise<string> => at('/sse', startServer({ ...v1Server(), args: [...v1Server().args, '--sse'] }));
const v2 = (): Promise<string> => at('/mcp', startServer({ ...v2Server(), args: [...v2Server().args, '--http'] }));

/** Its handler creates a server for each request, which does not notify other clients. */
const noChanges: Lacks = { changes: true };
const stateless: Lacks = { serverRequests: true, changes: true, cancelling: true, logLevels: true };
/** It stores log levels by session, and does not know the session when it logs. */
const noLogLevels: Lacks = { logLevels: true };

const cells: Cell[] = [
  ...sessions.map((revision) => ({ name: 'SDK v1', revision, start: v1, lacks: noLogLevels })),
  { name: 'SDK v1 with negotiation', revision: '2025-11-25', start: v1, open: true, lacks: noLogLevels },
  { name: 'SDK v1 over HTTP+SSE', revision: '2025-11-25', start: v1Events, open: true, lacks: noLogLevels },
  { name: 'SDK v1 over HTTP+SSE', revision: '2024-11-05', start: v1Events, lacks: noLogLevels },
  { name: 'SDK v2 with negotiation', revision: alone, start: v2, open: true, lacks: noChanges },
  { name: 'SDK v2', revision: alone, start: v2, lacks: noChanges },
  { name: 'SDK v2 without sessions', revision: '2025-11-25', start: v2, lacks: stateless },
];

describe.each(isSample ? [] : cells)('$name at $revision', ({ revision, start, open, lacks = {} }) => {
  let talk: Conversation;
  beforeAll(async () => {
    talk = await converse(await start(), {
      strict: !open,
      reconnect: false,
      ...(!open && { protocolVersions: [revision] }),
    });
  });
  afterAll(() => talk.client.close());

  it('is used at its revision', () => {
    expect(talk.client).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'rich' },
      instructions: 'Try everything.',
    });
  });

  tryRichServer(revision, () => talk, {}, lacks);

  it('sent nothing that was dropped', async () => {
    expect(talk.warnings).toEqual([]);
    expect(talk.client.stats().dropped).toEqual({ late: 0, unknown: 0, invalid: 0 });
    await withTimeout(talk.client.close(), 'the client to close');
  });
});
