/** Brings a question into view and gives it the focus, also by the shortcut; and where the focus goes after its answer. */
import type { Question, RunInfo } from '../../../../../src/inspector/api.ts';
import { showPane } from '../../state/panes.ts';
import { place } from '../../state/place.ts';
import { itemKey, shownRun } from '../../state/runs.ts';
import { known, questions } from '../../state/store.ts';

/** The questions of a run, or that may be of it. */
export const questionsOf = (run: RunInfo): readonly Question[] =>
  questions.value.filter(({ runs }) => runs.includes(run.id));

/** The runs that a question may belong to. */
export const runsOf = ({ runs }: Question): readonly RunInfo[] =>
  known.value.runs.filter(({ id }) => runs.includes(id));

export function focusQuestion({ id }: Question): void {
  showPane('activity');
  // The pane may only now be shown.
  requestAnimationFrame(() => {
    const card = document.getElementById(`question-${id}`);
    card?.scrollIntoView({ block: 'nearest' });
    card?.querySelector<HTMLElement>(':is(form, .question-bar) :is(input, textarea, select, button, a)')?.focus();
  });
}

/** Whether a run is the one that the open item shows. */
const isShown = ({ id, request }: RunInfo): boolean => {
  const { client = '', section, name } = place.peek();
  const key = itemKey(request);
  return (
    section !== 'server' &&
    [`tool ${name}`, `prompt ${name}`, `resource ${name}`].includes(key) &&
    shownRun(key, client)?.id === id
  );
};

/** The question that Alt+A answers: of the run that is shown, or the one that waits longest. */
export function focusNextQuestion(): void {
  const own = questions.peek().find((question) => runsOf(question).some(isShown));
  const next = own ?? questions.peek()[0];
  if (next !== undefined) focusQuestion(next);
}

/** A question disappears with the focus in it: the next one of its run has it then, or the result that was waited for. */
export function leaveQuestion(answered: Question): void {
  const others = questions.peek().filter(({ id }) => id !== answered.id);
  const next = others.find(({ runs }) => runs.some((run) => answered.runs.includes(run)));
  const isWaitedFor = runsOf(answered).some(isShown);
  if (next !== undefined) return focusQuestion(next);
  if (!isWaitedFor && others[0] !== undefined) return focusQuestion(others[0]);
  showPane('section');
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.outcome')?.focus());
}
