/** Questions that wait for the user: forms, URLs, sampling, and sign-ins. Each names the call that it belongs to. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Answer, ApiError, Question, RunInfo } from '../../../../../src/inspector/api.ts';
import { call, errorOf } from '../../api/call.ts';
import { shownValue } from '../../controls/format.ts';
import { Icon } from '../../controls/icon.tsx';
import { ErrorNotice } from '../../controls/notice.tsx';
import { clients, questions } from '../../state/store.ts';
import { leaveQuestion, runsOf } from './focus-question.ts';
import { FormQuestion } from './form-question.tsx';
import { SamplingQuestion } from './sampling-question.tsx';
import { UrlQuestion } from './url-question.tsx';

export function Questions() {
  const all = questions.value;
  return (
    <section class="aside-part questions" aria-label="Questions">
      <h2>Questions {all.length > 0 && <span class="count">{all.length}</span>}</h2>
      {all.length === 0 && <p class="faint">When a server asks for input, you answer it here.</p>}
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

function OneQuestion({ question }: { readonly question: Question }) {
  const error = useSignal<ApiError | undefined>(undefined);
  // The form appears where the user is not: it is scrolled into view, and the focus stays.
  useEffect(() => document.getElementById(`question-${question.id}`)?.scrollIntoView({ block: 'nearest' }), []);
  const onAnswer = (answer: Answer): void => {
    error.value = undefined;
    void call('answer', { question: question.id, answer }).then(
      () => leaveQuestion(question),
      (thrown) => (error.value = errorOf(thrown)),
    );
  };
  return (
    <article class="question" id={`question-${question.id}`}>
      <header class="question-from">
        <Icon name={question.kind === 'sign-in' ? 'lock' : 'prompts'} />
        <div>
          <p>
            <strong>{clientName(question.client)}</strong> {titles[question.kind]}
          </p>
          {question.kind !== 'sign-in' && <Cause runs={runsOf(question)} />}
        </div>
      </header>
      {question.kind === 'form' && <FormQuestion question={question} onAnswer={onAnswer} />}
      {question.kind === 'sampling' && <SamplingQuestion question={question} onAnswer={onAnswer} />}
      {(question.kind === 'url' || question.kind === 'sign-in') && (
        <UrlQuestion question={question} onAnswer={onAnswer} />
      )}
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </article>
  );
}

/** With its protocol version if another client has the same name. */
function clientName(id: string): string {
  const found = clients.value.find((each) => each.id === id);
  if (found === undefined) return id;
  const isAlone = clients.value.filter(({ label }) => label === found.label).length === 1;
  return shownValue(isAlone ? found.label : `${found.label} ${found.protocolVersion ?? ''}`);
}

/** The call that a question belongs to, or the calls that it may belong to. */
function Cause({ runs }: { readonly runs: readonly RunInfo[] }) {
  if (runs.length === 0) return <p>No call of this page is running.</p>;
  return (
    <>
      {runs.length > 1 && <p>It does not say for which of these calls:</p>}
      {runs.map((run) => (
        <p key={run.id} class="mono question-call" title={callText(run)}>
          {callText(run)}
        </p>
      ))}
    </>
  );
}

function callText({ request }: RunInfo): string {
  switch (request.kind) {
    case 'tool':
    case 'prompt':
      return `${request.name} ${shownValue(request.arguments, 400)}`;
    case 'resource':
      return request.uri;
    case 'task':
      return `${request.tool ?? 'task'} ${request.taskId}`;
    case 'request':
      return request.method;
  }
}
