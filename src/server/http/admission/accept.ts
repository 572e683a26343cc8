/** Which of the two forms of an answer a client accepts, by its header `Accept`: JSON, a stream of events, either, or neither. */

export type Acceptance = 'either' | 'json' | 'events' | 'neither';

/** Clients send the same few texts with every request. Bounded, since they may send any. */
const judged = new Map<string, Acceptance>();
const mostJudged = 100;
let lastText: string | undefined;
let lastVerdict: Acceptance = 'either';

export function acceptanceOf(accept: string): Acceptance {
  if (accept === lastText) return lastVerdict;
  const verdict = judged.get(accept) ?? judge(accept);
  if (judged.size < mostJudged && accept.length < 200) judged.set(accept, verdict);
  lastText = accept;
  lastVerdict = verdict;
  return verdict;
}

function judge(accept: string): Acceptance {
  const ranges = new Map(accept.toLowerCase().split(',').map(readRange));
  // The closest range decides, as RFC 9110 has it.
  const takes = (type: string): boolean =>
    ranges.get(type) ?? ranges.get(type.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? false;
  const [json, events] = [takes('application/json'), takes('text/event-stream')];
  if (json) return events ? 'either' : 'json';
  return events ? 'events' : 'neither';
}

/** A media range, and whether it is wanted: one of quality 0 is not. */
function readRange(text: string): readonly [range: string, isWanted: boolean] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  return [range, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))];
}
