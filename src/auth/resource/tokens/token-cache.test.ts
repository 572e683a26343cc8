import { expect, it } from 'vitest';
import { createPrincipal } from '../../../server/ports/principal.ts';
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
