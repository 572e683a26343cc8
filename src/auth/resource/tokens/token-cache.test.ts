import { expect, it, onTestFinished, vi } from 'vitest';
import { createPrincipal } from '../../../ports/principal.ts';
import { TokenCache } from './token-cache.ts';

const token = { principal: createPrincipal({ issuer: 'https://id.example.com', subject: 'ada' }), binding: undefined };

it('does not add a token whose verification began before a key was removed', () => {
  const cache = new TokenCache(10, 60_000);
  const { generation } = cache;
  cache.clear();
  cache.add('text', token, generation);
  expect(cache.get('text')).toBeUndefined();
  cache.add('text', token, cache.generation);
  expect(cache.get('text')).toBe(token);
});

it('does not return a token that has expired, though it may be cached for longer', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const cache = new TokenCache(10, 60_000);
  const principal = createPrincipal({ issuer: 'https://id.example.com', subject: 'ada', expiresAt: Date.now() + 5000 });
  cache.add('text', { principal, binding: undefined }, cache.generation);
  vi.setSystemTime(Date.now() + 4999);
  expect(cache.get('text')).toBeDefined();
  vi.setSystemTime(Date.now() + 1);
  expect(cache.get('text')).toBeUndefined();
  expect(cache.size).toBe(0);
});
