/** The first steps that the inspector shows beside the guarded demo: an allowed call, a refusal, its explanation, the log. */
import type { TourStep } from 'tenon/inspector';
import { lastRefusal, recentRecords } from './records.ts';

export const guardedTour: readonly TourStep[] = [
  {
    id: 'allowed',
    title: 'Run weather',
    hint: 'The form is filled in. Ctrl+Enter runs it: the policy allows Oslo.',
    opens: { tool: 'weather', arguments: { city: 'Oslo' } },
    doneBy: { tool: 'weather' },
  },
  {
    id: 'refused',
    title: 'See a refusal',
    hint: 'Run it: a rule of the policy denies Atlantis. The tool `write` is hidden altogether.',
    opens: { tool: 'weather', arguments: { city: 'Atlantis' } },
    doneBy: { refused: 'weather' },
  },
  {
    id: 'why',
    title: 'Read why',
    hint: 'The explanation names the rule, its line in the policy, and its condition.',
    opens: { resource: lastRefusal },
    doneBy: { resource: lastRefusal },
  },
  {
    id: 'log',
    title: 'Read the log',
    hint: 'Every decision and call is recorded, each with the hash of the record before. “Read” shows the newest.',
    opens: { resource: recentRecords },
    doneBy: { resource: recentRecords },
  },
];
