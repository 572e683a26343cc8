/** Validates the tracing keys of `_meta` by W3C Trace Context and Baggage. */

/** Only spaces and tabs are allowed as white space, so that trimming removes no more than that. */
const printable = /^[\t\x20-\x7e]*$/;

const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

const stateKey = /^(?:[a-z][\da-z_\-*/]{0,255}|[\da-z][\da-z_\-*/]{0,240}@[a-z][\da-z_\-*/]{0,13})$/;
const stateValue = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const maxStates = 32;

const token = /^[\w!#$%&'*+\-.^`|~]+$/;
const baggageValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** The text before the first `=`, and the text after it; `undefined` without a `=`. */
function pairOf(text: string): readonly [key: string, value: string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function isTracestate(text: string): boolean {
  const members = text.split(',').map((member) => member.trim());
  const pairs = members.filter((member) => member !== '').map(pairOf);
  const isValid = pairs.every(([key, value]) => stateKey.test(key) && value !== undefined && stateValue.test(value));
  return isValid && pairs.length <= maxStates && new Set(pairs.map(([key]) => key)).size === pairs.length;
}

/** Members with properties: `key=value;property;property=value`. */
function isBaggage(text: string): boolean {
  return text.split(',').every((member) => {
    const pairs = member.split(';').map(pairOf);
    const isValid = pairs.every(([key, value = '']) => token.test(key.trim()) && baggageValue.test(value.trim()));
    return isValid && pairs[0]?.[1] !== undefined;
  });
}

const rules: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['traceparent', (text) => traceparent.test(text)],
  ['tracestate', isTracestate],
  ['baggage', isBaggage],
]);

/** What is wrong with the value of a key of `_meta`, if it is one of these. */
export function traceProblem(key: string, value: unknown): string | undefined {
  const holds = rules.get(key);
  if (holds === undefined || (typeof value === 'string' && printable.test(value) && holds(value))) return undefined;
  return `not a ${key} as W3C has it; send one that a tracer wrote, or none`;
}
