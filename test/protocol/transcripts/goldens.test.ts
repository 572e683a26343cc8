/** The whole conversation with one rich server, per revision. To update the goldens: UPDATE_PINS=1 npx vitest run test/protocol/transcripts */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { Shape } from '../../../src/protocol/model/shape.ts';
import { models } from '../../../src/protocol/revisions/models.ts';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { type Line } from '../../kit/transport/recorded-connection.ts';
import { richTranscript } from './rich-conversation.ts';

function golden(id: string, current: readonly Line[]): unknown {
  const file = new URL(`goldens/${id}.jsonl`, import.meta.url);
  const text = current.map(({ from, message }) => `${JSON.stringify({ from, ...message })}\n`).join('');
  if (process.env['UPDATE_PINS'] === '1' && !process.env['CI']) writeFileSync(file, text);
  const pinned = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return pinned.map((line) => {
    const { from, ...message } = JSON.parse(line);
    return { from, message };
  });
}

/** The names of fields and the kinds of content in a model. */
interface Vocabulary {
  readonly fields: Set<string>;
  readonly kinds: Set<string>;
}

function gather(shape: Shape, vocabulary: Vocabulary): void {
  switch (shape.is) {
    case 'record':
      for (const [name, { shape: inner }] of Object.entries(shape.fields)) {
        vocabulary.fields.add(name);
        if (name === 'type' && inner.is === 'just') vocabulary.kinds.add(String(inner.value));
        gather(inner, vocabulary);
      }
      if (shape.rest) gather(shape.rest, vocabulary);
      return;
    case 'list':
      return gather(shape.of, vocabulary);
    case 'either':
      for (const one of shape.of) gather(one, vocabulary);
  }
}

function vocabularyOf(id: string): Vocabulary {
  const vocabulary: Vocabulary = { fields: new Set(), kinds: new Set() };
  const model = models.get(id);
  for (const shape of Object.values(model?.shapes ?? {})) gather(shape, vocabulary);
  for (const side of [model?.client, model?.server])
    for (const { params, ...more } of [
      ...Object.values(side?.requests ?? {}),
      ...Object.values(side?.notifications ?? {}),
    ]) {
      gather(params.shape, vocabulary);
      if ('result' in more) gather(more.result as Shape, vocabulary);
    }
  return vocabulary;
}

/** Fields and kinds of other revisions that this one does not have. */
function foreignTo(id: string): Vocabulary {
  const own = vocabularyOf(id);
  const all = protocolVersions.map(vocabularyOf);
  const foreign = (kind: keyof Vocabulary): Set<string> =>
    new Set(all.flatMap((vocabulary) => [...vocabulary[kind]]).filter((word) => !own[kind].has(word)));
  return { fields: foreign('fields'), kinds: foreign('kinds') };
}

/** Fields whose contents the protocol does not define. */
const free = new Set(['inputSchema', 'outputSchema', 'arguments', 'structuredContent', 'data', 'experimental']);

function leaksIn(value: unknown, { fields, kinds }: Vocabulary, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => leaksIn(item, { fields, kinds }, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(fields.has(key) ? [`${at}.${key}`] : []),
    ...(key === 'type' && kinds.has(String(inner)) ? [`${at}.type ${String(inner)}`] : []),
    ...(free.has(key) ? [] : leaksIn(inner, { fields, kinds }, `${at}.${key}`)),
  ]);
}

/** Methods in the transcript that the revision does not have. */
const unknownMethods = (lines: readonly Line[], id: string): unknown[] => {
  const revision = revisions.find((known) => known.id === id);
  const known = (method: unknown): boolean =>
    [revision?.client, revision?.server].some(
      (side) => side?.requests.has(String(method)) || side?.notifications.has(String(method)),
    );
  return lines.map(({ message }) => message.method).filter((method) => method !== undefined && !known(method));
};

describe.each(protocolVersions)('the conversation at %s', (revision) => {
  it('matches its golden file, message by message', async () => {
    const lines = await richTranscript(revision);
    expect(lines).toEqual(golden(revision, lines));
    expect(lines.length).toBeGreaterThan(40);
  });

  it('has no field, kind or method that the revision lacks [s-lifecycle-16, s-lifecycle-16@2025-03-26]', async () => {
    const lines = await richTranscript(revision);
    const foreign = foreignTo(revision);
    expect(lines.flatMap(({ message: { params, result } }) => leaksIn(params ?? result, foreign))).toEqual([]);
    expect(unknownMethods(lines, revision)).toEqual([]);
  });

  it('gives every request its own id, answers each once, and has only JSON-RPC messages, one at a time [s-base-01, s-base-03, s-base-04, s-base-05, s-base-06, s-base-07, s-base-07@2025-06-18, s-base-08, s-base-08@2025-06-18, s-base-10, s-base-10@2025-06-18, s-base-11, s-base-11@2024-11-05, s-base-12, s-base-15, s-base-201@2025-06-18, e-base-03, e-base-04, e-base-05, e-base-06, e-base-07, e-base-08, e-base-16, e-base-17, e-base-18, e-base-31, s-lifecycle-201@2025-03-26]', async () => {
    const lines = await richTranscript(revision);
    for (const side of ['client', 'server'] as const) {
      const other = side === 'client' ? 'server' : 'client';
      const messages = lines.filter(({ from }) => from === side).map(({ message }) => message);
      const requestIds = messages
        .filter(({ id, method }) => id !== undefined && method !== undefined)
        .map(({ id }) => id);
      const replies = lines.filter(({ from, message }) => from === other && message.method === undefined);
      const cancelled = messages.filter(({ method }) => method === 'notifications/cancelled');
      expect(new Set(requestIds).size).toBe(requestIds.length);
      for (const id of requestIds) expect(Number.isInteger(id) || typeof id === 'string').toBe(true);
      const unanswered = new Set(cancelled.map(({ params }) => (params as { requestId: unknown }).requestId));
      expect(replies.map(({ message }) => message.id).sort()).toEqual(
        requestIds.filter((id) => !unanswered.has(id)).sort(),
      );
      for (const message of messages) expect(message).toSatisfy(isMessage);
    }
  });
});

function isMessage(message: Record<string, unknown>): boolean {
  const { jsonrpc, id, method, params, result, error, ...more } = message;
  if (jsonrpc !== '2.0' || Object.keys(more).length > 0) return false;
  if (method !== undefined)
    return result === undefined && error === undefined && (params === undefined || typeof params === 'object');
  if (id === undefined || id === null) return false;
  if (error === undefined) return typeof result === 'object' && result !== null;
  const { code, message: text } = error as { code: unknown; message: unknown };
  return result === undefined && Number.isInteger(code) && typeof text === 'string';
}

describe('the conversation without a handshake', () => {
  const meta = (value: unknown): Record<string, unknown> =>
    ((value as { _meta?: Record<string, unknown> } | undefined)?._meta ?? {}) as Record<string, unknown>;

  it('has client information in every request, and the result type and server information in every result [e-base-10, e-base-11, e-meta-08, e-meta-09, e-meta-12, e-meta-16, e-discover-04]', async () => {
    const lines = await richTranscript('2026-07-28');
    const requests = lines.filter(({ message }) => message.method !== undefined && message.id !== undefined);
    const results = lines.filter(({ message }) => message.result !== undefined);
    for (const { message } of requests)
      expect(meta(message.params)).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': expect.any(Object),
        'io.modelcontextprotocol/clientInfo': { name: 'rich-client' },
      });
    for (const { message } of results) {
      const { resultType, inputRequests } = message.result as Record<string, unknown>;
      expect(resultType).toBe(inputRequests === undefined ? 'complete' : 'input_required');
      expect(meta(message.result)['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'rich' });
    }
    expect(new Set(results.map(({ message }) => (message.result as { resultType: unknown }).resultType)).size).toBe(2);
  });

  it('has no requests from the server, and no removed error codes [e-patterns-01, e-base-25, e-base-26]', async () => {
    const lines = await richTranscript('2026-07-28');
    const messages = lines.filter(({ from }) => from === 'server').map(({ message }) => message);
    expect(messages.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([]);
    const codes = messages.flatMap(({ error }) => (error === undefined ? [] : [(error as { code: number }).code]));
    expect(codes).toEqual([-32602, -32602, -32602]);
  });
});

describe('the fields and kinds of a revision', () => {
  it('differ from those of others, so that a leak is detected', () => {
    expect([...foreignTo('2024-11-05').fields]).toEqual(
      expect.arrayContaining(['title', 'icons', 'structuredContent', 'resultType', 'ttlMs', 'elicitation']),
    );
    expect([...foreignTo('2024-11-05').kinds]).toEqual(expect.arrayContaining(['audio', 'resource_link', 'tool_use']));
    expect([...foreignTo('2025-11-25').fields]).toEqual(expect.arrayContaining(['resultType', 'cacheScope']));
    expect(leaksIn({ tools: [{ title: 'x' }] }, foreignTo('2024-11-05'))).toEqual(['.tools.title']);
  });
});
