/** Which URIs the official SDK would compare with a template for too long. */
import { expect, it } from 'vitest';
import { costlyTemplate, isTooCostly } from '../../src/official/features/template-cost.ts';
import { parseUriTemplate } from '../../src/protocol/uri-template/parse.ts';

const limitOf = (template: string): number | undefined => costlyTemplate(parseUriTemplate(template))?.maxChars;

it.each([
  ['notes://{day}', undefined],
  ['repo://{owner}/{repo}/{path}', undefined],
  ['file://{+path}', undefined],
  ['package://{name}@{version}', 6324],
  ['date://{year}-{month}-{day}', 493],
  ['uuid://{a}-{b}-{c}-{d}-{e}', 75],
  ['x://{+a}/{+b}', 6324],
  ['x://{a}{/b}', undefined],
  ['x://{a}{?b,c}', 493],
])('the template %s limits URIs to %s characters after its beginning', (template, maxChars) => {
  expect(limitOf(template)).toBe(maxChars);
});

it('a URI is compared as the SDK reads it, and templates that begin otherwise do not limit it', () => {
  const templates = [costlyTemplate(parseUriTemplate('date://{y}-{m}-{d}'))].filter((one) => one !== undefined);
  expect(isTooCostly(templates, `date://${'-'.repeat(493)}`)).toBe(false);
  expect(isTooCostly(templates, `date://${'-'.repeat(494)}`)).toBe(true);
  expect(isTooCostly(templates, `DATE://${'-'.repeat(494)}`)).toBe(true);
  expect(isTooCostly(templates, `file://${'-'.repeat(8000)}`)).toBe(false);
});
