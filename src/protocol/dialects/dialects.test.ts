import { describe, expect, it } from 'vitest';
import { rpcError } from '../errors.ts';
import type { Reading } from '../neutral.ts';
import type { Revision } from '../revision.ts';
import { findRevision, newestExchange, newestSession, revisions } from '../revisions/revisions.ts';
import { readAuthorization } from './authorization.ts';
import { assumedMaxTokens, withDialects } from './dialects.ts';

const sessions = revisions.filter(({ lifecycle }) => lifecycle === 'session');
const june = findRevision('2025-06-18') as Revision;

const valueOf = <T>(reading: Reading<T>): T => {
  if (!reading.ok) throw new Error(reading.refusal.message);
  return reading.value;
};

describe('What the founding documents write in their own way and every connection reads', () => {
  it.each(sessions)('a resource named flat in content is a link, under $id', (revision) => {
    const block = { type: 'resource', uri: 'file:///path/to/resource', mimeType: 'application/json' };
    const outcome = valueOf(revision.wire.readResult(revision, 'client', 'tools/call', { content: [block] }));
    expect(outcome).toMatchObject({
      result: { content: [{ type: 'resource_link', uri: block.uri, name: block.uri, mimeType: block.mimeType }] },
    });
  });

  it.each(sessions)('a prompt message in the role system keeps its role, under $id', (revision) => {
    const messages = [{ role: 'system', content: { type: 'text', text: 'Be brief.' } }];
    const outcome = valueOf(revision.wire.readResult(revision, 'client', 'prompts/get', { messages }));
    expect(outcome).toMatchObject({ result: { messages } });
  });

  it('an unknown role is still refused', () => {
    const messages = [{ role: 'god', content: { type: 'text', text: '' } }];
    expect(june.wire.readResult(june, 'client', 'prompts/get', { messages }).ok).toBe(false);
  });

  it.each([
    ['end_turn', 'endTurn'],
    ['stop_sequence', 'stopSequence'],
    ['max_tokens', 'maxTokens'],
    ['endTurn', 'endTurn'],
    ['something else', 'something else'],
  ])('the stop reason %s reads as %s', (stopReason, read) => {
    const answer = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm', stopReason };
    const outcome = valueOf(june.wire.readResult(june, 'server', 'sampling/createMessage', answer));
    expect(outcome).toMatchObject({ result: { stopReason: read } });
  });

  it('none of it is ever written', () => {
    const flat = { content: [{ type: 'resource', uri: 'a:b' }] };
    expect(june.wire.writeResult(june, 'client', 'tools/call', { resultType: 'complete', result: flat }).ok).toBe(
      false,
    );
    const system = { messages: [{ role: 'system', content: { type: 'text', text: '' } }] };
    expect(june.wire.writeResult(june, 'client', 'prompts/get', { resultType: 'complete', result: system }).ok).toBe(
      false,
    );
  });

  it('client capabilities that are none stay legal and visible', () => {
    const params = {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {}, resources: {}, prompts: {} },
      clientInfo: { name: 'my-client', version: '1.0.0' },
    };
    expect(valueOf(june.wire.readRequest(june, 'client', 'initialize', params)).params).toEqual(params);
  });

  it('a token beside the params is read, and only if it is a string', () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x' },
      _meta: { authorization: 'Bearer t' },
    };
    expect(readAuthorization(message)).toBe('Bearer t');
    expect(readAuthorization({ ...message, _meta: { authorization: 5 } })).toBeUndefined();
    expect(readAuthorization({ ...message, _meta: undefined })).toBeUndefined();
    expect(readAuthorization(null)).toBeUndefined();
  });
});

describe('The dialect of tasks', () => {
  const spoken = withDialects(june, { dialects: ['tasks-create'] });

  it('brings tasks/create, tasks/get, tasks/cancel and their notifications', () => {
    for (const method of ['tasks/create', 'tasks/get', 'tasks/cancel'])
      expect(spoken.client.requests.has(method)).toBe(true);
    for (const method of ['notifications/tasks/progress', 'notifications/tasks/completed']) {
      expect(spoken.server.notifications.has(method)).toBe(true);
    }
  });

  it('takes the messages as the document shows them', () => {
    const create = { name: 'batch_process_users', description: 'Process', parameters: { batchSize: 100 } };
    expect(spoken.wire.readRequest(spoken, 'client', 'tasks/create', create).ok).toBe(true);
    const running = {
      taskId: 'task-abc123',
      status: 'running',
      progress: 0.45,
      currentStep: 'Processing batch 45 of 100',
      createdAt: '2026-02-01T12:00:00Z',
      startedAt: '2026-02-01T12:00:05Z',
    };
    expect(spoken.wire.readResult(spoken, 'client', 'tasks/get', running).ok).toBe(true);
    const completed = {
      taskId: 'task-abc123',
      status: 'completed',
      result: { processedRecords: 10000 },
      completedAt: 'now',
    };
    expect(spoken.wire.readNotification(spoken, 'server', 'notifications/tasks/completed', completed).ok).toBe(true);
    expect(spoken.wire.readResult(spoken, 'client', 'tasks/get', { ...running, status: 'working' }).ok).toBe(false);
  });

  it('leaves the official tasks alone where a revision has them', () => {
    const both = withDialects(newestSession, { dialects: ['tasks-create'] });
    expect(both.client.requests.get('tasks/get')).toBe(newestSession.client.requests.get('tasks/get'));
    expect(both.client.requests.has('tasks/create')).toBe(true);
  });

  it('is absent where it was not chosen', () => {
    expect(june.client.requests.has('tasks/create')).toBe(false);
  });
});

describe('The dialect of elicitation', () => {
  it('brings messages in and a message out', () => {
    const spoken = withDialects(june, { dialects: ['elicitation-messages'] });
    const message = { role: 'assistant', content: { type: 'text', text: 'Proceed? (yes/no)' } };
    const requested = { messages: [message], metadata: { recordCount: 500 } };
    expect(
      spoken.wire.writeRequest(spoken, 'server', { method: 'elicitation/createMessage', params: requested }).ok,
    ).toBe(true);
    const answer = { role: 'user', content: { type: 'text', text: 'yes' } };
    expect(spoken.wire.readResult(spoken, 'server', 'elicitation/createMessage', answer).ok).toBe(true);
    expect(june.wire.writeRequest(june, 'server', { method: 'elicitation/createMessage', params: requested }).ok).toBe(
      false,
    );
  });
});

describe('The dialect of sampling', () => {
  it('fills in how much may be sampled where the request does not specify it', () => {
    const spoken = withDialects(june, { dialects: ['optional-max-tokens'] });
    const requested = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello!' } }] };
    const read = valueOf(spoken.wire.readRequest(spoken, 'server', 'sampling/createMessage', requested));
    expect(read.params).toEqual({ ...requested, maxTokens: assumedMaxTokens });
    expect(june.wire.readRequest(june, 'server', 'sampling/createMessage', requested).ok).toBe(false);
  });
});

describe('A chosen table of error codes', () => {
  it('numbers what is written and takes its numbers away from other names [S29]', () => {
    const spoken = withDialects(june, { errorCodes: 'client-details' });
    const number = (name: Parameters<typeof rpcError>[0]) => spoken.wire.writeError(spoken, rpcError(name, '')).code;
    expect(number('resource-not-found')).toBe(-32001);
    expect(number('resource-not-readable')).toBe(-32002);
    expect(number('tool-not-found')).toBe(-32003);
    expect(number('invalid-params')).toBe(-32602);
  });

  it('changes nothing in an exchange, which numbers errors itself', () => {
    const chosen = {
      errorCodes: 'client-details',
      dialects: ['tasks-create', 'elicitation-messages', 'optional-max-tokens'],
    } as const;
    expect(withDialects(newestExchange, chosen)).toBe(newestExchange);
  });
});
