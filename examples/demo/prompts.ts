/** Prompts of the demo. */
import { prompt } from 'tenon';
import { z } from 'zod';

const cities = ['Bergen', 'Berlin', 'Lisbon', 'London', 'Oslo', 'Paris'];
const beginsWith =
  (words: readonly string[]) =>
  (typed: string): string[] =>
    words.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase()));

export const plan = prompt(
  {
    title: 'Plan a day',
    description: 'A day in a city',
    argsSchema: z.object({ city: z.string() }),
    complete: { city: beginsWith(cities) },
  },
  ({ city }) => `Plan a day in ${city}. Check the weather first.`,
);

export const review = prompt(
  {
    title: 'Review code',
    description: 'A request to review code',
    argsSchema: z.object({ code: z.string(), language: z.string().optional() }),
  },
  ({ code, language }) => `Please review this ${language ?? 'code'}:\n\n${code}`,
);
