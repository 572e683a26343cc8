import { describe, expect, it } from 'vitest';
import { explainParams, explainResult } from './explain.ts';
import { findRevision } from './revisions/revisions.ts';

const textOf = ({ place, reason }: ReturnType<typeof explainParams>) => `${place}: ${reason}`;
const params = (...given: Parameters<typeof explainParams>) => textOf(explainParams(...given));
const result = (...given: Parameters<typeof explainResult>) => textOf(explainResult(...given));
const call = (given: unknown, revision = '2025-11-25') => params(revision, 'client', 'requests', 'tools/call', given);

describe('The explainer', () => {
  it.each([
    [undefined, 'params: expected an object, found nothing'],
    [[], 'params: expected an object, found a list'],
    [{}, 'params.name: expected a string, found nothing'],
    [{ name: 5 }, 'params.name: expected a string, found 5'],
    [{ name: 'x', arguments: 'y' }, 'params.arguments: expected an object, found "y"'],
    [
      { name: 'x', _meta: { progressToken: 1.5 } },
      'params._meta.progressToken: expected a string or an integer, found 1.5',
    ],
    [{ name: 'x', task: { ttl: null } }, 'params.task.ttl: expected an integer, found null'],
  ])('names the place and the shape that is wanted in %j', (given, text) => {
    expect(call(given)).toBe(text);
  });

  it('names keys that are no plain words in brackets', () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': 1 };
    expect(call({ name: 'x', _meta: meta }, '2026-07-28')).toBe(
      'params._meta["io.modelcontextprotocol/protocolVersion"]: expected a string, found 1',
    );
  });

  it('follows the kind of content that was meant', () => {
    const given = {
      content: [
        { type: 'text', text: 'fine' },
        { type: 'image', data: 'AA==' },
      ],
    };
    expect(result('2025-06-18', 'client', 'tools/call', given)).toBe(
      'result.content[1].mimeType: expected a string, found nothing',
    );
  });

  it('follows the option of a union that came furthest', () => {
    const contents = [{ uri: 'a:b', text: 5 }];
    expect(result('2025-06-18', 'client', 'resources/read', { contents })).toBe(
      'result.contents[0].text: expected a string, found 5',
    );
  });

  it('names the words that would do', () => {
    const given = { level: 'loud' };
    expect(params('2025-06-18', 'client', 'requests', 'logging/setLevel', given)).toBe(
      'params.level: expected one of "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", found "loud"',
    );
  });

  it('names the bounds of a number and of a list', () => {
    const preferences = { messages: [], maxTokens: 1, modelPreferences: { costPriority: 2 } };
    expect(params('2025-06-18', 'server', 'requests', 'sampling/createMessage', preferences)).toBe(
      'params.modelPreferences.costPriority: expected a number from 0 to 1, found 2',
    );
    const completion = { values: Array.from({ length: 101 }, () => '') };
    expect(result('2026-07-28', 'client', 'completion/complete', { resultType: 'complete', completion })).toBe(
      'result.completion.values: expected a list of at most 100, found a list',
    );
  });

  it('explains a message of the tasks extension by the extension, and one of a dialect by the dialect', () => {
    const task = { resultType: 'complete', taskId: 't', status: 'completed', createdAt: '', lastUpdatedAt: '' };
    expect(result('2026-07-28', 'client', 'tasks/get', { ...task, ttlMs: -1 })).toBe(
      'result.ttlMs: expected an integer of at least 0 or null, found -1',
    );
    expect(result('2025-06-18', 'client', 'tasks/get', { taskId: 't', status: 'lost' })).toMatch(/^result\.status: /);
    expect(params('2025-06-18', 'server', 'requests', 'elicitation/createMessage', {})).toBe(
      'params.messages: expected a list, found nothing',
    );
  });

  it('finds a refused value invalid also where no model shows why [S29]', () => {
    expect(call({ name: 'x' })).toBe('params: invalid');
    expect(result('2025-11-25', 'client', 'no/such', {})).toBe('result: invalid');
  });

  it('finds the mismatch in a map under a name that every object inherits', () => {
    const capabilities = { experimental: { constructor: null } };
    const given = { protocolVersion: '', capabilities, clientInfo: { name: '', version: '' } };
    expect(params('2025-06-18', 'client', 'requests', 'initialize', given)).toBe(
      'params.capabilities.experimental.constructor: expected an object, found null',
    );
  });

  it('never repeats a long value, which could be large or secret', () => {
    expect(call({ name: 'x', arguments: 's'.repeat(41) })).toBe(
      'params.arguments: expected an object, found a string of 41 characters',
    );
  });

  it('is loaded by a refusal only when it is asked to explain [S29]', async () => {
    const revision = findRevision('2025-11-25');
    if (revision === undefined) throw new Error('the revision is missing');
    const read = revision.wire.readRequest(revision, 'client', 'tools/call', { name: 5 });
    if (read.ok) throw new Error('a number is no name');
    expect(read.refusal.reason).toBe('invalid-params');
    expect(await read.refusal.explain()).toEqual({
      text: 'Invalid params for tools/call: params.name: expected a string, found 5',
      data: {
        field: 'name',
        reason: 'expected a string, found 5',
        details: 'name: expected a string, found 5',
      },
    });
  });
});
