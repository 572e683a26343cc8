/** A response that arrives byte by byte: it takes the memory of its bytes, not that of an object for each. */
import { expect, it } from 'vitest';
import { type Collected, collect, joined } from '../../../src/client/http/port/body.ts';

it('is stored in few pieces [S24]', () => {
  const body: Collected = { chunk: undefined, more: undefined, size: 0 };
  for (let n = 0; n < 1_000_000; n++) collect(body, Uint8Array.of(n % 251));
  expect(body.more?.length).toBeLessThan(300);
  expect(joined(body).every((byte, n) => byte === n % 251)).toBe(true);
  expect(body.size).toBe(1_000_000);
});
