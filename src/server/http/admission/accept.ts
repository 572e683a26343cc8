/** Which kinds of response a client accepts, by its `Accept` header: JSON, a stream of events, either, or neither. */

export type Acceptance = 'either' | 'json' | 'events' | 'neither';

/** A cache: clients send the same few values with every request. Limited, since they may send any. */
const parsed = new Map<string, Acceptance>();
const maxParsed = 100;

export function acceptanceOf(accept: string): Acceptance {
  const known = parsed.get(accept);
  if (known !== undefined) return known;
  const acceptance = parse(accept);
  if (parsed.size < maxParsed && accept.length < 200) parsed.set(accept, acceptance);
  return acceptance;
}

function parse(accept: string): Acceptance {
  const ranges = new Map(accept.toLowerCase().split(',').map(readRange));
  // The most specific range wins (RFC 9110, 12.5.1).
  const accepts = (type: string): boolean =>
    ranges.get(type) ?? ranges.get(type.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? false;
  const [json, events] = [accepts('application/json'), accepts('text/event-stream')];
  if (json) return events ? 'either' : 'json';
  return events ? 'events' : 'neither';
}

/** A media range, and whether it is accepted: with quality 0 it is not. */
function readRange(text: string): readonly [range: string, isAccepted: boolean] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  return [range, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))];
}
