/** The pane at the side: questions that wait, tasks, and the log. */
import { Logs } from './logs.tsx';
import { Questions } from './questions/questions.tsx';
import { Tasks } from './tasks.tsx';

export const Activity = () => (
  <aside class="aside" aria-label="Activity">
    <Questions />
    <Tasks />
    <Logs />
  </aside>
);
