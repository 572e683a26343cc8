/** Malformed and hostile lines, generated from a seed: reproducible and varied. */

/** A small random generator of numbers from 0 to 1 (exclusive), the same on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface HostileWords {
  /** Valid messages to corrupt. No test waits for their ids. */
  readonly messages: readonly ((n: number) => object)[];
  /** Ids of unknown or finished requests, to answer and to cancel. */
  readonly ids: (n: number) => unknown;
}

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '\u0000',
  '__proto__',
  '🎉',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  JSON.parse('{"__proto__":null}'),
  'x'.repeat(300),
  { jsonrpc: '2.0' },
];

const oddTexts: readonly string[] = [
  'null',
  '[]',
  '{}',
  '[[]]',
  '""',
  '0',
  '-',
  'NaN',
  'undefined',
  '{"jsonrpc":"2.0"',
  '}',
  '\u2028',
  '\ufeff{}',
  "{'a':1}",
  '{"jsonrpc":"2.0","method":"__proto__"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"__proto__":{"id":1}}',
  '{"jsonrpc":"2.0","jsonrpc":"1.0","id":"bad","id":"worse","method":"ping"}',
  'Content-Length: 20',
  'GET / HTTP/1.1',
];

/** Returns a function that makes the next line, without its line end. */
export function createHostileLines(seed: number, { messages, ids }: HostileWords): () => Buffer {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  let count = 0;
  const right = (): object => pick(messages)(count);
  const text = (): string => JSON.stringify(right());

  const kinds: readonly (() => string | Buffer)[] = [
    () => pick(oddTexts),
    () => text().slice(0, below(200)),
    () => replaced(text(), below, () => String.fromCharCode(32 + below(96))),
    () => replaced(text(), below, () => ''),
    () => JSON.stringify(wrong(right(), pick, below)),
    () => JSON.stringify({ jsonrpc: '2.0', id: ids(count), result: pick(oddValues) }),
    () => JSON.stringify({ jsonrpc: '2.0', id: ids(count), error: pick([...oddValues, { code: 1, message: 'no' }]) }),
    () => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: ids(count) } }),
    () =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: ids(count), progress: 1 },
      }),
    () =>
      JSON.stringify(
        Array.from({ length: below(5) }, () => pick([right(), pick(oddValues), wrong(right(), pick, below)])),
      ),
    () => spoiled(Buffer.from(text()), below),
    () => (below(50) === 0 ? JSON.stringify({ ...right(), padding: 'x'.repeat(200_000) }) : text()),
    () => (below(20) === 0 ? deep(100 + below(5000)) : pick(oddTexts)),
  ];
  return () => {
    count++;
    const line = Buffer.from(pick(kinds)());
    for (let at = line.indexOf(0x0a); at !== -1; at = line.indexOf(0x0a)) line[at] = 0x20;
    return line;
  };
}

type Below = (limit: number) => number;

function replaced(text: string, below: Below, by: () => string): string {
  const at = below(text.length);
  return text.slice(0, at) + by() + text.slice(at + 1 + below(3));
}

/** A message in which one field, or one field of its params, has a wrong type. */
function wrong(message: object, pick: <T>(list: readonly T[]) => T, below: Below): object {
  const copy = structuredClone(message) as Record<string, unknown>;
  const { params } = copy;
  const target = below(2) === 0 && typeof params === 'object' && params !== null ? params : copy;
  return Object.assign(target, { [pick(Object.keys(target))]: pick(oddValues) }) && copy;
}

/** Makes some bytes invalid UTF-8. */
function spoiled(bytes: Buffer, below: Below): Buffer {
  for (let n = 0; n <= below(3); n++) bytes[below(bytes.length)] = 0x80 + below(128);
  return bytes;
}

const deep = (levels: number): string =>
  `{"jsonrpc":"2.0","id":"bad-deep","method":"ping","params":${'{"a":['.repeat(levels)}${']}'.repeat(levels)}}`;

/** Splits bytes anywhere, also inside characters. */
export function* cutAnywhere(bytes: Buffer, random: () => number, most = 40_000): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() ** 3 * most);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
