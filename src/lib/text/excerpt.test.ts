/** Excerpts quote the beginning of a text, and neither its secrets nor its control characters. */
import { describe, expect, it } from 'vitest';
import { excerpt, excerptsOf } from './excerpt.ts';
import { maskText } from './secret-text.ts';

describe('an excerpt', () => {
  it('of a short text is the text', () => {
    expect(excerptsOf('Server listening on port 3000')).toEqual({
      short: 'Server listening on port 3000',
      line: 'Server listening on port 3000',
    });
  });

  it('of a longer text is its beginning, with its length', () => {
    const { short, line } = excerptsOf('x'.repeat(1000));
    expect(short).toBe(`${'x'.repeat(80)}… (1000 characters)`);
    expect(line).toBe(`${'x'.repeat(200)}… (1000 characters)`);
  });

  it.each([
    ['{"_meta":{"authorization":"Bearer token123"},', 'token123'],
    ['{"_meta":{"authorization":"token123"},', 'token123'],
    ['{"_meta":{"authorization":["token123"]},', 'token123'],
    ['{"_meta":{"\\u0061uthorization":"token123"},', 'token123'],
    ['{"text":"Bearer abc\\/token123"},', 'token123'],
    ['{"text":"{\\"api_key\\":\\"token123\\"}"},', 'token123'],
    ['GET /x?access_token=token123 404', 'token123'],
    ['postgres://me:token123@db/x', 'token123'],
    ['using ghp_token123token123token123', 'token123'],
  ])('of %j has no secret [S36]', (text, secret) => {
    expect(excerpt(text)).not.toContain(secret);
    expect(excerpt(text)).toContain('[masked]');
  });

  it.each([
    '-----BEGIN PRIVATE KEY-----MIIEtoken123',
    'Cookie: id=token123',
    'bearer token123',
    'sent DPoP opaque_123',
    'Basic dG9rZW4xMjM6eA==',
    'got eyJhbGciOi.eyJzdWIiOi.x',
    'https://me:token123@a.example/',
    'rk_live_token123token123token123',
    'found tnk_0123456789abcdef_abcdefghijklmnop-qrstuvwxyz',
    'glpat-token123token123token123',
    'SG.token123token123token123',
    'AKIAIOSFODNN7EXAMPLE',
    'ya29.token123token123token123',
    ...'api_key pin sid otp auth passphrase pwd jwt accessToken client-secret sessionId credentials'
      .split(' ')
      .map((name) => `${name}=token123`),
  ])('masks %j as maskText does [S36]', (text) => {
    expect(excerpt(text)).toBe(maskText(text));
    expect(excerpt(text)).toContain('[masked]');
  });

  it('has no secret that begins before its end and ends after it [S36]', () => {
    for (let before = 40; before <= 80; before++) {
      const text = `${'x'.repeat(before)} sk-proj-${'a1'.repeat(60)} and more`;
      expect(excerpt(text)).not.toContain('a1');
    }
  });

  it('shows line breaks, terminal escapes and overrides of the text direction as escapes [S36]', () => {
    const text = 'a\nb\r\tc \u001b[31mred\u0007 \u009b2J \u202egnp.exe \u2028d';
    expect(excerpt(text)).toBe('a\\nb\\r\\tc \\u001b[31mred\\u0007 \\u009b2J \\u202egnp.exe \\u2028d');
  });
});
