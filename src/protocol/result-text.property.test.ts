import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheMetaText, shortText } from './result-text.ts';

const meta = cacheMetaText({ 'io.modelcontextprotocol/serverInfo': { name: 's "quoted"', version: '1' } });

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 220 }),
  fc.constantFrom('', '"', '\\', '\ud800', '\u2028', '\0'),
);
const block = fc.record(
  {
    type: fc.constantFrom('text', 'image'),
    text: fc.oneof(text, fc.integer()),
    annotations: fc.constant({ priority: 1 }),
  },
  { requiredKeys: ['type', 'text'] },
);
const result = fc.record(
  {
    content: fc.array(block, { maxLength: 2 }),
    resultType: fc.constantFrom('complete', 'task', undefined),
    _meta: fc.constantFrom(meta, { ...meta }, undefined),
    isError: fc.boolean(),
  },
  { requiredKeys: ['content'] },
);

describe('The text of a result', () => {
  it('is that of JSON.stringify wherever there is a shorter way', () => {
    fc.assert(
      fc.property(result, (value) => {
        const plain = JSON.stringify(value);
        expect(JSON.parse(shortText(value) ?? plain)).toEqual(JSON.parse(plain));
      }),
      { numRuns: 5000 },
    );
  });

  it('has a shorter way where it is one text, signed or not', () => {
    const content = [{ type: 'text', text: 'hello' }];
    expect(shortText({ content })).toBe('{"content":[{"type":"text","text":"hello"}]}');
    const signed = { content, resultType: 'complete', _meta: meta };
    expect(shortText(signed)).toBe(JSON.stringify(signed));
  });

  it.each([
    [
      'writes itself in a way of its own',
      {
        content: [
          new (class {
            type = 'text';
            text = 'a';
            toJSON = () => 'b';
          })(),
        ],
      },
    ],
    ['is long', { content: [{ type: 'text', text: 'a'.repeat(2001) }] }],
    ['is an error', { content: [{ type: 'text', text: 'a' }], isError: true }],
    ['has metadata of its own', { content: [{ type: 'text', text: 'a' }], _meta: { a: 1 } }],
    ['holds nothing', { content: [] }],
  ])('has none where it %s', (_name, value) => {
    expect(shortText(value)).toBeUndefined();
  });
});
