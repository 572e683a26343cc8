/** Patterns over URIs: a URI matches if it does so however a handler reads it. */
import { decodeUri, type UriReading, uriProblem } from './canonical-uri.ts';
import { compileGlob } from './patterns.ts';

/** Whether one reading of a URI matches a pattern. */
export type MatchReading = (reading: UriReading) => boolean;

/** Compiles a pattern. One without a query is compared with the readings that have none, too. */
export function compileUriPattern(pattern: string): MatchReading {
  const decoded = decodeUri(pattern) ?? pattern;
  const holds = compileGlob(pattern, '/');
  const holdsDecoded = decoded === pattern ? holds : compileGlob(decoded, '/');
  const withQuery = /[?#]/.test(pattern);
  return (reading) => {
    const text = withQuery ? reading.whole : reading.compared;
    return reading.decoded ? holdsDecoded(text) : holds(text);
  };
}

/** The reason why a pattern matches no canonical URI, or `undefined`. */
export function uriPatternProblem(pattern: string): string | undefined {
  const whole = pattern.replace(/^\*\*+/, 'x:/x');
  // A wildcard may stand for a part of a name, or for a port.
  const problem = uriProblem(whole.replace(/\*+/g, 'x'));
  return problem === undefined || uriProblem(whole.replace(/\*+/g, '1')) === undefined ? undefined : problem;
}
