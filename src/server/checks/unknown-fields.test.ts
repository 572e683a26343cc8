/** Unknown fields of a definition are rejected, with the nearest known one as a hint. */
import { createServer, prompt, resource, resourceTemplate, tool } from 'tenon';
import { expect, it } from 'vitest';

it.each<[string, object, string]>([
  ['tools.t', { tools: { t: tool({ inputschema: {} } as never, () => '') } }, 'Did you mean inputSchema?'],
  ['tools.t', { tools: { t: tool({ desciption: 'x' } as never, () => '') } }, 'Did you mean description?'],
  ['prompts.p', { prompts: { p: prompt({ argschema: {} } as never, () => '') } }, 'Did you mean argsSchema?'],
  [
    'resources["a:b"]',
    { resources: { 'a:b': resource({ mimetype: 'x' } as never, () => '') } },
    'Did you mean mimeType?',
  ],
  [
    'resourceTemplates["a:{b}"]',
    { resourceTemplates: { 'a:{b}': resourceTemplate({ completes: {} } as never, () => '') } },
    'Did you mean complete?',
  ],
])('%s of %j: %s', (place, features, hint) => {
  expect(() => createServer({ name: 'x', version: '1', ...features })).toThrow(
    expect.objectContaining({
      code: 'invalid-definition',
      message: expect.stringContaining(`${place}.`),
      hint,
    }),
  );
});
