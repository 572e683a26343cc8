/** Reads `WWW-Authenticate`: the challenges of a protected resource (RFC 6750, 9728 and 9449). */

/** What a challenge says. */
export interface Challenge {
  /** In lower case: `bearer` or `dpop`. */
  readonly scheme: string;
  /** Its parameters, by names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const part =
  /([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z:/?@-]+)))?\s*,?\s*/y;

/** All challenges of all header lines. What cannot be read ends its line. */
export function readChallenges(lines: readonly string[]): Challenge[] {
  return lines.flatMap((line) => {
    const found: { scheme: string; parameters: Record<string, string> }[] = [];
    part.lastIndex = 0;
    for (let at = part.exec(line); at !== null && at[0] !== ''; at = part.exec(line)) {
      const [, name = '', quoted, plain] = at;
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
      if (value === undefined) found.push({ scheme: name.toLowerCase(), parameters: Object.create(null) });
      else {
        const { parameters } = found.at(-1) ?? {};
        if (parameters !== undefined) parameters[name.toLowerCase()] ??= value;
      }
    }
    return found;
  });
}

/** The challenge that asks for an access token. */
export const tokenChallenge = (challenges: readonly Challenge[]): Challenge | undefined =>
  challenges.find(({ scheme }) => scheme === 'dpop') ?? challenges.find(({ scheme }) => scheme === 'bearer');
