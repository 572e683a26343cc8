/** What an app wants the user to allow is shown whole, and refused if it is too long for that. */
import { expect, it } from 'vitest';
import { askedText } from '../../../apps/inspector/src/apps/bridge.ts';

it('the last argument of a long call is in what is shown [S24]', () => {
  const shown = askedText('The app wants to call', { note: 'x'.repeat(5000), path: '/home' });
  expect(shown).toContain('"path":"/home"');
  expect(askedText('The app wants to open', 'https://a.example')).toBe('https://a.example');
});

it.each<[string, string, unknown]>([
  ['a call', 'delete', { note: 'x'.repeat(20_000), path: '/home' }],
  ['a name', 'x'.repeat(20_001), {}],
  ['a link', 'open', `https://a.example/${'x'.repeat(20_000)}`],
])('%s that is too long to be shown is refused [S24]', (_, title, details) => {
  expect(() => askedText(title, details)).toThrow('at most 20000 characters');
});
