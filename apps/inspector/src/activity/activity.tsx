/** The pane at the side: questions and approvals that wait, tasks, and the log. */
import { Approvals } from './approvals.tsx';
import { Logs } from './logs.tsx';
import { Questions } from './questions/questions.tsx';
import { Tasks } from './tasks.tsx';

export const Activity = () => (
  <aside class="aside" aria-label="Activity">
    <Questions />
    <Approvals />
    <Tasks />
    <Logs />
  </aside>
);
