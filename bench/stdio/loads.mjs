/** The requests to the servers, as bytes, each with the text of the right answer. */

/** Ids are reused; there are far more of them than calls in flight. */
const small = 1024;
const large = 8;

const alphabet = 'abcdefghijklmnopqrstuvwxyz 0123456789 "quoted" \\ \n';
const textOf = (length, n) => `${n} `.padEnd(length, alphabet);
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const adding = (n) => ({ name: 'add', given: { a: n, b: 7 }, text: String(n + 7) });
const echoing = (length) => (n) => {
  const message = textOf(length, n);
  return { name: 'echo', given: { message }, text: message };
};

const all = ['plain', 'control', 'ours', 'peer'];

/** Slices are long enough for dozens of calls. */
const short = { rounds: 20, sliceMs: 150, warmMs: 1500 };
const long = { rounds: 16, sliceMs: 400, warmMs: 1500 };

/** `kinds` are the subjects that take part. `meta` is added to each request. */
export const loads = [
  { title: 'small call', inFlight: 64, ids: small, pace: short, make: adding, kinds: [...all, 'trusting'] },
  { title: '1 KB echoed', inFlight: 64, ids: small, pace: short, make: echoing(1000), kinds: all },
  { title: '1 MB echoed', inFlight: 4, ids: large, pace: long, make: echoing(1_000_000), kinds: all },
  {
    title: 'small call with trace context',
    inFlight: 64,
    ids: small,
    pace: short,
    make: adding,
    meta: { traceparent },
    kinds: ['plain', 'control', 'ours', 'everything'],
  },
];

/** One request per id, which is its index plus one. */
export function requestsOf({ ids, make, meta }, lifecycle) {
  return Array.from({ length: ids }, (_, n) => {
    const { name, given, text } = make(n);
    return { bytes: Buffer.from(`${JSON.stringify(lifecycle.call(n + 1, name, given, meta))}\n`), text };
  });
}
