/** Intended differences between our checkers and the official schemas. Nothing else may differ. */

export interface Difference {
  readonly name: string;
  /** Why ours is the better reading. */
  readonly why: string;
  /** The revisions in which it occurs. */
  readonly revisions: readonly string[];
  /** Places such as `client tools/call result/content/0`; a slash in a key is written `~1`. */
  readonly at: RegExp;
  /** A narrower form of the value there, on which both must agree. */
  narrow(value: unknown, revision: string, place: string): unknown;
}

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const all = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const since = (first: string): string[] => all.slice(all.indexOf(first));

/** Kinds of content, with the first revision that has each. */
const contentKinds: Readonly<Record<string, string>> = {
  text: '2024-11-05',
  image: '2024-11-05',
  resource: '2024-11-05',
  audio: '2025-03-26',
  resource_link: '2025-06-18',
};
const samplingKinds: Readonly<Record<string, string>> = {
  text: '2024-11-05',
  image: '2024-11-05',
  audio: '2025-03-26',
  tool_use: '2025-11-25',
  tool_result: '2025-11-25',
};

const contentPlaces =
  /(tools\/call (result|outcome)\/content\/\d+|prompts\/get (result|outcome)\/messages\/\d+\/content)$/;
const toolResultPlaces = /\/content(\/\d+)?\/content\/\d+$/;
const samplingPlaces =
  /(createMessage params|inputRequests\/[^/]*\/params)\/messages\/\d+\/content(\/\d+)?$|(createMessage result|inputResponses\/[^/]*)\/content(\/\d+)?$/;
const anyOfPlaces = (...places: readonly RegExp[]): RegExp => new RegExp(places.map(({ source }) => source).join('|'));

function narrowKind(value: unknown, revision: string, place: string): unknown {
  const kinds = samplingPlaces.test(place) ? samplingKinds : contentKinds;
  if (!isRecord(value) || typeof value.type !== 'string') return value;
  const first = Object.hasOwn(kinds, value.type) ? kinds[value.type] : undefined;
  return first !== undefined && first <= revision ? value : { type: 'text', text: '' };
}

export const differences: readonly Difference[] = [
  {
    name: 'content-of-an-unknown-kind-passes',
    why: 'A newer peer may send a kind of content that the revision does not list. It is passed on unchanged, so that a future kind does not make the whole result unreadable. A listed kind is validated.',
    revisions: all,
    at: anyOfPlaces(contentPlaces, toolResultPlaces, samplingPlaces),
    narrow: narrowKind,
  },
  {
    name: 'an-elicited-number-may-have-a-fraction',
    why: 'A form may have a number field, and schema.ts has number; only the generated JSON Schema has integer.',
    revisions: since('2025-06-18'),
    at: /(elicitation\/create result|inputResponses\/[^/]*)\/content\/[^/]*$/,
    narrow: (value) => (typeof value === 'number' ? 0 : value),
  },
  {
    name: 'a-json-value-is-any-json',
    why: 'In schema.ts a JSONValue is any JSON; the JSON Schema generated from it lacks null and numbers with a fraction.',
    revisions: ['2026-07-28'],
    at: /(clientCapabilities\/(elicitation\/(form|url)|sampling\/(context|tools)|(experimental|extensions)\/[^/]*)|result\/capabilities\/(completions|logging|(experimental|extensions)\/[^/]*)|inputRequests\/[^/]*\/params\/metadata)\/[^/]*$/,
    narrow: () => '',
  },
  {
    name: 'results-are-distinguished-by-their-type',
    why: 'The official union accepts every object with a resultType, since all of InputRequiredResult is optional. We validate a result only as the type that its resultType names.',
    revisions: ['2026-07-28'],
    at: /^client (tools\/call|prompts\/get|resources\/read) outcome$/,
    narrow: (value) => (isRecord(value) ? loneMember(value) : value),
  },
];

/** Changes a result so that it matches at most one member of the union. */
function loneMember(result: Fields): Fields {
  if (result.resultType !== 'input_required') return { ...result, inputRequests: null };
  const { content: _, messages: __, contents: ___, ...inputRequired } = result;
  return inputRequired;
}

const escape = (key: string): string => key.replaceAll('/', '~1');

/** The value without a difference: the same value where it has none. */
export function narrowed(difference: Difference, revision: string, value: unknown, place: string): unknown {
  const here = difference.at.test(place) ? difference.narrow(value, revision, place) : value;
  const inner = (part: unknown, key: string): unknown =>
    narrowed(difference, revision, part, `${place}/${escape(key)}`);
  if (Array.isArray(here)) {
    const parts = here.map((part, n) => inner(part, String(n)));
    return parts.every((part, n) => part === here[n]) ? here : parts;
  }
  if (!isRecord(here)) return here;
  const fields = Object.entries(here).map(([key, part]) => [key, inner(part, key)] as const);
  return fields.every(([key, part]) => part === here[key]) ? here : Object.fromEntries(fields);
}
