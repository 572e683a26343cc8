/** The first steps in the playground: call, answer, compare, watch, look back. */
import type { TourStep } from '../../../src/inspector/api.ts';

/** `older` is another protocol version, that a second client of the same server has. */
export const tourOf = (older: string): readonly TourStep[] => [
  {
    id: 'call',
    title: 'Call a tool',
    hint: 'The form is filled in. Run sends it, and the messages appear in the timeline.',
    opens: { tool: 'forecast', arguments: { city: 'Oslo' } },
    doneBy: { tool: 'forecast' },
  },
  {
    id: 'answer',
    title: 'Answer a form',
    hint: 'Run it: in the middle of the call, the server asks how many people go. Alt+A leads to the form.',
    opens: { tool: 'book', arguments: { city: 'Bergen' } },
    doneBy: { tool: 'book' },
  },
  {
    id: 'compare',
    title: 'Compare two versions',
    hint: `A second client speaks ${older} with the same server. Run it, answer it, then choose Compare above the result.`,
    opens: { tool: 'book', arguments: { city: 'Bergen' }, protocolVersion: older },
    doneBy: { tool: 'book', versions: 2 },
  },
  {
    id: 'watch',
    title: 'Watch progress',
    hint: 'It works for some seconds, and reports each day as it is done.',
    opens: { tool: 'report', arguments: { city: 'Oslo' } },
    doneBy: { tool: 'report' },
  },
  {
    id: 'look',
    title: 'Look back',
    hint: 'Drag the moment below the timeline: the state of both connections at that time is beside the rows.',
    opens: {},
    doneBy: { moment: true },
  },
];
