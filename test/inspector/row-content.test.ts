/** What a row of the timeline says about its message: what matters first, and never more than it has room for. */
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../src/inspector/recordings/row-content.ts';
import { partsOf } from '../../src/protocol/history/message-parts.ts';

const content = (message: object | object[], room = 160): string => contentOf(partsOf(message), room);
const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const response = (result: object) => ({ jsonrpc: '2.0', id: 1, result });

describe('the content of a row', () => {
  it.each([
    [
      'the arguments of a call',
      request('tools/call', { name: 'add', arguments: { a: 1 }, _meta: { x: 1 } }),
      '{"a":1}',
    ],
    ['nothing where the name is all there is', request('resources/read', { uri: 'note://a' }), ''],
    ['all parameters if there are several', request('x/y', { a: 1, b: [true] }), '{"a":1,"b":[true]}'],
    ['the text of a log message', { method: 'notifications/message', params: { level: 'info', data: 'a' } }, 'a'],
    [
      'the logger and the data of a log message',
      { method: 'notifications/message', params: { level: 'info', logger: 'db', data: { rows: 2 } } },
      'db {"rows":2}',
    ],
    [
      'how far a call is, and with what',
      { method: 'notifications/progress', params: { progressToken: 8, progress: 5, total: 10, message: 'Chapter 5' } },
      '5/10 Chapter 5',
    ],
    ['how far a call is', { method: 'notifications/progress', params: { progressToken: 8, progress: 5 } }, '5'],
    [
      'the text of a question first',
      request('elicitation/create', { mode: 'form', message: 'How many go?', requestedSchema: { type: 'object' } }),
      'How many go? {"mode":"form","requestedSchema":{"type":"object"}}',
    ],
    [
      'what a result asks for, by method and text',
      response({
        resultType: 'input_required',
        inputRequests: { people: { method: 'elicitation/create', params: { message: 'How many go?' } } },
        requestState: 'x',
      }),
      'elicitation/create How many go?',
    ],
    [
      'the texts for a model',
      request('sampling/createMessage', {
        messages: [{ role: 'user', content: { type: 'text', text: 'Summarize' } }],
        maxTokens: 10,
      }),
      'Summarize',
    ],
    [
      'the text of a model',
      response({ role: 'assistant', content: { type: 'text', text: 'Short' }, model: 'm' }),
      'Short',
    ],
    [
      'the texts of a prompt',
      response({ messages: [{ role: 'user', content: { type: 'text', text: 'Plan a day' } }] }),
      'Plan a day',
    ],
    [
      'the argument that is completed',
      request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'plan' },
        argument: { name: 'city', value: 'O' },
      }),
      '{"name":"city","value":"O"}',
    ],
    [
      'the texts of a result',
      response({
        content: [
          { type: 'text', text: 'It is' },
          { type: 'text', text: 'sunny' },
        ],
      }),
      'It is sunny',
    ],
    ['structured content without texts', response({ content: [], structuredContent: { sum: 5 } }), '{"sum":5}'],
    ['the text of a resource', response({ contents: [{ uri: 'note://a', text: 'a note' }] }), 'a note'],
    [
      'how many a list has, and their names',
      response({ tools: [{ name: 'add' }, { name: 'book' }] }),
      '2 tools: add, book',
    ],
    ['one of a list', response({ resources: [{ uri: 'note://a' }], nextCursor: 'x' }), '1 resource: note://a'],
    ['JSON if a list has no names', response({ tools: [1], cursors: [2] }), '{"tools":[1],"cursors":[2]}'],
    [
      'an error with its code',
      { id: 1, error: { code: -32602, message: 'Unknown tool', data: { a: 1 } } },
      '-32602 Unknown tool {"a":1}',
    ],
    ['an empty result', response({}), '{}'],
  ])('is %s', (_, message, shown) => {
    expect(content(message)).toBe(shown);
  });

  it('counts the messages of a batch', () => {
    expect(content([request('a', {}), request('b', {})])).toBe('2 messages');
  });

  it('visits no more of a large message than it shows', () => {
    let visited = 0;
    const item = {
      get name() {
        visited += 1;
        return 'a'.repeat(20);
      },
    };
    const tools = Array.from({ length: 10_000 }, () => item);
    expect(content(response({ tools })).length).toBeLessThan(300);
    expect(visited).toBeLessThan(50);
  });
});
