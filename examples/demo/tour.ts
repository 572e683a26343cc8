/** The first steps that the inspector shows beside the demo: run, answer, compare, kill, look back, copy. */
import { pid, platform } from 'node:process';
import type { TourStep } from 'tenon/inspector';

const kill = platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;

/** `isLasting` says whether tasks survive the process, `older` is another protocol version. */
export const demoTour = (isLasting: boolean, older: string): readonly TourStep[] => [
  {
    id: 'run',
    title: 'Run weather',
    hint: 'The form is filled in. Ctrl+Enter runs it.',
    opens: { tool: 'weather', arguments: { city: 'Oslo' } },
    doneBy: { tool: 'weather' },
  },
  {
    id: 'answer',
    title: 'Answer book',
    hint: 'Run it: it asks how many people go. Alt+A leads to the question.',
    opens: { tool: 'book', arguments: { city: 'Bergen' } },
    doneBy: { tool: 'book' },
  },
  {
    id: 'versions',
    title: 'Compare versions',
    hint: `The same server is open with ${older}. Run it, answer it, then choose Compare above the result.`,
    opens: { tool: 'book', arguments: { city: 'Bergen' }, protocolVersion: older },
    doneBy: { tool: 'book', versions: 2 },
  },
  {
    id: 'task',
    title: 'Kill a task',
    hint: isLasting
      ? `Run it. While it works, type \`${kill}\` in a terminal, then start the demo again: the report goes on.`
      : 'Run it: it works for half a minute. To kill the demo meanwhile and see the report go on, start it with `DEMO_STORE=sqlite:./demo.db npm start`.',
    opens: { tool: 'long_report', arguments: { chapters: 10, pauseMs: 3000 } },
    doneBy: { tool: 'long_report' },
  },
  {
    id: 'look',
    title: 'Look back',
    hint: 'Drag the slider below the timeline: the state of all connections at that moment is shown beside the rows.',
    opens: {},
    doneBy: { moment: true },
  },
  {
    id: 'copy',
    title: 'Copy as command',
    hint: 'Choose “Copy as”, then “tenon command”, and paste it into a terminal.',
    opens: { tool: 'weather', arguments: { city: 'Oslo' } },
    doneBy: { copied: 'tenon command' },
  },
];
