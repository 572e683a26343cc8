/** What clients of a run got, and the rules that it must keep. */

/** An answer of the token endpoint that arrived. `body` is the whole text. */
interface Answer {
  readonly grant: string;
  readonly status: number;
  readonly body: string;
}

export type HistoryEvent =
  | ({ readonly type: 'exchanged'; readonly code: string } & Answer)
  /** `request`: refreshes with the same one are identical. */
  | ({ readonly type: 'refreshed'; readonly token: string; readonly request: string } & Answer)
  /** The client has done something for which its grant must end: its code or refresh token went into two different requests. */
  | { readonly type: 'misused'; readonly grant: string }
  /** The answer to a misuse, or to a revocation, was there: from now on nothing of the grant may be accepted. */
  | { readonly type: 'ended'; readonly grant: string }
  /** A node was asked about an access token. */
  | { readonly type: 'verified'; readonly grant: string; readonly status: number; readonly why?: string };

export type Rule =
  | 'a code is exchanged once'
  | 'a refresh token gives one response'
  | 'a grant that is not misused is not lost'
  | 'a grant that has ended gives nothing'
  | 'an access token is valid on all nodes until it is revoked';

export interface Violation {
  readonly rule: Rule;
  /** Where in the history. */
  readonly at: number;
  readonly event: HistoryEvent;
}

/** The rules that a history breaks. */
export function checkHistory(history: readonly HistoryEvent[]): readonly Violation[] {
  const violations: Violation[] = [];
  const exchanged = new Set<string>();
  const responses = new Map<string, string>();
  const misused = new Set<string>();
  const ended = new Set<string>();
  history.forEach((event, at) => {
    const breaks = (rule: Rule): void => void violations.push({ rule, at, event });
    const isDone = 'status' in event && event.status === 200;
    switch (event.type) {
      case 'misused':
        misused.add(event.grant);
        return;
      case 'ended':
        misused.add(event.grant);
        ended.add(event.grant);
        return;
      case 'verified':
        if (!isDone && !misused.has(event.grant)) breaks('an access token is valid on all nodes until it is revoked');
        return;
      case 'exchanged':
        if (isDone && exchanged.has(event.code)) breaks('a code is exchanged once');
        if (isDone) exchanged.add(event.code);
        break;
      case 'refreshed': {
        const known = responses.get(event.token);
        if (isDone && known !== undefined && known !== event.body) breaks('a refresh token gives one response');
        if (isDone) responses.set(event.token, event.body);
        break;
      }
    }
    if (!isDone && event.type === 'refreshed' && !misused.has(event.grant))
      breaks('a grant that is not misused is not lost');
    if (isDone && ended.has(event.grant)) breaks('a grant that has ended gives nothing');
  });
  return violations;
}

/** For people: the broken rules, with what the clients of these grants got. */
export function describeViolations(violations: readonly Violation[], history: readonly HistoryEvent[]): string {
  const shown = violations.slice(0, 3).map(({ rule, at, event }) => {
    const of = history.flatMap((one, n) =>
      one.grant === event.grant && n <= at ? [`  ${n} ${JSON.stringify(one)}`] : [],
    );
    return `${rule}:\n${of.join('\n')}`;
  });
  return shown.join('\n\n');
}
