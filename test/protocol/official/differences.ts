/** Where our checkers deliberately judge otherwise than the official schemas. Nothing else may differ. */

export interface Difference {
  readonly name: string;
  /** Why ours is the better reading. */
  readonly why: string;
  /** The revisions in which it shows. */
  readonly revisions: readonly string[];
  /** Places such as `client tools/call result/content/0`; a slash in a key is written `~1`. */
  readonly at: RegExp;
  /** The narrower form of what stands there, on which both must agree. */
  narrow(value: unknown, revision: string, place: string): unknown;
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const all = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const since = (first: string): string[] => all.slice(all.indexOf(first));

/** Kinds of content, with the revision that brought each. */
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
  if (!isObject(value) || typeof value.type !== 'string') return value;
  const first = Object.hasOwn(kinds, value.type) ? kinds[value.type] : undefined;
  return first !== undefined && first <= revision ? value : { type: 'text', text: '' };
}

export const differences: readonly Difference[] = [
  {
    name: 'content-of-an-unknown-kind-passes',
    why: 'A newer peer may send a kind of content that the revision does not list. It is handed on as it came, so that a kind invented tomorrow does not make the whole answer unreadable. A listed kind is held to its shape.',
    revisions: all,
    at: anyOfPlaces(contentPlaces, toolResultPlaces, samplingPlaces),
    narrow: narrowKind,
  },
  {
    name: 'an-elicited-number-may-have-a-fraction',
    why: 'The form may ask for a number and schema.ts says number; only the generated JSON Schema says integer.',
    revisions: since('2025-06-18'),
    at: /(elicitation\/create result|inputResponses\/[^/]*)\/content\/[^/]*$/,
    narrow: (value) => (typeof value === 'number' ? 0 : value),
  },
  {
    name: 'a-json-value-is-any-json',
    why: 'schema.ts says that a JSONValue is any JSON; the JSON Schema generated from it forgets null and numbers with a fraction.',
    revisions: ['2026-07-28'],
    at: /(clientCapabilities\/(elicitation\/(form|url)|sampling\/(context|tools)|(experimental|extensions)\/[^/]*)|result\/capabilities\/(completions|logging|(experimental|extensions)\/[^/]*)|inputRequests\/[^/]*\/params\/metadata)\/[^/]*$/,
    narrow: () => '',
  },
  {
    name: 'results-are-distinguished-by-their-type',
    why: 'The official union holds for every object with a resultType, since all of InputRequiredResult is optional. The type says which of the two a result means to be, and it is held to that shape alone.',
    revisions: ['2026-07-28'],
    at: /^client (tools\/call|prompts\/get|resources\/read) outcome$/,
    narrow: (value) => (isObject(value) ? loneMember(value) : value),
  },
];

/** Holds for one member of the union at most: the other one is spoilt, or left without what it requires. */
function loneMember(result: Fields): Fields {
  if (result.resultType !== 'input_required') return { ...result, inputRequests: null };
  const { content: _, messages: __, contents: ___, ...requesting } = result;
  return requesting;
}

const escape = (key: string): string => key.replaceAll('/', '~1');

/** The value with a difference taken out of it. */
export function narrowed(difference: Difference, revision: string, value: unknown, place: string): unknown {
  const here = difference.at.test(place) ? difference.narrow(value, revision, place) : value;
  const inner = (part: unknown, key: string): unknown =>
    narrowed(difference, revision, part, `${place}/${escape(key)}`);
  if (Array.isArray(here)) return here.map((part, n) => inner(part, String(n)));
  if (!isObject(here)) return here;
  return Object.fromEntries(Object.entries(here).map(([key, part]) => [key, inner(part, key)]));
}
