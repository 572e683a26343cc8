/** An address in an error shows where, and contains no credentials. */
import { expect, it } from 'vitest';
import { shownAddress, shownTarget } from './shown-address.ts';

it.each([
  ['/mcp', 'http://h/mcp'],
  ['/mcp?token=sesame', 'http://h/mcp?token=…'],
  ['/mcp?a=1&token=ses=ame&sesame', 'http://h/mcp?a=…&token=…&…'],
  ['/@scope/a@b?x=sesame@y', 'http://h/@scope/a@b?x=…'],
])('shows the target %s as %s', (path, shown) => {
  expect(shownTarget({ origin: 'http://h', path })).toBe(shown);
});

it.each([
  ['https://a.example/mcp', 'https://a.example/mcp'],
  ['http://localhost:3000/mcp', 'http://localhost:3000/mcp'],
  ['https://esm.example/@scope/pkg@1.2', 'https://esm.example/@scope/pkg@1.2'],
  ['/login?next=sesame#sesame', '/login?next=…#…'],
  ['https://u:sesame@a.example/b?c=sesame', 'https://…@a.example/b?c=…'],
  ['//u:sesame@a.example/b', '//…@a.example/b'],
  ['https://a.example/#access_token=sesame', 'https://a.example/#…'],
])('shows the address %s as %s', (text, shown) => {
  expect(shownAddress(text)).toBe(shown);
});

it.each([
  ['https://u:sesame@exa mple/?token=sesame', 'https://…'],
  ['https://exa mple/?token=sesame', 'https://exa…'],
  ['https://h:sesame/mcp', 'https://h:…'],
  ['https://u:sesame?x@h', 'https://…'],
  ['https:/u:sesame@h', 'https:…'],
  ['https:////u:sesame@h', 'https://…'],
  ['u:sesame@h/mcp', 'u:…'],
  ['mysql://u:p/sesame@h', 'mysql://…'],
  ['mysql://u:12/sesame@h', 'mysql://…'],
  ['https://u:p@sesame/x@h', 'https://…'],
  ['https://a.example/x,https://u:sesame@h', 'https://…'],
  [' https://u:sesame@h', '…'],
  ['a.example/mcp?token=sesame', 'a.example/mcp?token=…'],
  ['npx:srv --key=sesame', 'npx:srv…'],
])('shows no more of %s than is safe: %s', (text, shown) => {
  expect(shownAddress(text)).toBe(shown);
});
