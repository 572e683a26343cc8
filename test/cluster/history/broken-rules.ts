/** Broken rules of a history, each with the events that show it, and their text for people. */

/** One broken rule. */
export interface BrokenRule<Name, Event> {
  readonly rule: Name;
  /** The request, stream, listener, step, question or task it is about. */
  readonly about: string;
  readonly events: readonly Event[];
}

/** What reports the breaking of these rules. */
export function reportOn<Event, Name extends string>(rules: Readonly<Record<Name, string>>) {
  return {
    violation: (rule: Name, about: string, ...events: readonly Event[]): BrokenRule<Name, Event> => ({
      rule,
      about,
      events,
    }),
    describeViolations: (violations: readonly BrokenRule<Name, Event>[]): string =>
      violations
        .map(({ rule, about, events }) =>
          [`${rule} (${about}): ${rules[rule]}`, ...events.map((event) => `  ${JSON.stringify(event)}`)].join('\n'),
        )
        .join('\n'),
  };
}
