/** Intended differences between our checkers and the zod schemas of the official package `core`. Nothing else may differ. */
import { isRecord } from '../../../src/lib/values/is.ts';
import { type Difference, differences } from './differences.ts';

const both = ['2025-11-25', '2026-07-28'];
/** The only revision that the package is compared with in both directions. */
const session = both.slice(0, 1);

/** Texts are replaced by one that has the form. */
const text =
  (replacement: string): Difference['narrow'] =>
  (value) =>
    typeof value === 'string' ? replacement : value;

const unknownKinds = differences
  .filter(({ name }) => name === 'content-of-an-unknown-kind-passes')
  .map((difference) => ({ ...difference, revisions: both }));

/** The package refuses what the official JSON Schema accepts. */
const stricter: readonly Difference[] = [
  {
    name: 'the-form-of-a-date-is-not-validated',
    why: 'In the official schema lastModified is any text. A result is not refused for a wrong date in an annotation.',
    revisions: both,
    at: /\/annotations\/lastModified$/,
    narrow: text('2025-01-12T15:00:58Z'),
  },
  {
    name: 'base64-is-not-validated',
    why: 'In the official schema it is a format, which is an annotation. Reading megabytes once more costs time.',
    revisions: both,
    at: /\/(data|blob)$/,
    narrow: text(''),
  },
  {
    name: 'the-address-of-a-root-is-any-text',
    why: 'In the official schema it is a format. A scheme other than file is for the server to refuse.',
    revisions: session,
    at: /^server roots\/list result\/roots\/\d+\/uri$/,
    narrow: text('file:///'),
  },
  {
    name: 'the-address-of-an-elicitation-is-any-text',
    why: 'In the official schema it is a format. The client checks it before a user sees it.',
    revisions: session,
    at: /^server elicitation\/create params\/url$/,
    narrow: text('https://example.com/'),
  },
  {
    name: 'an-empty-result-may-have-fields',
    why: 'Every result of the official schema may have more fields than it lists.',
    revisions: session,
    at: /^\w+ (ping|resources\/(un)?subscribe|logging\/setLevel) result$/,
    narrow: (value) => (isRecord(value) ? ('_meta' in value ? { _meta: value._meta } : {}) : value),
  },
  {
    name: 'a-completion-may-have-more-than-a-hundred-values',
    why: 'The official schema of this revision has no limit; the next one has.',
    revisions: session,
    at: /^client completion\/complete result\/completion\/values$/,
    narrow: (value) => (Array.isArray(value) ? value.slice(0, 100) : value),
  },
];

/** The package accepts what the official JSON Schema of the revision refuses. */
const lenient: readonly Difference[] = [
  {
    name: 'a-tool-result-has-content',
    why: 'The official schema requires it. The package fills it in, for older servers.',
    revisions: session,
    at: /^client tools\/call result$/,
    narrow: (value) => (isRecord(value) ? { content: [], ...value } : value),
  },
  {
    name: 'structured-content-is-an-object',
    why: 'The official schema of this revision has an object; the next one has any JSON.',
    revisions: session,
    at: /\/structuredContent$/,
    narrow: (value) => (isRecord(value) ? value : {}),
  },
  {
    name: 'sizes-and-times-are-whole',
    why: 'The official schema has integers.',
    revisions: session,
    at: /\/(ttl|pollInterval|size|(min|max)(Length|Items))$/,
    narrow: (value) => (typeof value === 'number' ? 0 : value),
  },
  {
    name: 'an-argument-of-a-prompt-has-a-title',
    why: 'The official schema has the title of every named thing.',
    revisions: session,
    at: /(\/arguments\/\d+|params\/ref)\/title$/,
    narrow: () => '',
  },
  {
    name: 'the-schema-of-a-tool-is-an-object-schema',
    why: 'The official schema of this revision lists the type, the properties as objects and $schema as a text.',
    revisions: session,
    at: /\/tools\/\d+\/(inputSchema|outputSchema)$/,
    narrow: () => ({ type: 'object' }),
  },
  {
    name: 'the-dialect-of-a-form-is-a-text',
    why: 'The official schema has $schema as a text.',
    revisions: session,
    at: /\/requestedSchema\/\$schema$/,
    narrow: () => '',
  },
  {
    name: 'no-content-of-an-elicitation-is-not-null',
    why: 'In the official schema the content is an object or absent.',
    revisions: session,
    at: /^server elicitation\/create result\/content$/,
    narrow: (value) => value ?? {},
  },
];

export const coreDifferences: readonly Difference[] = [...unknownKinds, ...stricter, ...lenient];
