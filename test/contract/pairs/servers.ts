/** Changes of what a server offers beside the schemas of its tools. */
import { prompt, resource, resourceTemplate, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { forecast, object, type Pair, serverOf, text } from './pair.ts';

const nothing = (): string => '';
const empty = serverOf({ tools: {} });

const review = (
  required: readonly string[],
  properties: Record<string, unknown> = { language: text },
): Pair['before'] =>
  serverOf({
    prompts: {
      review: prompt({ argsSchema: fromJsonSchema<Record<string, string>>(object(properties, required)) }, nothing),
    },
  });

const files = (path: string): Pair['before'] =>
  serverOf({ resourceTemplates: { [path]: resourceTemplate({}, nothing) } });

const completing = (complete: object): Pair['before'] =>
  serverOf({
    prompts: {
      review: prompt(
        { argsSchema: fromJsonSchema<Record<string, string>>(object({ language: text })), ...complete },
        nothing,
      ),
    },
  });

const two = { a: tool({}, nothing), b: tool({}, nothing) };

export const servers: readonly Pair[] = [
  {
    title: 'tool removed',
    before: serverOf({ tools: two }),
    after: serverOf({ tools: { a: two.a } }),
    changes: [['breaks', 'tool b', 'call `b`']],
  },
  {
    title: 'tool added',
    before: serverOf({ tools: { a: two.a } }),
    after: serverOf({ tools: two }),
    changes: [['safe', 'tool b']],
  },
  {
    title: 'tools in another order',
    before: serverOf({ tools: two }),
    after: serverOf({ tools: { b: two.b, a: two.a } }),
    changes: [],
  },
  {
    title: 'tool renamed',
    before: forecast({ input: object({ city: text }) }),
    after: forecast({ input: object({ city: text }) }, 'weather'),
    changes: [
      ['breaks', 'tool forecast', 'call `forecast`'],
      ['safe', 'tool weather'],
    ],
  },
  {
    title: 'description reworded',
    before: forecast({ description: 'The weather' }),
    after: forecast({ description: 'The weather of a city' }),
    changes: [['review', 'tool forecast description']],
  },
  {
    title: 'title changed',
    before: forecast({ title: 'Weather' }),
    after: forecast({ title: 'Forecast' }),
    changes: [['review', 'tool forecast title']],
  },
  {
    title: 'readOnlyHint dropped',
    before: forecast({ annotations: { readOnlyHint: true } }),
    after: forecast({}),
    changes: [['review', 'tool forecast annotations.readOnlyHint', 'call it without asking']],
  },
  {
    title: 'an annotation that says the default',
    before: forecast({}),
    after: forecast({ annotations: { destructiveHint: true } }),
    changes: [],
  },
  {
    title: 'prompt argument became required',
    before: review([]),
    after: review(['language']),
    changes: [['breaks', 'prompt review arguments.language', 'omit `language`']],
  },
  {
    title: 'optional prompt argument added',
    before: review([]),
    after: review([], { language: text, style: text }),
    changes: [['safe', 'prompt review arguments.style']],
  },
  {
    title: 'prompt removed',
    before: serverOf({ prompts: { a: prompt({}, nothing), b: prompt({}, nothing) } }),
    after: serverOf({ prompts: { a: prompt({}, nothing) } }),
    changes: [['breaks', 'prompt b', 'get `b`']],
  },
  {
    title: 'resource removed',
    before: serverOf({ resources: { 'notes://one': resource({}, nothing), 'notes://two': resource({}, nothing) } }),
    after: serverOf({ resources: { 'notes://two': resource({}, nothing) } }),
    changes: [['breaks', 'resource notes://one', 'read `notes://one`']],
  },
  {
    title: 'mime type of a resource changed',
    before: serverOf({ resources: { 'notes://one': resource({ mimeType: 'text/plain' }, nothing) } }),
    after: serverOf({ resources: { 'notes://one': resource({ mimeType: 'text/markdown' }, nothing) } }),
    changes: [['review', 'resource notes://one mimeType', 'read `notes://one`']],
  },
  {
    title: 'template variable renamed',
    before: files('file:///{path}'),
    after: files('file:///{name}'),
    changes: [['breaks', 'template file:///{path}', 'fill in `path`']],
  },
  {
    title: 'template removed',
    before: files('file:///{path}'),
    after: files('data:///{path}'),
    changes: [
      ['breaks', 'template file:///{path}', 'read `file:///{path}`'],
      ['safe', 'template data:///{path}'],
    ],
  },
  {
    title: 'protocol version dropped',
    before: serverOf({}, { protocolVersions: ['2026-07-28', '2025-06-18', '2025-03-26'] }),
    after: serverOf({}, { protocolVersions: ['2026-07-28', '2025-06-18'] }),
    changes: [['breaks', 'server protocolVersions', 'use 2025-03-26']],
  },
  {
    title: 'protocol version added',
    before: serverOf({}, { protocolVersions: ['2026-07-28'] }),
    after: serverOf({}, { protocolVersions: ['2026-07-28', '2025-06-18'] }),
    changes: [['safe', 'server protocolVersions']],
  },
  {
    title: 'newest protocol version dropped, and nothing else',
    before: serverOf({ tools: two }, { protocolVersions: ['2026-07-28', '2025-03-26'] }),
    after: serverOf({ tools: two }, { protocolVersions: ['2025-03-26'] }),
    changes: [['breaks', 'server protocolVersions', 'use 2026-07-28']],
  },
  {
    title: 'capability dropped',
    before: completing({ complete: { language: () => ['ts'] } }),
    after: completing({}),
    changes: [['breaks', 'server capabilities.completions', 'use `completions`']],
  },
  {
    title: 'instructions changed',
    before: serverOf({ instructions: 'Call forecast.' }),
    after: serverOf({ instructions: 'Call forecast once.' }),
    changes: [['review', 'server instructions']],
  },
  { title: 'nothing changed', before: empty, after: empty, changes: [] },
];
