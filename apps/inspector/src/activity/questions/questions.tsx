/** Questions that wait for the user: forms, URLs, sampling, and sign-ins. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Answer, ApiError, Question } from '../../../../../src/inspector/api.ts';
import { call, errorOf } from '../../api/call.ts';
import { shownValue } from '../../controls/format.ts';
import { Icon } from '../../controls/icon.tsx';
import { ErrorNotice } from '../../controls/notice.tsx';
import { narrowPane } from '../../state/place.ts';
import { clients, questions } from '../../state/store.ts';
import { FormQuestion } from './form-question.tsx';
import { SamplingQuestion } from './sampling-question.tsx';
import { UrlQuestion } from './url-question.tsx';

export function Questions() {
  const all = questions.value;
  return (
    <section class="aside-part questions" aria-label="Questions">
      <h2>Questions {all.length > 0 && <span class="count">{all.length}</span>}</h2>
      {all.length === 0 && <p class="faint">When a server asks for input, it is answered here.</p>}
      <div aria-live="polite">
        {all.map((question) => (
          <OneQuestion key={question.id} question={question} />
        ))}
      </div>
    </section>
  );
}

const titles: Readonly<Record<Question['kind'], string>> = {
  form: 'asks for input',
  url: 'asks you to open a page',
  sampling: 'asks for a message of the model',
  'sign-in': 'requires a sign-in',
};

/** The question disappears with the focus in it: the next one has it then, or the result that was waited for. */
function leave(answered: string): void {
  const next = questions.peek().find(({ id }) => id !== answered);
  if (next === undefined) narrowPane.value = 'section';
  const place = next === undefined ? '.outcome' : `#question-${next.id} :is(input, textarea, button)`;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(place)?.focus());
}

function OneQuestion({ question }: { readonly question: Question }) {
  const error = useSignal<ApiError | undefined>(undefined);
  const asking = clients.value.find(({ id }) => id === question.client);
  // The form appears where the user is not: it is scrolled into view, and the focus stays.
  useEffect(() => document.getElementById(`question-${question.id}`)?.scrollIntoView({ block: 'start' }), []);
  const onAnswer = (answer: Answer): void => {
    error.value = undefined;
    void call('answer', { question: question.id, answer }).then(
      () => leave(question.id),
      (thrown) => (error.value = errorOf(thrown)),
    );
  };
  return (
    <article class="question" id={`question-${question.id}`}>
      <p class="question-from">
        <Icon name={question.kind === 'sign-in' ? 'lock' : 'prompts'} />
        <span>
          <strong>{shownValue(asking?.label ?? question.client)}</strong> {titles[question.kind]}
        </span>
      </p>
      {question.kind === 'form' && <FormQuestion question={question} onAnswer={onAnswer} />}
      {question.kind === 'sampling' && <SamplingQuestion question={question} onAnswer={onAnswer} />}
      {(question.kind === 'url' || question.kind === 'sign-in') && (
        <UrlQuestion question={question} onAnswer={onAnswer} />
      )}
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </article>
  );
}
