/** Rules on effects: at most once for a call, once for an idempotency key, and only for the principal that requested it. */
import { type EventOf, groupBy, type HistoryEvent, ofType } from './events.ts';
import { type Violation, violation } from './violations.ts';

type Effect = EventOf<'effect'>;

export function checkEffects(history: readonly HistoryEvent[]): Violation[] {
  const effects = ofType(history, 'effect');
  const requested = groupBy(ofType(history, 'request'), ({ token }) => token);
  return [
    ...repeated(effects.filter(({ idempotencyKey }) => idempotencyKey !== undefined)),
    ...repeated(effects.filter(({ idempotencyKey }) => idempotencyKey === undefined)),
    ...effects.flatMap((effect) => {
      const requests = requested.get(effect.token) ?? [];
      if (requests.some(({ principal }) => principal === effect.principal)) return [];
      return [violation('effect-of-another-principal', effect.token, ...requests, effect)];
    }),
  ];
}

/** Keys of two principals are two keys, even if they read the same. */
const identity = ({ principal, idempotencyKey, token }: Effect): string =>
  JSON.stringify([principal, idempotencyKey ?? token]);

const repeated = (effects: readonly Effect[]): Violation[] =>
  [...groupBy(effects, identity).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length < 2) return [];
    const { idempotencyKey, token } = first;
    return idempotencyKey === undefined
      ? [violation('effect-ran-twice', token, ...group)]
      : [violation('idempotency-key-ran-twice', idempotencyKey, ...group)];
  });
