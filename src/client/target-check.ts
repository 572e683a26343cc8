/** Refuses what was said of an address and means nothing: a header under a wrong name would be left out in silence. */
import { isRecord } from '../protocol/model/primitives.ts';
import { hold, type Rules } from '../protocol/option-rules.ts';
import type { HttpTarget } from './http/target.ts';

const rules: Rules = {
  url: {
    holds: (value) => typeof value === 'string' || value instanceof URL,
    mend: "Write it in full: 'https://example.com/mcp'.",
  },
  headers: { holds: isRecord, mend: "Write headers: { authorization: 'Bearer …' }." },
};

/** `more` is what can be said besides, where that depends on what carries the requests. */
export function checkHttpTarget(target: string | URL | HttpTarget, more: Rules = {}): void {
  if (typeof target === 'string' || target instanceof URL) return;
  hold('connect()', 'target.', { ...target }, { ...rules, ...more });
}
