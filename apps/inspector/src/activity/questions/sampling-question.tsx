/** Sampling: the server's request is shown, and the user writes the message of the model, edits all of it as JSON, or refuses. */
import { useSignal } from '@preact/signals';
import type { Answer } from '../../../../../src/inspector/api.ts';
import { Button, Segments } from '../../controls/button.tsx';
import { Labelled } from '../../controls/labelled.tsx';
import { JsonEditor } from '../../form/json-editor.tsx';
import { ContentView } from '../../result/content.tsx';
import { JsonTree } from '../../result/json-tree.tsx';
import type { AnswerProps } from './answer-props.ts';

type Message = Extract<Answer, { readonly action: 'sample' }>['message'];

export function SamplingQuestion({ question, onAnswer }: AnswerProps<'sampling'>) {
  const text = useSignal('');
  const model = useSignal('inspector');
  /** The whole message as JSON, while that is edited. */
  const json = useSignal<string | undefined>(undefined);
  const problem = useSignal('');
  const written = (): Message => ({
    role: 'assistant',
    content: { type: 'text', text: text.value },
    model: model.value,
    stopReason: 'endTurn',
  });
  const send = (event: Event): void => {
    event.preventDefault();
    try {
      const message = json.value === undefined ? written() : (JSON.parse(json.value) as Message);
      problem.value = '';
      onAnswer({ action: 'sample', message });
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form onSubmit={send} onKeyDown={(event) => isSend(event) && send(event)}>
      <Asked request={question.request} />
      <Segments
        label="Message as"
        value={json.value === undefined ? 'text' : 'json'}
        options={[
          ['text', 'Text'],
          ['json', 'JSON'],
        ]}
        onChange={(view) => (json.value = view === 'text' ? undefined : JSON.stringify(written(), null, 2))}
      />
      {json.value === undefined ? (
        <>
          <Labelled id={`${question.id}-text`} label="Message of the model">
            <textarea
              id={`${question.id}-text`}
              rows={4}
              value={text}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          </Labelled>
          <Labelled id={`${question.id}-model`} label="Name of the model">
            <input
              id={`${question.id}-model`}
              type="text"
              value={model}
              onInput={(event) => (model.value = event.currentTarget.value)}
            />
          </Labelled>
        </>
      ) : (
        <JsonEditor
          label="Message of the model as JSON"
          value={json.value}
          onChange={(next) => (json.value = next)}
          maxRows={16}
        />
      )}
      {problem.value !== '' && <p class="field-problem">{problem.value}</p>}
      <div class="question-bar">
        <Button type="submit" variant="primary">
          Send
        </Button>
        <Button onClick={() => onAnswer({ action: 'refuse' })}>Refuse</Button>
      </div>
    </form>
  );
}

const isSend = (event: KeyboardEvent): boolean => event.key === 'Enter' && (event.ctrlKey || event.metaKey);

/** What the server wants from the model. */
function Asked({ request }: { readonly request: AnswerProps<'sampling'>['question']['request'] }) {
  const { messages, systemPrompt, ...others } = request;
  return (
    <>
      {systemPrompt !== undefined && <p class="question-text soft">{systemPrompt}</p>}
      {messages.map(({ role, content }, at) => (
        <div key={at} class={`message ${role}`}>
          <p class="message-role">{role}</p>
          {[content].flat().map((block, place) => (
            <ContentView key={place} block={block as Parameters<typeof ContentView>[0]['block']} />
          ))}
        </div>
      ))}
      <details>
        <summary>Options</summary>
        <JsonTree value={others} />
      </details>
    </>
  );
}
