/** The issues of a value, and their text on one line that a model can read. */

/** One problem, and where it is. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface IssueTextLimits {
  /** How many issues are listed; the rest is counted. */
  readonly count: number;
  /** How many characters the whole line has at most. */
  readonly length: number;
}

const plainLimits: IssueTextLimits = { count: 5, length: 600 };
const issueLength = 200;

/** Text cut to `length` characters, the cut marked by an ellipsis. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A cut between the halves of a surrogate pair would leave text that is not well formed.
  const cut = text.slice(0, Math.max(0, length - 1)).replace(/[\ud800-\udbff]$/, '');
  return `${cut}…`;
}

// Not as literals: V8 looks up all letters of Unicode when it reads one, before anything is wrong.
const plainName = (): RegExp => new RegExp('^[\\p{L}_$][\\p{L}\\p{N}_$-]*$', 'u');
const controls = (): RegExp => new RegExp('\\p{Cc}+', 'gu');

/** A path as one writes it: `stops[2].city`, `headers["x y"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && !plainName().test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** Issues as one line, `city: expected string; stops[2]: is required`, bounded in count and length. */
export function issuesText(issues: readonly Issue[], limits: IssueTextLimits = plainLimits): string {
  const shown = issues.slice(0, limits.count).map(({ path, message }) => {
    const place = shorten(pathText(path), issueLength / 2);
    // Line breaks and control characters in a message could pass for text of the server.
    const words = shorten(message.replace(controls(), ' ').trim(), issueLength);
    return place === '' ? words : `${place}: ${words}`;
  });
  const rest = issues.length - shown.length;
  const tail = rest > 0 ? `; and ${rest} more` : '';
  return shorten(shown.join('; '), limits.length - tail.length) + tail;
}
