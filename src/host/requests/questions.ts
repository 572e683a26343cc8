/** Limits how often the servers of a host can have the user asked: a tired user agrees to everything. */
import { createRateLimit } from './rate-limit.ts';

export interface QuestionLimits {
  /** How many questions about one server wait for an answer. */
  readonly maxQuestions: number;
  readonly maxQuestionsPerMinute: number;
  /** After so many refusals in a row a server is muted. */
  readonly maxRefusals: number;
  readonly muteMs: number;
}

export interface Questions {
  /** Whether the user may be asked now. If so, `end` has to be called. */
  begin(server: string): 'ask' | 'limit' | 'muted';
  end(server: string, answer: 'allowed' | 'refused' | 'none'): void;
}

interface Asked {
  waiting: number;
  refusals: number;
  mutedUntil: number;
  readonly isAllowed: () => boolean;
}

export function createQuestions(limits: QuestionLimits, now: () => number): Questions {
  const { maxQuestions, maxQuestionsPerMinute, maxRefusals, muteMs } = limits;
  /** By server: a host has as many as it is configured with. */
  const asked = new Map<string, Asked>();
  const of = (server: string): Asked => {
    const isAllowed = createRateLimit(maxQuestionsPerMinute, now);
    const found = asked.get(server) ?? { waiting: 0, refusals: 0, mutedUntil: 0, isAllowed };
    asked.set(server, found);
    return found;
  };
  return {
    begin(server) {
      const one = of(server);
      if (one.refusals >= maxRefusals && now() < one.mutedUntil) return 'muted';
      if (one.waiting >= maxQuestions || !one.isAllowed()) return 'limit';
      one.waiting++;
      return 'ask';
    },
    end(server, answer) {
      const one = of(server);
      one.waiting--;
      if (answer === 'allowed') one.refusals = 0;
      if (answer !== 'refused') return;
      // After the time has passed one further refusal mutes it again.
      if (++one.refusals >= maxRefusals) one.mutedUntil = now() + muteMs;
    },
  };
}
