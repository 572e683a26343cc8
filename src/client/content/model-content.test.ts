/** Results for language models. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import { type ModelContentOptions, toModelContent } from './model-content.ts';

const textBlock = (text: string, annotations?: { audience: ('user' | 'assistant')[] }) => ({
  type: 'text' as const,
  text,
  ...(annotations && { annotations }),
});
const rich: CallToolResult = { content: [textBlock('It is warm.')], structuredContent: { celsius: 20 } };
const repeated: CallToolResult = { content: [textBlock('{ "celsius": 20 }')], structuredContent: { celsius: 20 } };
const textOf = (result: Parameters<typeof toModelContent>[0], policy?: ModelContentOptions): string =>
  toModelContent(result, policy).text;

describe('toModelContent', () => {
  it('returns the content or the structured content, as `show` selects', () => {
    expect(textOf(rich, { show: 'content' })).toBe('It is warm.');
    expect(textOf(rich, { show: 'structured' })).toBe('{"celsius":20}');
  });

  it('returns both, unless a text has the same JSON as the structured content', () => {
    expect(textOf(rich)).toBe('It is warm.\n{"celsius":20}');
    expect(textOf(repeated)).toBe('{ "celsius": 20 }');
    expect(textOf({ content: [textBlock('warm')], structuredContent: 'warm' })).toBe('warm');
    expect(textOf({ content: [textBlock('{"b":1,"a":2}')], structuredContent: { a: 2, b: 1 } })).toBe('{"b":1,"a":2}');
  });

  it('returns the part that exists, for any value of `show`', () => {
    expect(textOf({ content: [], structuredContent: null }, { show: 'content' })).toBe('null');
    expect(textOf({ content: [textBlock('only')] }, { show: 'structured' })).toBe('only');
    expect(toModelContent({ content: [] }).parts).toEqual([]);
  });

  it('begins with a note for an error', () => {
    const view = toModelContent({ content: [textBlock('disk full')], isError: true });
    expect(view.isError).toBe(true);
    expect(view.text).toBe('The tool reports an error:\ndisk full');
    expect(toModelContent(rich).isError).toBe(false);
  });

  it('leaves out parts for the user alone, with a note', () => {
    const content = [
      textBlock('for you', { audience: ['user'] }),
      textBlock('for both', { audience: ['user', 'assistant'] }),
    ];
    expect(textOf({ content })).toBe('for both\n[one part is for the user alone]');
    const hidden = { content: [textBlock('1', { audience: ['user'] })], structuredContent: 1 };
    expect(textOf(hidden)).toBe('[one part is for the user alone]\n1');
  });

  it('describes media, or includes them with `media: included`', () => {
    const content: CallToolResult['content'] = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAA=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a://b', blob: 'AA==', mimeType: 'application/zip' } },
      { type: 'resource', resource: { uri: 'a://t', text: 'inside' } },
      { type: 'resource_link', uri: 'a://l', name: 'link', description: 'more\nof it' },
      { type: 'hologram' } as never,
    ];
    const rest = [
      '[resource a://t]\ninside',
      '[link link: a://l, more of it]',
      '[a part of an unknown kind: hologram]',
    ];
    expect(textOf({ content }).split('\n[')).toEqual(
      [
        '[image, image/png, 3 bytes]',
        '[audio, audio/wav, 2 bytes]',
        '[resource a://b, application/zip, 1 bytes]',
        ...rest,
      ]
        .join('\n')
        .split('\n['),
    );
    expect(toModelContent({ content }, { media: 'included' }).parts.slice(0, 4)).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAA=', mimeType: 'audio/wav' },
      { type: 'file', data: 'AA==', mimeType: 'application/zip' },
      { type: 'text', text: '[resource a://t]\ninside' },
    ]);
  });

  it('shortens the text to maxChars, with a note of the number of omitted characters', () => {
    const view = toModelContent(
      { content: [textBlock('12345'), textBlock('67890'), textBlock('more')] },
      { maxChars: 7 },
    );
    expect(view.parts.map((part) => part.type === 'text' && part.text)).toEqual([
      '12345',
      '67',
      '[7 characters were left out]',
    ]);
    expect(view.omittedChars).toBe(7);
    expect(textOf({ content: [textBlock('a😀')] }, { maxChars: 2 })).toBe('a\n[2 characters were left out]');
  });

  it('describes media that exceed maxChars, and continues with smaller parts', () => {
    const content: CallToolResult['content'] = [
      { type: 'image', data: 'A'.repeat(100), mimeType: 'image/png' },
      textBlock('small'),
    ];
    const view = toModelContent({ content }, { media: 'included', maxChars: 10 });
    expect(view.text).toBe('[image, image/png, 75 bytes, left out]\nsmall\n[100 characters were left out]');
  });

  it('never exceeds maxChars, and counts omitted characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), fc.nat(20), (texts, maxChars) => {
        const whole = texts.join('').length;
        const { parts, omittedChars: cut } = toModelContent(
          { content: texts.map((text) => textBlock(text)) },
          { maxChars },
        );
        const shown = parts.slice(0, cut > 0 ? -1 : undefined);
        const length = shown.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
        expect(length).toBeLessThanOrEqual(maxChars);
        expect(length + cut).toBe(whole);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
