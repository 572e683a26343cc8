import { describe, expect, it } from 'vitest';
import { type Delta, type Model, notification, request, revise } from './model.ts';
import { list, record, shapeOf, string } from './shape.ts';

const listTools = request('ListTools', 'Params', 'Names');
const changed = notification('Changed', 'Params');
const base: Model = {
  shapes: { Tool: record({ name: string }), Names: list(string), Params: record() },
  client: { requests: { 'tools/list': listTools }, notifications: {} },
  server: { requests: {}, notifications: { 'notifications/changed': changed } },
};

describe('A delta on a model', () => {
  it('adds fields to a record and leaves the model before it alone', () => {
    const next = revise(base, { extend: { Tool: { 'title?': string } } });
    expect(next.shapes.Tool).toEqual(record({ name: string, 'title?': string }));
    expect(base.shapes.Tool).toEqual(record({ name: string }));
  });

  it('makes a required field optional and the reverse', () => {
    const next = revise(base, { extend: { Tool: { 'name?': string } } });
    expect(next.shapes.Tool).toEqual(record({ 'name?': string }));
  });

  it('adds and drops messages of each side', () => {
    const next = revise(base, {
      client: { requests: { ping: request('Ping', 'Params', 'Params') } },
      dropClient: ['tools/list'],
      dropServer: ['notifications/changed'],
    });
    expect(Object.keys(next.client.requests)).toEqual(['ping']);
    expect(Object.keys(next.server.notifications)).toEqual([]);
  });

  it('replaces a message when it says so', () => {
    const next = revise(base, {
      replaceClient: { requests: { 'tools/list': request('ListTools', 'Names', 'Names') } },
      replaceServer: { notifications: { 'notifications/changed': notification('Changed', 'Names') } },
    });
    expect(next.client.requests['tools/list']?.params.shape).toEqual(shapeOf('Names'));
    expect(next.server.notifications['notifications/changed']?.params.shape).toEqual(shapeOf('Names'));
  });

  it.each<[string, Delta]>([
    ['drops a shape that was never there', { drop: ['Prompt'] }],
    ['adds a shape that was there', { add: { Tool: record() } }],
    ['replaces a shape that was never there', { replace: { Prompt: record() } }],
    ['extends what is no record', { extend: { Names: { 'x?': string } } }],
    ['extends a shape that was never there', { extend: { Prompt: { 'x?': string } } }],
    ['omits a field that was never there', { omit: { Tool: ['title'] } }],
    ['adds a request that was there', { client: { requests: { 'tools/list': listTools } } }],
    ['adds a notification that was there', { server: { notifications: { 'notifications/changed': changed } } }],
    ['replaces a request that was never there', { replaceClient: { requests: { ping: listTools } } }],
    ['replaces a notification that was never there', { replaceServer: { notifications: { moved: changed } } }],
    [
      'replaces a request that it drops',
      { replaceClient: { requests: { 'tools/list': listTools } }, dropClient: ['tools/list'] },
    ],
    ['drops a message that the client never had', { dropClient: ['ping'] }],
    ['drops a message that the server never had', { dropServer: ['ping'] }],
  ])('that %s is a lie and throws', (_what, delta) => {
    expect(() => revise(base, delta)).toThrow('The delta does not apply');
  });
});
