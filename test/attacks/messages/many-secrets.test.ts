/** Secrets without end in the messages of a capture: they take neither its memory nor its time. */
import { createCapture } from 'tenon/capture';
import { maskSecrets } from 'tenon/input-safety';
import { describe, expect, it } from 'vitest';
import { Placeholders } from '../../../src/capture/redaction/placeholders.ts';
import { redactValue } from '../../../src/capture/redaction/redact-value.ts';

const many = (count: number, one: (n: number) => string): string[] => Array.from({ length: count }, (_, n) => one(n));

describe('a capture', () => {
  it('seeks thousands of secrets that begin alike in time linear in the text [S24]', () => {
    const placeholders = new Placeholders();
    redactValue({ tokens: many(2800, (n) => `aaaaaaaa${'b'.repeat(n)}`) }, placeholders);
    const text = 'aaaaaaaac '.repeat(40_000);
    expect(redactValue({ text }, placeholders)).toEqual({ text: '‹redacted:1›c '.repeat(40_000) });
  });

  it('finds secrets that begin alike, whatever their lengths', () => {
    const placeholders = new Placeholders();
    const secrets = [8, 31, 32, 127, 128, 511, 512, 2047, 2048, 16_384].map((length) =>
      'abcdefghi'.repeat(2000).slice(0, length),
    );
    redactValue({ tokens: secrets }, placeholders);
    const found = redactValue({ text: secrets.map((secret) => `${secret}!`).join(' ') }, placeholders);
    expect(found).toEqual({ text: secrets.map((_, n) => `‹redacted:${n + 1}›!`).join(' ') });
  });

  it('stores no secret of many characters, and no more of them than a number of characters [S24]', () => {
    const placeholders = new Placeholders();
    expect(placeholders.of('x'.repeat(16 * 1024))).toBe('‹redacted:1›');
    expect(placeholders.of('x'.repeat(16 * 1024 + 1))).toBe('‹redacted›');
    const shown = many(1200, (n) => placeholders.of(`${n} `.padEnd(16 * 1024, 'y')));
    expect(shown.slice(0, 1000)).not.toContain('‹redacted›');
    expect(shown.at(-1)).toBe('‹redacted›');
  });

  it('remembers no form by an ID that no request can have [S24]', () => {
    const lines: string[] = [];
    const { tap } = createCapture({ write: (line) => void lines.push(line) });
    const message = (value: object) =>
      tap({
        seq: 1,
        at: 0,
        connection: 1,
        kind: 'message',
        from: 'client',
        text: JSON.stringify({ jsonrpc: '2.0', ...value }),
      });
    const answered = (id: string) => {
      message({ id, method: 'elicitation/create', params: {} });
      message({ id, result: { action: 'accept', content: [`answer to ${id.length}`] } });
      return lines.at(-1)?.includes(`answer to ${id.length}`);
    };
    expect([answered('x'.repeat(1000)), answered('x'.repeat(1001))]).toEqual([false, true]);
  });
});

describe('a secret that is longer than an expression can match', () => {
  const long = 'a'.repeat(16 * 1024 * 1024);

  it.each([`password=${long}`, `cookie: ${long}`, `-----BEGIN PRIVATE KEY-----${long}`])(
    'is masked with the text that it stands in: %.30s [S36]',
    (text) => {
      expect(maskSecrets(text)).toMatch(/^.{0,20}\[masked\]$/);
    },
  );
});
